import MusicalTime
import Reconciliation

/// What somebody tells a running bridge, in the same words wherever it is told.
public enum Instruction: Sendable, Hashable {
  /// Do something.
  case command(Command)
  /// Say how things are.
  case status
  /// Say what happens, from now on.
  case watch
  /// Say what can be told.
  case help

  /// One of the words that begin an instruction.
  public struct Word: Sendable {
    /// The word.
    public let word: String
    /// What follows it, as a person reads about it; `nil` if nothing does.
    public let parameter: String?
    /// What it does, in a few words.
    public let summary: String

    /// The word with what follows it.
    public var usage: String { parameter.map { "\(word) \($0)" } ?? word }

    fileprivate init(_ word: String, _ parameter: String?, _ summary: String) {
      self.word = word
      self.parameter = parameter
      self.summary = summary
    }
  }

  /// All that can be told, in the order of the help.
  public static let vocabulary: [Word] = [
    Word("status", nil, "say how things are"),
    Word("watch", nil, "say what happens, from now on"),
    Word("start", nil, "start JACK and the session"),
    Word("stop", nil, "stop JACK and the session"),
    Word("tempo", "BPM", "set the session's tempo, unless JACK leads"),
    Word("mode", "auto|link|jack", "choose who leads, also while there is no server"),
    Word("help", nil, "list these commands"),
  ]

  /// The instructions a running bridge takes, as a person reads about them.
  public static let usage =
    vocabulary.dropLast().map(\.usage).joined(separator: ", ") + " or "
    + vocabulary.suffix(1).map(\.usage).joined()

  /// Reads an instruction from a line that somebody has typed; `nil` for an empty one.
  public init?(line: String) throws(SettingsError) {
    let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
    guard let first = words.first else { return nil }
    guard let known = Instruction.vocabulary.first(where: { $0.word == first }) else {
      throw SettingsError("unknown command \"\(line.echoed())\"; expected \(Instruction.usage)")
    }
    guard words.count == (known.parameter == nil ? 1 : 2) else {
      throw SettingsError("command \"\(line.echoed())\": expected \(known.usage)")
    }
    switch first {
    case "status": self = .status
    case "watch": self = .watch
    case "start": self = .command(.start)
    case "stop": self = .command(.stop)
    case "tempo": self = .command(.proposeTempo(try Instruction.value(words)))
    case "mode": self = .command(.select(try Instruction.value(words)))
    default: self = .help
    }
  }

  /// What follows the first word.
  private static func value<Value: OptionValue>(_ words: [String]) throws(SettingsError) -> Value {
    guard let value = Value(.argument(words[1])) else {
      throw SettingsError("\(words[0]) \(words[1].echoedAsWord()): expected \(Value.expectation)")
    }
    return value
  }
}
