import MusicalTime

/// Notices that JACK's cycles have stopped, which JACK tells nobody: a sound card has gone, or the server hangs.
struct StandstillWatch: Sendable {
  /// What there is to tell.
  enum News: Sendable, Equatable {
    /// There has been no cycle for as long as no server needs for one.
    case stopped
    /// There is one again.
    case goesOn
  }

  /// How long there may be none.
  static let patience = HostInterval.seconds(3)
  /// How far apart two looks are that mean something: whoever was stopped himself has had no cycles, too.
  private static let longestGap = HostInterval.milliseconds(2500)

  /// Whether they have stopped.
  private(set) var isStopped = false
  private var last: HostTime<LinkClock>?
  private var since = HostTime<LinkClock>(nanoseconds: 0)
  private var looked = HostTime<LinkClock>(nanoseconds: 0)

  /// A watch that has not looked yet.
  init() {}

  /// Looks whether there was a cycle.
  ///
  /// - Parameters:
  ///   - cycle: What the latest cycle says of itself, as no other says it.
  ///   - now: When that is.
  /// - Returns: What is new; `nil` when nothing is.
  mutating func look(_ cycle: HostTime<LinkClock>, at now: HostTime<LinkClock>) -> News? {
    defer { looked = now }
    guard cycle == last else {
      last = cycle
      since = now
      defer { isStopped = false }
      return isStopped ? .goesOn : nil
    }
    if now - looked > StandstillWatch.longestGap { since = now }
    guard !isStopped, now - since >= StandstillWatch.patience else { return nil }
    isStopped = true
    return .stopped
  }
}
