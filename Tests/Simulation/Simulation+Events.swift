import MusicalTime
import Reconciliation

extension Simulation {
  /// What an event does to the world.
  func happen(_ event: Event, at time: HostTime<LinkClock>) {
    switch event {
    case .clientStarts: engine.start()
    case .clientStops: engine.stop()
    case .clientLocates(let frame): engine.locate(to: frame)
    case .clientLoops(let beats):
      let back = session.timeline.tempo.frames(in: beats, at: setup.rate).count
      guard engine.motion == .rolling, Int64(engine.pendingFrame) >= back else { break }
      engine.locate(to: UInt32(Int64(engine.pendingFrame) - back))
    case .slowClient(let needs): engine.slowClients.append(.init(needs: needs))
    case .slowClientsLeave:
      engine.slowClients = []
      bridge.commands.append(.clientLeft)

    case .ownerTakes(let honesty, let beatsPerMinute, let ticksPerBeat, let lead):
      otherOwner = SimulatedOwner(
        honesty, beatsPerMinute: beatsPerMinute, ticksPerBeat: ticksPerBeat, lead: lead)
      owner = .other
      asksOwner = true
      published = nil
    case .ownerChangesTempo(let beatsPerMinute):
      otherOwner?.changeTempo(to: beatsPerMinute, at: engine.pendingFrame, setup.rate)
    case .ownerReleases: releaseOther()

    case .peerStarts(let wait): session.peerPresses(true, at: time + wait, now: time, &random)
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
      session.network = .init(delay: 0.3...max(1, delay), loss: max(2, loss))

    case .command(let command):
      if case .select(let selection) = command { bridge.selection = selection }
      bridge.commands.append(command)
      check()

    case .stall(let interval, let isNoticed): stall(for: interval, isNoticed)
    case .periodChanges(let period):
      engine.period = period
      setTimeout()
      restartLoop()
    case .freewheel(let interval):
      card.hurry = 20
      freewheelEnds = card.time + interval
      restartLoop()
    case .clockSlews(let skew): clocks.slew(to: skew, at: time)
    case .serverDies(let interval): restartServer(after: interval)
    }
  }

  func endFreewheel() {
    freewheelEnds = nil
    card.hurry = 1
    restartLoop()
    record.disturbed(now)
  }

  /// How long the server lets a client hold a start: on jackd2 the bridge sets it.
  func setTimeout() {
    let longest =
      switch setup.rules {
      case .jackd2: bridge.reconciler.configuration.longestHold + HostInterval(nanoseconds: 10_000_000_000)
      case .pipewire: HostInterval(nanoseconds: 5_000_000_000)
      }
    engine.timeout = Int(FrameCount(nearest: longest, at: setup.rate).count / Int64(engine.period))
  }

  private func stall(for interval: HostInterval, _ isNoticed: Bool) {
    guard isNoticed else {
      // The server catches up, cycle after cycle, and its loop with it.
      heldUntil = card.time + interval
      return
    }
    card.stall(for: interval)
    restartLoop()
  }

  private func restartLoop() {
    loop = DelayLockedLoop(at: clocks.jack(at: card.time) - periodDuration, period: periodDuration)
  }

  /// Another client gives the timebase up: on jackd2 a rolling transport is relocated to where it is.
  private func releaseOther() {
    guard owner == .other else { return }
    owner = .nobody
    published = nil
    publishedReading = .nothing
    if engine.motion == .rolling, setup.rules == .jackd2 { engine.locate(to: engine.frame) }
  }

  private func restartServer(after interval: HostInterval) {
    session.setEnabled(false)
    joins = card.time + interval + HostInterval(nanoseconds: 600_000_000)
    card.stall(for: interval)
    card.hurry = 1
    freewheelEnds = nil
    heldUntil = card.time
    serverReturns = card.time
    engine = TransportEngine(period: engine.period, rules: setup.rules)
    serverFrame = 0
    owner = .nobody
    otherOwner = nil
    published = nil
    publishedReading = .nothing
    restartLoop()
    var configuration = setup.configuration
    configuration.selection = bridge.selection
    fault?.bend(&configuration)
    bridge = SimulatedBridge(configuration, at: card.time)
    setTimeout()
  }
}
