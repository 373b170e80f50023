/// Cuts bytes into lines as they arrive, however they are cut into pieces.
///
/// Of a line only the first bytes are kept, so that an input without line breaks does not fill the memory.
public struct LineReader: Sendable {
  /// A line, without what ends it.
  public struct Line: Sendable, Hashable {
    /// The bytes, or the first of them.
    public let bytes: [UInt8]
    /// Whether there were more.
    public let isTooLong: Bool

    /// The bytes as text, in which what is not UTF-8 is replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// How many bytes of a line are kept.
  public let longest: Int
  private var bytes: [UInt8] = []
  private var isTooLong = false

  /// A reader of lines of at most `longest` bytes, of which nothing has been read.
  public init(longest: Int) { self.longest = longest }

  /// Takes the next bytes, and returns the lines that they end.
  public mutating func take(_ bytes: some Sequence<UInt8>) -> [Line] {
    var lines: [Line] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        lines.append(end())
      } else if self.bytes.count < longest {
        self.bytes.append(byte)
      } else {
        isTooLong = true
      }
    }
    return lines
  }

  /// The line that has begun, which nothing has ended yet; the next byte begins a new one.
  public mutating func end() -> Line {
    defer {
      bytes = []
      isTooLong = false
    }
    return Line(bytes: bytes, isTooLong: isTooLong)
  }
}
