import Words

/// Reads what a running bridge is told from bytes as they arrive, however they are cut into pieces: one
/// instruction a line.
///
/// Whatever the bytes are, a line is an instruction, nothing, or one error. Of a line only the first
/// ``longest`` bytes are kept, so that an input without line breaks does not fill the memory.
public struct CommandReader: Sendable {
  /// The longest line worth reading, in bytes: no command has as many.
  public static let longest = 256

  /// A line that was read: an instruction, or what is wrong with it.
  public typealias Line = Result<Instruction, SettingsError>

  private var lines = LineReader(longest: CommandReader.longest)

  /// A reader of which nothing has been read.
  public init() {}

  /// Takes the next bytes, and returns what the lines say that they end.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    lines.take(bytes).compactMap(CommandReader.read)
  }

  /// What the line says that has begun, at the end of the input: the last one need not be ended.
  ///
  /// Returns `nil` when it says nothing. The next byte begins a new line.
  public mutating func end() -> Line? { CommandReader.read(lines.end()) }

  private static func read(_ line: LineReader.Line) -> Line? {
    do throws(SettingsError) {
      guard !line.isTooLong else {
        throw SettingsError("command \"\(line.text.echoed())\" is too long; expected \(Instruction.usage)")
      }
      return try Instruction(line: line.text).map(Line.success)
    } catch {
      return .failure(error)
    }
  }
}
