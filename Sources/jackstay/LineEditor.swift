import Settings

/// The line that a user is typing, byte by byte as a terminal hands it over.
///
/// Left, Right, Home and End move the cursor, Up and Down go through the lines before, Tab completes what is left of
/// the cursor. Backspace takes the character before the cursor away, Delete the one at it, Ctrl-W the word before it,
/// Ctrl-U all before it, and Ctrl-K all from it on. Ctrl-A, E, B, F, P, N and D are what they are in shells. Other keys
/// that are no characters do nothing.
struct LineEditor {
  /// More bytes than any command has: more are not taken.
  static let longest = 512
  /// How many lines are remembered.
  static let historyLength = 100

  /// The characters left of the cursor.
  private var before: [UInt8] = []
  /// The characters at the cursor, and right of it.
  private var after: [UInt8] = []
  /// The lines before, the oldest first.
  private var history: [[UInt8]] = []
  /// Which of them is shown, and the line that was typed before one was; `nil` for none.
  private var recalled: (place: Int, draft: [UInt8])?
  private var escape = Escape.none

  /// How far a sequence has come that a key has sent which is no character.
  private enum Escape {
    case none
    case begun
    /// Parameters so far.
    case parameters([UInt8])
    case last
  }

  /// The line so far, as it is shown: one column for each character, and nothing for no character.
  var shown: String { before.isEmpty && after.isEmpty ? "" : "> " + LineEditor.shown(before + after) }

  /// How many columns the cursor is left of the end.
  var columnsAfterCursor: Int { LineEditor.shown(after).count }

  /// A line as it is shown: no command has characters beyond ASCII, whose width terminals do not agree about.
  static func shown(_ line: [UInt8]) -> String {
    String(String(decoding: line, as: UTF8.self).map { $0.isASCII && !$0.isNewline ? $0 : "?" })
  }

  /// Takes what a key has sent, and returns the line if that ends one.
  mutating func take(_ byte: UInt8) -> [UInt8]? {
    guard !continuesSequence(byte) else { return nil }
    switch byte {
    case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return end()
    case 0x08, 0x7F: removeCharacter()
    case UInt8(ascii: "\t"): complete()
    case 0x01: moveToBeginning()
    case 0x02: moveLeft()
    case 0x04: removeCharacterAtCursor()
    case 0x05: moveToEnd()
    case 0x06: moveRight()
    case 0x0B: after = []
    case 0x0E: recall(1)
    case 0x10: recall(-1)
    case 0x15: before = []
    case 0x17:
      while before.last == UInt8(ascii: " ") { before.removeLast() }
      while let last = before.last, last != UInt8(ascii: " ") { before.removeLast() }
    case 0x1B: escape = .begun
    case 0..<0x20: break
    default: if before.count + after.count < LineEditor.longest { before.append(byte) }
    }
    return nil
  }

  private mutating func end() -> [UInt8] {
    let line = before + after
    if !line.isEmpty, line != history.last { history = (history + [line]).suffix(LineEditor.historyLength) }
    (before, after, recalled) = ([], [], nil)
    return line
  }

  private mutating func removeCharacter() {
    // The bytes after a character's first, in UTF-8.
    while let last = before.popLast(), last & 0xC0 == 0x80 {}
  }

  private mutating func removeCharacterAtCursor() {
    guard !after.isEmpty else { return }
    after.removeFirst()
    while let next = after.first, next & 0xC0 == 0x80 { after.removeFirst() }
  }

  private mutating func moveLeft() {
    while let last = before.popLast() {
      after.insert(last, at: 0)
      if last & 0xC0 != 0x80 { return }
    }
  }

  private mutating func moveRight() {
    guard !after.isEmpty else { return }
    before.append(after.removeFirst())
    while let next = after.first, next & 0xC0 == 0x80 { before.append(after.removeFirst()) }
  }

  private mutating func moveToBeginning() { (before, after) = ([], before + after) }

  private mutating func moveToEnd() { (before, after) = (before + after, []) }

  /// Shows an older line, or a newer one: after the newest, what was typed before.
  private mutating func recall(_ step: Int) {
    let place = (recalled?.place ?? history.count) + step
    guard (0...history.count).contains(place) else { return }
    let draft = recalled?.draft ?? before + after
    (before, after) = (place == history.count ? draft : history[place], [])
    recalled = place == history.count ? nil : (place, draft)
  }

  /// Completes the word at the cursor, as far as all that it can be agree.
  private mutating func complete() {
    let text = String(decoding: before, as: UTF8.self)
    let candidates = Instruction.completions(of: text)
    guard let first = candidates.first else { return }
    let common = candidates.dropFirst().reduce(first) { common, next in
      String(zip(common, next).prefix { $0 == $1 }.map(\.0))
    }
    guard common.count > text.count, common.utf8.count + after.count <= LineEditor.longest else { return }
    before = Array(common.utf8)
  }

  /// Whether the byte belongs to a sequence, ESC [ parameters and a letter, ESC O and a letter, or ESC and a character;
  /// what the sequence says is done with its last byte.
  private mutating func continuesSequence(_ byte: UInt8) -> Bool {
    switch escape {
    case .none: return false
    case .begun:
      switch byte {
      case UInt8(ascii: "["): escape = .parameters([])
      case UInt8(ascii: "O"): escape = .last
      // The user has pressed the key Escape, and then another one that matters.
      case 0..<0x20:
        escape = .none
        return false
      default: escape = .none
      }
    case .parameters(let parameters):
      guard (0x40...0x7E).contains(byte) else {
        escape = .parameters(parameters.count < 16 ? parameters + [byte] : parameters)
        return true
      }
      escape = .none
      press(byte, parameters)
    case .last:
      escape = .none
      press(byte, [])
    }
    return true
  }

  /// A key that sends a sequence. With Shift, Alt or Control the keys do what they do alone.
  private mutating func press(_ letter: UInt8, _ parameters: [UInt8]) {
    switch (Character(Unicode.Scalar(letter)), parameters.first.map { Character(Unicode.Scalar($0)) }) {
    case ("A", _): recall(-1)
    case ("B", _): recall(1)
    case ("C", _): moveRight()
    case ("D", _): moveLeft()
    case ("H", _),
      ("~", "1") where parameters.count <= 1, ("~", "7"):
      moveToBeginning()
    case ("F", _), ("~", "4"), ("~", "8"): moveToEnd()
    case ("~", "3"): removeCharacterAtCursor()
    default: break
    }
  }
}
