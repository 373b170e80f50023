/// Chooses the starts and stops of JACK's that become lines, of which the last one has the transport's state: a
/// few at once, then one each half second.
struct TransportTally {
  /// How many lines may follow each other at once.
  private static let burst = 8
  /// How far apart lines are where there are more.
  private static let interval = Duration.milliseconds(500)

  /// When the lines so far are made up for, at one each ``interval``.
  private var paid: ContinuousClock.Instant?
  private var reported: Bool?
  private var latest: Bool?

  /// JACK was started, or stopped.
  mutating func note(rolls: Bool) { latest = rolls }

  /// The state that a log line is to report now, if any: whether JACK rolls.
  mutating func due(at now: ContinuousClock.Instant) -> Bool? {
    guard let rolls = latest, rolls != reported else { return nil }
    let since = max(paid ?? now, now)
    guard since - now <= TransportTally.interval * (TransportTally.burst - 1) else { return nil }
    paid = since + TransportTally.interval
    reported = rolls
    return rolls
  }
}
