import MusicalTime

// A quantised start, exact to the frame. JACK is held in Starting. Some time before the instant the playhead
// is put to the frame from which the roll is in phase, early enough for slow clients to follow, late enough
// for JACK's clock to be predicted within microseconds. From then on only whether the prediction still holds
// is watched.

extension Transport {
  /// How long before the roll the playhead is put in place: clients that play from disk need that long.
  private static var lead: HostInterval { .milliseconds(400) }
  /// How far a start may be off before it is worth an interruption to mend it.
  private static var tolerance: HostInterval { .milliseconds(1) }
  /// From when on people hear that two programs are not together.
  private static var audible: HostInterval { .milliseconds(3) }
  /// How long a roll may be interrupted to mend it: slow clients need their time again.
  private static var longestInterruption: HostInterval { .seconds(4) }
  /// A step of Link's beat that is a new grid, and no measurement.
  private static var gridStep: HostInterval { .milliseconds(1) }
  /// A peer that is to start with us must not see the launch after the beat it is for: it would wait for the
  /// next.
  private static var margin: HostInterval { HostInterval(microseconds: 10) }

  /// Holds a start, and returns the instant at which it is going to be heard.
  @_noLocks
  mutating func arm(
    _ startRequest: StartRequest, _ now: LaunchContext, _ outcome: inout Outcome
  ) -> HostTime<LinkClock> {
    var place = now.place
    // A start that follows one that was taken back begins where that did.
    if let putBack, putBack.isShown(at: place.frame) { place = now.place(at: putBack.frame) }
    let launch = now.configuration.launch
    var heldStart = HeldStart(
      startRequest, from: place, launch, plan(startRequest, place, launch, now), now,
      steadyBy: now.next + steadying(launch, now))
    guard fit(&heldStart, startRequest, now) else {
      return postpone(startRequest, heldStart.plan, now, &outcome)
    }
    outcome.notice = .launchWaits(now.tempo.beats(in: heldStart.plan.rollTime - now.next))
    enter(.armed(heldStart))
    return launchTime(of: heldStart.plan)
  }

  /// How many cycles a relocation of what rolled may take from the client that asked for it to the roll,
  /// those included in which it is put where it is in phase.
  private static var longestSeam: Int64 { 10 }

  /// The transport was relocated while it rolled. Where Link's phase has only gone on meanwhile, as at the
  /// end of a loop of whole quanta, nothing has to be waited for: the playhead is put as much further.
  @_noLocks
  mutating func goOn(
    _ startRequest: StartRequest, _ now: LaunchContext, _ outcome: inout Outcome
  ) -> HostTime<LinkClock> {
    let place = now.place
    // A start that does not wait for the phase takes the playhead there.
    guard case .bar = now.configuration.launch else { return arm(startRequest, now, &outcome) }
    let plan = planOn(place, now)
    guard now.tempo.interval(of: plan.moved) > now.period * Transport.longestSeam + slowLead else {
      var heldStart = HeldStart(startRequest, from: place, .bar, plan, now, steadyBy: now.next)
      heldStart.goesOn = .shifted
      enter(.armed(heldStart))
      outcome.holds = true
      return launchTime(of: plan)
    }
    switch now.configuration.relocation {
    case .wait: return arm(startRequest, now, &outcome)
    case .roll:
      var heldStart = HeldStart(
        startRequest, from: place, .now, now.planner(.now).planHere(place), now, steadyBy: now.next)
      heldStart.goesOn = .freely
      outcome.notice = .rollsOn(now.tempo.interval(of: distance(of: place, at: now.next, now)))
      enter(.released(heldStart))
      return now.next
    }
  }

  /// The same once more, for what is known of the place now.
  @_noLocks
  private mutating func goOn(after heldStart: HeldStart, _ now: LaunchContext, _ outcome: inout Outcome) {
    _ = goOn(heldStart.startRequest, now, &outcome)
    if case .armed(var next) = state {
      next.contradictions = heldStart.contradictions
      enter(.armed(next))
    }
    if case .released = state { outcome.holds = false }
  }

  /// The plan to go on as soon as it is possible, in phase by as much as has passed.
  @_noLocks
  private func planOn(_ place: Place, _ now: LaunchContext) -> LaunchPlan {
    let planner = now.planner(.now)
    let (ready, first) = (now.next + slowLead, planner.edge(after: 4))
    let link = now.observation.linkBeat(at: ready > first ? ready : first, tempo: now.tempo)
    let target = link.shifted(atOrAfter: place.beats, byMultiplesOf: now.configuration.quantum)
    return planner.plan(place, atBeat: link, moved: target - place.beats)
  }

  /// How far a place is from Link's phase.
  @_noLocks
  private func distance(of place: Place, at time: HostTime<LinkClock>, _ now: LaunchContext) -> Beats {
    let quantum = now.configuration.quantum
    let link = now.observation.linkBeat(at: time, tempo: now.tempo)
    return place.beats.phase(in: quantum).distance(from: link.phase(in: quantum))
  }

  /// Has a start that the server would give up holding before it is due roll at once, where it must not be
  /// put off. Returns false where it is to be.
  @_noLocks
  private func fit(_ heldStart: inout HeldStart, _ startRequest: StartRequest, _ now: LaunchContext) -> Bool {
    guard heldStart.plan.rollTime - heldStart.asked > now.configuration.longestHold else { return true }
    // What rolls already is not stopped for it.
    guard startRequest.insists || heldStart.isCorrection else { return false }
    heldStart.launch = .now
    heldStart.plan = plan(startRequest, heldStart.place, .now, now)
    return true
  }

  /// How long a start may wait for a clock that has been disturbed: whatever comes next has to fit into the
  /// hold.
  @_noLocks
  private func steadying(_ launch: Launch, _ now: LaunchContext) -> HostInterval {
    let wanted =
      switch launch {
      case .bar: HostInterval.seconds(5)
      case .beat: HostInterval.seconds(1)
      case .now: HostInterval.zero
      }
    let room = room(now)
    return room < wanted ? room : wanted
  }

  /// How long a start may have been held for when it is planned anew: the next instant has to come within the
  /// hold.
  @_noLocks
  private func room(_ now: LaunchContext) -> HostInterval {
    let quantum = now.tempo.interval(of: now.configuration.quantum.beats)
    return now.configuration.longestHold - quantum - slowLead - now.period * 8
  }

  /// The server would not wait that long: JACK rests meanwhile.
  @_noLocks
  private mutating func postpone(
    _ startRequest: StartRequest, _ plan: LaunchPlan, _ now: LaunchContext, _ outcome: inout Outcome
  ) -> HostTime<LinkClock> {
    stop(hasPlayed: true, now, &outcome)
    enter(.stopping(Stopping(hasPlayed: true, asked: now.next, next: startRequest)))
    return launchTime(of: plan)
  }

  @_noLocks
  private func plan(_ startRequest: StartRequest, _ place: Place, _ launch: Launch, _ now: LaunchContext)
    -> LaunchPlan
  {
    let ready = now.next + slowLead
    return now.planner(launch).plan(
      place, notBefore: startRequest.notBefore > ready ? startRequest.notBefore : ready, cycles: 4)
  }

  @_noLocks
  func launchTime(of plan: LaunchPlan) -> HostTime<LinkClock> {
    let latest = plan.time - Transport.margin
    return plan.rollTime < latest ? plan.rollTime : latest
  }

  /// Plans a held start from the beginning: for what has changed, or for the next instant that fits.
  @_noLocks
  mutating func planAnew(_ now: LaunchContext, _ outcome: inout Outcome, after: HostTime<LinkClock>? = nil) {
    guard case .armed(var heldStart) = state else { return }
    var startRequest = heldStart.startRequest
    if let after, startRequest.notBefore < after { startRequest.notBefore = after }
    heldStart.placed = nil
    heldStart.tempo = now.tempo
    if heldStart.isRead(now) { heldStart.place = now.place(again: heldStart.place) }
    heldStart.plan =
      switch heldStart.goesOn {
      case .shifted: planOn(heldStart.place, now)
      case .no, .freely: plan(startRequest, heldStart.place, heldStart.launch, now)
      }
    guard fit(&heldStart, startRequest, now) else {
      takeBack(heldStart, now)
      _ = postpone(startRequest, heldStart.plan, now, &outcome)
      return
    }
    enter(.armed(heldStart))
    outcome.holds = true
  }

  /// What time brings.
  @_noLocks
  mutating func attend(_ now: LaunchContext, _ outcome: inout Outcome) {
    if case .rolling = standing { return lookAgain(now, &outcome) }
    guard case .underWay = standing else { return }
    switch state {
    case .none, .resting, .asked, .released, .rolling, .stopping: break
    case .postponed(let startRequest):
      // Well before the end of what the server can hold, so that it does not come to postponing again; but
      // while slow clients have enough time, however much they need.
      let wait = now.wait(for: startRequest, slowLead: slowLead)
      let half = HostInterval(nanoseconds: now.longestWait.nanoseconds / 2)
      let slow = slowLead + now.period * 8
      if wait <= (half > slow ? half : slow) { want(startRequest, now, &outcome) }
    case .armed(let heldStart):
      guard now.motion.isPlaying, !now.motion.isRolling else { break }
      hold(heldStart, now, &outcome)
    }
  }

  @_noLocks
  private mutating func hold(_ held: HeldStart, _ now: LaunchContext, _ outcome: inout Outcome) {
    outcome.holds = true
    var heldStart = held
    heldStart.age &+= 1
    heldStart.heldFor &+= 1
    let frame = now.observation.jack.frame
    let isRelocated = heldStart.isRelocated(at: frame)
    heldStart.shownFrame = frame
    if isRelocated, heldStart.isNear(frame, now) {
      // By less than a period only another bridge would: one of the two is enough.
      heldStart.accept(frame)
    } else if isRelocated, case .shifted = heldStart.goesOn {
      // And on, to somewhere else.
      return goOn(after: heldStart, now, &outcome)
    } else if isRelocated {
      // That is where they want to start.
      heldStart.heldFor = 1
      heldStart.place = now.place(at: frame)
      heldStart.launch = now.configuration.launch
      heldStart.isCorrection = false
      enter(.armed(heldStart))
      return planAnew(now, &outcome)
    }
    enter(.armed(heldStart))
    guard now.canAlign else {
      // The owner of the timebase is gone, or says nothing any more.
      outcome.holds = false
      return enter(.released(nil))
    }
    if heldStart.held(now) > now.configuration.longestHold {
      // However often it had to be planned anew: somebody wants to hear something.
      outcome.holds = false
      return enter(.released(heldStart))
    }
    if case .owner = now.source, heldStart.isRead(now) {
      let way = now.place(at: heldStart.place.frame).beats - heldStart.place.beats
      if now.tempo.interval(of: way).magnitude > Transport.tolerance {
        heldStart.contradictions &+= 1
        enter(.armed(heldStart))
        if heldStart.contradictions < 2 {
          // What was planned by was said of the place before: how much further it is to go on is another
          // matter.
          if case .shifted = heldStart.goesOn { return goOn(after: heldStart, now, &outcome) }
          return planAnew(now, &outcome)
        }
        // Its position does not go with frames at this tempo: no place of ours would be in phase.
        outcome.holds = false
        return enter(.released(nil))
      }
    }
    let expected = now.observation.time(ofLinkBeat: heldStart.plan.beat, tempo: now.tempo)
    if heldStart.tempo != now.tempo || (expected - heldStart.plan.time).magnitude > Transport.gridStep {
      return planAnew(now, &outcome)
    }
    if heldStart.placed == nil {
      place(heldStart, now, &outcome)
    } else {
      watch(heldStart, now, &outcome)
    }
  }

  /// Puts the playhead where it has to be, when it is time.
  @_noLocks
  private mutating func place(_ held: HeldStart, _ now: LaunchContext, _ outcome: inout Outcome) {
    var heldStart = held
    heldStart.plan = now.planner(heldStart.launch).plan(
      heldStart.place, atBeat: heldStart.plan.beat, moved: heldStart.plan.moved)
    enter(.armed(heldStart))
    let left = heldStart.plan.rollTime - now.next
    guard left <= lead(now), heldStart.heldFor > 1 else { return }
    // The clock finds its feet within some cycles, and so much can be waited for.
    if !now.clock.isSteady, now.next < heldStart.steadyBy, left > slowLead + now.period * 8 { return }
    let isThere = heldStart.plan.frame == heldStart.shownFrame
    // After a relocation in cycle c the transport rolls in c + 3 at the earliest.
    guard left.nanoseconds >= (isThere ? 0 : now.period.nanoseconds / 2 &* 3) else {
      heldStart.attempts &-= 1
      enter(.armed(heldStart))
      if heldStart.attempts > 0 {
        return planAnew(now, &outcome, after: heldStart.plan.time + Transport.tolerance)
      }
      outcome.holds = false
      return enter(.released(heldStart))
    }
    if isThere {
      heldStart.placed = heldStart.plan.frame
    } else {
      heldStart.request(heldStart.plan.frame, now)
      outcome.transport = .relocate(frame: heldStart.plan.frame)
    }
    enter(.armed(heldStart))
    if isThere { watch(heldStart, now, &outcome) }
  }

  /// Compares the cycle that is to roll with where the playhead was put, and lets go before it.
  @_noLocks
  private mutating func watch(_ held: HeldStart, _ now: LaunchContext, _ outcome: inout Outcome) {
    var heldStart = held
    let due = dueTime(of: heldStart, now)
    let period = now.period.nanoseconds
    let cycles =
      ((due - now.next).nanoseconds &+ (due < now.next ? -period / 2 : period / 2)) / max(1, period)
    let edge = now.planner(heldStart.launch).edge(after: cycles)
    heldStart.plan.rollTime = edge
    heldStart.plan.time = now.observation.time(ofLinkBeat: heldStart.plan.beat, tempo: now.tempo)
    enter(.armed(heldStart))
    let frame = HostInterval(FrameCount(1), at: now.observation.jack.rate)
    let error = (edge - due).magnitude
    // What begins itself, in the nearest cycle, is there.
    let isThere = heldStart.plan.isWhole && heldStart.placed == heldStart.plan.frame
    let canBePlaced = now.configuration.alignsFrames && !isThere
    if heldStart.attempts > 0, canBePlaced, heldStart.held(now) < room(now) {
      // What nobody hears is not worth a bar.
      let isLate = cycles < 0 || (cycles == 0 && error > Transport.audible)
      let canBePlacedAgain = cycles >= 3 && (edge - now.next) >= slowLead
      if isLate || (error > frame && canBePlacedAgain) {
        heldStart.attempts &-= 1
        enter(.armed(heldStart))
        guard !isLate else {
          return planAnew(now, &outcome, after: now.next + Transport.tolerance)
        }
        heldStart.placed = nil
        return place(heldStart, now, &outcome)
      }
    }
    guard cycles <= 0, !heldStart.isUnknown else { return }
    outcome.holds = false
    enter(.released(heldStart))
  }

  /// When the frame that the playhead was put to is due.
  @_noLocks
  private func dueTime(of heldStart: HeldStart, _ now: LaunchContext) -> HostTime<LinkClock> {
    guard now.configuration.alignsFrames, let placed = heldStart.placed else {
      return now.planner(heldStart.launch).plan(
        heldStart.place, atBeat: heldStart.plan.beat, moved: heldStart.plan.moved
      ).rollTime
    }
    let rate = now.observation.jack.rate
    let target = Int64(heldStart.place.frame) &+ now.tempo.frames(in: heldStart.plan.moved, at: rate).count
    // JACK counts frames in 32 bits, and begins again.
    let frames = Int32(truncatingIfNeeded: target &- Int64(placed))
    let ahead = HostInterval(FrameCount(Int64(frames)), at: rate)
    return now.observation.time(ofLinkBeat: heldStart.plan.beat, tempo: now.tempo) - ahead
  }

  @_noLocks
  private func lead(_ now: LaunchContext) -> HostInterval {
    let cycles = now.period * 6
    let wanted = slowLead + now.period * 2
    let least = cycles > Transport.lead ? cycles : Transport.lead
    return wanted > least ? wanted : least
  }
}

// MARK: Reading back

extension Transport {
  /// JACK rolls, and this is its first such cycle: if it is not where it should be, it is put there, once.
  @_noLocks
  mutating func rolled(_ heldStart: HeldStart?, wasHeld: Bool, _ now: LaunchContext, _ outcome: inout Outcome)
  {
    enter(.rolling)
    if case .some(.freely) = heldStart?.goesOn { return }
    guard now.canAlign else { return }
    guard !now.isAlone else {
      outcome.mapsLink = heldStart == nil
      return
    }
    let late = heldStart.map { now.next - now.period - $0.plan.rollTime } ?? .zero
    let waited = heldStart.map { now.next - $0.asked } ?? .zero
    let gaveUp = wasHeld || waited >= now.configuration.longestHold
    // Where JACK rolled when it was to, it is Link's beat that has moved, and nobody is slow.
    let isLate = late.nanoseconds > now.period.nanoseconds / 2
    if case .owner = now.source {
      if isLate, !gaveUp { learnSlowness(waited, now) }
      // What it shows in this cycle it has said before it rolled.
      let quantum = now.tempo.interval(of: now.configuration.quantum.beats)
      return watch.rolledWithOwner(at: now.next, for: quantum * 2)
    }
    if let heldStart { watch.expect(heldStart.plan.lead) }
    guard now.clock.isSteady else {
      if case .some = heldStart, now.configuration.alignsFrames { watch.rolledUnseen() }
      return
    }
    guard now.configuration.alignsFrames else { return }
    let error = frameError(now) - watch.expected
    guard error.magnitude > Transport.tolerance else {
      if watch.expected.magnitude > Transport.audible { outcome.notice = .framesStayOff(by: watch.expected) }
      return
    }
    guard !gaveUp, heldStart.map({ !$0.isCorrection }) ?? true else {
      outcome.notice = .launchSpoilt(late: late)
      return
    }
    if isLate { learnSlowness(waited, now) }
    guard slowLead <= Transport.longestInterruption else {
      outcome.notice = .launchSpoilt(late: late)
      return
    }
    if heldStart != nil {
      outcome.notice = isLate ? .launchCorrected(late: late) : .gridMoved(by: error)
    }
    correct(now, &outcome)
  }

  /// A client was not ready in time. With room for next time; a cycle passes until JACK asks, another until
  /// it rolls. More than the server waits for cannot be planned.
  @_noLocks
  private mutating func learnSlowness(_ waited: HostInterval, _ now: LaunchContext) {
    let longest = HostInterval(nanoseconds: now.configuration.longestHold.nanoseconds / 4 &* 3)
    let needed = HostInterval(nanoseconds: waited.nanoseconds / 4 &* 5) + now.period * 2
    if needed > slowLead { slowLead = needed < longest ? needed : longest }
  }

  /// Looks at a roll that has just begun once more, when it can be seen where it is.
  @_noLocks
  private mutating func lookAgain(_ now: LaunchContext, _ outcome: inout Outcome) {
    guard now.clock.isSteady, watch.look(), !now.isAlone, now.canAlign, now.configuration.alignsFrames else {
      return
    }
    let error = frameError(now) - watch.expected
    // What rolls already is not interrupted for what nobody hears; what is less of an owner's is steered.
    let isOwners = if case .owner = now.source { true } else { false }
    let least = isOwners || watch.corrections > 0 ? Transport.audible : Transport.tolerance
    guard watch.mayInterrupt, error.magnitude > least, slowLead <= Transport.longestInterruption else {
      return
    }
    outcome.notice = watch.isDisturbed ? .launchDisturbed(by: error) : .ownerCorrected(error)
    watch.corrected()
    correct(now, &outcome)
  }

  /// How far what frames and tempo say about the next cycle is from Link, in time.
  @_noLocks
  private func frameError(_ now: LaunchContext) -> HostInterval {
    let quantum = now.configuration.quantum
    let link = now.observation.link.beat.phase(in: quantum)
    return now.tempo.interval(of: now.beatsNext.phase(in: quantum).distance(from: link))
  }

  /// Relocates a rolling transport to where it would be by now.
  @_noLocks
  private mutating func correct(_ now: LaunchContext, _ outcome: inout Outcome) {
    watch.expect(.zero)
    let planner = now.planner(.now)
    let ready = now.next + slowLead
    let first = planner.edge(after: 2)
    let time = ready > first ? ready : first
    let place = now.place
    let link = now.observation.linkBeat(at: time, tempo: now.tempo)
    let natural = place.beats + now.tempo.beats(in: time - (now.next - now.period))
    let nearest = link.shifted(nearestTo: natural, byMultiplesOf: now.configuration.quantum)
    let target =
      nearest < .zero ? link.shifted(atOrAfter: .zero, byMultiplesOf: now.configuration.quantum) : nearest
    let plan = planner.plan(place, atBeat: link, moved: target - place.beats)
    outcome.transport = .relocate(frame: plan.frame)
    enter(.armed(HeldStart(correction: place, plan, now)))
  }
}
