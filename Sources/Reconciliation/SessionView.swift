import MusicalTime

/// The session as JACK sees it: with JACK's own downbeat, and without a tempo that is kept from JACK.
public struct SessionView: Sendable {
  /// How much later JACK's downbeat is than the session's, in Link's beats; earlier if negative.
  public internal(set) var downbeat = Beats.zero
  /// The session in the last cycle as JACK saw it; `nil` where that is as it is.
  public private(set) var seen: LinkObservation?
  /// Keeps peers' tempos from JACK, where these are not received.
  private var hold = TempoHold()

  @_noLocks
  init() {}

  /// JACK sees the session as it is.
  @inline(__always) @_noLocks
  mutating func isOpen() { if case .some = seen { seen = nil } }

  /// Whether peers' tempos are kept from JACK in this cycle: where they are not received, and Link leads. The `tempo`
  /// is the one that held as they were; `nil` where they were not.
  @_noLocks
  mutating func keepsTempo(_ tempo: Tempo?, _ receives: Bool, while leader: Leader) -> Bool {
    guard !receives else {
      hold = TempoHold()
      return false
    }
    if let tempo { hold.keep(tempo) }
    if case .link = leader { return true }
    return false
  }

  /// Keeps a tempo from this cycle on.
  @_noLocks
  mutating func keep(_ tempo: Tempo, _ link: LinkObservation, at next: HostTime<LinkClock>) {
    hold.begin(tempo, link, at: next)
  }

  /// The session as JACK sees it in this cycle.
  @_noLocks
  mutating func look(
    at session: LinkObservation, keepsTempo: Bool, at next: HostTime<LinkClock>
  ) -> LinkObservation {
    var link = session
    if keepsTempo { hold.hold(&link, at: next) }
    link.beat = link.beat - downbeat
    seen = link
    return link
  }

  /// Keeps the tempo that the bridge has just committed, or that a user has set. Returns the edit by which the session
  /// has it again, where a peer has replaced it and the choice is to send.
  @_noLocks
  mutating func restore(_ observation: Observation, after edit: TempoEdit?, isRendering: Bool) -> TempoEdit? {
    if let edit {
      hold.keep(edit.tempo)
      return nil
    }
    guard observation.choices.tempoSync.sends else { return nil }
    if let wanted = observation.command?.tempo {
      // The session has it, or has had other peers: then it is restored in the next cycle.
      hold.keep(wanted)
      return nil
    }
    guard let seen, !seen.tempo.isSameOnTheWire(as: observation.link.tempo), !isRendering else { return nil }
    return hold.restore(at: observation.jack.nextOutput)
  }
}
