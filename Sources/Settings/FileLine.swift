/// Reads one line of a configuration file: the part of TOML that options need.
///
/// That is a key, `=` and a value: a string on one line, a number or a truth value. Comments and empty lines
/// set nothing. Tables, and values of several lines, are refused.
struct FileLine {
  /// The option and value of a line.
  struct Entry {
    /// The name of the option.
    let key: String
    /// Where the key begins, in Unicode scalars from 1.
    let column: Int
    /// Where the value begins, in the same way.
    let valueColumn: Int
    /// The value.
    let value: WrittenValue
    /// The value as it stands there, with its quotes.
    let written: String
  }

  /// A fault of a line.
  struct Fault: Error, Hashable {
    /// Where, in Unicode scalars from 1.
    let column: Int
    /// The fault, to follow the position.
    let reason: String
  }

  private let scalars: [Unicode.Scalar]
  private var index = 0

  /// A line without its end.
  init(_ line: some Sequence<Unicode.Scalar>) {
    scalars = Array(line)
  }

  /// The entry of the line; `nil` for none.
  mutating func entry() throws(Fault) -> Entry? {
    skipBlanks()
    guard !isAtEnd else { return nil }
    let column = index + 1
    guard current != "[" else { throw fault("there are no tables in this file") }
    let key = try readKey()
    skipBlanks()
    guard current == "=" else { throw fault("expected '='") }
    index += 1
    skipBlanks()
    let start = index
    let value = try readValue()
    let written = text(from: start)
    skipBlanks()
    guard isAtEnd else { throw fault("expected the end of the line") }
    return Entry(key: key, column: column, valueColumn: start + 1, value: value, written: written)
  }
}

extension FileLine {
  private var current: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

  /// Whether nothing follows, or a comment.
  private var isAtEnd: Bool { current == nil || current == "#" }

  private func fault(_ reason: String) -> Fault {
    Fault(column: index + 1, reason: "\(reason); write lines such as tempo = 128")
  }

  private func text(from start: Int) -> String {
    String(String.UnicodeScalarView(scalars[start..<index]))
  }

  private mutating func skipBlanks() {
    while let scalar = current, scalar.isBlank { index += 1 }
  }

  private mutating func readKey() throws(Fault) -> String {
    if current == "\"" || current == "'" { return try readString() }
    let start = index
    while let scalar = current, scalar.isBareKey { index += 1 }
    guard index > start else { throw fault("expected the name of an option") }
    return text(from: start)
  }

  private mutating func readValue() throws(Fault) -> WrittenValue {
    if current == "\"" || current == "'" { return .string(try readString()) }
    guard !isAtEnd else { throw fault("expected a value") }
    let start = index
    // Any value: its option checks whether it is a number, or true.
    while !isAtEnd { index += 1 }
    while scalars[index - 1].isBlank { index -= 1 }
    return .bare(text(from: start))
  }

  /// A string in double quotes, with escapes, or in single ones, without.
  private mutating func readString() throws(Fault) -> String {
    let start = index
    let quote = current
    index += 1
    var text = String.UnicodeScalarView()
    while let scalar = current {
      index += 1
      if scalar == quote { return String(text) }
      text.append(scalar == "\\" && quote == "\"" ? try readEscape() : scalar)
    }
    index = start
    throw fault("expected a closing quote at the end of this text")
  }

  /// The character of an escape, after the backslash. TOML's other escapes stand for control characters,
  /// which no option takes.
  private mutating func readEscape() throws(Fault) -> Unicode.Scalar {
    let escape = current
    let digits = escape == "u" ? 4 : escape == "U" ? 8 : 0
    if digits == 0, let escape, escape == "\"" || escape == "\\" {
      index += 1
      return escape
    }
    let number = scalars.dropFirst(index + 1).prefix(digits)
    guard digits > 0, number.count == digits, number.allSatisfy(\.properties.isASCIIHexDigit),
      let value = UInt32(String(String.UnicodeScalarView(number)), radix: 16),
      let scalar = Unicode.Scalar(value)
    else {
      index -= 1
      throw fault(#"expected \", \\, \uXXXX or \UXXXXXXXX"#)
    }
    index += 1 + digits
    return scalar
  }
}

extension Unicode.Scalar {
  /// Whether TOML lets it stand between words.
  fileprivate var isBlank: Bool { self == " " || self == "\t" }

  /// Whether the scalar may be part of an unquoted key.
  fileprivate var isBareKey: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "-": true
    default: false
    }
  }
}
