/// One of the words that begin a command, as a person or a program writes it.
public struct CommandWord: Sendable, Hashable {
  /// The word.
  public let word: String
  /// The argument, as the help names it; `nil` if there is none.
  public let parameter: String?
  /// A summary of the command, in a few words.
  public let summary: String
  /// The words that may follow it, for a shell to complete.
  public let values: [String]
  /// An example of the command as it is typed.
  public let example: String

  /// A word that begins a command, with `argument` following it in the example.
  public init(
    _ word: String, _ parameter: String?, _ summary: String, values: [String] = [], argument: String? = nil
  ) {
    example = argument.map { "\(word) \($0)" } ?? word
    self.word = word
    self.parameter = parameter
    self.summary = summary
    self.values = values
  }

  /// The word with its argument.
  public var usage: String { parameter.map { "\(word) \($0)" } ?? word }

  /// Whether it can be switched, by `on` and `off`: a choice of directions is `on` in both.
  public var isSwitch: Bool { values.contains("off") && (values.contains("on") || values.contains("both")) }
}
