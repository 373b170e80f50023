// Numbers as text, with a point and without groups of digits, whatever the locale is.

extension BinaryFloatingPoint where Self: LosslessStringConvertible {
  /// As few digits as give the same number again, and none after the point of a whole one. A very large or small number
  /// has an exponent.
  public var shortest: String {
    // Up to here each whole number is one of its own.
    if magnitude < 9_007_199_254_740_992, let whole = Int64(exactly: self) { return "\(whole)" }
    return "\(self)"
  }

  /// The same without an exponent, as configuration files and commands have it: a small number is rounded to nine digits
  /// after the point.
  public var plain: String {
    let text = shortest
    guard text.contains("e"), magnitude < 1 else { return text }
    let rounded = Double(self).formatted(decimals: 9)
    return String(rounded.reversed().drop { $0 == "0" }.drop { $0 == "." }.reversed())
  }
}

extension Double {
  /// The number with `decimals` digits after the point, padded on the left to `width`.
  public func formatted(decimals: Int, width: Int = 0) -> String {
    guard isFinite, magnitude < 1e15 else { return "\(self)".padded(to: width) }
    var scale = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int((magnitude * Double(scale)).rounded())
    let sign = self < 0 && scaled > 0 ? "-" : ""
    let digits = String(scaled % scale)
    let fraction = decimals == 0 ? "" : "." + String(repeating: "0", count: decimals - digits.count) + digits
    return "\(sign)\(scaled / scale)\(fraction)".padded(to: width)
  }

  /// The number with its sign, also where that is a plus.
  public func signed(decimals: Int) -> String {
    let text = formatted(decimals: decimals)
    return text.hasPrefix("-") ? text : "+" + text
  }
}

extension String {
  /// The text, padded with spaces on the left.
  public func padded(to width: Int) -> String {
    String(repeating: " ", count: max(0, width - count)) + self
  }
}
