import MusicalTime

// A quantised start, exact to the frame. JACK is held in Starting. Some time before the instant the playhead is put to
// the frame from which the roll is in phase, early enough for slow clients to follow, late enough for JACK's clock to be
// predicted within microseconds. From then on only whether the prediction still holds is watched.

extension Transport {
  /// How long before the roll the playhead is put in place: clients that play from disk need that long.
  private static var lead: HostInterval { HostInterval(nanoseconds: 400_000_000) }
  /// How far a start may be off before it is worth an interruption to mend it.
  private static var tolerance: HostInterval { HostInterval(nanoseconds: 1_000_000) }
  /// From when on people hear that two programs are not together.
  private static var audible: HostInterval { HostInterval(nanoseconds: 3_000_000) }
  /// How long a roll may be interrupted to mend it: slow clients need their time again.
  private static var longestInterruption: HostInterval { HostInterval(nanoseconds: 4_000_000_000) }
  /// A step of Link's beat that is a new grid, and no measurement.
  private static var gridStep: HostInterval { HostInterval(nanoseconds: 1_000_000) }
  /// A peer that is to start with us must not see the launch after the beat it is for: it would wait for the next.
  private static var margin: HostInterval { HostInterval(nanoseconds: 10_000) }

  /// Holds a start, and returns the instant at which it is going to be heard.
  @_noLocks
  mutating func arm(
    _ wish: Wish, _ now: Circumstances, _ outcome: inout Outcome
  ) -> HostTime<LinkClock> {
    var place = now.place
    // A start that follows one that was taken back begins where that did.
    if let putBack, putBack.isShown(at: place.frame) { place = now.place(at: putBack.frame) }
    let launch = now.configuration.launch
    var flight = Flight(
      wish, from: place, launch, plan(wish, place, launch, now), now,
      steadyBy: now.next + steadying(launch, now))
    guard fit(&flight, wish, now) else { return postpone(wish, flight.plan, now, &outcome) }
    outcome.notice = .launchWaits(now.tempo.beats(in: flight.plan.edge - now.next))
    enter(.armed(flight))
    return launchTime(of: flight.plan)
  }

  /// How many cycles a relocation of what rolled may take from the client that asked for it to the roll, those included in
  /// which it is put where it is in phase.
  private static var longestSeam: Int64 { 10 }

  /// The transport was relocated while it rolled. Where Link's phase has only gone on meanwhile, as at the end of a loop of
  /// whole quanta, nothing has to be waited for: the playhead is put as much further.
  @_noLocks
  mutating func goOn(
    _ wish: Wish, _ now: Circumstances, _ outcome: inout Outcome
  ) -> HostTime<LinkClock> {
    let place = now.place
    // A start that does not wait for the phase takes the playhead there.
    guard case .bar = now.configuration.launch else { return arm(wish, now, &outcome) }
    let plan = planOn(place, now)
    guard now.tempo.interval(of: plan.moved) > now.period * Transport.longestSeam + slowLead else {
      var flight = Flight(wish, from: place, .bar, plan, now, steadyBy: now.next)
      flight.goesOn = .shifted
      enter(.armed(flight))
      outcome.holds = true
      return launchTime(of: plan)
    }
    switch now.configuration.relocation {
    case .wait: return arm(wish, now, &outcome)
    case .roll:
      var flight = Flight(wish, from: place, .now, now.planner(.now).planHere(place), now, steadyBy: now.next)
      flight.goesOn = .freely
      outcome.notice = .rollsOn(now.tempo.interval(of: distance(of: place, at: now.next, now)))
      enter(.released(flight))
      return now.next
    }
  }

  /// The same once more, for what is known of the place now.
  @_noLocks
  private mutating func goOn(after flight: Flight, _ now: Circumstances, _ outcome: inout Outcome) {
    _ = goOn(flight.wish, now, &outcome)
    if case .armed(var next) = state {
      next.contradictions = flight.contradictions
      enter(.armed(next))
    }
    if case .released = state { outcome.holds = false }
  }

  /// The plan to go on as soon as it is possible, in phase by as much as has passed.
  @_noLocks
  private func planOn(_ place: Place, _ now: Circumstances) -> LaunchPlan {
    let planner = now.planner(.now)
    let (ready, first) = (now.next + slowLead, planner.edge(after: 4))
    let link = now.observation.linkBeat(at: ready > first ? ready : first, tempo: now.tempo)
    let target = link.shifted(atOrAfter: place.beats, byMultiplesOf: now.configuration.quantum)
    return planner.plan(place, atBeat: link, moved: target - place.beats)
  }

  /// How far a place is from Link's phase.
  @_noLocks
  private func distance(of place: Place, at time: HostTime<LinkClock>, _ now: Circumstances) -> Beats {
    let quantum = now.configuration.quantum
    let link = now.observation.linkBeat(at: time, tempo: now.tempo)
    return place.beats.phase(in: quantum).distance(from: link.phase(in: quantum))
  }

  /// Has a start that the server would give up holding before it is due roll at once, where it must not be put off.
  /// Returns false where it is to be.
  @_noLocks
  private func fit(_ flight: inout Flight, _ wish: Wish, _ now: Circumstances) -> Bool {
    guard flight.plan.edge - flight.asked > now.configuration.longestHold else { return true }
    // What rolls already is not stopped for it.
    guard wish.insists || flight.isCorrection else { return false }
    flight.launch = .now
    flight.plan = plan(wish, flight.place, .now, now)
    return true
  }

  /// How long a start may wait for a clock that has been disturbed: whatever comes next has to fit into the hold.
  @_noLocks
  private func steadying(_ launch: Launch, _ now: Circumstances) -> HostInterval {
    let wanted =
      switch launch {
      case .bar: HostInterval(nanoseconds: 5_000_000_000)
      case .beat: HostInterval(nanoseconds: 1_000_000_000)
      case .now: HostInterval.zero
      }
    let room = room(now)
    return room < wanted ? room : wanted
  }

  /// How long a start may have been held for when it is planned anew: the next instant has to come within the hold.
  @_noLocks
  private func room(_ now: Circumstances) -> HostInterval {
    let quantum = now.tempo.interval(of: now.configuration.quantum.beats)
    return now.configuration.longestHold - quantum - slowLead - now.period * 8
  }

  /// The server would not wait that long: JACK rests meanwhile.
  @_noLocks
  private mutating func postpone(
    _ wish: Wish, _ plan: LaunchPlan, _ now: Circumstances, _ outcome: inout Outcome
  ) -> HostTime<LinkClock> {
    stop(hasPlayed: true, now, &outcome)
    enter(.stopping(Stopping(hasPlayed: true, asked: now.next, next: wish)))
    return launchTime(of: plan)
  }

  @_noLocks
  private func plan(_ wish: Wish, _ place: Place, _ launch: Launch, _ now: Circumstances) -> LaunchPlan {
    let ready = now.next + slowLead
    return now.planner(launch).plan(
      place, notBefore: wish.notBefore > ready ? wish.notBefore : ready, cycles: 4)
  }

  @_noLocks
  func launchTime(of plan: LaunchPlan) -> HostTime<LinkClock> {
    let latest = plan.time - Transport.margin
    return plan.edge < latest ? plan.edge : latest
  }

  /// Plans a held start from the beginning: for what has changed, or for the next instant that fits.
  @_noLocks
  mutating func planAnew(_ now: Circumstances, _ outcome: inout Outcome, after: HostTime<LinkClock>? = nil) {
    guard case .armed(var flight) = state else { return }
    var wish = flight.wish
    if let after, wish.notBefore < after { wish.notBefore = after }
    flight.placed = nil
    flight.tempo = now.tempo
    if flight.isRead(now) { flight.place = now.place(again: flight.place) }
    flight.plan =
      switch flight.goesOn {
      case .shifted: planOn(flight.place, now)
      case .no, .freely: plan(wish, flight.place, flight.launch, now)
      }
    guard fit(&flight, wish, now) else {
      takeBack(flight, now)
      _ = postpone(wish, flight.plan, now, &outcome)
      return
    }
    enter(.armed(flight))
    outcome.holds = true
  }

  /// What time brings.
  @_noLocks
  mutating func attend(_ now: Circumstances, _ outcome: inout Outcome) {
    if case .rolling = standing { return lookAgain(now, &outcome) }
    guard case .underWay = standing else { return }
    switch state {
    case .none, .resting, .asked, .released, .rolling, .stopping: break
    case .postponed(let wish):
      // Well before the end of what the server can hold, so that it does not come to postponing again; but while slow
      // clients have enough time, however much they need.
      let wait = now.wait(for: wish, slowLead: slowLead)
      let half = HostInterval(nanoseconds: now.longestWait.nanoseconds / 2)
      let slow = slowLead + now.period * 8
      if wait <= (half > slow ? half : slow) { want(wish, now, &outcome) }
    case .armed(let flight):
      guard now.motion.isPlaying, !now.motion.isRolling else { break }
      hold(flight, now, &outcome)
    }
  }

  @_noLocks
  private mutating func hold(_ held: Flight, _ now: Circumstances, _ outcome: inout Outcome) {
    outcome.holds = true
    var flight = held
    flight.age &+= 1
    flight.heldFor &+= 1
    let frame = now.observation.jack.frame
    let isRelocated = flight.isRelocated(at: frame)
    flight.shownFrame = frame
    if isRelocated, flight.isNear(frame, now) {
      // By less than a period only another bridge would: one of the two is enough.
      flight.accept(frame)
    } else if isRelocated, case .shifted = flight.goesOn {
      // And on, to somewhere else.
      return goOn(after: flight, now, &outcome)
    } else if isRelocated {
      // That is where they want to start.
      flight.heldFor = 1
      flight.place = now.place(at: frame)
      flight.launch = now.configuration.launch
      flight.isCorrection = false
      enter(.armed(flight))
      return planAnew(now, &outcome)
    }
    enter(.armed(flight))
    guard now.canAlign else {
      // The owner of the timebase is gone, or says nothing any more.
      outcome.holds = false
      return enter(.released(nil))
    }
    if flight.held(now) > now.configuration.longestHold {
      // However often it had to be planned anew: somebody wants to hear something.
      outcome.holds = false
      return enter(.released(flight))
    }
    if case .owner = now.ground, flight.isRead(now) {
      let way = now.place(at: flight.place.frame).beats - flight.place.beats
      if now.tempo.interval(of: way).magnitude > Transport.tolerance {
        flight.contradictions &+= 1
        enter(.armed(flight))
        if flight.contradictions < 2 {
          // What was planned by was said of the place before: how much further it is to go on is another matter.
          if case .shifted = flight.goesOn { return goOn(after: flight, now, &outcome) }
          return planAnew(now, &outcome)
        }
        // Its position does not go with frames at this tempo: no place of ours would be in phase.
        outcome.holds = false
        return enter(.released(nil))
      }
    }
    let expected = now.observation.time(ofLinkBeat: flight.plan.beat, tempo: now.tempo)
    if flight.tempo != now.tempo || (expected - flight.plan.time).magnitude > Transport.gridStep {
      return planAnew(now, &outcome)
    }
    if flight.placed == nil {
      place(flight, now, &outcome)
    } else {
      watch(flight, now, &outcome)
    }
  }

  /// Puts the playhead where it has to be, when it is time.
  @_noLocks
  private mutating func place(_ held: Flight, _ now: Circumstances, _ outcome: inout Outcome) {
    var flight = held
    flight.plan = now.planner(flight.launch).plan(
      flight.place, atBeat: flight.plan.beat, moved: flight.plan.moved)
    enter(.armed(flight))
    let left = flight.plan.edge - now.next
    guard left <= lead(now), flight.heldFor > 1 else { return }
    // The clock finds its feet within some cycles, and so much can be waited for.
    if !now.clock.isSteady, now.next < flight.steadyBy, left > slowLead + now.period * 8 { return }
    let isThere = flight.plan.frame == flight.shownFrame
    // After a relocation in cycle c the transport rolls in c + 3 at the earliest.
    guard left.nanoseconds >= (isThere ? 0 : now.period.nanoseconds / 2 &* 3) else {
      flight.attempts &-= 1
      enter(.armed(flight))
      if flight.attempts > 0 {
        return planAnew(now, &outcome, after: flight.plan.time + Transport.tolerance)
      }
      outcome.holds = false
      return enter(.released(flight))
    }
    if isThere {
      flight.placed = flight.plan.frame
    } else {
      flight.request(flight.plan.frame, now)
      outcome.transport = .relocate(frame: flight.plan.frame)
    }
    enter(.armed(flight))
    if isThere { watch(flight, now, &outcome) }
  }

  /// Compares the cycle that is to roll with where the playhead was put, and lets go before it.
  @_noLocks
  private mutating func watch(_ held: Flight, _ now: Circumstances, _ outcome: inout Outcome) {
    var flight = held
    let due = dueTime(of: flight, now)
    let period = now.period.nanoseconds
    let cycles =
      ((due - now.next).nanoseconds &+ (due < now.next ? -period / 2 : period / 2)) / max(1, period)
    let edge = now.planner(flight.launch).edge(after: cycles)
    flight.plan.edge = edge
    flight.plan.time = now.observation.time(ofLinkBeat: flight.plan.beat, tempo: now.tempo)
    enter(.armed(flight))
    let frame = HostInterval(FrameCount(1), at: now.observation.jack.rate)
    let error = (edge - due).magnitude
    // What begins itself, in the nearest cycle, is there.
    let isThere = flight.plan.isWhole && flight.placed == flight.plan.frame
    let canBePlaced = now.configuration.alignsFrames && !isThere
    if flight.attempts > 0, canBePlaced, flight.held(now) < room(now) {
      // What nobody hears is not worth a bar.
      let isLate = cycles < 0 || (cycles == 0 && error > Transport.audible)
      let canBePlacedAgain = cycles >= 3 && (edge - now.next) >= slowLead
      if isLate || (error > frame && canBePlacedAgain) {
        flight.attempts &-= 1
        enter(.armed(flight))
        guard !isLate else {
          return planAnew(now, &outcome, after: now.next + Transport.tolerance)
        }
        flight.placed = nil
        return place(flight, now, &outcome)
      }
    }
    guard cycles <= 0, !flight.isUnknown else { return }
    outcome.holds = false
    enter(.released(flight))
  }

  /// When the frame that the playhead was put to is due.
  @_noLocks
  private func dueTime(of flight: Flight, _ now: Circumstances) -> HostTime<LinkClock> {
    guard now.configuration.alignsFrames, let placed = flight.placed else {
      return now.planner(flight.launch).plan(
        flight.place, atBeat: flight.plan.beat, moved: flight.plan.moved
      ).edge
    }
    let rate = now.observation.jack.rate
    let target = Int64(flight.place.frame) &+ now.tempo.frames(in: flight.plan.moved, at: rate).count
    // JACK counts frames in 32 bits, and begins again.
    let frames = Int32(truncatingIfNeeded: target &- Int64(placed))
    let ahead = HostInterval(FrameCount(Int64(frames)), at: rate)
    return now.observation.time(ofLinkBeat: flight.plan.beat, tempo: now.tempo) - ahead
  }

  @_noLocks
  private func lead(_ now: Circumstances) -> HostInterval {
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
  mutating func rolled(_ flight: Flight?, wasHeld: Bool, _ now: Circumstances, _ outcome: inout Outcome) {
    enter(.rolling)
    if case .some(.freely) = flight?.goesOn { return }
    guard now.canAlign else { return }
    guard !now.isAlone else {
      outcome.mapsLink = flight == nil
      return
    }
    let late = flight.map { now.next - now.period - $0.plan.edge } ?? .zero
    let waited = flight.map { now.next - $0.asked } ?? .zero
    let gaveUp = wasHeld || waited >= now.configuration.longestHold
    // Where JACK rolled when it was to, it is Link's beat that has moved, and nobody is slow.
    let isLate = late.nanoseconds > now.period.nanoseconds / 2
    if case .owner = now.ground {
      if isLate, !gaveUp { learnSlowness(waited, now) }
      // What it shows in this cycle it has said before it rolled.
      let quantum = now.tempo.interval(of: now.configuration.quantum.beats)
      return watch.rolledWithOwner(at: now.next, for: quantum * 2)
    }
    if let flight { watch.expect(flight.plan.lead) }
    guard now.clock.isSteady else {
      if case .some = flight, now.configuration.alignsFrames { watch.rolledUnseen() }
      return
    }
    guard now.configuration.alignsFrames else { return }
    let error = frameError(now) - watch.expected
    guard error.magnitude > Transport.tolerance else {
      if watch.expected.magnitude > Transport.audible { outcome.notice = .framesStayOff(by: watch.expected) }
      return
    }
    guard !gaveUp, flight.map({ !$0.isCorrection }) ?? true else {
      outcome.notice = .launchSpoilt(late: late)
      return
    }
    if isLate { learnSlowness(waited, now) }
    guard slowLead <= Transport.longestInterruption else {
      outcome.notice = .launchSpoilt(late: late)
      return
    }
    if flight != nil {
      outcome.notice = isLate ? .launchCorrected(late: late) : .gridMoved(by: error)
    }
    correct(now, &outcome)
  }

  /// A client was not ready in time. With room for next time; a cycle passes until JACK asks, another until it rolls. More
  /// than the server waits for cannot be planned.
  @_noLocks
  private mutating func learnSlowness(_ waited: HostInterval, _ now: Circumstances) {
    let longest = HostInterval(nanoseconds: now.configuration.longestHold.nanoseconds / 4 &* 3)
    let needed = HostInterval(nanoseconds: waited.nanoseconds / 4 &* 5) + now.period * 2
    if needed > slowLead { slowLead = needed < longest ? needed : longest }
  }

  /// Looks at a roll that has just begun once more, when it can be seen where it is.
  @_noLocks
  private mutating func lookAgain(_ now: Circumstances, _ outcome: inout Outcome) {
    guard now.clock.isSteady, watch.look(), !now.isAlone, now.canAlign, now.configuration.alignsFrames else {
      return
    }
    let error = frameError(now) - watch.expected
    // What rolls already is not interrupted for what nobody hears; what is less of an owner's is steered.
    let isOwners = if case .owner = now.ground { true } else { false }
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
  private func frameError(_ now: Circumstances) -> HostInterval {
    let quantum = now.configuration.quantum
    let link = now.observation.link.beat.phase(in: quantum)
    return now.tempo.interval(of: now.beatsNext.phase(in: quantum).distance(from: link))
  }

  /// Relocates a rolling transport to where it would be by now.
  @_noLocks
  private mutating func correct(_ now: Circumstances, _ outcome: inout Outcome) {
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
    enter(.armed(Flight(correction: place, plan, now)))
  }
}
