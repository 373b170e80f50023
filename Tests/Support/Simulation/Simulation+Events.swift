import MusicalTime
import Reconciliation

extension Simulation {
  /// Carries out an event in the world.
  func happen(_ event: Event, at time: HostTime<LinkClock>) {
    switch event {
    case .clientStarts: engine.start()
    case .clientStops: engine.stop()
    case .clientLocates(let frame): engine.locate(to: frame)
    // It is a locate to a frame by now.
    case .clientLocatesToChange: break
    case .clientLoops(let beats): if let target = loopTarget(beats) { engine.locate(to: target) }
    case .slowClient(let needs): engine.slowClients.append(.init(needs: needs))
    case .slowClientsLeave:
      engine.slowClients = []
      bridge.give(.clientLeft)

    case .clientHangs(let interval): hang(for: interval)

    case .ownerTakes(let honesty, let beatsPerMinute, let ticksPerBeat, let lead):
      // The position that the owner before has published for the next cycle is still read.
      if otherOwner?.honesty == .truthful, publishedReading.isValid {
        noteAsked(publishedReading.beatsPerMinute)
      }
      otherOwner = SimulatedOwner(
        honesty, beatsPerMinute: beatsPerMinute, ticksPerBeat: ticksPerBeat, lead: lead)
      engine.takeTimebase(Simulation.other)
      published = nil
    case .ownerChangesTempo(let beatsPerMinute):
      otherOwner?.changeTempo(to: beatsPerMinute, at: engine.pendingFrame, setup.rate)
    case .ownerGlides(let beatsPerMinute, let interval):
      otherOwner?.glide(to: beatsPerMinute, over: interval, at: engine.pendingFrame, setup.rate)
    case .ownerChangesMeter(let meter, let bars):
      otherOwner?.changeMeter(to: meter, after: bars, from: engine.pendingFrame, setup.rate)
    case .ownerReleases: releaseOther()

    case .peerStarts(let wait): session.peerPresses(true, at: time + wait, now: time, &random)
    case .peerStartsOnQuantum(let wait):
      let stamp = session.quantum(setup.quantum, after: time + wait)
      session.peerPresses(true, at: stamp, now: time, &random)
    case .peerStops: session.peerPresses(false, at: time, now: time, &random)
    case .peerChangesTempo(let tempo): session.peerChangesTempo(to: tempo, now: time, &random)
    case .peersJoin(let count, let merge):
      let timeline = merge.map {
        SimulatedSession.Timeline(
          tempo: $0.tempo, beat: session.beat(at: time) + $0.shift, time: time, stamp: .zero)
      }
      session.join(
        count, timeline, isPlaying: merge?.isPlaying ?? false, tellsPlay: merge?.tellsPlay ?? false,
        now: time,
        &random)
    case .peersLeave(let count): session.leave(count)
    case .peerRepeats(let interval): session.peerRepeats(after: interval, now: time)
    case .remeasured(let step): session.remeasure(by: step, now: time)
    case .networkChanges(let delay, let loss):
      session.network = .init(longest: delay, loss: loss)

    case .command(let command):
      bridge.give(command)
      happened(.checkDue)
    case .choice(let choice):
      bridge.choices.take(choice)
      if case .mode(let mode) = choice { self.mode = mode }
      happened(.checkDue)

    case .offsetChanges(let interval):
      offset = interval
      bridge.choose(delay: latency)

    case .stall(let interval, let isNoticed): stall(for: interval, isNoticed)
    case .latencyChanges(let periods): latencyPeriods = periods
    case .periodChanges(let period):
      changePeriod(to: period)
      setTimeout()
      restartLoop()
    case .freewheel(let interval):
      card.hurry = 20
      freewheelEnds = card.time + interval
      restartLoop()
    case .machineSleeps(let interval): sleep(for: interval)
    case .clockSlews(let skew): clocks.slew(to: skew, at: time)
    case .serverDies(let interval): restartServer(after: interval)
    case .bridgeEnds(let interval): restartBridge(after: interval)
    }
    // Between two cycles it may change twice.
    if leader != record.leader { record.leader = nil }
  }

  /// The event with the frame that a marker has.
  func placed(_ event: Event) -> Event {
    guard case .clientLocatesToChange(let interval) = event else { return event }
    let change = otherOwner?.lastMarker(setup.rate) ?? 0
    let frame = change.sinceZero + FrameCount(nearest: interval, at: setup.rate)
    return .clientLocates(frame: TransportFrame(UInt32(clamping: frame.count)))
  }

  /// The frame that is so many beats before the next one, if JACK rolls and has played as many.
  func loopTarget(_ beats: Beats) -> TransportFrame? {
    let back = session.timeline.tempo.frames(in: beats, at: setup.rate)
    guard engine.motion == .rolling, engine.pendingFrame.sinceZero >= back else { return nil }
    return engine.pendingFrame - back
  }

  /// The bridge notices within a second that the machine has slept, leaves the session, and joins it again.
  private func sleep(for interval: HostInterval) {
    session.setEnabled(false, now: card.time, &random)
    session.sleep(for: interval)
    let wakes = card.time + random.interval(1_000...2_000)
    joins = joins.map { max($0, wakes) } ?? wakes
  }

  func endFreewheel() {
    freewheelEnds = nil
    card.hurry = 1
    restartLoop()
    endedRendering()
  }

  /// How long the server lets a client hold a start: unless it has its own bound the bridge sets it.
  func setTimeout() {
    engine.setTimeout(setup.serversPatience, at: setup.rate)
  }

  private func stall(for interval: HostInterval, _ isNoticed: Bool) {
    // A sound card has two periods in store: more cannot be made up for.
    let longest = periodDuration * 2
    heldUntil = card.time + (isNoticed || interval < longest ? interval : longest)
    noticesHold = isNoticed
  }

  /// A process is not let run in time.
  func happen(_ miss: MissedDeadlines.Miss) {
    record.missed(card.time + miss.length)
    switch miss.victim {
    case .server: stall(for: miss.length, true)
    case .program: programHeldUntil = card.time + miss.length
    case .both:
      stall(for: miss.length, true)
      programHeldUntil = card.time + miss.length
    }
  }

  /// Whether the server comes too late for this cycle, so that the sound card begins anew with it.
  func restartCard() -> Bool {
    let late = now - card.time
    guard !isRendering, late > periodDuration, noticesHold || late > periodDuration * 2 else {
      return false
    }
    card.restart(at: now)
    record.missed(now)
    // It says so of this cycle when it has run it, which the bridge sees or does not.
    if !random.oneIn(3) { loop.reset(at: clocks.jack(at: now)) }
    return true
  }

  private func restartLoop() {
    loop = DelayLockedLoop(at: clocks.jack(at: card.time) - periodDuration, period: periodDuration)
  }

  /// Another client gives the timebase up.
  private func releaseOther() {
    if engine.releaseTimebase(Simulation.other) { published = nil }
  }

  private func restartServer(after interval: HostInterval) {
    session.setEnabled(false, now: card.time, &random)
    joins = max(card.time + interval, bridgeReturns) + HostInterval.milliseconds(600)
    card.stall(for: interval)
    card.hurry = 1
    freewheelEnds = nil
    heldUntil = card.time
    serverReturns = card.time
    engine = TransportEngine(period: engine.period, rules: setup.rules)
    serverFrame = 0
    hangEnds = min(hangEnds, card.time)
    otherOwner = nil
    published = nil
    publishedReading = .absent
    restartLoop()
    var configuration = setup.configuration
    configuration.choices = bridge.choices
    fault?.bend(&configuration)
    bridge = SimulatedBridge(configuration, rate: setup.rate, at: max(card.time, bridgeReturns))
    setTimeout()
  }

  /// JACK rolls or rests, peers play or rest, another client owns the timebase or none does, unknown to the
  /// program.
  private func restartBridge(after interval: HostInterval) {
    bridgeReturns = max(bridgeReturns, card.time + interval)
    joins = bridgeReturns + HostInterval.milliseconds(600)
    session.setEnabled(false, now: card.time, &random)
    session.restart(tempo: setup.tempo, now: card.time)
    mode = setup.mode
    offset = .zero
    engine.leave(Simulation.us)
    published = nil
    var configuration = setup.configuration
    fault?.bend(&configuration)
    bridge = SimulatedBridge(configuration, rate: setup.rate, at: bridgeReturns)
    setTimeout()
  }
}
