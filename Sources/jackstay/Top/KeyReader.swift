/// A key that a user has pressed.
enum Key: Sendable, Equatable {
  case character(Character)
  case escape
  case up
  case down
}

/// Reads keys from what a terminal sends.
///
/// Escape is the beginning of what other keys send, too: it is the key itself if nothing follows.
struct KeyReader {
  private var sequence: [UInt8] = []

  /// Takes what has come.
  @inline(never) mutating func take(_ bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { take($0) } }

  /// Nothing more has come for a while.
  mutating func pause() -> Key? {
    defer { sequence = [] }
    return sequence == [0x1B] ? .escape : nil
  }

  private mutating func take(_ byte: UInt8) -> Key? {
    switch sequence.count {
    case 0:
      if byte == 0x1B { sequence = [byte] }
      return (0x20..<0x7F).contains(byte) ? .character(Character(Unicode.Scalar(byte))) : nil
    case 1:
      // Escape and a character is that character with Alt, which means nothing here; twice Escape is Escape.
      guard byte == UInt8(ascii: "[") || byte == UInt8(ascii: "O") else {
        sequence = []
        return byte == 0x1B ? .escape : nil
      }
      sequence.append(byte)
      return nil
    default:
      // However long it gets, it ends with a letter or a tilde, and only the last byte counts.
      guard (0x40...0x7E).contains(byte) else { return nil }
      sequence = []
      return byte == UInt8(ascii: "A") ? .up : byte == UInt8(ascii: "B") ? .down : nil
    }
  }
}
