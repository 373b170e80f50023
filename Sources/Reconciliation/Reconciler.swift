import MusicalTime

/// The one place where decisions are made: a cycle's observation goes in, its decision comes out.
///
/// A pure value: no clock, no I/O, no JACK, no Link. Each cycle calls ``reconcile(_:)`` once, and then
/// ``entry(forFrame:)`` when JACK asks its timebase owner about the next cycle. In any one cycle each facet
/// has one authority: tempo and beat, together, come from Link or from JACK, the place in the song from JACK,
/// start and stop from the client or peer that acted last. Which of the two leads is a ``Direction``, with
/// what writes into JACK, which is called only while Link leads, and what steers Link, only while JACK does.
public struct Reconciler: Sendable {
  /// The choices this reconciler was made with, and those that the user has changed.
  public private(set) var configuration: Configuration
  private(set) var startStop = StartStop()
  /// How the bridge counts bars.
  public private(set) var bars: BarCount
  /// The session as JACK sees it.
  public private(set) var view = SessionView()
  private var direction: Direction
  private var clock = SampleClock()
  private var latest: CycleSnapshot?
  /// The change of Link in the cycle before.
  private var lastEdit = LinkEdit()
  private var sessionTempo = SessionTempo()
  private var frameLoss = FrameLoss()
  private var discipline = FrameDiscipline()
  /// Where the music is while JACK freewheels, and Link is left alone.
  private var rendering: Rendering?

  /// How far back the time of the next cycle may go, as it does when the output latency falls.
  private static var longestStepBack: HostInterval { .seconds(1) }

  /// A reconciler for one life of a JACK server.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    self.configuration.meter = configuration.choices.meter
    self.configuration.quantum = configuration.choices.wantedQuantum
    bars = BarCount(configuration.choices.meter)
    direction = Direction(
      quantum: configuration.choices.wantedQuantum, ownersAge: configuration.rules.ownersAge)
  }

  /// The session's tempo from this cycle on, its own change included.
  private var tempo: Tempo { @inline(__always) @_noLocks get { sessionTempo.current } }

  /// The side that leads tempo and beat.
  public var leader: Leader { @_noLocks get { direction.leader } }

  /// Decides what this cycle does. Realtime-safe.
  @_noLocks
  public mutating func reconcile(_ observation: Observation) -> Decision {
    if case .shiftDownbeat(let shift) = observation.command {
      let answer = shiftDownbeat(shift, observation)
      var decision = decideApart(observation)
      decision.answer = decision.answer ?? answer
      return decision
    }
    guard
      view.downbeat != .zero || !observation.choices.tempoSync.receives
        || !configuration.choices.tempoSync.receives
    else {
      view.isOpen()
      return decide(observation)
    }
    return decideApart(observation)
  }

  /// Decides where JACK does not see the session as it is: where their downbeats are apart, or peers' tempos do
  /// not reach JACK.
  @inline(never) @_noLocks
  private mutating func decideApart(_ observation: Observation) -> Decision {
    let shift = view.downbeat
    // JACK does not read peers' tempos while it leads. Of a bridge that begins there is none to keep.
    let receives = observation.choices.tempoSync.receives
    let wasReceived = configuration.choices.tempoSync.receives && latest != nil
    let isKept = view.keepsTempo(wasReceived ? tempo : nil, receives, while: direction.leader)
    var seen = observation
    seen.link = view.look(at: observation.link, keepsTempo: isKept, at: observation.jack.nextOutput)
    var decision = decide(seen)
    if isKept {
      if let edit = view.restore(observation, after: decision.link.tempo, isRendering: rendering != nil) {
        decision.link.tempo = edit
        lastEdit.tempo = edit
        decision.restoration = .imposed(jack: edit.tempo.beatsPerMinute, link: observation.link.tempo)
      }
    } else if !receives {
      // As soon as Link leads, JACK goes on at the tempo that its last leader had.
      view.keep(tempo, seen.link, at: observation.jack.nextOutput)
    }
    // Where Link's beat was made JACK's the two have one downbeat.
    if let edit = decision.link.beat, view.downbeat == shift { decision.link.beat?.beat = edit.beat + shift }
    return decision
  }

  @inline(__always) @_noLocks
  private mutating func decide(_ observation: Observation) -> Decision {
    if observation.jack.isFreewheeling { return render(observation) }
    var decision = Decision()
    if let rendering { returnToTime(from: rendering, observation, &decision) }
    if let latest, latest.nextOutput - observation.jack.nextOutput > Reconciler.longestStepBack {
      startOver()
    }
    clock.observe(
      frame: observation.jack.serverFrame, at: observation.jack.start, rate: observation.jack.rate)
    take(observation.choices)
    takeGrid(observation)
    let isRegrid = !(direction.quantum == configuration.quantum)
    if isRegrid {
      direction.setQuantum(configuration.quantum)
      bars.loosen()
    }
    let tempoBefore = sessionTempo.begin(observation)
    let leader = Leader(configuration.choices, configuration.takeover, observation.jack.timebase.owner)
    if direction.isClaimed { settleClaim(tempoBefore, observation, &decision) }
    if !direction.isLed(by: leader) { turn(to: leader, observation, &decision) }
    var cycle = CycleSnapshot(observation)
    latest = cycle
    if isRegrid { mapAlone(&cycle, observation, &decision) }
    let realigns = lead(cycle, observation, tempoBefore, &decision)
    if case .imposeJACK = observation.command { cycle = impose(cycle, observation, &decision) }
    var events = startStop.look(
      observation, tempo: tempo, isSteady: clock.reading.isSteady,
      sharing: configuration.choices.startStopSync,
      lastEdit: lastEdit)
    events.realigns = realigns
    if !startStop.isCalm(events, observation) { moveTransport(events, cycle, observation, &decision) }
    lastEdit = decision.link
    return decision
  }

  /// Decides about the transport, in the few cycles in which there is something to decide.
  @inline(never) @_noLocks
  private mutating func moveTransport(
    _ events: StartStop.Events, _ cycle: CycleSnapshot, _ observation: Observation, _ decision: inout Decision
  ) {
    let outcome = startStop.update(
      LaunchContext(
        observation: observation, tempo: tempo, clock: clock.reading, source: source(observation),
        configuration: configuration), events)
    decision.transport = outcome.transport
    decision.holdsStart = outcome.holds ?? false
    decision.press = outcome.press
    decision.correction = outcome.correction
    decision.link.isPlaying = outcome.isPlaying
    var cycle = cycle
    if outcome.mapsLink, let beat = direction.mapLink(cycle, tempo: tempo) {
      set(beat, isForced: false, &cycle, &decision)
      if view.downbeat != .zero {
        view.downbeat = .zero
        decision.answer = .downbeatShifted(beats: 0)
      }
    }
    if observation.jack.transport.isWaiting, startStop.isUnderWay, let plan = startStop.pendingPlan {
      direction.aim(at: plan, cycle, tempo: tempo)
    }
  }

  /// Takes the choices that hold from now on.
  @inline(__always) @_noLocks
  private mutating func take(_ choices: Choices) {
    let before = configuration.choices
    configuration.choices = choices
    // A mode that is chosen again acts again.
    if choices.selections != before.selections, choices.mode.isJACK, before.mode.isJACK {
      direction.imposeAgain()
    }
    if choices.startStopSync.differs(from: before.startStopSync) { startStop.sharingChanged() }
  }

  /// Time has gone back: actions that were planned for an earlier instant would be far ahead now.
  @_noLocks
  private mutating func startOver() {
    startStop = StartStop()
    direction.begin(.link)
    discipline = FrameDiscipline()
  }

  /// Has another side lead, from this cycle on.
  @_noLocks
  private mutating func turn(
    to leader: Leader, _ observation: Observation, _ decision: inout Decision
  ) {
    // Steering has changed the owner's tempo if JACK has led, or the session's if Link has.
    if let plain = direction.plainTempo(insteadOf: tempo) ?? discipline.plain(insteadOf: tempo) {
      say(plain, observation, &decision)
    }
    discipline = FrameDiscipline()
    sessionTempo.turn(to: leader)
    direction.begin(leader)
    decision.isNews = true
    if case .jack = leader {
      startStop.ownerWasFound(at: observation.jack.nextOutput)
    }
  }

  /// Whether the bridge retakes the timebase from any other client.
  private var takesBack: Bool {
    @_noLocks get {
      switch Takeover(configuration.takeover, while: configuration.choices.mode) {
      case .retake: true
      case .yield, .follow: false
      }
    }
  }

  /// JACK has asked the bridge since the last cycle, as the owner of its timebase, and another side led.
  @inline(never) @_noLocks
  private mutating func settleClaim(
    _ tempoBefore: Tempo, _ observation: Observation, _ decision: inout Decision
  ) {
    let plain = direction.plainTempo(insteadOf: tempoBefore)
    direction.settleClaim()
    decision.isNews = true
    // If a peer has changed the tempo since, the peer's tempo stays.
    if let plain, tempoBefore.isSameOnTheWire(as: tempo) { say(plain, observation, &decision) }
  }

  @_noLocks
  private mutating func say(_ plain: Tempo, _ observation: Observation, _ decision: inout Decision) {
    let edit = TempoEdit(tempo: plain, time: observation.jack.nextOutput, isSteering: true)
    commit(edit, &decision)
  }

  /// Has the session have another tempo from this cycle on.
  @inline(__always) @_noLocks
  private mutating func commit(_ edit: TempoEdit, _ decision: inout Decision) {
    sessionTempo.current = edit.tempo
    decision.link.tempo = edit
  }

  /// Carries out the direction of the leading side. Returns whether frames are to be realigned.
  @_noLocks
  private mutating func lead(
    _ cycle: CycleSnapshot, _ observation: Observation, _ tempoBefore: Tempo, _ decision: inout Decision
  ) -> Bool {
    var realigns = false
    frameLoss.observe(observation.jack)
    switch direction.leader {
    case .link:
      setTempo(tempoBefore, observation, &decision)
      if case .realignFrames = observation.command { discipline.request() }
      if configuration.choices.permittedDiscipline.isOn || discipline.isAtWork {
        realigns = disciplineFrames(observation, &decision)
      }
      direction.playhead.observe(cycle, session: observation.link.tempo, tempo: tempo)
    case .neither: setTempo(tempoBefore, observation, &decision)
    case .jack:
      let imposes = configuration.choices.imposesJACK
      let wasHeard = direction.follower.isHeard
      let edit = direction.follower.update(
        observation, home: startStop.home(observation.jack), imposes: imposes, clock: clock.reading)
      if !wasHeard, direction.follower.isHeard { decision.isNews = true }
      switch edit {
      case .none: break
      case .restore(let edit, let owners):
        commit(edit, &decision)
        decision.restoration = .imposed(jack: owners.ownersBeatsPerMinute, link: observation.link.tempo)
      case .tempo(let edit): commit(edit, &decision)
      case .align(let distance):
        decision.link.beat = BeatEdit(beat: observation.link.beat + distance, isForced: imposes)
      }
      refuseTempo(observation, .tempoIsJACKs, &decision)
    }
    return realigns
  }

  /// Reports to a user who sets the tempo why it is not set.
  @inline(__always) @_noLocks
  private func refuseTempo(_ observation: Observation, _ notice: GridNotice, _ decision: inout Decision) {
    switch observation.command {
    case .proposeTempo, .nudgeTempo: decision.answer = notice
    default: break
    }
  }

  /// Has Link have that beat from the next cycle on, which is decided by it already.
  @_noLocks
  private mutating func set(
    _ beat: BeatTime, isForced: Bool, _ cycle: inout CycleSnapshot, _ decision: inout Decision
  ) {
    decision.link.beat = BeatEdit(beat: beat, isForced: isForced)
    cycle.linkBeat = beat
    latest = cycle
  }

  /// Keeps frames with Link, or Link with them. Returns whether frames are to be realigned.
  @inline(never) @_noLocks
  private mutating func disciplineFrames(
    _ observation: Observation, _ decision: inout Decision
  ) -> Bool {
    var slowLead = startStop.slowLead
    if case .clientLeft = observation.command {
      discipline.tryAgain()
      // The wait for a slow client is forgotten in this cycle.
      slowLead = .zero
    }
    // A user's tempo comes first.
    if case .some = decision.link.tempo { return false }
    let isRolling =
      observation.jack.transport.isRolling && observation.jack.timebase.owner.isMe
      && observation.link.isEnabled
      && configuration.alignsFrames && !startStop.isUnderWay && !direction.playhead.isWaiting
    let action = discipline.observe(
      observation, clock.reading, configuration, isRolling: isRolling, slowLead: slowLead)
    if let plain = discipline.plain { sessionTempo.current = plain }
    switch action {
    case .none: return false
    case .relocate: return true
    case .steer(let edit):
      decision.link.tempo = edit
      // Where it is steered no more, that is the tempo from now on.
      if case .none = discipline.plain { sessionTempo.current = edit.tempo }
      return false
    }
  }

  /// Has the session have JACK's tempo and phase once, its peers' wish or not: the user has asked for it.
  ///
  /// Where Link leads JACK's beat is Link's already, but for programs that count frames: these keep their
  /// place, and all other programs and peers come to where frames and the session's tempo put it.
  @inline(never) @_noLocks
  private mutating func impose(
    _ cycle: CycleSnapshot, _ observation: Observation, _ decision: inout Decision
  ) -> CycleSnapshot {
    guard configuration.choices.tempoSync.sends,
      let place = direction.imposed(observation, cycle, tempo: tempo)
    else {
      decision.answer = .nothingToImpose
      return cycle
    }
    // The discipline has steered by the distance of before: it begins anew, and has no say in this cycle.
    discipline = FrameDiscipline()
    let isSame = place.tempo.isSameOnTheWire(as: observation.link.tempo)
    decision.link.tempo = isSame ? nil : TempoEdit(tempo: place.tempo, time: observation.jack.nextOutput)
    sessionTempo.current = place.tempo
    let beat = place.beat.shifted(nearestTo: observation.link.beat, byMultiplesOf: configuration.quantum)
    let moved = place.tempo.interval(of: beat - observation.link.beat)
    decision.answer = .phaseImposed(moved: moved)
    var cycle = cycle
    set(beat, isForced: true, &cycle, &decision)
    return cycle
  }

  /// The source of the position in the music.
  @inline(__always) @_noLocks
  private func source(_ observation: Observation) -> PositionSource {
    switch direction.leader {
    case .link:
      return observation.jack.timebase.owner.isMe ? .playhead(direction.playhead.mark) : .unheard
    case .neither:
      // The bridge retakes the timebase in a moment, and a start can wait for that.
      return takesBack ? .unheard : .none
    case .jack:
      guard !configuration.choices.imposesJACK else { return .none }
      guard direction.follower.isInTempo(with: tempo), let beat = direction.follower.beat else {
        return .unheard
      }
      return .owner(frame: observation.jack.frame, beat: beat, standsStill: direction.follower.standsStill)
    }
  }

  /// Has the session have the tempo that a user wants, and keep its own where a peer comes with another as the last
  /// peer leaves.
  @_noLocks
  private mutating func setTempo(_ before: Tempo, _ observation: Observation, _ decision: inout Decision) {
    guard configuration.choices.tempoSync.sends else {
      return refuseTempo(observation, .tempoIsNotSent, &decision)
    }
    if case .link = direction.leader, sessionTempo.keep(before, observation, after: lastEdit.tempo) {
      decision.restoration = .tempoKept(peers: observation.link.tempo)
    }
    sessionTempo.want(observation)
    if let edit = sessionTempo.due(observation) { commit(edit, &decision) }
  }

  /// The entry about the next cycle, which begins at `frame` by JACK's count. Realtime-safe.
  ///
  /// JACK asks the owner of the timebase alone: a bridge that did not know yet that it is the owner answers
  /// all the same, and Link leads from the next cycle on. While a start is held, the entry is for where it
  /// will begin. Returns `nil` before the first observation: then no position is known.
  @_noLocks
  public mutating func entry(forFrame frame: TransportFrame) -> TimebaseEntry? {
    guard let latest else { return nil }
    direction.claim(latest, tempo: tempo)
    if let position = rendering?.advance(toFrame: frame, latest) {
      return entry(at: position, bars.place(of: position, configuration.ticksPerBeat))
    }
    // Computed only where a start or a stop, or one that was cancelled, concerns it: the answer needs a copy of the
    // transport's state.
    let roll =
      startStop.concernsEntries
      ? startStop.roll(frame, next: latest.nextOutput, while: latest.transport)
      : Playhead.Roll(time: latest.nextOutput)
    guard
      let position = direction.advance(
        toFrame: frame, latest, tempo: tempo, alignsFrames: configuration.alignsFrames, roll)
    else { return nil }
    let place = bars.reach(
      position, configuration, isRolling: latest.transport.isRolling,
      isWaiting: direction.playhead.isWaiting)
    return entry(at: position, place)
  }

  /// The entry for a frame that is at `position`.
  @_noLocks
  private func entry(at position: BeatTime, _ place: BarBeatTick) -> TimebaseEntry {
    TimebaseEntry(
      position: place, beatsPerMinute: bars.meter.beatsPerMinute(at: tempo), exact: position, tempo: tempo,
      bars: bars)
  }

  /// Where the owner of the timebase is at the first frame of this cycle, if it leads. Realtime-safe.
  ///
  /// Changes nothing. It is mutating to be called in place, as ``status()`` is.
  @_noLocks
  public mutating func ownersPlace(at rate: SampleRate) -> SongPosition.Owner? {
    direction.ownersPlace(at: rate)
  }

  /// The start that is waited for.
  public var pendingLaunch: PendingLaunch? {
    @_noLocks get {
      guard let latest, startStop.isUnderWay else { return nil }
      return startStop.pendingLaunch(latest, tempo)
    }
  }

  /// The conditions of this cycle that people should know of, with so many other peers. Realtime-safe.
  ///
  /// Changes nothing. It is mutating to be called in place, as ``status()`` is.
  @_noLocks
  public mutating func conditions(peers: Int) -> Conditions {
    var conditions = direction.conditions
    // If the bridge is about to retake the timebase, it reports that alone. Where no tempo is sent it was chosen.
    if case .neither = direction.leader, !takesBack, configuration.choices.tempoSync.sends {
      conditions.leader = .neitherLeads
    }
    conditions.isRendering = rendering != nil
    if let latest { startStop.note(&conditions, latest, tempo) }
    guard peers > 0, configuration.alignsFrames, rendering == nil else { return conditions }
    switch direction.leader {
    case .link:
      conditions.shift = frameLoss.shift
      conditions.note(lost: frameLoss.lost, least: .audible)
    // A smaller loss is steered, and an owner's position does not move with the latency. Where JACK is pinned,
    // the session follows JACK.
    case .jack:
      if !configuration.choices.imposesJACK { conditions.note(lost: frameLoss.lost, least: .farthestSteered) }
    case .neither: break
    }
    return conditions
  }

  /// How things are, for people to look at. Realtime-safe.
  ///
  /// Changes nothing. It is mutating to be called in place: a getter in another module gets a copy, and a
  /// reconciler is three kilobytes.
  @_noLocks
  public mutating func status() -> ReconcilerStatus {
    // Asked of the parts: a getter of the whole would be handed a copy of it.
    var status = ReconcilerStatus()
    status.leader = direction.leader
    status.follow = direction.followStatus
    guard let latest else { return status }
    if startStop.isUnderWay { status.launch = startStop.pendingLaunch(latest, tempo) }
    if case .link = direction.leader, latest.transport.isRolling {
      status.frameError = latest.frameError(at: tempo, in: configuration.quantum)
    }
    return status
  }
}

// MARK: Meter, quantum and downbeat

extension Reconciler {
  /// Has the meter and quantum of the user's choice hold, where they may by now.
  ///
  /// A meter changes at a bar line while JACK rolls, where the bar is counted: this sees to all other times. A
  /// quantum changes with the cycle after that: Link is read by it from here on. One that follows the meter waits for a
  /// rest, as others keep the phase of the old one; and so does any while a timebase owner leads, as the
  /// session would be moved.
  @inline(__always) @_noLocks
  private mutating func takeGrid(_ observation: Observation) {
    let choices = configuration.choices
    if configuration.meter == choices.meter, configuration.quantum == choices.wantedQuantum { return }
    takeGrid(choices, observation)
  }

  @inline(never) @_noLocks
  private mutating func takeGrid(_ choices: Choices, _ observation: Observation) {
    let rests = !observation.jack.transport.isPlaying
    let isLinkLed = direction.isLed(by: .link)
    if rests || !isLinkLed, !(bars.meter == choices.meter) { bars = BarCount(choices.meter) }
    configuration.meter = bars.meter
    let isDue =
      if case .some = choices.quantum {
        isLinkLed && bars.hasTurned && observation.jack.transport.isRolling && !startStop.isUnderWay
      } else {
        false
      }
    guard rests || isDue else { return }
    configuration.quantum = choices.wantedQuantum
  }

  /// Has Link's beat be JACK's over the new quantum, where no other peer is there to keep the session's.
  @_noLocks
  private mutating func mapAlone(
    _ cycle: inout CycleSnapshot, _ observation: Observation, _ decision: inout Decision
  ) {
    guard observation.link.peers == 0, observation.jack.transport.isRolling,
      observation.jack.timebase.owner.isMe,
      let beat = direction.mapLink(cycle, tempo: tempo)
    else { return }
    set(beat, isForced: false, &cycle, &decision)
  }

  /// Has JACK's downbeat be another than the session's from this cycle on, where Link leads. Returns the report.
  @inline(never) @_noLocks
  private mutating func shiftDownbeat(_ shift: DownbeatShift, _ observation: Observation) -> GridNotice {
    guard case .link = direction.leader else { return .downbeatIsOwners }
    let beat = bars.meter.beatLength.nanobeats
    let later: Int64
    switch shift {
    case .none: later = -view.downbeat.nanobeats
    case .by(let count): later = beat &* Int64(count)
    case .here:
      let (jack, link) = (observation.jack, observation.link)
      let heard = link.beat - view.downbeat - link.tempo.beats(in: jack.nextOutput - jack.start)
      let since = heard.phase(in: configuration.quantum).offset.nanobeats
      later = (since &+ beat / 2) / beat &* beat
    }
    let shifted = Beats(nanobeats: view.downbeat.nanobeats &+ later)
    // In another quantum, too, it is as far as it was shifted, unless that is beyond any quantum.
    let before = view.downbeat
    view.downbeat =
      shifted.magnitude > .quantumAtMost ? shifted.shortest(around: configuration.quantum) : shifted
    bars.loosen()
    direction.downbeatWasMoved(by: view.downbeat - before)
    // Frames are as far off as the downbeat was moved.
    if configuration.alignsFrames { discipline.request() }
    return .downbeatShifted(beats: downbeatInBeats)
  }

  /// How many of the meter's beats JACK's downbeat is later than the session's: earlier if negative, and at most
  /// half a quantum. Realtime-safe.
  public var downbeatInBeats: Double {
    @_noLocks get {
      view.downbeat.shortest(around: configuration.quantum).doubleValue
        / bars.meter.beatLength.doubleValue
    }
  }
}

extension Beats {
  /// The longest quantum.
  fileprivate static var quantumAtMost: Beats { @_noLocks get { Beats(nanobeats: 1_024_000_000_000) } }
}

// MARK: While JACK freewheels

// JACK freewheels, as fast as its clients can, for an export. Frames are the music then, and nothing of it is
// heard. So bar, beat and tick go with the frames, at the tempo and from the place that they had when it
// began; nothing is committed to Link, and nothing of Link's reaches JACK. When it ends, all is as a join
// finds it: each side does what it does, and the next press makes both agree.

extension Reconciler {
  /// Takes a cycle in which JACK freewheels.
  @inline(never) @_noLocks
  private mutating func render(_ observation: Observation) -> Decision {
    var decision = Decision()
    if rendering == nil {
      rendering = direction.rendering(at: tempo, whileRolling: latest?.transport.isRolling ?? false)
      decision.isNews = true
    }
    let cycle = CycleSnapshot(observation)
    rendering?.observe(cycle)
    latest = cycle
    if case .imposeJACK = observation.command { decision.answer = .nothingToImpose }
    take(observation.choices)
    if case .jack = Leader(configuration.choices, configuration.takeover, observation.jack.timebase.owner) {
      refuseTempo(observation, .tempoIsJACKs, &decision)
    } else if !configuration.choices.tempoSync.sends {
      refuseTempo(observation, .tempoIsNotSent, &decision)
    } else {
      // The session is to have it when that is heard again.
      sessionTempo.want(observation)
    }
    let outcome = startStop.render(observation, sharing: configuration.choices.startStopSync)
    decision.transport = outcome.transport
    decision.press = outcome.press
    return decision
  }

  /// JACK keeps time again: in this cycle, and from here on.
  @_noLocks
  private mutating func returnToTime(
    from rendering: Rendering, _ observation: Observation, _ decision: inout Decision
  ) {
    self.rendering = nil
    direction.resume(from: rendering, observation)
    discipline.renderingEnded()
    decision.isNews = true
  }
}
