/// A value as it was written, before its option gives it a meaning.
///
/// A flag's value is text without a type; in the file, as in all of TOML, a string is not a number.
enum WrittenValue: Sendable, Hashable {
  /// A flag's value.
  case argument(String)
  /// A string in the file, without its quotes.
  case string(String)
  /// Anything in the file that is not in quotes.
  case bare(String)

  /// The value as a number: after a flag in plain decimal, without exponent, hexadecimal, infinity or space; in the
  /// file as TOML has a decimal number, with underscores between digits and with an exponent, but no zeros before it.
  var number: Double? {
    switch self {
    case .argument(let text): text.isPlainDecimal ? Double(text) : nil
    case .bare(let text): text.asTOMLNumber.flatMap(Double.init)
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

  /// The value with a point where a person has written a comma between digits; `nil` where there is no such comma, or
  /// more than one.
  var withPoint: WrittenValue? {
    switch self {
    case .argument(let text): text.withPoint.map(WrittenValue.argument)
    case .string(let text): text.withPoint.map(WrittenValue.string)
    case .bare(let text): text.withPoint.map(WrittenValue.bare)
    }
  }

  /// The value as a file has it in quotes if it has none, or the other way round.
  var withOtherQuotes: WrittenValue {
    switch self {
    case .argument(let text), .bare(let text): .string(text)
    case .string(let text): .bare(text)
    }
  }

  /// The value of a text that stands for true or false.
  var asSwitch: WrittenValue? {
    switch self {
    case .argument(let text), .string(let text), .bare(let text):
      switch text.lowercased() {
      case "yes", "on", "true", "1": .bare("true")
      case "no", "off", "false", "0": .bare("false")
      default: nil
      }
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

  /// The text with a point for its one comma.
  fileprivate var withPoint: String? {
    let parts = split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].last?.isNumber == true, parts[1].first?.isNumber == true else {
      return nil
    }
    return parts.joined(separator: ".")
  }

  /// A number of TOML's without its underscores; `nil` where it is none.
  fileprivate var asTOMLNumber: String? {
    let parts = split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    guard let mantissa = parts[0].withoutUnderscores, mantissa.isPlainDecimal, !mantissa.hasLeadingZero else {
      return nil
    }
    guard parts.count == 2 else { return mantissa }
    guard let exponent = parts[1].withoutUnderscores, exponent.isPlainDecimal, !exponent.contains(".") else {
      return nil
    }
    return "\(mantissa)e\(exponent)"
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

extension Substring {
  /// The text without its underscores; `nil` where one of them is not between two digits.
  fileprivate var withoutUnderscores: String? {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let groups = utf8.split(separator: UInt8(ascii: "_"), omittingEmptySubsequences: false)
    for (group, next) in zip(groups, groups.dropFirst()) {
      guard let last = group.last, digits.contains(last), let first = next.first, digits.contains(first)
      else {
        return nil
      }
    }
    return replacing("_", with: "").description
  }
}
