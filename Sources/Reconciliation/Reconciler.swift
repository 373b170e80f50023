import MusicalTime

/// The one place where decisions are made: what a cycle sees goes in, what it does comes out.
///
/// A pure value: no clock, no I/O, no JACK, no Link. Each cycle calls ``reconcile(_:)`` once, and then
/// ``entry(forFrame:)`` when JACK asks its timebase owner about the next cycle. In any one cycle each facet has
/// one authority: tempo and beat, together, come from Link or from JACK, the place in the song from JACK, start and
/// stop from whoever pressed last. Which of the two leads is a value with two cases, and each holds what only that
/// direction needs: what writes into JACK does not exist while JACK leads, and what steers Link does not exist while
/// Link does.
public struct Reconciler: Sendable {
  /// The choices a user makes once.
  public struct Configuration: Sendable {
    /// The span over which the playhead shares its phase with Link.
    public var quantum: Quantum
    /// How bars are counted.
    public var meter: Meter
    /// The resolution of what is published.
    public var ticksPerBeat: TicksPerBeat
    /// Whether start and stop travel between JACK and Link.
    public var startStopSync: Bool
    /// What a start waits for.
    public var launch: Launch
    /// Whether a start may move the playhead so that frames times tempo is in phase with Link.
    public var alignsFrames: Bool
    /// Who leads, until a command says otherwise.
    public var selection: Selection
    /// What happens when another client owns the timebase; `nil` for what goes with the selection.
    public var takeover: Takeover?
    /// The longest time that the server lets a client hold a start.
    public var longestHold: HostInterval

    /// A configuration; the default quantum is a bar of the meter.
    public init(
      quantum: Quantum? = nil, meter: Meter = .common, ticksPerBeat: TicksPerBeat = .standard,
      startStopSync: Bool = true, launch: Launch = .bar, alignsFrames: Bool = true,
      selection: Selection = .auto, takeover: Takeover? = nil, longestHold: HostInterval? = nil
    ) {
      self.quantum = quantum ?? Quantum(barOf: meter)
      self.meter = meter
      self.ticksPerBeat = ticksPerBeat
      self.startStopSync = startStopSync
      self.launch = launch
      self.alignsFrames = alignsFrames
      self.selection = selection
      self.takeover = takeover
      self.longestHold = longestHold ?? Configuration.longestWait(for: self.quantum)
    }

    /// The longest that a start can have to wait for its phase: a quantum at the slowest tempo, and some seconds for a
    /// clock that has been disturbed.
    public static func longestWait(for quantum: Quantum) -> HostInterval {
      Tempo.slowest.interval(of: quantum.beats) + HostInterval(nanoseconds: 6_000_000_000)
    }
  }

  /// The choices this reconciler was made with.
  public let configuration: Configuration
  private(set) var transport = Transport()
  private var direction: Direction
  private var selection: Selection
  private var clock = SampleClock()
  private var latest: Observation?
  /// A tempo that a user wants, until it can be set.
  private var wantedTempo: Tempo?
  /// Whether Link has the lead since JACK last asked what to publish.
  private var hasTurned = false
  /// When we last moved Link's timeline: for a second from then on we do not see what peers do to it.
  private var moved: HostTime<LinkClock>?
  private var tempo = Tempo.standard

  /// How long Link's audio thread is deaf after it has changed the timeline, and some more for the way.
  private static var deafness: HostInterval { HostInterval(nanoseconds: 1_100_000_000) }

  /// How far back the time of the next cycle may go, as it does when the output latency falls.
  private static var longestStepBack: HostInterval { HostInterval(nanoseconds: 1_000_000_000) }

  /// Which side has tempo and beat, with what only that direction needs.
  private enum Direction: Sendable {
    case linkLeads(Playhead)
    case jackLeads(Follower)
    case neitherLeads
  }

  /// A reconciler for one life of a JACK server.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    selection = configuration.selection
    direction = .linkLeads(Playhead(quantum: configuration.quantum))
  }

  /// Who has tempo and beat.
  public var leader: Leader {
    @_noLocks get {
      switch direction {
      case .linkLeads: .link
      case .jackLeads: .jack
      case .neitherLeads: .neither
      }
    }
  }

  /// Decides what this cycle does. Realtime-safe.
  @_noLocks
  public mutating func reconcile(_ observation: Observation) -> Decision {
    var observation = observation
    var decision = Decision()
    if let latest, latest.jack.nextOutput - observation.jack.nextOutput > Reconciler.longestStepBack {
      startOver()
    }
    clock.observe(
      frame: observation.jack.serverFrame, at: observation.jack.start, rate: observation.jack.rate)
    if case .select(let wanted) = observation.command { selection = wanted }
    tempo = observation.link.tempo
    turn(to: Leader(selection, configuration.takeover, observation.jack.owner), observation, &decision)
    let ground = lead(observation, &decision)
    let outcome = transport.update(
      Circumstances(
        observation: observation, tempo: tempo, clock: clock, ground: ground, configuration: configuration))
    decision.transport = outcome.transport
    decision.holdsStart = outcome.holds
    decision.notice = outcome.notice
    decision.link.isPlaying = outcome.isPlaying
    if outcome.mapsLink, case .linkLeads(var playhead) = direction {
      let beat = playhead.mapLink(observation, tempo: tempo)
      decision.link.beat = BeatEdit(beat: beat, isForced: false)
      observation.link.beat = beat
      direction = .linkLeads(playhead)
    }
    if observation.jack.transport.isWaiting, let plan = transport.pendingPlan,
      case .linkLeads(var playhead) = direction
    {
      playhead.aim(at: plan, observation, tempo: tempo)
      direction = .linkLeads(playhead)
    }
    if case .some = decision.link.tempo { moved = observation.jack.nextOutput }
    if case .some = decision.link.beat { moved = observation.jack.nextOutput }
    latest = observation
    return decision
  }

  /// Time has gone back: what was to happen at an instant of before would now be long in coming.
  @_noLocks
  private mutating func startOver() {
    transport = Transport()
    direction = .linkLeads(Playhead(quantum: configuration.quantum))
    moved = nil
  }

  /// Has another side lead, from this cycle on.
  @_noLocks
  private mutating func turn(
    to leader: Leader, _ observation: Observation, _ decision: inout Decision
  ) {
    if hasTurned { decision.gridNotice = .linkLeads }
    hasTurned = false
    switch (leader, direction) {
    case (.link, .linkLeads), (.jack, .jackLeads), (.neither, .neitherLeads): break
    case (.link, .jackLeads(let follower)):
      leave(follower, observation, &decision)
      direction = .linkLeads(Playhead(quantum: configuration.quantum))
      decision.gridNotice = .linkLeads
    case (.link, .neitherLeads):
      direction = .linkLeads(Playhead(quantum: configuration.quantum))
      decision.gridNotice = .linkLeads
    case (.jack, .linkLeads), (.jack, .neitherLeads):
      // It is told as soon as there is something to follow.
      direction = .jackLeads(Follower(quantum: configuration.quantum))
    case (.neither, .jackLeads(let follower)):
      leave(follower, observation, &decision)
      direction = .neitherLeads
      decision.gridNotice = .neitherLeads
    case (.neither, .linkLeads):
      direction = .neitherLeads
      decision.gridNotice = .neitherLeads
    }
  }

  /// JACK's last word.
  @_noLocks
  private mutating func leave(_ follower: Follower, _ observation: Observation, _ decision: inout Decision) {
    guard let plain = follower.plainTempo(insteadOf: tempo) else { return }
    tempo = plain
    decision.link.tempo = TempoEdit(tempo: plain, time: observation.jack.nextOutput)
  }

  /// Does what the leading side's direction has to do, and says what tells where in the music we are.
  @_noLocks
  private mutating func lead(_ observation: Observation, _ decision: inout Decision) -> Ground {
    switch direction {
    case .linkLeads(var playhead):
      setUsersTempo(observation, &decision)
      playhead.observe(observation, tempo: tempo)
      direction = .linkLeads(playhead)
      return observation.jack.owner.isMe ? .playhead(playhead) : .none
    case .neitherLeads:
      setUsersTempo(observation, &decision)
      return .none
    case .jackLeads(var follower):
      let imposes = selection.isJACK
      let (edit, notice) = follower.update(observation, imposes: imposes, clock: clock)
      direction = .jackLeads(follower)
      if let notice { decision.gridNotice = notice }
      switch edit {
      case .none: break
      case .tempo(let edit):
        decision.link.tempo = edit
        tempo = edit.tempo
      case .align(let distance):
        decision.link.beat = BeatEdit(beat: observation.link.beat + distance, isForced: imposes)
      }
      if case .proposeTempo = observation.command { decision.gridNotice = .tempoIsJACKs }
      guard !imposes, let beats = follower.beats, follower.isInTempo(with: tempo) else { return .none }
      return .owner(frame: observation.jack.frame, beats: beats)
    }
  }

  @_noLocks
  private mutating func setUsersTempo(_ observation: Observation, _ decision: inout Decision) {
    if let wanted = usersTempo(observation) { wantedTempo = wanted }
    // Set on what we see before that, it would undo what a peer has done since.
    if let moved, observation.jack.nextOutput - moved < Reconciler.deafness, observation.link.peers > 0 {
      return
    }
    guard let wanted = wantedTempo else { return }
    wantedTempo = nil
    guard !wanted.isSameOnTheWire(as: observation.link.tempo) else { return }
    tempo = wanted
    decision.link.tempo = TempoEdit(tempo: wanted, time: observation.jack.nextOutput)
  }

  @_noLocks
  private func usersTempo(_ observation: Observation) -> Tempo? {
    switch observation.command {
    case .none, .start, .stop, .select: nil
    case .proposeTempo(let wanted): wanted
    case .foundSession(let wanted):
      observation.link.peers > 0 || wanted == observation.link.tempo ? nil : wanted
    }
  }

  /// What to publish about the next cycle, which JACK says begins at `frame`. Realtime-safe.
  ///
  /// JACK asks the owner of the timebase alone: if we did not know yet that we are, Link leads from the next cycle on.
  /// While a start is held, the entry is for where it will begin. Returns `nil` before the first observation: then
  /// nothing true can be said.
  @_noLocks
  public mutating func entry(forFrame frame: UInt32) -> TimebaseEntry? {
    guard let latest else { return nil }
    var playhead = Playhead(quantum: configuration.quantum)
    if case .linkLeads(let known) = direction {
      playhead = known
    } else {
      hasTurned = true
      playhead.observe(latest, tempo: tempo)
    }
    let position = playhead.advance(
      toFrame: frame, latest, tempo: tempo, alignsFrames: configuration.alignsFrames,
      transport.roll(next: latest.jack.nextOutput))
    direction = .linkLeads(playhead)
    return TimebaseEntry(
      position: BarBeatTick(
        nearest: position, meter: configuration.meter, ticksPerBeat: configuration.ticksPerBeat),
      beatsPerMinute: configuration.meter.beatsPerMinute(at: tempo))
  }

  /// The start that is waited for.
  public var pendingLaunch: PendingLaunch? {
    @_noLocks get {
      guard let latest, let plan = transport.pendingPlan else { return nil }
      return PendingLaunch(
        edge: plan.edge, beatsAhead: tempo.beats(in: plan.edge - latest.jack.nextOutput))
    }
  }

  /// What a timebase owner that leads says, for people to look at.
  public var follow: FollowStatus? {
    @_noLocks get {
      guard case .jackLeads(let follower) = direction else { return nil }
      return FollowStatus(
        tempo: follower.tempo, phaseError: follower.phaseError, isDifferent: follower.isDifferent)
    }
  }
}

/// How Link follows JACK.
public struct FollowStatus: Sendable, BitwiseCopyable {
  /// JACK's tempo, and as what Link has it; `nil` as long as it is not known.
  public var tempo: FoldedTempo?
  /// How far JACK's beat is ahead of Link's, as it is heard; `nil` unless JACK rolls.
  public var phaseError: HostInterval?
  /// Whether the session has another tempo, and keeps it until JACK's changes.
  public var isDifferent: Bool

  @_noLocks
  init(tempo: FoldedTempo?, phaseError: HostInterval?, isDifferent: Bool) {
    self.tempo = tempo
    self.phaseError = phaseError
    self.isDifferent = isDifferent
  }
}

/// A start that is held until it is in phase.
public struct PendingLaunch: Sendable, BitwiseCopyable {
  /// When the first frame of the cycle is heard in which the transport is to roll.
  public var edge: HostTime<LinkClock>
  /// Link's beats until then, counted from when the next cycle is heard.
  public var beatsAhead: Beats
}
