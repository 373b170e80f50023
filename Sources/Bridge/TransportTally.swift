/// How many lines of one kind may be written: a few at once, then one each half second.
struct LineBudget {
  /// How many lines may follow each other at once.
  static let burst = 8
  /// How far apart lines are where there are more.
  static let interval = Duration.milliseconds(500)

  /// When the lines so far are made up for, at one each ``interval``.
  private var paid: ContinuousClock.Instant?

  /// Whether a line may be written now; then it is.
  mutating func take(at now: ContinuousClock.Instant) -> Bool {
    let since = max(paid ?? now, now)
    guard since - now <= LineBudget.interval * (LineBudget.burst - 1) else { return false }
    paid = since + LineBudget.interval
    return true
  }
}

/// Chooses the starts and stops of JACK's that become lines, of which the last one has the transport's state.
struct TransportTally {
  private var budget = LineBudget()
  private var reported: Bool?
  private var latest: Bool?

  /// JACK was started, or stopped.
  mutating func note(rolls: Bool) { latest = rolls }

  /// The state that a log line is to report now, if any: whether JACK rolls.
  mutating func due(at now: ContinuousClock.Instant) -> Bool? {
    guard let rolls = latest, rolls != reported, budget.take(at: now) else { return nil }
    reported = rolls
    return rolls
  }
}
