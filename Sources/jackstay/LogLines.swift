import Glibc
import Logging
import Settings
import Synchronization
import Words

/// Writes each log message as one plain line: `jackstay: message`. Messages have no metadata: the sentence
/// says all.
struct LogLines: LogHandler {
  var metadata: Logger.Metadata = [:]
  private let display: Display
  private let level: LogThreshold
  private let reader: Reader

  /// The reader of standard error.
  enum Reader: Sendable, Equatable {
    /// A person at a terminal, who sees when a line comes; how severe it is may have a colour.
    case terminal(hasColours: Bool)
    /// The journal, which knows the time, and wants to know how severe each line is.
    case journal
    /// A file or another program: each line begins with the local time.
    case file

    /// The line of a message, as this reader gets it.
    func line(_ level: Logger.Level, _ text: String, at time: timespec) -> String {
      let mark = level >= .warning ? "\(level): " : ""
      switch self {
      case .terminal(hasColours: true) where level >= .warning:
        let look = TerminalLook(environment: [:])
        return LogLines.shown("jackstay: ") + look.code(of: level >= .error ? .bad : .warning) + mark
          + look.code(of: .plain) + LogLines.shown(text)
      case .terminal: return LogLines.shown("jackstay: \(mark)\(text)")
      case .journal: return Journal.prefix(of: level) + LogLines.shown("jackstay: \(mark)\(text)")
      case .file: return time.asLocalTime + LogLines.shown(" jackstay: \(mark)\(text)")
      }
    }
  }

  init(_ display: Display, _ level: LogThreshold, for reader: Reader) {
    self.display = display
    self.level = level
    self.reader = reader
  }

  /// That of all loggers of the program: it may change while they are there.
  var logLevel: Logger.Level {
    get { level.current }
    set { level.current = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    display.print(reader.line(event.level, event.message.description, at: now))
  }

  /// One event, one line, whatever a server or a client has put into its name, and nothing that moves a
  /// cursor.
  static func shown(_ line: String) -> String {
    String(line.map { $0.isNewline ? " " : $0 }).echoed(limit: 2000)
  }
}

/// How severe a message has to be to be shown, by whichever logger. Thread-safe.
final class LogThreshold: Sendable {
  private let level: Mutex<Logger.Level>

  init(_ level: Logger.Level) {
    self.level = Mutex(level)
  }

  var current: Logger.Level {
    get { level.withLock { $0 } }
    set { level.withLock { $0 = newValue } }
  }
}

extension Settings.LogLevel {
  /// The same level as the log library calls it.
  var loggerLevel: Logger.Level {
    switch self {
    case .trace: .trace
    case .debug: .debug
    case .info: .info
    case .notice: .notice
    case .warning: .warning
    case .error: .error
    }
  }
}

extension timespec {
  /// The local time to the millisecond: `2026-05-01 21:30:05.123`. The corresponding C functions are `localtime_r` and
  /// `strftime`.
  fileprivate var asLocalTime: String {
    var (seconds, parts) = (tv_sec, tm())
    localtime_r(&seconds, &parts)
    let text = [CChar](unsafeUninitializedCapacity: 32) { buffer, count in
      count = buffer.baseAddress.map { strftime($0, buffer.count, "%Y-%m-%d %H:%M:%S", &parts) } ?? 0
    }
    let milliseconds = String(1000 + tv_nsec / 1_000_000).dropFirst()
    return "\(String(decoding: text.map(UInt8.init(bitPattern:)), as: UTF8.self)).\(milliseconds)"
  }
}
