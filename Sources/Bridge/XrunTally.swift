/// Deadlines that a server missed.
public struct Xruns: Sendable, Equatable {
  /// How many there have been since the last report.
  public var count: Int
  /// The time since that report; `nil` for the first one.
  public var period: Duration?
  /// How many there have been since the bridge joined the server.
  public var total: Int
}

/// When log lines report missed deadlines: the first at once, more in one line now and then.
struct XrunTally {
  /// How far apart two lines are at least.
  static let interval = Duration.seconds(10)

  private var told = 0
  private var lastLine: ContinuousClock.Instant?

  /// Those to report now, when there have been `count` in all; `nil` for none.
  mutating func due(of count: Int, at now: ContinuousClock.Instant) -> Xruns? {
    guard count != told else { return nil }
    let period = lastLine.map { now - $0 }
    if let period, period < XrunTally.interval { return nil }
    defer { (told, lastLine) = (count, now) }
    return Xruns(count: count - told, period: period, total: count)
  }
}
