import Reconciliation

/// Reads commands from bytes as they arrive, however they are cut into pieces: one a line.
///
/// Whatever the bytes are, a line is a command, nothing, or one error. Of a line only the first ``longest``
/// bytes are kept, so that an input without line breaks does not fill the memory.
public struct CommandReader: Sendable {
  /// The longest line worth reading, in bytes: no command has as many.
  public static let longest = 256

  /// A line that was read: a command, or what is wrong with it.
  public typealias Line = Result<Command, SettingsError>

  private var line: [UInt8] = []
  private var isTooLong = false

  /// A reader of which nothing has been read.
  public init() {}

  /// Takes the next bytes, and returns what the lines say that they end.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let line = end() { lines.append(line) }
      } else if line.count < CommandReader.longest {
        line.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }

  /// What the line says that has begun, at the end of the input: the last one need not be ended.
  ///
  /// Returns `nil` when it says nothing. The next byte begins a new line.
  public mutating func end() -> Line? {
    defer {
      line = []
      isTooLong = false
    }
    let text = String(decoding: line, as: UTF8.self)
    do throws(SettingsError) {
      guard !isTooLong else {
        throw SettingsError("command \"\(text.echoed())\" is too long; expected \(Command.usage)")
      }
      return try Command(line: text).map(Line.success)
    } catch {
      return .failure(error)
    }
  }
}
