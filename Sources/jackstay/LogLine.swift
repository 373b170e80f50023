import Logging
import MusicalTime
import Words

/// A line of the log, before it is written.
struct LogLine: Sendable, Equatable {
  /// How severe it is.
  let level: Logger.Level
  /// The event, and then the advice: at most two short sentences, with numbers and their units in them.
  let text: String

  static func debug(_ text: String) -> LogLine { LogLine(level: .debug, text: text) }

  static func info(_ text: String) -> LogLine { LogLine(level: .info, text: text) }

  static func notice(_ text: String) -> LogLine { LogLine(level: .notice, text: text) }

  static func warning(_ text: String) -> LogLine { LogLine(level: .warning, text: text) }

  static func error(_ text: String) -> LogLine { LogLine(level: .error, text: text) }

  /// That the session has another tempo, in quarter notes; and what JACK clients read, where that differs.
  static func tempo(_ tempo: Tempo, inJACK jack: Double?) -> LogLine {
    .info("tempo \(tempo.beatsPerMinute.asTempo(inJACK: jack))")
  }

  /// The answer of a server whose transport is not its own.
  static var mastersTransport: String {
    "this JACK server follows the transport of its netjack master. Start and stop the master instead."
  }

  /// That a tempo is not set while JACK leads: at once, or in the cycle in which JACK has come to lead.
  static var tempoIsJACKs: LogLine {
    .error("JACK leads, so the timebase owner sets the tempo. Change it there, or enter: mode link")
  }

  /// That a tempo is not set while none is sent to the session.
  static var tempoIsNotSent: LogLine {
    .error("tempo-sync keeps JACK from changing the session's tempo. To change that, enter: tempo-sync both")
  }

  /// That JACK's downbeat is not shifted while Link does not lead.
  static var downbeatIsOwners: LogLine {
    .error("another program owns the timebase and counts its own bars. Move the downbeat in that program.")
  }

  /// Writes it.
  func write(to logger: Logger) { logger.log(level: level, "\(text)") }
}
