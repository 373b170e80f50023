import Words

/// Reads the commands of a running bridge from bytes as they arrive, however they are cut into pieces: one
/// command a line.
///
/// Any line is a command, right or wrong, nothing, or one error. Of a line only the first ``longest`` bytes
/// are kept, so that an input without line breaks does not fill the memory.
public struct CommandReader: Sendable {
  /// The longest line worth reading, in bytes: no command has as many.
  public static let longest = 256

  /// A line that was read: the words of a command, or why it cannot be one.
  public typealias Line = Result<String, SettingsError>

  private var lines = LineReader(longest: CommandReader.longest)

  /// A reader of which nothing has been read.
  public init() {}

  /// Takes the next bytes, and returns the commands of the lines that they end.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    lines.take(bytes).compactMap(CommandReader.read)
  }

  /// The content of the unfinished line at the end of the input: the last one need not be ended.
  ///
  /// Returns `nil` for an empty one. The next byte begins a new line.
  public mutating func end() -> Line? { CommandReader.read(lines.end()) }

  private static func read(_ line: LineReader.Line) -> Line? {
    guard !line.isTooLong else {
      return .failure(
        SettingsError("command \"\(line.text.echoed())\" is too long; expected \(Instruction.usage)"))
    }
    let text = line.text
    return text.allSatisfy(\.isWhitespace) ? nil : .success(text)
  }
}
