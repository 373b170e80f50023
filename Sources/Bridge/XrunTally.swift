/// When log lines report missed deadlines: the first at once, more in one line now and then.
struct XrunTally {
  /// How far apart two lines are at least.
  static let interval = Duration.seconds(10)

  private var told = 0
  private var lastLine: ContinuousClock.Instant?

  /// The number to report now, of `count` in all; `nil` for none.
  mutating func due(of count: Int, at now: ContinuousClock.Instant) -> Int? {
    guard count != told else { return nil }
    if let lastLine, now - lastLine < XrunTally.interval { return nil }
    defer { told = count }
    lastLine = now
    return count - told
  }
}
