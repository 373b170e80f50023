import MusicalTime

/// JACK's transport and Link's start/stop state, kept in agreement, and started in phase.
///
/// Starts and stops are edges: the last one decides. The bridge's own requests to either side are expected
/// back, and not taken for a start or stop by others. A start is held until it can roll in phase with the
/// session; ``HeldStart`` has the table of its steps.
///
/// | state | JACK stopped | JACK starts | JACK rolls | a peer plays | a peer stops | time |
/// |---|---|---|---|---|---|---|
/// | stopped | – | *commit to Link*, held | *commit to Link*, rolling, *corrected* if off | *ask JACK to start*, requested, or postponed | – | – |
/// | postponed | – | *commit to Link*, held, at once if need be | *commit to Link*, rolling, *corrected* if off | *ask JACK to start*, requested, or postponed | stopped | near: *ask JACK to start*, requested |
/// | requested | – | held | rolling, *corrected* if off | *ask JACK to start*, requested | *ask JACK to stop*, stopping | JACK did not: *commit to Link*, stopped |
/// | held | *commit to Link*, stopped | hold; relocated: plan anew | rolling, *corrected* if off | not before that | *ask JACK to stop*, stopping | the roll: released |
/// | held, released | *commit to Link*, stopped | wait; relocated: held | rolling, *corrected* if off | – | *ask JACK to stop*, stopping | – |
/// | starting | *commit to Link*, stopped | wait; relocated: held | rolling, *corrected* if off | – | *ask JACK to stop*, stopping | – |
/// | rolling | *commit to Link*, stopped | relocated: held, or released to roll on | – | – | *ask JACK to stop*, stopping | – |
/// | stopping | stopped, or on to a new start | – | – | then start | then stay stopped | JACK did not: *commit to Link*, held, or rolling, *corrected* if off |
///
/// A user's own commands make the same requests to JACK as a JACK client would; a start that is postponed is
/// dropped by a stop. Alone in a session, or while Link leaves JACK its own phase, held is skipped: JACK is
/// starting, and rolls as it likes. Alone for a while, and before it takes part in Link at all, every start
/// and stop of JACK is committed to Link.
///
/// In whatever state a join finds them, whether JACK rolls, the session plays, another client owns the
/// timebase, and whether the bridge is new or was there before the server died: joining requests nothing of
/// JACK and commits nothing to the session, so that the two can differ. Link does not report the state of a
/// session that is joined. So *every* start or stop by JACK or the user is committed to Link, and *every* one
/// of a peer's is obeyed, also one that changes nothing in Link's state:
///
/// | JACK | session | JACK starts, `start` | JACK stops, `stop` | a peer plays | a peer stops |
/// |---|---|---|---|---|---|
/// | stopped | stopped | both play | both stop | both play | both stop |
/// | stopped | plays | both play | `stop`: both stop | both play | both stop |
/// | rolls | stopped | `start`: both play | both stop | both play | both stop |
/// | rolls | plays | both play | both stop | both play | both stop |
///
/// On a server whose transport follows a master's over the network, JACK's column alone acts: the session's
/// presses are ignored, as the server would undo them.
///
/// A JACK client's stop while JACK is stopped, or its start while JACK rolls, has no effect: JACK does not
/// report it.
struct StartStop: Sendable {
  /// Where a start or a stop stands.
  enum State: Sendable {
    /// JACK is stopped.
    case stopped
    /// A start is wanted, too far ahead for the server to hold it.
    case postponed(StartRequest, until: HostTime<LinkClock>)
    /// JACK was asked to start.
    case requested(StartRequest, until: HostTime<LinkClock>)
    /// JACK starts, and the bridge holds it, or has released it.
    case held(HeldStart)
    /// JACK starts, held by other clients, which were `asked` then to be ready, or not at all. It rolls when it is
    /// `due`, unless one of them is not ready.
    case starting(asked: HostTime<LinkClock>, due: HostTime<LinkClock>)
    /// JACK rolls.
    case rolling
    /// JACK was asked to stop.
    case stopping(Stopping)
  }

  /// Whether both sides agree on the transport's state, or something is under way.
  enum Standing: Sendable {
    case unknown
    case stopped
    case rolling
    case underWay

    @_noLocks
    fileprivate init(_ state: State) {
      switch state {
      case .stopped: self = .stopped
      case .rolling: self = .rolling
      case .postponed, .requested, .held, .starting, .stopping: self = .underWay
      }
    }

    /// Whether that is what JACK does.
    @inline(__always) @_noLocks
    fileprivate func isShown(by motion: TransportState) -> Bool {
      switch (self, motion) {
      case (.stopped, .stopped), (.rolling, .rolling): true
      case (.unknown, _), (.stopped, _), (.rolling, _), (.underWay, _): false
      }
    }
  }

  /// A stop that JACK was asked for.
  struct Stopping: Sendable {
    /// Whether JACK was seen to play since: a start may still be on its way.
    var hasPlayed: Bool
    /// In how many cycles it was.
    var playedFor = 0
    var asked: HostTime<LinkClock>
    /// The start that follows it.
    var next: StartRequest?

    @_noLocks
    init(hasPlayed: Bool, asked: HostTime<LinkClock>, next: StartRequest? = nil) {
      self.hasPlayed = hasPlayed
      self.asked = asked
      self.next = next
    }

    /// Whether JACK has played on for so long that a client must have undone the stop, unseen: the next stop
    /// is a client's own.
    @_noLocks
    func isUndone(_ context: LaunchContext) -> Bool {
      playedFor >= 8 && context.next - asked > HostInterval.milliseconds(40)
    }
  }

  /// How long JACK may take to obey: a slow client can hold a start, but not the state Starting.
  private static var answerTimeout: HostInterval { .milliseconds(500) }
  /// How many periods before the frame that it is for a start may roll.
  private static var leadIn: UInt32 { @_noLocks get { 4 } }
  /// How long a start that was requested and cancelled may still show.
  private static var echo: HostInterval { .milliseconds(60) }

  private(set) var state: State?
  /// The kind of the state, without its data. The state is large, and in most cycles this is all that is
  /// needed: a look into the state itself would copy it each time.
  private var standing = Standing.unknown
  private var edges = StartStopEdges()
  private var readiness = ClientReadiness()
  private var presence = PeerPresence()
  /// Checks the last start, or relocation while it rolled, once more.
  private var watch = RollWatch()
  /// The rest of a cancelled start.
  private var putBack: PutBack?
  /// Where a user wants the transport to be, until JACK can be asked.
  private var wantedPlace: TransportFrame?

  @_noLocks
  init() {}

  /// The actions of a cycle on the transport. Each event returns its own.
  struct Outcome: Sendable {
    var transport: TransportRequest?
    /// Whether JACK's start is held; `nil` where the event does not decide that.
    var holds: Bool?
    var isPlaying: PlayEdit?
    /// Whether Link's beat is to be that of the playhead from now on.
    var mapsLink = false
    /// A peer's press, and the correction of a roll, as they are reported.
    var press: TransportNotice?
    var correction: TransportNotice?

    @_noLocks
    init(transport: TransportRequest? = nil, holds: Bool? = nil) {
      self.transport = transport
      self.holds = holds
    }

    /// These actions, and then those of `next`, which replace them.
    @_noLocks
    func then(_ next: Outcome) -> Outcome {
      var both = next
      if case .none = next.transport { both.transport = transport }
      if case .none = next.holds { both.holds = holds }
      if case .none = next.isPlaying { both.isPlaying = isPlaying }
      if case .none = next.press { both.press = press }
      if case .none = next.correction { both.correction = correction }
      both.mapsLink = mapsLink || next.mapsLink
      return both
    }
  }

  /// The actions of others since the last cycle.
  struct Events: Sendable {
    fileprivate var press: StartStopEdges.Press?
    fileprivate var presenceEvent = PeerPresence.Event.none
    /// Whether what rolls is to come into phase with its frames.
    var realigns = false

    @_noLocks
    fileprivate init() {}
  }

  /// Takes a cycle. Pass its events to ``update(_:_:)``, unless it ``isCalm(_:_:)``.
  @inline(__always) @_noLocks
  mutating func look(
    _ observation: Observation, tempo: Tempo, isSteady: Bool, sharing: Sharing, lastEdit: LinkEdit
  ) -> Events {
    var events = Events()
    if !isSteady { watch.clockWasDisturbed(at: observation.jack.nextOutput) }
    // The first one only shows the state of affairs.
    let isFirst = if case .unknown = standing { true } else { false }
    let event = isFirst ? .none : presence.update(observation, tempo: tempo, lastEdit: lastEdit)
    if let press = press(in: observation, sharing), sharing.receives { events.press = press }
    // Where nothing is sent nothing is committed to Link, whether peers are there or not.
    if sharing.sends { events.presenceEvent = event }
    return events
  }

  /// A peer's press. Of presses that are ignored account is kept, too: the bridge's own follow them.
  @inline(__always) @_noLocks
  private mutating func press(in observation: Observation, _ sharing: Sharing) -> StartStopEdges.Press? {
    guard sharing.receives || sharing.sends else { return nil }
    return edges.update(observation, hasJoined: presence.hasJoined(at: observation.jack.nextOutput))
  }

  /// Whether no request is pending and nothing is under way, as in nearly all cycles: then ``update(_:_:)``
  /// does nothing, and its context need not be built.
  @inline(__always) @_noLocks
  func isCalm(_ events: Events, _ observation: Observation) -> Bool {
    guard case .none = events.press, !isNews(events.presenceEvent), case .none = observation.command,
      !watch.isDue, !events.realigns, !edges.isPending, case .none = putBack, case .none = wantedPlace
    else { return false }
    return standing.isShown(by: observation.jack.transport)
  }

  /// Whether the presence of peers requires an action. Without peers, as in every cycle of a bridge that is
  /// alone, Link mostly has JACK's state already.
  @inline(__always) @_noLocks
  private func isNews(_ event: PeerPresence.Event) -> Bool {
    switch (event, standing) {
    case (.none, _): false
    case (.alone, .stopped): edges.isPlaying
    case (.alone, .rolling): !edges.isPlaying
    case (.alone, .unknown), (.alone, .underWay), (.forgotten, _): true
    }
  }

  /// Decides. The first cycle only shows the state of affairs: the bridge's arrival is no start or stop.
  @_noLocks
  mutating func update(_ observed: LaunchContext, _ events: Events) -> Outcome {
    var context = observed
    context.slowLead = readiness.lead
    if case .unknown = standing { return arrive(context, events) }
    if case .underWay = standing { keepTime() }
    // Before JACK's change: if that is another start or stop, it is the last one, and the one to commit.
    var outcome = take(events.press, context)
    if !standing.isShown(by: context.motion) { outcome = outcome.then(followJACK(context)) }
    outcome = outcome.then(obey(context))
    // A client may have turned out to be slow, or may have left.
    context.slowLead = readiness.lead
    outcome = locate(after: outcome)
    outcome = putPlayheadBack(context, after: outcome)
    // One request fits into a cycle: users' requests come first.
    if case .none = outcome.transport {
      outcome = outcome.then(attend(context, events))
    } else if case .held(let start) = state, !start.isReleased {
      outcome.holds = context.motion.isWaiting
    }
    outcome = outcome.then(agreeAlone(events.presenceEvent, context))
    if case .none = outcome.isPlaying { outcome.isPlaying = edges.tellNow(context.observation) }
    return outcome
  }

  /// Takes the first cycle, or the first after a freewheel.
  @_noLocks
  private mutating func arrive(_ context: LaunchContext, _ events: Events) -> Outcome {
    switch context.motion {
    case .stopped: enter(.stopped)
    // Held by others, or to be held by the bridge from the next cycle on.
    case .starting: enterUnheld(asked: context.next, context)
    case .rolling: enter(.rolling)
    }
    // After a freewheel; in the very first cycle no start or stop can have been seen.
    var outcome = take(events.press, context)
    if !context.observation.link.isEnabled { outcome = outcome.then(agreeAlone(.alone, context)) }
    outcome = outcome.then(obey(context))
    return locate(after: outcome)
  }

  /// Takes a cycle in which JACK freewheels: a start or stop that is under way is given up, and a peer's is
  /// reported and ignored.
  @_noLocks
  mutating func render(_ observation: Observation, sharing: Sharing) -> Outcome {
    var outcome = Outcome()
    forgetCourse()
    // Commits to Link that are still pending are dropped.
    if edges.isPending { edges = StartStopEdges() }
    if let press = press(in: observation, sharing), sharing.receives {
      let isPlaying = if case .stop = press { false } else { true }
      outcome.press = .pressIgnored(isPlaying: isPlaying)
    }
    switch observation.command {
    case .start: outcome.transport = .start
    case .stop: outcome.transport = .stop
    case .locate(let frame): wantedPlace = frame
    case .clientLeft: readiness.forget()
    case .none, .proposeTempo, .nudgeTempo, .foundSession, .imposeJACK, .shiftDownbeat, .realignFrames: break
    }
    return locate(after: outcome)
  }

  /// Forgets where a start or a stop stood: the next cycle shows what JACK does, as the first one does.
  @_noLocks
  private mutating func forgetCourse() {
    guard case .some = state else { return }
    state = nil
    standing = .unknown
    putBack = nil
  }

  /// Another client turns out to own the timebase, and leads.
  @_noLocks
  mutating func ownerWasFound(at time: HostTime<LinkClock>) { watch.ownerWasFound(at: time) }

  /// Starts and stops are shared with the session from now on, or no longer: the session's state then is one
  /// that a join finds, not a peer's start or stop.
  @_noLocks
  mutating func sharingChanged() { edges = StartStopEdges() }

  @_noLocks
  private mutating func enter(_ state: State) {
    self.state = state
    standing = Standing(state)
  }

  /// The bridge does not hold the start, or no longer: it shows so in the next cycle, and JACK rolls a cycle after
  /// that if all clients are ready.
  @_noLocks
  private mutating func enterUnheld(asked: HostTime<LinkClock>, _ context: LaunchContext) {
    enter(.starting(asked: asked, due: context.next + context.period * 2))
  }
}

// MARK: Queries

extension StartStop {
  /// Whether an entry depends on a start or a stop: on one that is on its way, or on what is left of one that was
  /// cancelled.
  var concernsEntries: Bool {
    @inline(__always) @_noLocks get {
      if case .some = putBack { true } else { isUnderWay }
    }
  }

  /// Whether a start or a stop is on its way.
  var isUnderWay: Bool {
    @inline(__always) @_noLocks get {
      switch standing {
      case .underWay: true
      case .unknown, .stopped, .rolling: false
      }
    }
  }

  /// The frame that a start is for, where JACK shows one near it: the bridge has the roll begin some frames before.
  @_noLocks
  func home(_ jack: JACKObservation) -> TransportFrame? {
    var home: TransportFrame?
    switch state {
    case .held(let start) where !start.mends: home = start.origin
    case .rolling where jack.step.cycles < StartStop.leadIn: home = watch.origin
    case .stopped: home = putBack?.frame
    case .none, .held, .postponed, .requested, .starting, .rolling, .stopping: break
    }
    guard let home else { return nil }
    let way = (home.sinceZero - jack.frame.sinceZero).count
    return way.magnitude < UInt64(jack.period &* StartStop.leadIn) ? home : nil
  }

  /// How long clients need to get ready for a start.
  var slowLead: HostInterval { @_noLocks get { readiness.lead } }

  /// The plan of a start that has not rolled yet.
  var pendingPlan: LaunchPlan? {
    @_noLocks get {
      if case .held(let start) = state { start.plan } else { nil }
    }
  }

  /// That start, as the status shows it in the cycle of `latest`.
  @_noLocks
  func pendingLaunch(_ latest: CycleSnapshot, _ tempo: Tempo) -> PendingLaunch? {
    guard let plan = pendingPlan else { return nil }
    return PendingLaunch(
      rollTime: plan.rollTime, beatsAhead: tempo.beats(in: plan.rollTime - latest.nextOutput),
      beginning: plan.beginning, linkBeat: plan.beat)
  }

  /// Notes a start that waits, and a roll that is ahead by intent.
  @_noLocks
  func note(_ conditions: inout Conditions, _ latest: CycleSnapshot, _ tempo: Tempo) {
    if case .rolling = standing, watch.expected.magnitude > .audible {
      conditions.lead = .framesStayOff(by: watch.expected)
    }
    guard isUnderWay else { return }
    switch state {
    case .held(let start): start.note(&conditions, next: latest.nextOutput, tempo)
    case .postponed(_, let roll):
      conditions.start = .init(roll: roll, .launchPostponed(tempo.beats(in: roll - latest.nextOutput)))
    default: break
    }
  }

  /// The position of an entry for `frame`, the first one of the cycle that is heard at `next`.
  @_noLocks
  func roll(
    _ frame: TransportFrame, next: HostTime<LinkClock>, while motion: TransportState
  ) -> Playhead.Roll {
    // Where a held start was put shows after its cancellation, too, until the playhead is where it was.
    let isPlaced = putBack?.isAway(at: frame) ?? false
    return switch state {
    case .held(let start): start.roll(frame, next: next)
    case .starting: Playhead.Roll(time: next, isPlaced: isPlaced, isBound: false)
    // A start that crosses the stop has no plan yet.
    case .stopping: Playhead.Roll(time: next, isPlaced: isPlaced, isBound: !motion.isWaiting)
    case .none, .stopped, .postponed, .requested, .rolling: Playhead.Roll(time: next, isPlaced: isPlaced)
    }
  }
}

// MARK: JACK

extension StartStop {
  @_noLocks
  private mutating func followJACK(_ context: LaunchContext) -> Outcome {
    let asked = StartRequest(notBefore: context.next)
    switch (state, context.motion) {
    case (.none, _), (.stopped, .stopped), (.postponed, .stopped), (.rolling, .rolling): return Outcome()
    case (.stopped, .starting), (.stopped, .rolling): return begin(asked, tells: true, context)
    case (.postponed, .starting), (.postponed, .rolling):
      return begin(StartRequest(notBefore: context.next, insists: true), tells: true, context)
    case (.requested(_, let until), .stopped): return until < context.next ? stopped(context) : Outcome()
    case (.requested(let request, _), .starting), (.requested(let request, _), .rolling):
      return begin(request, tells: false, context)
    case (.held(let start), .stopped):
      takeBack(start)
      return stopped(context)
    case (.starting, .stopped), (.rolling, .stopped): return stopped(context)
    case (.held(var start), .starting):
      guard start.isReleased else { return Outcome() }
      start.waitForOthers()
      enter(.held(start))
      // On PipeWire a start that is repeated is asked for again where this one has put the playhead.
      if context.observation.jack.isSyncCallback { takeBack(start) }
      return beginAgain(start.request, context)
    case (.starting, .starting): return beginAgain(asked, context)
    case (.held(let start), .rolling) where start.isReleased:
      return rolled(start, context)
    case (.held(var start), .rolling):
      // After a relocation by the bridge, the transport rolls on for two cycles.
      start.rollOn()
      enter(.held(start))
      return start.isUnderWay ? Outcome() : rolled(start, context)
    case (.starting(let asked, let due), .rolling): return rolled(nil, asked: asked, due: due, context)
    case (.rolling, .starting): return begin(asked, tells: false, wasRolling: true, context)
    case (.stopping(let stopping), .stopped):
      guard stopping.hasPlayed || context.next - stopping.asked > StartStop.echo else { return Outcome() }
      guard let request = stopping.next else {
        enter(.stopped)
        return Outcome()
      }
      return stopping.isUndone(context) ? stopped(context) : want(request, context)
    case (.stopping(var stopping), .starting), (.stopping(var stopping), .rolling):
      stopping.hasPlayed = true
      stopping.playedFor &+= 1
      enter(.stopping(stopping))
      guard context.next - stopping.asked > StartStop.answerTimeout else { return Outcome(holds: true) }
      // A client has started JACK again: also where a start was put off, which comes no later for that.
      let insists = if case .some = stopping.next { true } else { false }
      return begin(StartRequest(notBefore: context.next, insists: insists), tells: true, context)
    }
  }

  /// JACK has stopped, and so does the session.
  @_noLocks
  private mutating func stopped(_ context: LaunchContext) -> Outcome {
    enter(.stopped)
    return tellLink(false, at: context.next, context)
  }

  /// JACK plays: the start is held until it fits, unless there is nothing to fit it to.
  @_noLocks
  private mutating func begin(
    _ request: StartRequest, tells: Bool, wasRolling: Bool = false, _ context: LaunchContext
  ) -> Outcome {
    var (outcome, time) = (Outcome(holds: false), context.next)
    watch = RollWatch()
    if context.motion.isRolling {
      putBack = nil
      outcome = outcome.then(rolled(nil, asked: context.next, due: context.next, context))
    } else if context.canHold {
      (outcome, time) = hold(request, wasRolling: wasRolling, context)
    } else {
      // It may be cancelled as the one before was.
      enterUnheld(asked: context.next, context)
    }
    return tells ? outcome.then(tellLink(true, at: time, context)) : outcome
  }

  /// JACK asks again before it has rolled: a client has relocated, or a correction goes to another place than
  /// planned.
  @_noLocks
  private mutating func beginAgain(_ request: StartRequest, _ context: LaunchContext) -> Outcome {
    guard context.observation.jack.isSyncCallback else { return Outcome() }
    let again = watch.again()
    let outcome = begin(request, tells: false, context)
    watch = again
    return outcome
  }

  /// Holds a start. Returns the instant of the start to commit to Link, too.
  @_noLocks
  private mutating func hold(
    _ request: StartRequest, wasRolling: Bool, _ context: LaunchContext
  ) -> (Outcome, launch: HostTime<LinkClock>) {
    let shown = context.observation.jack.frame
    // A start that follows a cancelled one begins where that did.
    let cancelled = if let putBack, putBack.isShown(at: shown) { putBack } else { PutBack?.none }
    if let putBack { giveWay(of: putBack, context) }
    putBack = nil
    let place = context.place(at: cancelled?.frame ?? shown)
    var start =
      wasRolling
      ? HeldStart(goingOn: request, from: place, context) : HeldStart(request, from: place, context)
    if let cancelled { start.follow(cancelled) }
    if case .held(let before) = state { start.follow(before, context) }
    let action = start.begin(context)
    return (carryOut(action, of: start, context), start.launchTime)
  }

  /// Carries out the action of a held start.
  @_noLocks
  private mutating func carryOut(
    _ action: HeldStart.Action, of start: HeldStart, _ context: LaunchContext
  ) -> Outcome {
    switch action {
    case .hold:
      enter(.held(start))
      return Outcome(holds: true)
    case .relocate(let frame):
      enter(.held(start))
      return Outcome(transport: .relocate(frame: frame), holds: true)
    case .release:
      enter(.held(start))
      var outcome = Outcome(holds: false)
      if start.rollsOn { outcome.correction = .rollsOn(start.distance(context)) }
      return outcome
    case .abandon:
      // The bridge may become the owner again.
      takeBack(start)
      enterUnheld(asked: start.asked, context)
      return Outcome(holds: false)
    case .postpone(let request):
      // JACK is stopped meanwhile.
      takeBack(start)
      return stop(hasPlayed: true, next: request, context)
    }
  }

  @_noLocks
  private mutating func rolled(_ start: HeldStart, _ context: LaunchContext) -> Outcome {
    rolled(start, asked: start.asked, due: start.plan.rollTime, context)
  }

  @_noLocks
  private mutating func rolled(
    _ start: HeldStart?, asked: HostTime<LinkClock>, due: HostTime<LinkClock>, _ context: LaunchContext
  ) -> Outcome {
    enter(.rolling)
    guard !context.configuration.rules.followsMaster else { return Outcome() }
    return carryOut(watch.rolled(start, asked: asked, due: due, context, &readiness), context)
  }

  @_noLocks
  private mutating func carryOut(_ verdict: RollWatch.Verdict, _ context: LaunchContext) -> Outcome {
    var outcome = Outcome()
    switch verdict {
    case .leave: break
    case .mapLink: outcome.mapsLink = true
    case .spoilt(let notice): outcome.correction = notice
    case .mend(let notice):
      var now = context
      // The lead that was just learnt holds already.
      now.slowLead = readiness.lead
      outcome = mend(now)
      outcome.correction = notice
    }
    return outcome
  }

  /// Puts the playhead of what rolls where it should be.
  @_noLocks
  private mutating func mend(_ context: LaunchContext) -> Outcome {
    let start = HeldStart(mending: context.withWholeOffset)
    enter(.held(start))
    return Outcome(transport: .relocate(frame: start.plan.frame))
  }

  /// Commits a press, whatever Link's state is: Link does not know the state of a session that was joined.
  @_noLocks
  private mutating func tellLink(
    _ isPlaying: Bool, at time: HostTime<LinkClock>, _ context: LaunchContext
  ) -> Outcome {
    var outcome = Outcome()
    if context.configuration.choices.startStopSync.sends {
      outcome.isPlaying = edges.tell(isPlaying, at: time, context.observation)
    }
    return outcome
  }

  @_noLocks
  private mutating func agreeAlone(
    _ presenceEvent: PeerPresence.Event, _ context: LaunchContext
  ) -> Outcome {
    var outcome = Outcome()
    switch (standing, presenceEvent) {
    case (.stopped, .alone):
      if edges.isPlaying { return tellLink(false, at: context.next, context) }
    case (.rolling, .alone):
      if !edges.isPlaying { return tellLink(true, at: context.next, context) }
    case (.rolling, .forgotten):
      // Link does not report to a peer that joins that the session plays, and forgets it when it begins to
      // take part.
      guard edges.isPlaying, !edges.isToReachPeers(context.observation) else { break }
      outcome.isPlaying = edges.repeatPress(context.observation)
      if case .none = outcome.isPlaying { presence.tellLater() }
    case (.underWay, .forgotten): presence.tellLater()
    case (.unknown, _), (.stopped, _), (.rolling, _), (.underWay, _): break
    }
    return outcome
  }
}

// MARK: Peers and users

extension StartStop {
  /// Carries out a peer's press, if there is one.
  @_noLocks
  private mutating func take(_ press: StartStopEdges.Press?, _ context: LaunchContext) -> Outcome {
    guard let press else { return Outcome() }
    let isIgnored = context.configuration.rules.followsMaster
    var outcome = Outcome()
    switch press {
    case .play(let time):
      if !isIgnored { outcome = peerPressedPlay(at: time, context) }
      outcome.press = .peerPressedPlay
    case .stop:
      if !isIgnored { outcome = peerPressedStop(context) }
      outcome.press = .peerPressedStop
    }
    return outcome
  }

  @_noLocks
  private mutating func peerPressedPlay(at time: HostTime<LinkClock>, _ context: LaunchContext) -> Outcome {
    let request = StartRequest(pressedAt: time)
    switch state {
    case .none, .starting, .rolling: return Outcome()
    case .stopped, .postponed: return want(request, context)
    case .requested: return ask(for: request, context)
    // A transport that has rolled already, or is about to, does not wait for it.
    case .held(let start) where start.isReleased || start.mends: return Outcome()
    case .held(var start):
      start.request.press(at: time)
      enter(.held(start))
      return Outcome()
    case .stopping(var stopping):
      stopping.next = request
      enter(.stopping(stopping))
      return Outcome()
    }
  }

  @_noLocks
  private mutating func peerPressedStop(_ context: LaunchContext) -> Outcome {
    switch state {
    case .none, .stopped: return Outcome()
    case .postponed:
      enter(.stopped)
      return Outcome()
    case .requested: return stop(hasPlayed: false, context)
    case .held(let start):
      takeBack(start)
      return stop(hasPlayed: true, context)
    case .starting, .rolling: return stop(hasPlayed: true, context)
    case .stopping(let stopping): return stopAgain(stopping, context)
    }
  }

  /// Carries out a user's command, by asking JACK: its answer is then a press like any other client's.
  @_noLocks
  private mutating func obey(_ context: LaunchContext) -> Outcome {
    switch context.observation.command {
    case .none, .proposeTempo, .nudgeTempo, .foundSession, .imposeJACK, .shiftDownbeat, .realignFrames: break
    case .clientLeft: readiness.forget()
    case .locate(let frame): wantedPlace = frame
    case .start: return obeyStart(context)
    case .stop: return obeyStop(context)
    }
    return Outcome()
  }

  /// Requests a user's locate from JACK, in the first cycle without another request: its effect is that of
  /// any JACK client's locate.
  @_noLocks
  private mutating func locate(after outcome: Outcome) -> Outcome {
    guard let frame = wantedPlace, case .none = outcome.transport else { return outcome }
    wantedPlace = nil
    // It is put elsewhere.
    putBack = nil
    return outcome.then(Outcome(transport: .locate(frame: frame)))
  }

  @_noLocks
  private mutating func obeyStart(_ context: LaunchContext) -> Outcome {
    switch state {
    case .none: return Outcome()
    case .stopped, .postponed: return Outcome(transport: .start)
    case .requested(let request, _): return ask(for: request, context)
    case .held(let start):
      // A transport that goes on after a locate was in phase long ago, and this start is not.
      let isToCome = !start.isReleased && start.launchTime > context.next
      return tellLink(true, at: isToCome ? start.launchTime : context.next, context)
    case .starting, .rolling: return tellLink(true, at: context.next, context)
    case .stopping(var stopping):
      stopping.next = StartRequest(notBefore: context.next)
      enter(.stopping(stopping))
      return tellLink(true, at: context.next, context)
    }
  }

  @_noLocks
  private mutating func obeyStop(_ context: LaunchContext) -> Outcome {
    switch state {
    case .none: return Outcome()
    // The session may play all the same.
    case .stopped, .postponed: return stopped(context)
    case .held, .starting, .rolling: return Outcome(transport: .stop)
    case .requested: return tellLink(false, at: context.next, context).then(stop(hasPlayed: false, context))
    case .stopping(let stopping):
      return tellLink(false, at: context.next, context).then(stopAgain(stopping, context))
    }
  }

  /// Link keeps the beat of a start that a peer has pressed: with another tempo, or clocks measured anew, its
  /// time is another.
  @_noLocks
  private mutating func keepTime() {
    guard let time = edges.time else { return }
    switch state {
    case .postponed(var request, let until) where request.isPeers:
      request.press(at: time)
      enter(.postponed(request, until: until))
    case .requested(var request, let until) where request.isPeers:
      request.press(at: time)
      enter(.requested(request, until: until))
    case .held(var start) where start.request.isPeers && !start.isReleased:
      start.request.press(at: time)
      enter(.held(start))
    case .none, .stopped, .postponed, .requested, .held, .starting, .rolling, .stopping: break
    }
  }

  /// A start ends before it rolls, or the bridge cannot hold it any more.
  @_noLocks
  private mutating func takeBack(_ start: HeldStart) { putBack = start.undoing }

  /// Restores the playhead after a cancelled start, as soon as JACK has stopped; unless a client has located
  /// since, JACK decides by then, or it rolls after all.
  @_noLocks
  private mutating func putPlayheadBack(_ context: LaunchContext, after outcome: Outcome) -> Outcome {
    guard var back = putBack else { return outcome }
    guard !context.motion.isRolling, context.canAlign, back.isShown(at: context.observation.jack.frame) else {
      giveWay(of: back, context)
      putBack = nil
      return locate(after: outcome)
    }
    guard !context.motion.isPlaying, case .none = outcome.transport else { return outcome }
    let isDue = back.isDue(at: context.observation.jack.frame)
    putBack = back.isDone ? nil : back
    return isDue ? outcome.then(Outcome(transport: .relocate(frame: back.frame))) : outcome
  }

  /// A client's locate that came just before the bridge has asked to restore the playhead shows for a cycle, and is
  /// undone by that then: JACK is asked once more to go where the client wants it to be.
  @_noLocks
  private mutating func giveWay(of back: PutBack, _ context: LaunchContext) {
    let frame = context.observation.jack.frame
    if back.isUnderWay, !context.motion.isRolling, !back.isShown(at: frame) { wantedPlace = frame }
  }

  /// Asks JACK to stop, and then to start anew if a start is to follow.
  @_noLocks
  private mutating func stop(
    hasPlayed: Bool, next: StartRequest? = nil, _ context: LaunchContext
  ) -> Outcome {
    enter(.stopping(Stopping(hasPlayed: hasPlayed, asked: context.next, next: next)))
    return Outcome(transport: .stop, holds: context.motion.isPlaying)
  }

  /// Asks JACK to stop once more: a client's start may have undone the stop that it was asked for, unseen.
  @_noLocks
  private mutating func stopAgain(_ before: Stopping, _ context: LaunchContext) -> Outcome {
    enter(.stopping(Stopping(hasPlayed: before.hasPlayed, asked: context.next)))
    return Outcome(transport: .stop)
  }

  /// Asks JACK to start, unless that is too early.
  @_noLocks
  private mutating func want(_ request: StartRequest, _ context: LaunchContext) -> Outcome {
    let wait = context.wait(for: request)
    guard wait > context.longestWait else { return ask(for: request, context) }
    enter(.postponed(request, until: context.next + wait))
    return Outcome()
  }

  /// Asks JACK to start: also where it has been asked already, as a client's stop may have undone that
  /// unseen.
  @_noLocks
  private mutating func ask(for request: StartRequest, _ context: LaunchContext) -> Outcome {
    enter(.requested(request, until: context.next + StartStop.answerTimeout))
    return Outcome(transport: .start)
  }
}

// MARK: Time

extension StartStop {
  /// Has what rolls go on in phase with its frames.
  @_noLocks
  private mutating func realign(_ context: LaunchContext) -> Outcome {
    guard context.canAlign else { return Outcome() }
    let context = context.withWholeOffset
    let error = context.frameError
    var outcome = mend(context)
    outcome.correction = .framesRealigned(error)
    return outcome
  }

  /// Actions that are due by time.
  @_noLocks
  private mutating func attend(_ context: LaunchContext, _ events: Events) -> Outcome {
    if case .rolling = standing {
      let verdict = watch.look(context)
      if events.realigns, case .leave = verdict { return realign(context) }
      return carryOut(verdict, context)
    }
    guard case .underWay = standing else { return Outcome() }
    switch state {
    case .none, .stopped, .requested, .starting, .rolling, .stopping: return Outcome()
    case .postponed(let request, _):
      // Well before the end of the server's hold, so that it is not postponed again; but while slow clients
      // have enough time, however much they need.
      let half = HostInterval(nanoseconds: context.longestWait.nanoseconds / 2)
      let slow = context.slowLead + context.period * 8
      let near = half > slow ? half : slow
      let wait = context.wait(for: request)
      if wait <= (near < context.longestWait ? near : context.longestWait) { return want(request, context) }
      enter(.postponed(request, until: context.next + wait))
      return Outcome()
    case .held(var start):
      guard context.motion.isWaiting, !start.isReleased else { return Outcome() }
      let action = start.cycle(context)
      return carryOut(action, of: start, context)
    }
  }
}
