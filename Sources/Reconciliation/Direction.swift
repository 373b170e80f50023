import MusicalTime

/// Which side has tempo and beat, with what only that direction needs.
///
/// Only the side that leads is called: the functions here do nothing for the other, and ``Reconciler`` calls a
/// side itself only where it has looked which one leads. Both are kept side by side and changed in place. As
/// payloads of an enum they would be copied out and in again in every cycle, and a ``Follower`` is two kilobytes.
struct Direction: Sendable {
  /// The side that leads tempo and beat.
  private(set) var leader = Leader.link
  /// Whether JACK has asked the bridge, as the owner of its timebase, while another side led: Link is to lead
  /// from the next cycle on, with the playhead that has answered.
  private(set) var isClaimed = false
  /// The span over which the phase is shared.
  private(set) var quantum: Quantum
  private let ownersAge: Int64
  /// The part that writes into JACK while Link leads.
  var playhead: Playhead
  /// The part that steers Link while JACK leads.
  var follower: Follower

  /// Link leads.
  init(quantum: Quantum, ownersAge: Int64) {
    self.quantum = quantum
    self.ownersAge = ownersAge
    playhead = Playhead(quantum: quantum)
    follower = Follower(quantum: quantum, age: ownersAge)
  }

  /// Shares the phase over another span from now on.
  @_noLocks
  mutating func setQuantum(_ quantum: Quantum) {
    self.quantum = quantum
    playhead.setQuantum(quantum)
    follower.setQuantum(quantum)
  }

  /// Has a side lead that knows nothing yet.
  @_noLocks
  mutating func begin(_ leader: Leader) {
    switch leader {
    case .link: playhead = Playhead(quantum: quantum)
    case .jack: follower = Follower(quantum: quantum, age: ownersAge)
    case .neither: break
    }
    self.leader = leader
    isClaimed = false
  }

  /// Whether that side leads.
  @_noLocks
  func isLed(by other: Leader) -> Bool {
    switch (leader, other) {
    case (.link, .link), (.jack, .jack), (.neither, .neither): true
    case (.link, _), (.jack, _), (.neither, _): false
    }
  }
}

// MARK: Once, for any leader

extension Direction {
  /// The tempo that the session is to have from the next cycle on, and the beat there, when the user imposes
  /// JACK's; `nil` where JACK has neither, or does not roll.
  @_noLocks
  mutating func imposed(
    _ observation: Observation, _ cycle: CycleSnapshot, tempo: Tempo
  ) -> (tempo: Tempo, beat: BeatTime)? {
    guard observation.jack.transport.isRolling else { return nil }
    switch leader {
    case .link:
      guard observation.jack.timebase.owner.isMe else { return nil }
      playhead.gridWasMoved()
      return (tempo, nominal(cycle.frame + cycle.period, cycle.rate, tempo))
    case .jack: return follower.impose(observation)
    case .neither: return nil
    }
  }
}

// MARK: While Link leads

extension Direction {
  /// The user moves JACK's downbeat later by so much from here on: it is not waited for.
  @_noLocks
  mutating func downbeatWasMoved(by later: Beats) { playhead.downbeatWasMoved(by: later) }

  /// JACK asks about the next cycle: JACK asks the timebase owner alone.
  @_noLocks
  mutating func claim(_ cycle: CycleSnapshot, tempo: Tempo) {
    if case .link = leader { return }
    if isClaimed { return }
    isClaimed = true
    playhead = Playhead(quantum: quantum)
    playhead.observe(cycle, session: tempo, tempo: tempo)
  }

  /// Has Link lead, which was claimed.
  @_noLocks
  mutating func settleClaim() {
    leader = .link
    isClaimed = false
  }

  /// The beat that Link is to have when it is mapped to the playhead.
  @_noLocks
  mutating func mapLink(_ cycle: CycleSnapshot, tempo: Tempo) -> BeatTime? {
    guard case .link = leader else { return nil }
    return playhead.mapLink(cycle, tempo: tempo)
  }

  /// Takes note of where a held start is going to begin.
  @_noLocks
  mutating func aim(at plan: LaunchPlan, _ cycle: CycleSnapshot, tempo: Tempo) {
    guard case .link = leader else { return }
    playhead.aim(at: plan, cycle, tempo: tempo)
  }

  /// The position of the next cycle's first frame.
  @inline(__always) @_noLocks
  mutating func advance(
    toFrame frame: TransportFrame, _ cycle: CycleSnapshot, tempo: Tempo, alignsFrames: Bool,
    _ roll: Playhead.Roll
  ) -> BeatTime? {
    guard isClaimed || isLed(by: .link) else { return nil }
    return playhead.advance(toFrame: frame, cycle, tempo: tempo, alignsFrames: alignsFrames, roll)
  }
}

// MARK: While JACK freewheels

extension Direction {
  /// The music as it goes on while nothing of it is heard.
  @_noLocks
  func rendering(at tempo: Tempo, whileRolling isRolling: Bool) -> Rendering {
    let isLinks = isClaimed || isLed(by: .link)
    return Rendering(from: isLinks ? playhead.place(whileRolling: isRolling) : nil, tempo: tempo)
  }

  /// It is heard again.
  @_noLocks
  mutating func resume(from rendering: Rendering, _ observation: Observation) {
    if isClaimed || isLed(by: .link), rendering.hasPublished,
      let place = rendering.place(in: observation.jack)
    {
      playhead.resume(from: place, observation.jack)
    }
  }
}

// MARK: While JACK leads

extension Direction {
  /// The user wants JACK's tempo and phase in the session, once more.
  @_noLocks
  mutating func imposeAgain() {
    guard case .jack = leader else { return }
    follower.imposeAgain()
  }

  /// Where the owner is at the first frame of this cycle, at any tempo of Link's.
  @inline(__always) @_noLocks
  func ownersPlace(at rate: SampleRate) -> SongPosition.Owner? {
    guard case .jack = leader else { return nil }
    return follower.place(at: rate)
  }

  /// The tempo to leave Link with.
  @_noLocks
  func plainTempo(insteadOf link: Tempo) -> Tempo? {
    guard case .jack = leader else { return nil }
    return follower.plainTempo(insteadOf: link)
  }

  /// The timebase owner's tempo and phase, for displays.
  var followStatus: FollowStatus? {
    @_noLocks get {
      guard case .jack = leader else { return nil }
      return FollowStatus(
        tempo: follower.tempo, phaseError: follower.phaseError,
        isDifferent: follower.conditions.isTempoDifferent)
    }
  }

  /// The conditions of the side that leads.
  var conditions: Conditions {
    @_noLocks get {
      if case .jack = leader { return follower.conditions }
      var conditions = Conditions()
      if case .link = leader { conditions.leader = .linkLeads }
      return conditions
    }
  }
}
