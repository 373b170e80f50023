/// How many messages are taken a second, of each source: more are dropped.
///
/// The time is the caller's.
struct OSCRate<Source: Hashable & Sendable>: Sendable {
  /// How many a second, and how many at once after a pause.
  let limit: Int
  /// How many sources have an account of their own; one from which no message has come for a second needs
  /// none.
  private static var most: Int { 128 }

  private struct Account: Sendable {
    var left: Double
    var time: ContinuousClock.Instant
  }

  private var accounts: [Source: Account] = [:]

  init(limit: Int) { self.limit = limit }

  /// Whether so many more are taken now; they count if they are.
  mutating func takes(_ count: Int, from source: Source, at now: ContinuousClock.Instant) -> Bool {
    if accounts.count >= Self.most { accounts = accounts.filter { now - $0.value.time < .seconds(1) } }
    var account = accounts[source] ?? Account(left: Double(limit), time: now)
    account.left = min(Double(limit), account.left + (now - account.time) / .seconds(1) * Double(limit))
    account.time = now
    let isTaken = account.left >= Double(count)
    if isTaken { account.left -= Double(count) }
    accounts[source] = account
    return isTaken
  }
}
