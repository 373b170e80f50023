/// Where the statements of a TOML text begin, and what they set.
///
/// TOMLKit tells where a syntax error is, but not where a value came from. The outline walks the text once,
/// as TOML's grammar has it, and skips over strings and comments, so that a key in one of those is not
/// mistaken for the key itself. It does not judge values: TOMLKit decides whether what it lets pass is valid.
///
/// It also stops what TOMLKit must not be given: the parser behind it recurses without bound over dotted
/// keys, and aborts on some malformed ones.
struct TOMLOutline {
  /// A key of the root table, and what the text sets it to.
  struct Statement: Hashable {
    /// The key, unquoted; of a dotted key, or the name of a table, the first part.
    let key: String
    /// Where the key begins.
    let position: TextPosition
    /// The value as it is written, or `nil` for the start of a table.
    let value: String?
    /// Whether the key has further parts, or names a table: the value is part of a table then.
    let isTable: Bool
  }

  /// Why the walk stopped before the end.
  enum Stop: Hashable {
    /// More than ``depthLimit`` levels.
    case tooDeep(TextPosition)
    /// An escaped NUL, where TOMLKit would cut a string short.
    case escapedNUL(TextPosition)
    /// Not TOML: something else was expected.
    case malformed(TextPosition, expected: String)
  }

  /// The deepest nesting: far beyond any option, far within any stack.
  static let depthLimit = 64

  /// The statements that set keys of the root table, in the order of the text.
  private(set) var statements: [Statement] = []
  /// Why the walk stopped, or `nil` when it reached the end.
  private(set) var stop: Stop?

  /// The text of the statements that the walk came through.
  var soundText: String { text(from: 0, upTo: soundEnd) }

  private let scalars: [Unicode.Scalar]
  private var index = 0
  private var position = TextPosition()
  private var soundEnd = 0
  private var soundCount = 0

  /// The outline of `text`.
  init(_ text: String) {
    scalars = Array(text.unicodeScalars)
    if current == "\u{FEFF}" { index = 1 }
    do {
      try walk()
    } catch {
      stop = error
      statements.removeSubrange(soundCount...)
    }
  }
}

extension TOMLOutline.Stop: Error {}

extension TOMLOutline {
  private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  private func next(_ distance: Int) -> Unicode.Scalar? {
    index + distance < scalars.count ? scalars[index + distance] : nil
  }

  private func text(from start: Int, upTo end: Int) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars[start..<end])
    return String(text)
  }

  private mutating func advance(by count: Int = 1) {
    for _ in 0..<count where index < scalars.count {
      position.advance(over: scalars[index])
      index += 1
    }
  }

  private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
    while let scalar = current, condition(scalar) { advance() }
  }

  private mutating func skipBlanks() { skip { $0 == " " || $0 == "\t" } }

  private mutating func expect(_ scalar: Unicode.Scalar) throws(Stop) {
    guard current == scalar else { throw .malformed(position, expected: "'\(scalar)'") }
    advance()
  }

  private mutating func walk() throws(Stop) {
    var isInTable = false
    while true {
      skip { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
      (soundEnd, soundCount) = (index, statements.count)
      switch current {
      case nil: return
      case "#": skip { $0 != "\n" }
      case "[":
        isInTable = true
        try walkHeader()
      default: try walkAssignment(record: !isInTable)
      }
      skipBlanks()
      if current == "#" { skip { $0 != "\n" } }
      if current == "\r" { advance() }
      guard current == nil || current == "\n" else {
        throw .malformed(position, expected: "the end of the line")
      }
    }
  }

  /// `[table]` or `[[array of tables]]`
  private mutating func walkHeader() throws(Stop) {
    let brackets = next(1) == "[" ? 2 : 1
    advance(by: brackets)
    skipBlanks()
    let start = position
    let key = try walkKey()
    for _ in 0..<brackets { try expect("]") }
    statements.append(Statement(key: key.first, position: start, value: nil, isTable: true))
  }

  /// `key = value`
  private mutating func walkAssignment(record: Bool) throws(Stop) {
    let start = position
    let key = try walkKey()
    try expect("=")
    skipBlanks()
    let valueStart = index
    try walkValue()
    guard record else { return }
    let value = text(from: valueStart, upTo: index)
    statements.append(Statement(key: key.first, position: start, value: value, isTable: key.parts > 1))
  }

  /// The first part of a dotted key, and how many parts it has.
  private mutating func walkKey() throws(Stop) -> (first: String, parts: Int) {
    var first: String?
    var parts = 0
    while true {
      skipBlanks()
      let part = try walkKeyPart()
      first = first ?? part
      parts += 1
      guard parts <= Self.depthLimit else { throw .tooDeep(position) }
      skipBlanks()
      guard current == "." else { return (first ?? part, parts) }
      advance()
    }
  }

  private mutating func walkKeyPart() throws(Stop) -> String {
    switch current {
    case "\"", "'":
      guard !(next(1) == current && next(2) == current) else {
        throw .malformed(position, expected: "a key on one line")
      }
      return try walkString()
    default:
      let start = index
      skip { $0.isBareKey }
      guard index > start else { throw .malformed(position, expected: "a key") }
      return text(from: start, upTo: index)
    }
  }

  private mutating func walkValue() throws(Stop) {
    // The brackets that are open, and whether the last may be closed here.
    var open: [Unicode.Scalar] = []
    var mayClose = false
    repeat {
      if let bracket = open.last { skipBlanks(in: bracket) }
      switch current {
      case nil: throw .malformed(position, expected: "a value")
      case "\"", "'": _ = try walkString()
      case "[", "{":
        if let bracket = current { open.append(bracket) }
        guard open.count <= Self.depthLimit else { throw .tooDeep(position) }
        advance()
        mayClose = true
        if open.last == "{" { mayClose = try !walkInlineKey(orClose: true) }
        continue
      case "]" where mayClose && open.last == "[": break
      case "}" where mayClose && open.last == "{": break
      default:
        try walkBareValue()
      }
      try walkEndOfElement(&open)
      mayClose = open.last == "["
    } while !open.isEmpty
  }

  /// A number, a truth value or a date, which may have a space before its time.
  private mutating func walkBareValue() throws(Stop) {
    let start = index
    skip { $0.isBareValue }
    guard index > start else { throw .malformed(position, expected: "a value") }
    let isDate = index - start == 10 && scalars[start + 4] == "-"
    if isDate, current == " ", next(1)?.isDigit == true, next(2)?.isDigit == true, next(3) == ":" {
      advance()
      skip { $0.isBareValue }
    }
  }

  /// What follows a value in an array or an inline table: closing brackets, and a comma.
  private mutating func walkEndOfElement(_ open: inout [Unicode.Scalar]) throws(Stop) {
    while let bracket = open.last {
      skipBlanks(in: bracket)
      if current == (bracket == "[" ? "]" : "}") {
        advance()
        open.removeLast()
      } else {
        try expect(",")
        if bracket == "{" { _ = try walkInlineKey(orClose: false) }
        return
      }
    }
  }

  /// A key of an inline table; false when the table closes instead, as it may before its first key.
  private mutating func walkInlineKey(orClose mayClose: Bool) throws(Stop) -> Bool {
    skipBlanks()
    if current == "}" && mayClose { return false }
    _ = try walkKey()
    try expect("=")
    skipBlanks()
    return true
  }

  /// Line breaks and comments may stand in an array, but not in an inline table.
  private mutating func skipBlanks(in bracket: Unicode.Scalar) {
    guard bracket == "[" else { return skipBlanks() }
    while true {
      skip { $0 == " " || $0 == "\t" || $0 == "\n" || $0 == "\r" }
      guard current == "#" else { return }
      skip { $0 != "\n" }
    }
  }

  /// Any of the four kinds of string; returns what it stands for.
  private mutating func walkString() throws(Stop) -> String {
    let quote = current ?? "\""
    let isMultiline = next(1) == quote && next(2) == quote
    let start = position
    advance(by: isMultiline ? 3 : 1)
    var text = String.UnicodeScalarView()
    while let scalar = current {
      if scalar == "\\" && quote == "\"" {
        advance()
        if let escaped = try walkEscape() { text.append(escaped) }
      } else if scalar == quote && !isMultiline {
        advance()
        return String(text)
      } else if scalar == quote && next(1) == quote && next(2) == quote {
        // Up to two quotes may stand before the closing three.
        skip { $0 == quote }
        return String(text)
      } else if scalar == "\n" && !isMultiline {
        break
      } else {
        text.append(scalar)
        advance()
      }
    }
    throw .malformed(start, expected: "a closing quote")
  }

  /// What follows a backslash; `nil` for one at the end of a line, which stands for nothing.
  private mutating func walkEscape() throws(Stop) -> Unicode.Scalar? {
    let start = position
    guard let scalar = current else { return nil }
    // The line break stays: whether it may stand there is for the string to say.
    guard scalar != "\n", scalar != "\r" else { return nil }
    advance()
    switch scalar {
    case "b": return "\u{8}"
    case "t": return "\t"
    case "n": return "\n"
    case "f": return "\u{C}"
    case "r": return "\r"
    case "e": return "\u{1B}"
    case "x", "u", "U":
      let digits = scalar == "x" ? 2 : scalar == "u" ? 4 : 8
      var value: UInt32 = 0
      for _ in 0..<digits {
        guard let digit = current?.hexadecimalDigit else {
          throw .malformed(position, expected: "a hexadecimal digit")
        }
        value = value << 4 | digit
        advance()
      }
      guard value != 0 else { throw .escapedNUL(start) }
      guard let escaped = Unicode.Scalar(value) else {
        throw .malformed(start, expected: "the number of a character")
      }
      return escaped
    default: return scalar
    }
  }
}

extension Unicode.Scalar {
  /// Whether the scalar may be part of an unquoted key.
  fileprivate var isBareKey: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }

  /// Whether the scalar may be part of an unquoted value.
  fileprivate var isBareValue: Bool { isBareKey || self == "+" || self == "." || self == ":" }

  fileprivate var isDigit: Bool { ("0"..."9").contains(self) }

  fileprivate var hexadecimalDigit: UInt32? {
    isASCII ? Character(self).hexDigitValue.map(UInt32.init) : nil
  }
}
