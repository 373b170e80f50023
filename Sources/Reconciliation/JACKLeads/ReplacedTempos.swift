import MusicalTime

/// The tempos that Link had before the owner's were taken over, for as long as a peer may undo them.
///
/// A peer's audio thread sees nothing of a change for a second after a commit of its own, and its next commit
/// restores the tempo that it has: where the owner's tempo is dragged, any of the last ones.
struct ReplacedTempos: Sendable {
  private struct Entry: Sendable, BitwiseCopyable {
    var microsecondsPerBeat: Int64
    var time: HostTime<LinkClock>

    @_noLocks
    init(microsecondsPerBeat: Int64, time: HostTime<LinkClock>) {
      self.microsecondsPerBeat = microsecondsPerBeat
      self.time = time
    }
  }

  /// How long after a change it can be seen that it was undone: when Link looks again, and when a message was
  /// lost.
  static var undoing: HostInterval { @_noLocks get { .seconds(1.6) } }

  /// As many as there can be in that time, no more than ten changes in a second and one more for a start; where
  /// there is none, one of no tempo.
  private var entries = InlineArray<18, Entry>(
    repeating: Entry(microsecondsPerBeat: 0, time: HostTime(nanoseconds: 0)))
  /// Where the next one goes.
  private var next = 0

  @_noLocks
  init() {}

  /// A tempo that was Link's until now. Realtime-safe.
  @_noLocks
  mutating func add(_ tempo: Tempo, at time: HostTime<LinkClock>) {
    entries[next] = Entry(microsecondsPerBeat: tempo.microsecondsPerBeat, time: time)
    next = next &+ 1 == entries.count ? 0 : next &+ 1
  }

  /// From now on none of them may be set again against a peer's change. Realtime-safe.
  @_noLocks
  mutating func removeAll() { self = ReplacedTempos() }

  /// Counts time as if they had been replaced later. Realtime-safe.
  @_noLocks
  mutating func shift(by interval: HostInterval) {
    var index = 0
    while index < entries.count {
      entries[index].time = entries[index].time + interval
      index &+= 1
    }
  }

  /// Whether a tempo is one that was replaced a short while ago, with the resolution of Link's protocol.
  /// Realtime-safe.
  @_noLocks
  func contains(_ tempo: Tempo, at time: HostTime<LinkClock>) -> Bool {
    let sought = tempo.microsecondsPerBeat
    var index = 0
    while index < entries.count {
      let entry = entries[index]
      if entry.microsecondsPerBeat == sought, time - entry.time < ReplacedTempos.undoing { return true }
      index &+= 1
    }
    return false
  }
}
