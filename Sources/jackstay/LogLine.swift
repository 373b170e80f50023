import Logging
import MusicalTime
import Words

/// A line of the log, before it is written: what people are told, and what goes with it.
struct LogLine: Sendable {
  /// How severe it is.
  let level: Logger.Level
  /// What it says: the same whenever that happens.
  let message: String
  /// What was so this time.
  let metadata: Logger.Metadata

  static func debug(_ message: String, metadata: Logger.Metadata = [:]) -> LogLine {
    LogLine(level: .debug, message: message, metadata: metadata)
  }

  static func info(_ message: String, metadata: Logger.Metadata = [:]) -> LogLine {
    LogLine(level: .info, message: message, metadata: metadata)
  }

  static func notice(_ message: String, metadata: Logger.Metadata = [:]) -> LogLine {
    LogLine(level: .notice, message: message, metadata: metadata)
  }

  static func warning(_ message: String, metadata: Logger.Metadata = [:]) -> LogLine {
    LogLine(level: .warning, message: message, metadata: metadata)
  }

  static func error(_ message: String, metadata: Logger.Metadata = [:]) -> LogLine {
    LogLine(level: .error, message: message, metadata: metadata)
  }

  /// That the session has another tempo, in quarter notes; and what JACK clients read, where that differs.
  static func tempo(_ tempo: Tempo, inJACK jack: Double?) -> LogLine {
    var metadata: Logger.Metadata = ["bpm": "\(tempo.beatsPerMinute.formatted(decimals: 2))"]
    if let jack, jack != tempo.beatsPerMinute { metadata["jack_bpm"] = "\(jack.formatted(decimals: 2))" }
    return .info("tempo", metadata: metadata)
  }

  /// What is said of a server whose transport is not its own.
  static var mastersTransport: String {
    "this JACK server follows the transport of its netjack master; start and stop the master instead"
  }

  /// That a tempo is not set while JACK leads: refused at once, or in the cycle in which JACK has come to lead.
  static var tempoIsJACKs: LogLine {
    .error("JACK leads, so its timebase owner sets the tempo; change it there, or choose \"mode link\"")
  }

  /// Message and details as one text: `message (key value, key value)`.
  var text: String {
    let details = metadata.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    return message + (details.isEmpty ? "" : " (\(details))")
  }

  /// Writes it.
  func write(to logger: Logger) { logger.log(level: level, "\(message)", metadata: metadata) }
}
