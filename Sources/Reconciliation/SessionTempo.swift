import MusicalTime

/// The session's tempo, and the tempos that it is to have.
struct SessionTempo: Sendable {
  /// The session's tempo from this cycle on, the cycle's own change included.
  var current = Tempo.standard
  /// A tempo that the session is to have, as soon as Link leads again, instead of the one that it had; unless
  /// a peer or user has set another since.
  private var wanted: (tempo: Tempo, instead: Tempo)?
  private var succession = SessionSuccession()

  @_noLocks
  init() {}

  /// A cycle begins. Returns the tempo of the cycle before.
  @inline(__always) @_noLocks
  mutating func begin(_ observation: Observation) -> Tempo {
    let before = current
    current = observation.link.tempo
    return before
  }

  /// Another side leads from this cycle on. While JACK does, the tempo is JACK's.
  @_noLocks
  mutating func turn(to leader: Leader) {
    succession = SessionSuccession()
    if case .jack = leader { wanted = nil }
  }

  /// Has the session have the tempo `before` again where a peer has come with another as the last peer left.
  /// Returns whether it is to. The `lastEdit` is the change of the cycle before.
  @inline(__always) @_noLocks
  mutating func keep(_ before: Tempo, _ observation: Observation, after lastEdit: TempoEdit?) -> Bool {
    let sets = usersTempo(observation) != nil
    guard
      let kept = succession.observe(observation, before: before, lastEdit: lastEdit, sets: sets)
    else { return false }
    want(kept, observation)
    return true
  }

  /// A user's command may want a tempo.
  @inline(__always) @_noLocks
  mutating func want(_ observation: Observation) { want(usersTempo(observation), observation) }

  @inline(__always) @_noLocks
  private mutating func want(_ tempo: Tempo?, _ observation: Observation) {
    if let tempo { wanted = (tempo, wanted?.instead ?? observation.link.tempo) }
  }

  /// The tempo that the session is to have from this cycle on, where that is another.
  @inline(__always) @_noLocks
  mutating func due(_ observation: Observation) -> TempoEdit? {
    guard let (wanted, before) = wanted else { return nil }
    self.wanted = nil
    // If another tempo was set since, that one stays.
    guard before.isSameOnTheWire(as: observation.link.tempo),
      !wanted.isSameOnTheWire(as: observation.link.tempo)
    else { return nil }
    return TempoEdit(tempo: wanted, time: observation.jack.nextOutput)
  }

  @inline(__always) @_noLocks
  private func usersTempo(_ observation: Observation) -> Tempo? {
    switch observation.command {
    case .none, .start, .stop, .clientLeft, .locate, .imposeJACK, .shiftDownbeat, .realignFrames: nil
    case .proposeTempo(let wanted): wanted
    // From where it is going to be.
    case .nudgeTempo(let step): (wanted?.tempo ?? observation.link.tempo).stepped(by: step)
    case .foundSession(let wanted):
      observation.link.peers > 0 || wanted == observation.link.tempo ? nil : wanted
    }
  }
}
