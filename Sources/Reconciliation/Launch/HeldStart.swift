import MusicalTime

/// A start that JACK holds for the bridge, from when it begins to wait to when it rolls, exact to the frame.
///
/// Some time before the instant at which the roll is in phase, the playhead is put to the frame from which it
/// is: early enough for slow clients to follow, late enough for JACK's clock to be predicted within
/// microseconds. From then on only whether the prediction still holds is watched.
///
/// | phase | in a cycle | relocated by others | tempo or grid changes | too late, or off |
/// |---|---|---|---|---|
/// | planned | near: *relocate*, placed, or placed at once if it is there | planned, from there | planned anew | planned for the next instant, at last *release* |
/// | placed | the cycle before the roll: *release* | planned, from there | planned anew | planned, for the same instant or the next |
/// | released | nothing is left to be decided | – | – | – |
///
/// A server counts its patience in cycles, as many as fit when it begins to wait: where cycles become shorter,
/// it is to *relocate* to where it is, and begins to count anew.
///
/// A new plan may need more time than the server holds a start: then the action is *postpone*; unless an owner's
/// tempo is another wherever the playhead is placed, since the start would never roll. Where no
/// position is left to be in phase, it is *abandon*; where an owner of the timebase publishes nothing any
/// more, after two seconds, because the bridge may be the owner by then. Otherwise, *hold*.
struct HeldStart: Sendable {
  /// The action of a cycle in which a start is held.
  enum Action: Sendable {
    /// JACK waits for another cycle.
    case hold
    /// JACK waits, and puts the playhead to `frame`.
    case relocate(frame: TransportFrame)
    /// JACK may roll.
    case release
    /// JACK may roll, as it likes: there is nothing to be in phase with.
    case abandon
    /// The server would not wait for as long as it takes.
    case postpone(StartRequest)
  }

  /// How far it has come.
  enum Phase: Sendable {
    /// When and where to roll is known.
    case planned
    /// The playhead was put to the frame from which it is to roll.
    case placed(at: TransportFrame)
    /// The bridge has released JACK's start, with the playhead where it was placed, and JACK has waited on for
    /// so many cycles: for other clients.
    case released(placed: TransportFrame?, waited: Int)
  }

  /// The reason for the wait.
  enum Purpose: Sendable {
    /// A start waits for its instant.
    case wait(LaunchMode)
    /// A transport that was relocated while it rolled goes on as soon as it can: moved by the time that has
    /// passed, `inPhase`; or from there and at once.
    case now(inPhase: Bool)
    /// A transport that rolls, as it was `seen`, is relocated to where its frames are in phase, and goes on
    /// with the bar that is read.
    case correct(seen: HostTime<LinkClock>)

    /// The mode that its instants are found by.
    fileprivate var mode: LaunchMode {
      @_noLocks get {
        switch self {
        case .wait(let mode): mode
        case .now(inPhase: true): .bar
        case .now(inPhase: false), .correct: .now
        }
      }
    }
  }

  /// Whether the music at the place is known.
  private enum Hearing: Sendable {
    /// It is.
    case heard
    /// An owner's position there shows a cycle after the place does.
    case unread
    /// The owner of the timebase publishes nothing: there is nothing to be in phase with.
    case silent(since: HostTime<LinkClock>)
  }

  /// The time for which the server holds the start, as the server counts it.
  private struct Hold: Sendable {
    /// When clients were last asked to be ready.
    var asked: HostTime<LinkClock>
    /// The frames in a cycle then, by which JACK counts how long it is going to wait.
    var period: UInt32
    /// The cycles since JACK began to wait. A relocation shows one cycle later than the start that it caused.
    var cycles = 0

    @_noLocks
    init(_ context: LaunchContext) {
      asked = context.next
      period = context.observation.jack.period
    }

    /// A client has located, and JACK asks all clients again. jackd2 counts anew then, and PipeWire does not.
    @_noLocks
    mutating func renew(_ context: LaunchContext) {
      asked = context.next
      guard context.configuration.rules.locatesExtendHold else { return }
      (period, cycles) = (context.observation.jack.period, 1)
    }
  }

  /// The request that it serves.
  var request: StartRequest
  private(set) var purpose: Purpose
  private(set) var phase = Phase.planned
  private(set) var plan: LaunchPlan
  /// Where a client, or the bridge where it goes on from there, has put the playhead.
  private var place: Place
  /// The frame to restore if it never rolls: never one that only the bridge has located to.
  private var home: TransportFrame
  private var hearing = Hearing.heard
  private var frames: RequestedFrames
  private var hold: Hold
  /// The position that JACK clients read where the playhead waits: the one planned when JACK last asked.
  private var read: BeatTime
  /// When to launch although JACK's clock is not steady.
  private var steadyBy: HostTime<LinkClock>
  /// How often it may still be planned anew because something came in between.
  private var attempts: Int8 = 8

  /// For how long a start waits for an owner of the timebase that publishes nothing: until the bridge is the
  /// owner, if that one is gone.
  private static var longestUnheard: HostInterval { .seconds(2) }
  /// How long other clients may keep JACK waiting before that is worth a report.
  private static var patience: HostInterval { @_noLocks get { .seconds(2) } }
  /// How long before the roll the playhead is put in place: clients that play from disk need that long.
  private static var shortestLead: HostInterval { .milliseconds(400) }
  /// A step of Link's beat that is a new grid, and no measurement.
  private static var gridStep: HostInterval { .milliseconds(1) }
  /// The attempts that it costs if an owner has another tempo where it was put: from one side of a change of its
  /// tempo to the other it would be put again and again.
  private static var costOfOwnersChange: Int8 { @_noLocks get { 2 } }
  /// A peer that is to start with the bridge must not see the launch after the beat it is for: it would wait
  /// for the next.
  private static var margin: HostInterval { HostInterval(microseconds: 10) }
  /// How many cycles a relocation of what rolled may take from the client that asked for it to the roll,
  /// those included in which it is put where it is in phase.
  private static var longestSeam: Int64 { 10 }
  /// How many cycles after the next one what rolls can roll on from elsewhere.
  static var cyclesToMend: Int64 { @_noLocks get { 2 } }

  @_noLocks
  private init(
    _ request: StartRequest, for purpose: Purpose, from place: Place, _ plan: LaunchPlan,
    _ context: LaunchContext, steadyBy: HostTime<LinkClock>? = nil
  ) {
    self.request = request
    self.purpose = purpose
    self.place = place
    home = place.frame
    self.plan = plan
    self.steadyBy = steadyBy ?? context.next
    read = plan.position
    frames = RequestedFrames(shown: context.observation.jack.frame)
    hold = Hold(context)
  }

  /// A start from `place`.
  @_noLocks
  init(_ request: StartRequest, from place: Place, _ context: LaunchContext) {
    let mode = context.configuration.choices.launch
    self.init(
      request, for: .wait(mode), from: place, context.plan(request, place, mode), context,
      steadyBy: context.next + HeldStart.steadying(mode, context))
  }

  /// A transport that was relocated to `place` while it rolled. Where Link's phase has only gone on
  /// meanwhile, as at the end of a loop of whole quanta, no wait is needed: the playhead is put as much
  /// further.
  @_noLocks
  init(goingOn request: StartRequest, from place: Place, _ context: LaunchContext) {
    let plan = context.planOn(place)
    let seam = context.period * HeldStart.longestSeam + context.slowLead
    switch (context.configuration.choices.launch, context.configuration.relocation) {
    case (.bar, _) where context.tempo.interval(of: plan.moved) <= seam:
      self.init(request, for: .now(inPhase: true), from: place, plan, context)
    case (.bar, .roll):
      let here = context.planner(.now).planHere(place)
      self.init(request, for: .now(inPhase: false), from: place, here, context)
    // A start that does not wait for the phase takes the playhead there.
    case (.bar, .wait), (.beat, _), (.now, _): self.init(request, from: place, context)
    }
  }

  /// A rolling transport is to be relocated to where it would be by now: JACK has been asked to go there.
  @_noLocks
  init(mending context: LaunchContext) {
    let place = context.place
    let seen = context.next - context.period
    let plan = context.planToMend(place, seen: seen, notBefore: context.next, cycles: HeldStart.cyclesToMend)
    let request = StartRequest(notBefore: context.next)
    self.init(request, for: .correct(seen: seen), from: place, plan, context)
    keepBar(context)
    ask(for: plan.frame, context)
  }
}

// MARK: Queries

extension HeldStart {
  /// Whether the start was released.
  var isReleased: Bool {
    @_noLocks get {
      switch phase {
      case .planned, .placed: false
      case .released: true
      }
    }
  }

  /// Whether it corrects a transport that rolls already, which does not wait for anything.
  var mends: Bool {
    @_noLocks get { if case .correct = purpose { true } else { false } }
  }

  /// Whether it rolls on from where it is.
  var rollsOn: Bool {
    @_noLocks get { if case .now(inPhase: false) = purpose { true } else { false } }
  }

  /// For how many cycles JACK has waited on since the release.
  var waitedForOthers: Int {
    @_noLocks get { if case .released(_, let waited) = phase { waited } else { 0 } }
  }

  /// When clients were last asked to be ready.
  var asked: HostTime<LinkClock> { @_noLocks get { hold.asked } }

  /// The frame that it is planned from.
  var origin: TransportFrame { @_noLocks get { place.frame } }

  /// Whether a relocation by the bridge may not show yet.
  var isUnderWay: Bool { @_noLocks get { frames.isUnderWay } }

  /// Notes that it waits, in a cycle after which the next one is heard at `next`.
  @_noLocks
  func note(_ conditions: inout Conditions, next: HostTime<LinkClock>, _ tempo: Tempo) {
    if case .wait = purpose, !isReleased {
      let beats = tempo.beats(in: plan.rollTime - next)
      conditions.start = .init(
        roll: plan.rollTime, plan.isMissed ? .launchMissed(beats) : .launchWaits(beats))
    }
    let late = next - plan.rollTime
    if late > HeldStart.patience { conditions.client = .clientNotReady(late: late) }
  }

  /// How far the place is from Link's phase.
  @_noLocks
  func distance(_ context: LaunchContext) -> HostInterval {
    context.tempo.interval(of: context.distance(of: place, at: context.next))
  }

  /// The instant of the start that is committed to Link.
  var launchTime: HostTime<LinkClock> {
    @_noLocks get {
      if rollsOn { return plan.rollTime }
      let latest = plan.time - HeldStart.margin
      return plan.rollTime < latest ? plan.rollTime : latest
    }
  }

  /// The position of an entry for `frame`, the first one of the cycle that is heard at `next`.
  @_noLocks
  func roll(_ frame: TransportFrame, next: HostTime<LinkClock>) -> Playhead.Roll {
    // A transport that is to be corrected rolls on until the relocation shows, and it may come to the same
    // frame.
    if mends, !isReleased, frames.age == 0 || frame != plan.frame { return Playhead.Roll(time: next) }
    // Later than planned, a slow client holds it: then it rolls in the next cycle, if not later still.
    return Playhead.Roll(
      time: plan.rollTime > next ? plan.rollTime : next, planned: (plan.frame, plan.position),
      isPlaced: frames.isRequested(frame),
      isWhole: plan.isWhole && next <= plan.rollTime)
  }

  /// The relocation that undoes the start if it never rolls: a playhead that was moved is put back.
  var undoing: PutBack? {
    @_noLocks get {
      // The beat of the roll is read there, or the position has gone on while other clients were waited for,
      // and JACK does not ask again by itself.
      let isMoved =
        frames.requested != nil || frames.shown != home || read != place.position || waitedForOthers > 0
      guard !mends, isMoved else { return nil }
      return PutBack(to: home, from: frames)
    }
  }

  /// The frame that the bridge has put the playhead to, the one from which it is to roll; `nil` until it is
  /// time for that.
  private var placed: TransportFrame? {
    @_noLocks get {
      switch phase {
      case .planned: nil
      case .placed(let frame): frame
      case .released(let placed, _): placed
      }
    }
  }
}

// MARK: Events

extension HeldStart {
  /// JACK has waited for the start `before`, and asks for this one: a client has located, or has started again. The
  /// two look alike. PipeWire counts anew after the second: then the start is put off although it need not be.
  @_noLocks
  mutating func follow(_ before: HeldStart, _ context: LaunchContext) {
    hold = before.hold
    hold.renew(context)
  }

  /// A start was cancelled before this one, and the playhead may still be where the bridge has put it then.
  @_noLocks
  mutating func follow(_ cancelled: PutBack) { frames = cancelled.frames }

  /// It begins.
  @_noLocks
  mutating func begin(_ context: LaunchContext) -> Action {
    switch purpose {
    case .wait: return fit(context) ? .hold : .postpone(request)
    case .now: return rollsOn ? release() : .hold
    case .correct: return .relocate(frame: plan.frame)
    }
  }

  /// A cycle in which JACK waits for the bridge.
  @_noLocks
  mutating func cycle(_ context: LaunchContext) -> Action {
    let action = attend(context)
    if frames.isAsked { read = plan.position }
    return action
  }

  @_noLocks
  private mutating func attend(_ context: LaunchContext) -> Action {
    hold.cycles &+= 1
    let frame = context.observation.jack.frame
    if frames.isRelocated(by: frame) || frames.isOvertaken {
      if frames.isOvertaken { frames.yield() }
      if isNear(frame, context) {
        // By less than a period only another bridge would: one of the two is enough.
        accept(frame)
      } else if case .now = purpose {
        // And on, to somewhere else.
        return goOn(from: frame, context)
      } else {
        return startOver(at: frame, context)
      }
    }
    guard context.canAlign else { return waitToHear(context) }
    if isOwnersChange(context) {
      attempts &-= HeldStart.costOfOwnersChange
      guard attempts > 0 else { return release() }
      // Where the tempo glides it is another wherever the playhead is put: a start that is put off for that would never
      // roll.
      request.insists = true
    }
    // However often it had to be planned anew, it rolls: the user expects to hear something.
    guard held(context) <= context.configuration.longestHold else { return release() }
    switch hearing {
    case .heard: break
    case .unread: return readPlace(context)
    case .silent:
      hearing = .heard
      return planAnew(context)
    }
    if isContradicted(context) {
      // The owner's position does not go with frames at this tempo: no placement by the bridge would be in
      // phase.
      guard !request.isContradicted else { return .abandon }
      request.isContradicted = true
      // The plan was made from the position of the previous place: the distance to go on is another now.
      if case .now = purpose { return goOn(from: home, context) }
      return planAnew(context)
    }
    let expected = context.observation.time(ofLinkBeat: plan.beat, tempo: context.tempo)
    if plan.tempo != context.tempo || (expected - plan.time).magnitude > HeldStart.gridStep
      || isForAnother(than: expected, context)
    {
      return planAnew(context)
    }
    if wouldGiveUp(context) {
      let frame = placed ?? frames.shown
      waitAnew(at: frame, context)
      return .relocate(frame: frame)
    }
    switch phase {
    case .planned: return putInPlace(context)
    case .placed: return watch(context)
    case .released: return .release
    }
  }

  /// A cycle in which JACK rolls on, although it has been asked to go elsewhere.
  @_noLocks
  mutating func rollOn() { frames.rollOn() }

  /// A cycle in which JACK waits although the start was released.
  @_noLocks
  mutating func waitForOthers() {
    hold.cycles &+= 1
    phase = .released(placed: placed, waited: waitedForOthers &+ 1)
  }

  /// Plans it from the beginning: after a change, or for the next instant that fits.
  @_noLocks
  private mutating func planAnew(_ context: LaunchContext, isMissed: Bool = false) -> Action {
    phase = .planned
    if isRead(context) { place = context.place(again: place) }
    plan = planned(context)
    plan.isMissed = isMissed
    return fit(context) ? .hold : .postpone(request)
  }

  /// The plan for the first instant that fits the request, from the place.
  @_noLocks
  private func planned(_ context: LaunchContext) -> LaunchPlan {
    switch purpose {
    case .now: context.planOn(place)
    case .wait(let mode): context.plan(request, place, mode)
    case .correct(let seen):
      context.planToMend(place, seen: seen, notBefore: request.notBefore, cycles: 4)
    }
  }

  /// A client has located to `frame`: the start is to begin there.
  @_noLocks
  private mutating func startOver(at frame: TransportFrame, _ context: LaunchContext) -> Action {
    hold.renew(context)
    place = context.place(at: frame)
    home = frame
    switch context.source {
    case .playhead: hearing = .heard
    // An owner may publish nothing in the very cycle in which a relocation shows.
    case .owner, .unheard, .none: hearing = .unread
    }
    purpose = .wait(context.configuration.choices.launch)
    return planAnew(context)
  }

  /// Waits until the owner of the timebase can have published the position of the client's locate.
  @_noLocks
  private mutating func readPlace(_ context: LaunchContext) -> Action {
    guard isRead(context) else { return .hold }
    hearing = .heard
    place = context.place(at: place.frame)
    return planAnew(context)
  }

  /// The owner of the timebase is gone, or publishes nothing any more. The new owner is known in a moment,
  /// and a start can wait for that.
  @_noLocks
  private mutating func waitToHear(_ context: LaunchContext) -> Action {
    guard case .wait = purpose, case .unheard = context.source else { return .abandon }
    var since = context.next
    if case .silent(let before) = hearing { since = before }
    hearing = .silent(since: since)
    return context.next - since < HeldStart.longestUnheard ? .hold : .abandon
  }

  /// Goes on once more, with the position that is known now, from `home`, where the client has located to.
  @_noLocks
  private mutating func goOn(from home: TransportFrame, _ context: LaunchContext) -> Action {
    let before = self
    self = HeldStart(goingOn: request, from: context.place, context)
    self.home = home
    frames = before.frames
    follow(before, context)
    // It cannot roll on from a place that the bridge's own request is about to take it away from.
    return rollsOn && isUnderWay ? startOver(at: place.frame, context) : begin(context)
  }

  @_noLocks
  private mutating func release() -> Action {
    phase = .released(placed: placed, waited: 0)
    return .release
  }

  /// JACK is asked to go where the roll is to begin.
  @_noLocks
  private mutating func ask(for frame: TransportFrame, _ context: LaunchContext) {
    phase = .placed(at: frame)
    waitAnew(at: frame, context)
  }

  /// JACK is asked to go to `frame`, and so to wait anew.
  @_noLocks
  private mutating func waitAnew(at frame: TransportFrame, _ context: LaunchContext) {
    frames.ask(for: frame)
    hold.period = context.observation.jack.period
    hold.asked = context.next
  }

  /// Treats another client's aligned relocation as the bridge's own.
  @_noLocks
  private mutating func accept(_ frame: TransportFrame) {
    phase = .placed(at: frame)
    frames.accept(frame)
  }

  /// Puts the playhead where it has to be, when it is time.
  @_noLocks
  private mutating func putInPlace(_ context: LaunchContext) -> Action {
    phase = .planned
    plan = planner(context).plan(plan, again: place)
    leadIn(context)
    let left = plan.rollTime - context.next
    guard left <= HeldStart.lead(context), hold.cycles > 1 else { return .hold }
    // The clock finds its feet within some cycles, and so much can be waited for.
    if !context.clock.isSteady, context.next < steadyBy, left > context.slowLead + context.period * 8 {
      return .hold
    }
    // There are servers that roll from elsewhere than they show, unless they were asked to go there.
    let rollsFromThere = context.configuration.rules.rollOffset == 0 || plan.frame == frames.requested
    let isThere = plan.frame == frames.shown && rollsFromThere
    // After a relocation in cycle c the transport rolls in c + 3 at the earliest.
    let canRelocate = left.nanoseconds >= context.period.nanoseconds / 2 &* 3
    guard canRelocate || (isThere && left.nanoseconds >= 0) else {
      return planAnew(context, isMissed: true)
    }
    // JACK asks again for the position there only if it is relocated.
    guard isThere, isRead(plan, context) || !canRelocate else {
      ask(for: plan.frame, context)
      return .relocate(frame: plan.frame)
    }
    phase = .placed(at: plan.frame)
    return watch(context)
  }

  /// Has a roll on an owner's timebase begin before the cycles in which the position stands still, where
  /// there is room: programs that play by the position would play the beat it is for there, and once more.
  @_noLocks
  private mutating func leadIn(_ context: LaunchContext) {
    guard context.configuration.alignsFrames, case .wait(let mode) = purpose, case .owner = context.source
    else { return }
    if case .now = mode { return }
    let period = context.observation.jack.period
    let frames = period &* UInt32(context.configuration.rules.ownersAge)
    let way = HostInterval(FrameCount(Int64(frames)), at: context.observation.jack.rate)
    let left = plan.rollTime - way - context.next
    guard frames > 0, plan.frame.number >= frames, left.nanoseconds >= context.period.nanoseconds / 2 &* 3
    else {
      return
    }
    plan.rollTime = plan.rollTime - way
    plan.frame = TransportFrame(plan.frame.number &- frames)
    plan.position = plan.position - context.tempo.beats(in: way)
  }

  /// Compares the cycle that is to roll with where the playhead was put, and lets go before it.
  @_noLocks
  private mutating func watch(_ context: LaunchContext) -> Action {
    let due = dueTime(context)
    let period = context.period.nanoseconds
    // A playhead that begins by itself, in the nearest cycle, is in place.
    let isThere = plan.isWhole
    // Between two cycles, the one that was the nearest a cycle ago stays it, although the clock may have
    // changed since.
    let half = due < context.next ? -period / 2 &+ (isThere ? period / 16 : 0) : period / 2
    let cycles = ((due - context.next).nanoseconds &+ half) / max(1, period)
    let edge = planner(context).edge(after: cycles)
    // A playhead that is not placed goes on with Link, whenever it rolls.
    if !context.configuration.alignsFrames {
      plan.position = plan.position + context.tempo.beats(in: edge - plan.rollTime)
    }
    plan.rollTime = edge
    plan.time = context.observation.time(ofLinkBeat: plan.beat, tempo: context.tempo)
    let frame = HostInterval(FrameCount(1), at: context.observation.jack.rate)
    let error = (edge - due).magnitude
    let canBePlaced = context.configuration.alignsFrames && !isThere
    if attempts > 0, canBePlaced, held(context) < HeldStart.room(purpose.mode, context) {
      // An error that cannot be heard is not worth the delay of a bar.
      let isLate = cycles < 0 || (cycles == 0 && error > .audible)
      let canBePlacedAgain = cycles >= 3 && (edge - context.next) >= context.slowLead
      if isLate || (error > frame && canBePlacedAgain) {
        attempts &-= 1
        return isLate ? planAnew(context, isMissed: true) : putInPlace(context)
      }
    }
    guard cycles <= 0, !frames.isUnknown else { return .hold }
    // A relocation that another client's has just overtaken: the start is not released from an unplanned
    // frame.
    guard mends || frames.isShown else {
      frames.yield()
      return startOver(at: frames.shown, context)
    }
    return release()
  }
}

// MARK: Facts and bounds

extension HeldStart {
  /// Has a relocated transport go on with the bar that is read, which after a change of tempo is not the
  /// frames'.
  @_noLocks
  private mutating func keepBar(_ context: LaunchContext) {
    guard case .playhead(let mark) = context.source,
      let position = mark.position(at: context.observation.linkBeat(at: plan.rollTime, tempo: context.tempo))
    else { return }
    place.position = place.position + (position - plan.position)
    plan.position = position
  }

  @_noLocks
  private func planner(_ context: LaunchContext) -> LaunchPlanner { context.planner(purpose.mode) }

  /// How long it has been held for, as the server counts: in cycles.
  @_noLocks
  private func held(_ context: LaunchContext) -> HostInterval { context.period * Int64(hold.cycles) }

  /// Whether cycles have become shorter since JACK began to wait, so that it may give up before the roll is due,
  /// and there is the time for it, and for slow clients, to begin anew.
  @_noLocks
  private func wouldGiveUp(_ context: LaunchContext) -> Bool {
    guard context.observation.jack.period < hold.period, hold.cycles > 1 else { return false }
    return plan.rollTime - context.next > context.slowLead + context.period * 8
  }

  /// Has a start that the server would give up holding before it is due roll at once, where it must not be
  /// put off. Returns false where it is to be.
  @_noLocks
  private mutating func fit(_ context: LaunchContext) -> Bool {
    let held = context.configuration.rules.locatesExtendHold ? context.next - hold.asked : held(context)
    guard plan.rollTime - context.next + held > context.configuration.longestHold else { return true }
    // A transport that rolls already is not stopped for it.
    guard request.insists || mends else { return false }
    if case .wait = purpose { purpose = .wait(.now) }
    plan = context.plan(request, place, .now)
    return true
  }

  /// Whether the request is for another instant than the planned one, which comes at `time`: for a later one, or
  /// an earlier one fits by now.
  ///
  /// A peer's start is of a beat. Where the bridge itself sets another tempo, Link has the time of that beat only
  /// a cycle later than the tempo. And a client may need less time than it did.
  @_noLocks
  private func isForAnother(than time: HostTime<LinkClock>, _ context: LaunchContext) -> Bool {
    if case .wait = purpose, time < request.notBefore - HeldStart.gridStep { return true }
    return planned(context).time < time - HeldStart.gridStep
  }

  /// Whether `frame` is where a launch from the place would be aligned to.
  @_noLocks
  private func isNear(_ frame: TransportFrame, _ context: LaunchContext) -> Bool {
    let way = (frame.sinceZero - place.frame.sinceZero).count
    // Clients locate to frame 0, and the bridge never places a start that is to be aligned there.
    guard !mends, !plan.isWhole, frame != 0 else { return false }
    return way.magnitude < UInt64(context.observation.jack.period) && way != 0
  }

  /// Whether JACK clients already read the position that they are to read as it rolls.
  @_noLocks
  private func isRead(_ plan: LaunchPlan, _ context: LaunchContext) -> Bool {
    guard context.configuration.alignsFrames, case .playhead = context.source else { return true }
    return context.tempo.interval(of: plan.position - read).magnitude.nanoseconds
      < context.period.nanoseconds / 16
  }

  /// Whether the owner of the timebase has another tempo where the bridge has put the playhead than where
  /// that was.
  @_noLocks
  private func isOwnersChange(_ context: LaunchContext) -> Bool {
    guard case .placed = phase, case .owner = context.source else { return false }
    return plan.tempo != context.tempo
  }

  /// Whether the position is for the frame that JACK shows. JACK asks an owner about a relocation only when
  /// that shows: until then its position is for another frame.
  @_noLocks
  private func isRead(_ context: LaunchContext) -> Bool {
    switch context.source {
    case .owner: !isUnderWay
    case .playhead, .unheard, .none: true
    }
  }

  /// Whether an owner of the timebase reads something else where the playhead was put than it did before.
  @_noLocks
  private func isContradicted(_ context: LaunchContext) -> Bool {
    guard case .owner = context.source, isRead(context) else { return false }
    let way = context.place(at: place.frame).beat - place.beat
    return context.tempo.interval(of: way).magnitude > .worthMending
  }

  /// When the frame that the playhead was put to is due.
  @_noLocks
  private func dueTime(_ context: LaunchContext) -> HostTime<LinkClock> {
    guard context.configuration.alignsFrames, let placed else {
      let anew = planner(context).plan(plan, again: place)
      // Where a cycle begins on the beat, the one that was waited for stays the first one after it, although the clock
      // may have changed since: JACK does not ask again for the position that is read there.
      let onBeat = min(plan.rollTime, anew.rollTime)
      let staysFirst =
        (anew.time - onBeat).magnitude.nanoseconds < context.period.nanoseconds / 16
        && plan.rollTime - onBeat < context.period * 2
      return staysFirst ? plan.rollTime : anew.rollTime
    }
    let rate = context.observation.jack.rate
    let target = place.frame + context.tempo.frames(in: plan.moved, at: rate)
    let ahead = HostInterval(target - placed, at: rate)
    return context.observation.time(ofLinkBeat: plan.beat, tempo: context.tempo) - ahead
  }

  @_noLocks
  private static func lead(_ context: LaunchContext) -> HostInterval {
    let cycles = context.period * 6
    let least = cycles > HeldStart.shortestLead ? cycles : HeldStart.shortestLead
    return context.slowLead > least ? context.slowLead : least
  }

  /// How long a start may wait for a clock that has been disturbed: the rest of the wait has to fit into the
  /// hold.
  @_noLocks
  private static func steadying(_ mode: LaunchMode, _ context: LaunchContext) -> HostInterval {
    let wanted =
      switch mode {
      case .bar: HostInterval.seconds(5)
      case .beat: HostInterval.seconds(1)
      case .now: HostInterval.zero
      }
    let room = room(mode, context)
    return room < wanted ? room : wanted
  }

  /// How long a start may have been held for when it is planned anew: the next instant has to come within the
  /// hold.
  @_noLocks
  private static func room(_ mode: LaunchMode, _ context: LaunchContext) -> HostInterval {
    let wait =
      switch mode {
      case .bar, .beat: context.tempo.interval(of: context.configuration.quantum.beats)
      // It is placed where it is in phase when it can roll.
      case .now: HostInterval.zero
      }
    return context.configuration.longestHold - wait - context.slowLead - context.period * 8
  }
}
