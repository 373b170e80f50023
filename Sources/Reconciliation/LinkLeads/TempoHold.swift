import MusicalTime

/// Keeps the tempo of peers from JACK while Link leads: for `send` the session gets JACK's tempo back, for `off` it
/// is left alone.
///
/// The tempo that is kept is the one that the bridge last set, as a user wanted it, or the one that held when
/// the choice was made; before there is one, the session's passes. While the session has another, JACK's beat
/// goes on at the kept tempo from where Link's beat was; as soon as the session has it again, JACK's beat is
/// Link's.
struct TempoHold: Sendable {
  /// The least interval between two restorations: two programs that insist on different tempos must not flood
  /// the session.
  private static var pause: HostInterval { .seconds(1) }

  private var tempo: Tempo?
  /// The beat at the kept tempo, at the last cycle's time.
  private var beat = BeatTime.zero
  private var time = HostTime<LinkClock>(nanoseconds: 0)
  private var restored: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// Makes of the session what JACK is to see of it in a cycle. Realtime-safe.
  @_noLocks
  mutating func hold(_ link: inout LinkObservation, at next: HostTime<LinkClock>) {
    if let tempo, !tempo.isSameOnTheWire(as: link.tempo) {
      link.beat = beat + tempo.beats(in: next - time)
      link.tempo = tempo
    }
    (beat, time) = (link.beat, next)
  }

  /// Keeps a tempo from this cycle on, from where Link's beat is. Realtime-safe.
  @_noLocks
  mutating func begin(_ tempo: Tempo, _ link: LinkObservation, at next: HostTime<LinkClock>) {
    (self.tempo, beat, time) = (tempo, link.beat, next)
  }

  /// Keeps a tempo from now on.
  @_noLocks
  mutating func keep(_ tempo: Tempo) { self.tempo = tempo }

  /// The restoration of the kept tempo, if one is due.
  @_noLocks
  mutating func restore(at next: HostTime<LinkClock>) -> TempoEdit? {
    guard let tempo else { return nil }
    if let restored, next - restored < TempoHold.pause { return nil }
    restored = next
    return TempoEdit(tempo: tempo, time: next)
  }
}
