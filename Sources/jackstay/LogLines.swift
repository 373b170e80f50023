import Logging
import Settings
import Synchronization
import Words

/// Writes each log message as one plain line: `jackstay: message (key value, key value)`.
struct LogLines: LogHandler {
  var metadata: Logger.Metadata = [:]
  private let display: Display
  private let level: LogThreshold
  /// Whether the journal reads them, and wants to know how severe each is.
  private let isForJournal: Bool

  init(_ display: Display, _ level: LogThreshold, isForJournal: Bool = false) {
    self.display = display
    self.level = level
    self.isForJournal = isForJournal
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
    let line = LogLine(
      level: event.level, message: event.message.description,
      metadata: metadata.merging(event.metadata ?? [:]) { _, new in new })
    let mark = line.level >= .warning ? "\(line.level): " : ""
    let priority = isForJournal ? Journal.prefix(of: line.level) : ""
    display.print(priority + LogLines.shown("jackstay: \(mark)\(line.text)"))
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
