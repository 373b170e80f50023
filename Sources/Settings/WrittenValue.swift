/// A value as it was written, before its option gives it a meaning.
///
/// What follows a flag is text without a type; in the file, as in all of TOML, a string is not a number.
enum WrittenValue: Sendable, Hashable {
  /// What follows a flag.
  case argument(String)
  /// A string in the file, without its quotes.
  case string(String)
  /// Anything in the file that is not in quotes.
  case bare(String)

  /// The value as a number, in plain decimal: no exponent, hexadecimal, infinity or space; and in the file, as
  /// TOML has it, no zeros before it.
  var number: Double? {
    switch self {
    case .argument(let text): text.isPlainDecimal ? Double(text) : nil
    case .bare(let text): text.isPlainDecimal && !text.hasLeadingZero ? Double(text) : nil
    case .string: nil
    }
  }

  /// The value as TOML has it.
  var literal: String {
    switch self {
    case .bare(let text): text
    case .argument(let text), .string(let text):
      "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
  }

  /// The value as it would be without its unit, milliseconds, which a person may write.
  var withoutMilliseconds: WrittenValue {
    switch self {
    case .argument(let text), .string(let text):
      text.hasSuffix("ms") ? .argument(String(text.dropLast(2))) : self
    case .bare: self
    }
  }

  /// The value as text.
  var text: String? {
    switch self {
    case .argument(let text), .string(let text): text
    case .bare: nil
    }
  }
}

extension String {
  fileprivate var hasLeadingZero: Bool {
    let digits = drop { $0 == "-" || $0 == "+" }
    return digits.hasPrefix("0") && digits.dropFirst().first.map { $0 != "." } == true
  }

  /// Digits, perhaps with a sign before them and a fraction after them.
  fileprivate var isPlainDecimal: Bool {
    var digits = utf8[...]
    if let first = digits.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      digits = digits.dropFirst()
    }
    let parts = digits.split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    return parts.allSatisfy { part in
      !part.isEmpty && part.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
  }
}
