import Logging
import Settings

/// Writes each log message as one plain line: `jackstay: message (key value, key value)`.
struct LogLines: LogHandler {
  var logLevel = Logger.Level.info
  var metadata: Logger.Metadata = [:]
  private let display: Display

  init(_ display: Display) {
    self.display = display
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
    display.print(LogLines.shown("jackstay: \(mark)\(line.text)"))
  }

  /// One event, one line, whatever a server or a client has put into its name, and nothing that moves a
  /// cursor.
  static func shown(_ line: String) -> String {
    String(line.map { $0.isNewline ? " " : $0 }).echoed(limit: 2000)
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
