import MusicalTime

/// JACK's transport and Link's start/stop state, kept in agreement, and started in phase.
///
/// Starts and stops are edges: whoever pressed last decides. What was asked of either side is expected back,
/// and not taken for a press. A start is held until it can roll in phase with the session.
///
/// | state | JACK rests | JACK starts | JACK rolls | a peer plays | a peer stops | time |
/// |---|---|---|---|---|---|---|
/// | resting | – | *tell Link*, armed | *tell Link*, rolling | *ask JACK to start*, asked, or postponed | – | – |
/// | postponed | – | *tell Link*, armed, at once if need be | *tell Link*, rolling | *ask JACK to start*, asked, or postponed | resting | near: *ask JACK to start*, asked |
/// | asked | – | armed | rolling | *ask JACK to start*, asked | *ask JACK to stop*, stopping | JACK did not: *tell Link*, resting |
/// | armed | *tell Link*, resting | hold; relocated: plan anew | rolling, *corrected* if off | not before that | *ask JACK to stop*, stopping | the edge: released |
/// | released | *tell Link*, resting | wait; relocated: armed | rolling, *corrected* if off | – | *ask JACK to stop*, stopping | – |
/// | rolling | *tell Link*, resting | relocated: armed, or released to roll on | – | – | *ask JACK to stop*, stopping | – |
/// | stopping | resting, or on to a new start | – | – | then start | then rest | JACK did not: *tell Link*, armed or rolling |
///
/// A user's own commands ask JACK what a JACK client would; a start that is postponed is dropped by a stop.
/// Alone in a session, or while Link leaves JACK its own phase, armed is skipped: JACK rolls as it likes.
/// Alone for a while, and before it takes part in Link at all, Link is told whatever JACK does.
///
/// What a join finds, whether JACK rolls, the session plays, another client owns the timebase, and whether
/// the bridge is new or was there before the server died: joining asks nothing of JACK and tells the session
/// nothing, so that the two can differ. Link does not tell what a session that is joined has. So Link is told
/// of *every* press of JACK's or the user's, and *every* press of a peer's is obeyed, also one that changes
/// nothing in what Link says:
///
/// | JACK | session | JACK starts, `start` | JACK stops, `stop` | a peer plays | a peer stops |
/// |---|---|---|---|---|---|
/// | rests | rests | both play | both rest | both play | both rest |
/// | rests | plays | both play | `stop`: both rest | both play | both rest |
/// | rolls | rests | `start`: both play | both rest | both play | both rest |
/// | rolls | plays | both play | both rest | both play | both rest |
///
/// A JACK client's stop while JACK rests, or its start while JACK rolls, does not come to pass: JACK tells
/// nobody.
struct Transport: Sendable {
  /// Where a start or a stop stands.
  enum State: Sendable {
    case resting
    case postponed(StartRequest)
    case asked(StartRequest, until: HostTime<LinkClock>)
    case armed(HeldStart)
    case released(HeldStart?)
    case rolling
    case stopping(Stopping)
  }

  /// Whether both sides agree on what the transport does, or something is under way.
  enum Standing: Sendable {
    case unknown
    case resting
    case rolling
    case underWay

    @_noLocks
    fileprivate init(_ state: State) {
      switch state {
      case .resting: self = .resting
      case .rolling: self = .rolling
      case .postponed, .asked, .armed, .released, .stopping: self = .underWay
      }
    }

    /// Whether that is what JACK does.
    @inline(__always) @_noLocks
    fileprivate func isShown(by motion: TransportState) -> Bool {
      switch (self, motion) {
      case (.resting, .stopped), (.rolling, .rolling): true
      case (.unknown, _), (.resting, _), (.rolling, _), (.underWay, _): false
      }
    }
  }

  /// A start that somebody wants.
  struct StartRequest: Sendable {
    /// The instant before which it is not wanted.
    var notBefore: HostTime<LinkClock>
    /// Whether to roll in phase at once when the server cannot hold the start for as long as it takes.
    var insists = false
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

    /// Whoever stamps a start with the quantum's own time means that quantum. Link rounds times and beats,
    /// and measures the peers' clocks anew.
    private static var tolerance: HostInterval { HostInterval(microseconds: 200) }
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
    init(hasPlayed: Bool, asked: HostTime<LinkClock>, next: StartRequest?) {
      self.hasPlayed = hasPlayed
      self.asked = asked
      self.next = next
    }

    /// Whether JACK has played on for so long that a client has undone the stop, unseen: the next one is
    /// somebody's own.
    @_noLocks
    func isUndone(_ now: LaunchContext) -> Bool {
      playedFor >= 8 && now.next - asked > HostInterval.milliseconds(40)
    }
  }

  /// How long JACK may take to obey: a slow client can hold a start, but not the state Starting.
  static var answerTimeout: HostInterval { .milliseconds(500) }
  /// How long a start that was asked for and taken back may still show.
  static var echo: HostInterval { .milliseconds(60) }

  private(set) var state: State?
  /// Where that stands, without what is known of it. The state is large, and in most cycles this is all that
  /// is asked: looking into the state itself would copy it each time.
  private(set) var standing = Standing.unknown
  var link = StartStopEdges()
  /// What the slowest client was seen to need to be ready, with some room.
  var slowLead = HostInterval.zero
  private var presence = PeerPresence()
  /// Whether what somebody last started, or relocated while it rolled, is looked at once more.
  var watch = RollWatch()
  /// What is left to be done of a start that was taken back.
  private(set) var putBack: PutBack?

  @_noLocks
  init() {}

  /// What a cycle does about the transport.
  struct Outcome: Sendable {
    var transport: TransportRequest?
    var holds = false
    var isPlaying: PlayEdit?
    /// Whether Link's beat is to be that of the playhead from now on.
    var mapsLink = false
    /// What people should know.
    var notices = Notices()

    @_noLocks
    init() {}

    /// The one told last; to set it is to tell one more.
    var notice: TransportNotice? {
      @_noLocks get {
        guard case .transport(let notice) = notices[notices.count &- 1] else { return nil }
        return notice
      }
      @_noLocks set { if let newValue { notices.tell(newValue) } }
    }
  }

  /// What others have done since the last cycle.
  struct Events: Sendable {
    fileprivate var press: StartStopEdges.Press?
    fileprivate var presenceEvent = PeerPresence.Event.none

    @_noLocks
    fileprivate init() {}
  }

  /// Takes a cycle. What has happened in it is to be passed to ``update(_:_:)``, unless it ``isCalm(_:_:)``.
  @inline(__always) @_noLocks
  mutating func look(
    _ observation: Observation, tempo: Tempo, isSteady: Bool, startStopSync: Bool, timelineIsOurs: Bool,
    moved: HostTime<LinkClock>?
  ) -> Events {
    var events = Events()
    if !isSteady { watch.clockWasDisturbed(at: observation.jack.nextOutput) }
    if startStopSync { events.press = link.update(observation, timelineIsOurs: timelineIsOurs) }
    // The first one only shows the state of affairs.
    if case .unknown = standing { return events }
    let isUnderWay = if case .underWay = standing { true } else { false }
    events.presenceEvent = presence.update(
      observation, tempo: tempo, isUnderWay: isUnderWay, timelineIsOurs: timelineIsOurs, moved: moved)
    return events
  }

  /// Whether nobody wants anything and nothing is under way, as in nearly all cycles: then ``update(_:_:)``
  /// does nothing, and what it would have to know need not be gathered.
  @inline(__always) @_noLocks
  func isCalm(_ events: Events, _ observation: Observation) -> Bool {
    guard case .none = events.press, case .none = events.presenceEvent, case .none = observation.command,
      !watch.isDue, case .none = putBack
    else { return false }
    return standing.isShown(by: observation.jack.transport)
  }

  /// Decides. The first cycle only shows the state of affairs: nobody pressed anything because we came.
  @_noLocks
  mutating func update(_ now: LaunchContext, _ events: Events) -> Outcome {
    var outcome = Outcome()
    if case .unknown = standing {
      switch now.motion {
      case .stopped: enter(.resting)
      // Held by others, or to be held by us from the next cycle on.
      case .starting: enter(.released(nil))
      case .rolling: enter(.rolling)
      }
      if !now.observation.link.isEnabled { agreeAlone(.alone, now, &outcome) }
      obey(now, &outcome)
      return outcome
    }
    if case .underWay = standing { keepTime() }
    // Before what JACK did: if that is another press, it is the last one, and what Link is told.
    switch events.press {
    case .none: break
    case .play(let time): peerPressedPlay(at: time, now, &outcome)
    case .stop: peerPressedStop(now, &outcome)
    }
    if !standing.isShown(by: now.motion) { followJACK(now, &outcome) }
    obey(now, &outcome)
    putPlayheadBack(now, &outcome)
    // One request fits into a cycle: what people asked for comes first.
    if case .none = outcome.transport {
      attend(now, &outcome)
    } else if case .armed = state {
      outcome.holds = now.motion.isWaiting
    }
    agreeAlone(events.presenceEvent, now, &outcome)
    return outcome
  }

  /// Forgets where a start or a stop stood: the next cycle shows what JACK does, as the first one does.
  @_noLocks
  mutating func forgetCourse() {
    guard case .some = state else { return }
    state = nil
    standing = .unknown
    watch = RollWatch()
    putBack = nil
  }

  @_noLocks
  mutating func enter(_ state: State) {
    self.state = state
    standing = Standing(state)
  }
}

// MARK: JACK

extension Transport {
  @_noLocks
  private mutating func followJACK(_ now: LaunchContext, _ outcome: inout Outcome) {
    switch (state, now.motion) {
    case (.none, _), (.resting, .stopped), (.postponed, .stopped), (.armed, .starting), (.rolling, .rolling):
      break
    case (.resting, .starting), (.resting, .rolling):
      begin(StartRequest(notBefore: now.next), tells: true, now, &outcome)
    case (.postponed, .starting), (.postponed, .rolling):
      begin(StartRequest(notBefore: now.next, insists: true), tells: true, now, &outcome)
    case (.asked(_, let until), .stopped):
      guard until < now.next else { break }
      tellLink(false, at: now.next, now, &outcome)
      enter(.resting)
    case (.asked(let startRequest, _), .starting), (.asked(let startRequest, _), .rolling):
      begin(startRequest, tells: false, now, &outcome)
    case (.armed(let heldStart), .stopped), (.released(.some(let heldStart)), .stopped):
      takeBack(heldStart, now)
      tellLink(false, at: now.next, now, &outcome)
      enter(.resting)
    case (.released(.none), .stopped), (.rolling, .stopped):
      tellLink(false, at: now.next, now, &outcome)
      enter(.resting)
    case (.armed(var heldStart), .rolling):
      // What we relocated rolls on for two cycles.
      heldStart.age &+= 1
      enter(.armed(heldStart))
      if !heldStart.isUnderWay { rolled(heldStart, wasHeld: true, now, &outcome) }
    case (.released(let heldStart), .starting):
      guard now.observation.jack.isSyncCallback else { break }
      // Asked again: somebody has relocated, or what was put right goes somewhere else than was planned.
      let corrections = watch.corrections
      begin(heldStart?.startRequest ?? StartRequest(notBefore: now.next), tells: false, now, &outcome)
      watch = RollWatch(after: corrections)
    case (.released(let heldStart), .rolling):
      rolled(heldStart, wasHeld: false, now, &outcome)
    case (.rolling, .starting):
      begin(StartRequest(notBefore: now.next), tells: false, wasRolling: true, now, &outcome)
    case (.stopping(let stopping), .stopped):
      guard stopping.hasPlayed || now.next - stopping.asked > Transport.echo else { break }
      enter(.resting)
      guard let startRequest = stopping.next else { break }
      if stopping.isUndone(now) {
        tellLink(false, at: now.next, now, &outcome)
      } else {
        want(startRequest, now, &outcome)
      }
    case (.stopping(var stopping), .starting), (.stopping(var stopping), .rolling):
      stopping.hasPlayed = true
      stopping.playedFor &+= 1
      enter(.stopping(stopping))
      outcome.holds = true
      guard now.next - stopping.asked > Transport.answerTimeout else { break }
      begin(stopping.next ?? StartRequest(notBefore: now.next), tells: true, now, &outcome)
    }
  }

  /// JACK plays: the start is held until it fits, unless there is nothing to fit it to.
  @_noLocks
  private mutating func begin(
    _ startRequest: StartRequest, tells: Bool, wasRolling: Bool = false, _ now: LaunchContext,
    _ outcome: inout Outcome
  ) {
    outcome.holds = false
    watch = RollWatch()
    var time = now.next
    if now.motion.isRolling {
      enter(.rolling)
      putBack = nil
    } else if now.canHold {
      time = wasRolling ? goOn(startRequest, now, &outcome) : arm(startRequest, now, &outcome)
      putBack = nil
    } else {
      // It may be taken back as the one before was.
      enter(.released(nil))
    }
    if tells { tellLink(true, at: time, now, &outcome) }
  }

  /// Passes a press on, whatever Link says that it has: what a session has that was joined, it does not know.
  @_noLocks
  mutating func tellLink(
    _ isPlaying: Bool, at time: HostTime<LinkClock>, _ now: LaunchContext, _ outcome: inout Outcome
  ) {
    guard now.configuration.startStopSync, let edit = link.tell(isPlaying, at: time, now.observation) else {
      return
    }
    outcome.isPlaying = edit
  }

  @_noLocks
  private mutating func agreeAlone(
    _ presenceEvent: PeerPresence.Event, _ now: LaunchContext, _ outcome: inout Outcome
  ) {
    switch (standing, presenceEvent) {
    case (.resting, .alone):
      if link.isPlaying { tellLink(false, at: now.next, now, &outcome) }
    case (.rolling, .alone):
      if !link.isPlaying { tellLink(true, at: now.next, now, &outcome) }
    case (.rolling, .forgotten):
      // Link does not say to those who join that the session plays, and forgets it when it begins to take
      // part.
      if link.isPlaying { tellLink(true, at: now.next, now, &outcome) }
    // In this very cycle something has come between.
    case (.underWay, .forgotten): presence.tellLater()
    case (.unknown, _), (.resting, _), (.rolling, _), (.underWay, _): break
    }
  }
}

// MARK: Peers and users

extension Transport {
  @_noLocks
  private mutating func peerPressedPlay(
    at time: HostTime<LinkClock>, _ now: LaunchContext, _ outcome: inout Outcome
  ) {
    let startRequest = StartRequest(pressedAt: time)
    outcome.notice = .peerPressedPlay
    switch state {
    case .none, .released, .rolling: break
    case .resting, .postponed: want(startRequest, now, &outcome)
    case .asked: ask(for: startRequest, now, &outcome)
    // What has rolled already does not wait for it.
    case .armed(let heldStart) where heldStart.isCorrection: break
    case .armed(var heldStart):
      heldStart.startRequest = startRequest
      enter(.armed(heldStart))
      planAnew(now, &outcome)
    case .stopping(var stopping):
      stopping.next = startRequest
      enter(.stopping(stopping))
    }
  }

  @_noLocks
  private mutating func peerPressedStop(_ now: LaunchContext, _ outcome: inout Outcome) {
    outcome.notice = .peerPressedStop
    switch state {
    case .none, .resting: break
    case .postponed: enter(.resting)
    case .asked: stop(hasPlayed: false, now, &outcome)
    case .armed(let heldStart), .released(.some(let heldStart)):
      takeBack(heldStart, now)
      stop(hasPlayed: true, now, &outcome)
    case .released(.none), .rolling: stop(hasPlayed: true, now, &outcome)
    case .stopping(let stopping): stopAgain(stopping, now, &outcome)
    }
  }

  /// Carries out a user's command, by asking JACK: its answer is then a press like any other client's.
  @_noLocks
  private mutating func obey(_ now: LaunchContext, _ outcome: inout Outcome) {
    switch now.observation.command {
    case .none, .proposeTempo, .foundSession, .select: break
    case .clientLeft: forgetSlowness(now, &outcome)
    case .start:
      switch state {
      case .resting, .postponed: outcome.transport = .start
      case .stopping(var stopping):
        tellLink(true, at: now.next, now, &outcome)
        stopping.next = StartRequest(notBefore: now.next)
        enter(.stopping(stopping))
      case .armed(let heldStart): tellLink(true, at: launchTime(of: heldStart.plan), now, &outcome)
      case .released, .rolling: tellLink(true, at: now.next, now, &outcome)
      case .asked(let startRequest, _): ask(for: startRequest, now, &outcome)
      case .none: break
      }
    case .stop:
      switch state {
      case .none: break
      // The session may play all the same.
      case .resting: tellLink(false, at: now.next, now, &outcome)
      case .armed, .released, .rolling:
        outcome.transport = .stop
      case .postponed:
        tellLink(false, at: now.next, now, &outcome)
        enter(.resting)
      case .asked:
        tellLink(false, at: now.next, now, &outcome)
        stop(hasPlayed: false, now, &outcome)
      case .stopping(let stopping):
        tellLink(false, at: now.next, now, &outcome)
        stopAgain(stopping, now, &outcome)
      }
    }
  }

  /// Link keeps the beat of a start that a peer has pressed: with another tempo, or clocks measured anew, its
  /// time is another.
  @_noLocks
  private mutating func keepTime() {
    guard let time = link.time else { return }
    switch state {
    case .postponed(let startRequest) where startRequest.isPeers:
      enter(.postponed(StartRequest(pressedAt: time)))
    case .asked(let startRequest, let until) where startRequest.isPeers:
      enter(.asked(StartRequest(pressedAt: time), until: until))
    case .armed(var heldStart) where heldStart.startRequest.isPeers:
      heldStart.startRequest = StartRequest(pressedAt: time)
      enter(.armed(heldStart))
    case .none, .resting, .postponed, .asked, .armed, .released, .rolling, .stopping: break
    }
  }

  /// Nobody tells who is slow, only that somebody was. Whoever still is will show it once more.
  @_noLocks
  private mutating func forgetSlowness(_ now: LaunchContext, _ outcome: inout Outcome) {
    guard slowLead > .zero else { return }
    slowLead = .zero
    if case .armed(let heldStart) = state, !heldStart.isCorrection { planAnew(now, &outcome) }
  }

  /// A start ends before it rolls.
  @_noLocks
  mutating func takeBack(_ heldStart: HeldStart, _ now: LaunchContext) { putBack = heldStart.undoing(now) }

  /// Puts the playhead to where it was before a start that was taken back, as soon as JACK rests; unless
  /// somebody has put it elsewhere, or it rolls after all.
  @_noLocks
  private mutating func putPlayheadBack(_ now: LaunchContext, _ outcome: inout Outcome) {
    guard var back = putBack else { return }
    guard !now.motion.isRolling, now.canAlign, back.isShown(at: now.observation.jack.frame) else {
      putBack = nil
      return
    }
    guard !now.motion.isPlaying, case .none = outcome.transport else { return }
    let isDue = back.isDue()
    putBack = back.isDone ? nil : back
    if isDue { outcome.transport = .relocate(frame: back.frame) }
  }

  @_noLocks
  mutating func stop(hasPlayed: Bool, _ now: LaunchContext, _ outcome: inout Outcome) {
    outcome.transport = .stop
    outcome.holds = now.motion.isPlaying
    enter(.stopping(Stopping(hasPlayed: hasPlayed, asked: now.next, next: nil)))
  }

  /// Asks JACK to stop once more: a client's start may have undone the stop that it was asked for, unseen.
  @_noLocks
  private mutating func stopAgain(
    _ before: Stopping, _ now: LaunchContext, _ outcome: inout Outcome
  ) {
    var stopping = before
    stopping.next = nil
    stopping.playedFor = 0
    stopping.asked = now.next
    outcome.transport = .stop
    enter(.stopping(stopping))
  }

  /// Asks JACK to start, unless that is too early.
  @_noLocks
  mutating func want(_ startRequest: StartRequest, _ now: LaunchContext, _ outcome: inout Outcome) {
    let wait = now.wait(for: startRequest, slowLead: slowLead)
    guard wait <= now.longestWait else {
      outcome.notice = .launchPostponed(now.tempo.beats(in: wait))
      return enter(.postponed(startRequest))
    }
    ask(for: startRequest, now, &outcome)
  }

  /// Asks JACK to start: also where it has been asked already, as a client's stop may have undone that
  /// unseen.
  @_noLocks
  private mutating func ask(for startRequest: StartRequest, _ now: LaunchContext, _ outcome: inout Outcome) {
    outcome.transport = .start
    enter(.asked(startRequest, until: now.next + Transport.answerTimeout))
  }
}

// MARK: What others need to know

extension Transport {
  /// Whether a start or a stop is on its way.
  var isUnderWay: Bool {
    @_noLocks get {
      switch standing {
      case .underWay: true
      case .unknown, .resting, .rolling: false
      }
    }
  }

  /// The plan of a start that has not rolled yet.
  var pendingPlan: LaunchPlan? {
    @_noLocks get {
      switch state {
      case .armed(let heldStart): heldStart.plan
      case .released(let heldStart): heldStart?.plan
      case .none, .resting, .postponed, .asked, .rolling, .stopping: nil
      }
    }
  }

  /// What an entry for `frame` is to say, the first one of the cycle that is heard at `next`.
  @_noLocks
  func roll(_ frame: UInt32, next: HostTime<LinkClock>) -> Playhead.Roll {
    switch state {
    case .armed(let heldStart) where heldStart.isStillRolling(at: frame): Playhead.Roll(time: next)
    case .armed(let heldStart), .released(.some(let heldStart)): roll(of: heldStart, frame, next: next)
    case .released(.none): Playhead.Roll(time: next, isBound: false)
    case .none, .resting, .postponed, .asked, .rolling, .stopping: Playhead.Roll(time: next)
    }
  }

  @_noLocks
  private func roll(of heldStart: HeldStart, _ frame: UInt32, next: HostTime<LinkClock>) -> Playhead.Roll {
    let plan = heldStart.plan
    // Later than planned, a slow client holds it: then it rolls in the next cycle, if not later still.
    return Playhead.Roll(
      time: plan.rollTime > next ? plan.rollTime : next, planned: (plan.frame, plan.position),
      isPlaced: heldStart.isCorrection || heldStart.placed == frame,
      isWhole: plan.isWhole && next <= plan.rollTime)
  }
}
