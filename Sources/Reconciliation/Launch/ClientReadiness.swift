import MusicalTime

/// How long the slowest client was seen to need until it is ready to roll, with some room.
///
/// JACK does not report which client is slow, only that one was: the transport rolls later than it was
/// released.
struct ClientReadiness: Sendable {
  /// How long before a roll the playhead has to be in place; zero as long as no client was slow.
  private(set) var lead = HostInterval.zero

  @_noLocks
  init() {}

  /// A client was not ready in time, but `waited` after it was asked. With room for next time; a cycle passes
  /// until JACK asks, another until it rolls. More than the server waits for cannot be planned. Returns whether
  /// that is longer than was known.
  @_noLocks
  mutating func learn(from waited: HostInterval, _ context: LaunchContext) -> Bool {
    let longest = HostInterval(nanoseconds: context.configuration.longestHold.nanoseconds / 4 &* 3)
    let needed = HostInterval(nanoseconds: waited.nanoseconds / 4 &* 5) + context.period * 2
    let before = lead
    lead = max(lead, min(needed, longest))
    return lead > before
  }

  /// A client has left, and JACK does not report whether it was the slow one. A client that still is slow
  /// will show it once more.
  @_noLocks
  mutating func forget() { lead = .zero }
}
