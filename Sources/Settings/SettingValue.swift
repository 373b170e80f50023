/// A value as it was written, before its setting gives it a meaning.
///
/// A flag's value is untyped text; TOML's values have types, and a string is not a number there.
public enum SettingValue: Sendable, Hashable {
  /// The text that follows a flag.
  case argument(String)
  /// A TOML integer.
  case integer(Int)
  /// A TOML float.
  case float(Double)
  /// A TOML string.
  case string(String)
  /// A TOML boolean, or the presence of a flag that takes no value.
  case boolean(Bool)
  /// A TOML table, array or date.
  case compound

  /// The value as a number. Text counts only in plain decimal: no exponent, hexadecimal, infinity or space.
  var number: Double? {
    switch self {
    case .argument(let text): text.isPlainDecimal ? Double(text) : nil
    case .integer(let integer): Double(integer)
    case .float(let float): float
    case .string, .boolean, .compound: nil
    }
  }

  /// The value as a whole number.
  var wholeNumber: Int? { number.flatMap(Int.init(exactly:)) }

  /// The value as text.
  var text: String? {
    switch self {
    case .argument(let text), .string(let text): text
    case .integer, .float, .boolean, .compound: nil
    }
  }

  /// The value as a truth value.
  var truth: Bool? {
    switch self {
    case .boolean(let truth): truth
    case .argument, .integer, .float, .string, .compound: nil
    }
  }
}

extension String {
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
