import MusicalTime

/// A start that a user, client or peer wants.
struct StartRequest: Sendable {
  /// The instant before which it is not wanted.
  var notBefore: HostTime<LinkClock>
  /// Whether to roll in phase at once when the server cannot hold the start for as long as it takes.
  var insists = false
  /// Whether an owner of the timebase has once read something else than expected where its playhead was put.
  var isContradicted = false
  /// Whether it is a peer's, of the time that Link has it at.
  private(set) var isPeers = false

  @_noLocks
  init(notBefore: HostTime<LinkClock>, insists: Bool = false) {
    self.notBefore = notBefore
    self.insists = insists
  }

  /// A peer's.
  @_noLocks
  init(pressedAt time: HostTime<LinkClock>) {
    self.init(notBefore: time - StartRequest.tolerance)
    isPeers = true
  }

  /// A peer's start, at this time in Link: a new one, or the same beat's in another tempo. The owner's
  /// positions since the start was first wanted stay known.
  @_noLocks
  mutating func press(at time: HostTime<LinkClock>) {
    let before = self
    self = StartRequest(pressedAt: time)
    (insists, isContradicted) = (before.insists, before.isContradicted)
  }

  /// A peer that stamps a start with the quantum's own time means that quantum. Link rounds times and beats,
  /// and measures the peers' clocks anew.
  private static var tolerance: HostInterval { HostInterval(microseconds: 200) }
}
