/// One measured number beside its target.
struct Figure {
  /// The quantity that was measured, and under which conditions.
  let name: String
  /// The number; `nil` when nothing could be measured, which misses every target.
  let value: Double?
  /// The condition that meets the target.
  private let target: Target
  private let unit: String

  private enum Target {
    /// No larger a magnitude.
    case atMost(Double)
    /// Nothing less.
    case all(Int)
  }

  /// A number.
  ///
  /// - Parameters:
  ///   - name: The quantity that was measured, and under which conditions.
  ///   - value: The number; nil when nothing could be measured.
  ///   - limit: The largest magnitude that meets the target.
  ///   - unit: Its unit.
  init(name: String, value: Double?, limit: Double, unit: String) {
    self.name = name
    self.value = value
    self.target = .atMost(limit)
    self.unit = unit
  }

  /// How many times as much one number is as another; where one of them is missing there is none.
  init(name: String, of number: Double?, against other: Double?, limit: Double) {
    let value = number.flatMap { number in other.map { number / $0 } }
    self.init(name: name, value: value, limit: limit, unit: "times")
  }

  /// How often something was as it has to be each time.
  init(name: String, met: Int, of count: Int) {
    self.name = name
    self.value = count > 0 ? Double(met) : nil
    self.target = .all(count)
    self.unit = "of \(count)"
  }

  var isMet: Bool {
    guard let value else { return false }
    return switch target {
    case .atMost(let limit): abs(value) <= limit
    case .all(let count): value == Double(count)
    }
  }

  /// A row of a Markdown table.
  var row: String {
    let wanted =
      switch target {
      case .atMost(let limit): limit
      case .all(let count): Double(count)
      }
    return
      "| \(name) | \(value.map(Self.text) ?? "none") \(unit) | \(Self.text(wanted)) \(unit) | \(isMet ? "yes" : "**no**") |"
  }

  private static func text(_ number: Double) -> String {
    guard number.isFinite else { return "no end of" }
    let rounded = (number * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
