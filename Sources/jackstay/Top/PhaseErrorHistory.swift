/// The phase errors that were seen lately, in microseconds: how good the last minute was.
struct PhaseErrorHistory: Sendable {
  /// How many samples count.
  static let longest = 600
  /// How many samples make one bar of the sparkline.
  static let samplesPerBar = 10
  private static let mostBars = 60

  private var samples: [Double] = []
  private var open: (count: Int, largest: Double) = (0, 0)
  /// The largest error of each bar, without its sign, the newest last.
  private(set) var bars: [Double] = []

  /// Takes another one.
  mutating func take(_ microseconds: Double) {
    guard microseconds.isFinite else { return }
    samples.append(microseconds.magnitude)
    if samples.count > Self.longest { samples.removeFirst() }
    open = (open.count + 1, max(open.largest, microseconds.magnitude))
    guard open.count == Self.samplesPerBar else { return }
    bars.append(open.largest)
    if bars.count > Self.mostBars { bars.removeFirst() }
    open = (0, 0)
  }

  /// The value that 95 of 100 do not exceed; `nil` before the first.
  var p95: Double? {
    guard !samples.isEmpty else { return nil }
    // The smallest sample that at least 95 % are no larger than.
    let rank = (Double(samples.count) * 0.95).rounded(.up)
    return samples.sorted()[max(0, Int(rank) - 1)]
  }

  /// The last bars as a line of that many columns at most, the highest as high as can be. A tenth of a
  /// microsecond is nothing.
  func sparkline(columns: Int, levels: [Character]) -> String {
    let bars = bars.suffix(max(0, columns))
    let largest = max(0.1, bars.max() ?? 0)
    return String(bars.map { levels[Int(($0 / largest * Double(levels.count - 1)).rounded())] })
  }
}
