import Words

/// A value in a ``JSONObject``: what JSON has, but for lists and objects.
public enum JSONValue: Sendable, Hashable {
  /// A text.
  case string(String)
  /// A number. One that is not finite is written as `null`: JSON has no name for it.
  case number(Double)
  /// Yes or no.
  case boolean(Bool)
  /// Nothing.
  case null

  /// The text, if it is one.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The number, if it is one.
  public var number: Double? { if case .number(let number) = self { number } else { nil } }

  /// Yes or no, if it is one of the two.
  public var boolean: Bool? { if case .boolean(let boolean) = self { boolean } else { nil } }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByNilLiteral
{
  /// A text.
  public init(stringLiteral text: String) { self = .string(text) }
  /// Yes or no.
  public init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
  /// A number.
  public init(floatLiteral number: Double) { self = .number(number) }
  /// A number.
  public init(integerLiteral number: Int) { self = .number(Double(number)) }
  /// Nothing.
  public init(nilLiteral: ()) { self = .null }

  /// A count, exact up to 2^53.
  public static func count(_ count: some BinaryInteger) -> JSONValue { .number(Double(count)) }
}

extension JSONValue {
  /// The value as JSON writes it, without what would end a line or move a terminal's cursor.
  var text: String {
    switch self {
    case .string(let string): string.quoted
    case .number(let number): number.isFinite ? number.shortest : "null"
    case .boolean(let boolean): boolean ? "true" : "false"
    case .null: "null"
    }
  }
}

extension String {
  /// The text in quotes, with characters that a line may not contain escaped.
  var quoted: String {
    var quoted = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      case "\t": quoted += "\\t"
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}
