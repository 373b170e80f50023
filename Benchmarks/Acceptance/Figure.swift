/// One measured number beside what it should be.
struct Figure {
  /// What was measured, and under which conditions.
  let name: String
  /// The number; `nil` when nothing could be measured, which misses every target.
  let value: Double?
  /// The largest magnitude that meets the target.
  let limit: Double
  let unit: String

  var isMet: Bool { value.map { abs($0) <= limit } ?? false }

  /// A row of a Markdown table.
  var row: String {
    "| \(name) | \(value.map(Self.text) ?? "none") \(unit) | \(Self.text(limit)) \(unit) | \(isMet ? "yes" : "**no**") |"
  }

  private static func text(_ number: Double) -> String {
    guard number.isFinite else { return "no end of" }
    let rounded = (number * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
  }
}
