/// Who is to be told what happens: so many at most, and each for so long unless it says so again.
///
/// The time is told by whoever asks.
struct OSCSubscribers<Address: Hashable & Sendable>: Sendable {
  /// How many there may be.
  static var most: Int { 16 }
  /// For how long one is told, in seconds.
  static var term: Int { 60 }

  private var ends: [Address: ContinuousClock.Instant] = [:]

  /// Takes one in, or renews its time; false where there are as many as there may be.
  mutating func subscribed(_ address: Address, at now: ContinuousClock.Instant) -> Bool {
    expire(at: now)
    guard ends[address] != nil || ends.count < Self.most else { return false }
    ends[address] = now + .seconds(Self.term)
    return true
  }

  /// Lets one go; nothing where it is none.
  mutating func unsubscribed(_ address: Address) { ends[address] = nil }

  /// Those whose time has not run out.
  mutating func current(at now: ContinuousClock.Instant) -> [Address] {
    expire(at: now)
    return Array(ends.keys)
  }

  private mutating func expire(at now: ContinuousClock.Instant) {
    guard ends.contains(where: { $0.value <= now }) else { return }
    ends = ends.filter { $0.value > now }
  }
}
