import MusicalTime

/// The tempos that Link had before the owner's were taken over, for as long as a peer may undo them.
///
/// A peer's audio thread sees nothing of a change for a second after a commit of its own, and its next commit
/// restores the tempo that it has: where the owner's tempo is dragged, any of the last ones.
struct ReplacedTempos: Sendable {
  private typealias Entry = (microsecondsPerBeat: Int64, time: HostTime<LinkClock>)

  /// How long after a change it can be seen that it was undone: when Link looks again, and when a message was
  /// lost.
  static var undoing: HostInterval { @_noLocks get { .seconds(1.6) } }

  /// As many as there can be in that time, no more than ten changes in a second and one more for a start; where
  /// there is none, one of no tempo.
  private var entries = InlineArray<18, Entry>(repeating: (0, HostTime(nanoseconds: 0)))
  /// Where the next one goes.
  private var next = 0
  /// When Link's tempo was last compared with the owner's.
  private var compared: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// A tempo that was Link's until now. Realtime-safe.
  @_noLocks
  mutating func add(_ tempo: Tempo, at time: HostTime<LinkClock>) {
    entries[next] = (tempo.microsecondsPerBeat, time)
    next = next &+ 1 == entries.count ? 0 : next &+ 1
  }

  /// From now on none of them may be set again against a peer's change. Realtime-safe.
  @_noLocks
  mutating func removeAll() { entries = ReplacedTempos().entries }

  /// Link's tempo is compared with the owner's. A change that a peer has undone while the bridge did not look for
  /// longer than `delay`, because JACK freewheeled or stalled, counts as undone soon. Realtime-safe.
  @inline(never) @_noLocks
  mutating func looked(at time: HostTime<LinkClock>, within delay: HostInterval) {
    let absence = if let compared { time - compared } else { HostInterval.zero }
    compared = time
    guard absence > delay else { return }
    for index in 0..<entries.count { entries[index].time = entries[index].time + absence }
  }

  /// Whether a tempo is one that was replaced a short while ago, with the resolution of Link's protocol.
  /// Realtime-safe.
  @_noLocks
  func contains(_ tempo: Tempo, at time: HostTime<LinkClock>) -> Bool {
    let sought = tempo.microsecondsPerBeat
    for index in 0..<entries.count {
      let entry = entries[index]
      if entry.microsecondsPerBeat == sought, time - entry.time < ReplacedTempos.undoing { return true }
    }
    return false
  }
}
