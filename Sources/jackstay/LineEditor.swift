/// The line that somebody is typing, byte by byte as a terminal hands it over.
///
/// Backspace takes the last character away, Ctrl-W the last word, Ctrl-U all of it. Other keys that are no
/// characters, such as arrows, do nothing.
struct LineEditor {
  /// More bytes than any command has: more are not taken.
  static let longest = 512

  private var bytes: [UInt8] = []
  private var escape = Escape.none

  /// How far a sequence has come that a key has sent which is no character.
  private enum Escape {
    case none
    case begun
    case parameters
    case last
  }

  /// What is typed so far, as it is shown: one column for each character, and nothing for no character.
  var shown: String { bytes.isEmpty ? "" : "> " + LineEditor.shown(bytes) }

  /// A line as it is shown: no command has characters beyond ASCII, whose width terminals do not agree about.
  static func shown(_ line: [UInt8]) -> String {
    String(String(decoding: line, as: UTF8.self).map { $0.isASCII && !$0.isNewline ? $0 : "?" })
  }

  /// Takes what a key has sent, and returns the line if that ends one.
  mutating func take(_ byte: UInt8) -> [UInt8]? {
    guard !skips(byte) else { return nil }
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
      defer { bytes = [] }
      return bytes
    case 0x08, 0x7F: removeCharacter()
    case 0x15: bytes = []
    case 0x17:
      while bytes.last == UInt8(ascii: " ") { bytes.removeLast() }
      while let last = bytes.last, last != UInt8(ascii: " ") { bytes.removeLast() }
    case 0x1B: escape = .begun
    case 0..<0x20: break
    default: if bytes.count < LineEditor.longest { bytes.append(byte) }
    }
    return nil
  }

  private mutating func removeCharacter() {
    // The bytes after a character's first, in UTF-8.
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }

  /// Whether the byte belongs to a sequence: ESC [ parameters and a letter, ESC O and a letter, ESC and a
  /// character.
  private mutating func skips(_ byte: UInt8) -> Bool {
    switch escape {
    case .none: return false
    case .begun:
      switch byte {
      case UInt8(ascii: "["): escape = .parameters
      case UInt8(ascii: "O"): escape = .last
      // Somebody has pressed the key Escape, and then another one that matters.
      case 0..<0x20:
        escape = .none
        return false
      default: escape = .none
      }
    case .parameters: if (0x40...0x7E).contains(byte) { escape = .none }
    case .last: escape = .none
    }
    return true
  }
}
