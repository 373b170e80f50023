/// The addresses that get events: so many at most, and each for so long unless it subscribes again.
///
/// This machine has places of its own. The others share theirs: one machine has a few at most, and where all are
/// taken, the machine that has most gives up its oldest for one that has fewer. The time is the caller's.
struct OSCSubscribers<Address: Hashable & Sendable, Machine: Hashable & Sendable>: Sendable {
  /// How many of this machine there may be, and how many of all others.
  static var most: Int { 16 }
  /// How many of one other machine there may be.
  static var mostOfOne: Int { 4 }
  /// How long a subscription lasts, in seconds.
  static var term: Int { 60 }

  private struct Subscription: Sendable {
    /// `nil` for this machine.
    let machine: Machine?
    var end: ContinuousClock.Instant
    let order: Int
  }

  private var all: [Address: Subscription] = [:]
  private var count = 0

  /// Adds an address of a machine, `nil` for this one, or renews its time; false where there is no place for it.
  mutating func subscribed(_ address: Address, of machine: Machine?, at now: ContinuousClock.Instant) -> Bool
  {
    expire(at: now)
    let end = now + .seconds(Self.term)
    if all[address] != nil {
      all[address]?.end = end
      return true
    }
    guard makesRoom(for: machine) else { return false }
    count += 1
    all[address] = Subscription(machine: machine, end: end, order: count)
    return true
  }

  /// Takes one off; nothing where it is none.
  mutating func unsubscribed(_ address: Address) { all[address] = nil }

  /// Those whose time has not run out.
  mutating func current(at now: ContinuousClock.Instant) -> [Address] {
    expire(at: now)
    return Array(all.keys)
  }

  private mutating func makesRoom(for machine: Machine?) -> Bool {
    guard let machine else { return all.count { $0.value.machine == nil } < Self.most }
    let others = all.filter { $0.value.machine != nil }
    let groups = Dictionary(grouping: others) { $0.value.machine }
    let own = groups[machine]?.count ?? 0
    guard own < Self.mostOfOne else { return false }
    guard others.count >= Self.most else { return true }
    guard let largest = groups.values.max(by: { $0.count < $1.count }), largest.count > own + 1,
      let oldest = largest.min(by: { $0.value.order < $1.value.order })
    else { return false }
    all[oldest.key] = nil
    return true
  }

  private mutating func expire(at now: ContinuousClock.Instant) {
    guard all.contains(where: { $0.value.end <= now }) else { return }
    all = all.filter { $0.value.end > now }
  }
}
