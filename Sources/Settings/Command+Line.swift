import MusicalTime
import Reconciliation

extension Command {
  /// The commands a running program takes, as a person reads about them.
  public static let usage = "start, stop, tempo BPM or mode auto|link|jack"

  /// Reads a command from a line that somebody has typed; `nil` for an empty one.
  public init?(line: String) throws(SettingsError) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    switch (words.first, words.count) {
    case (.none, _): return nil
    case ("start", 1): self = .start
    case ("stop", 1): self = .stop
    case ("tempo", 2):
      guard let tempo = Tempo(.argument(words[1])) else {
        throw SettingsError("tempo \(words[1].echoedAsWord()): expected \(Tempo.expectation)")
      }
      self = .proposeTempo(tempo)
    case ("mode", 2):
      guard let mode = SyncMode(.argument(words[1])) else {
        throw SettingsError("mode \(words[1].echoedAsWord()): expected \(SyncMode.expectation)")
      }
      self = .select(mode)
    default:
      throw SettingsError("unknown command \"\(line.echoed())\"; expected \(Command.usage)")
    }
  }
}
