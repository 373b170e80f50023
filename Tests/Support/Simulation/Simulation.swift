import MusicalTime
import PropertyTesting
import Reconciliation

/// A JACK server, a Link session, people who use both, and between them the very code that bridges the two in
/// the program: reconciler, clocks, timebase watch.
///
/// A ``History`` determines everything. In every cycle the laws are checked; the first one that does not hold
/// ends the run.
public final class Simulation {
  let history: History
  var setup: Setup { history.setup }
  /// A fault on purpose, so that it shows that the laws notice.
  let fault: Fault?
  var random: Seeded

  // The machine and JACK.
  var clocks: MachineClocks
  var card: SoundCard
  var loop: DelayLockedLoop
  var engine: TransportEngine
  /// The true owner of the timebase.
  var owner: TimebaseOwner {
    switch engine.owner {
    case nil: .nobody
    case Simulation.us: .me
    default: .other
    }
  }
  /// The program and the other client, to the server.
  static let us = 0
  static let other = 1
  /// The other client that does, or did.
  var otherOwner: SimulatedOwner?
  /// The frame that it was last asked about, and the one that what clients read in this cycle is of.
  private var askedOwnerAt: TransportFrame = 0
  private(set) var ownersFrame: TransportFrame = 0
  var serverFrame: ServerFrame = 0
  /// The entry of the bridge that JACK clients read in this cycle, and the entry of any owner that they read.
  var shown: TimebaseEntry?
  var reading = TimebaseReading.absent
  /// Whether that is the other client's.
  private(set) var isReadingOthers = false
  /// The entry for the next cycle.
  var published: TimebaseEntry?
  var publishedReading = TimebaseReading.absent
  /// The answers of timebase owners that clients may still read, by their numbers, and the number of the last one.
  private var answers: [Int: (owner: TransportEngine.OwnerID?, reading: TimebaseReading)] = [:]
  private var answerCount = 0
  var freewheelEnds: HostTime<LinkClock>?
  var isRendering: Bool { freewheelEnds != nil }
  /// Until when there is no server.
  var serverReturns: HostTime<LinkClock>
  /// Until when the server is not let run, and whether it takes that for a missed deadline also where it
  /// could make up for it.
  var heldUntil: HostTime<LinkClock>
  var noticesHold = false
  /// Whether the cycle was late, and the next one comes at once.
  var catchesUp = false
  var misses: MissedDeadlines
  /// When the bridge comes to run in this cycle, and until when it is not let run.
  var wakeUp: HostTime<LinkClock>
  var programHeldUntil: HostTime<LinkClock>

  // Link, and the bridge.
  var session: SimulatedSession
  var bridge: SimulatedBridge
  var joins: HostTime<LinkClock>?
  /// The side that is to lead, as the user has last said.
  var mode: SyncMode
  /// How many periods later than a cycle begins clients are heard, and how much later than that the user has chosen.
  var latencyPeriods: Int
  var offset = HostInterval.zero
  /// From when and until when the server answers no request, because a client that it has to tell of something
  /// hangs.
  var hangBegan: HostTime<LinkClock>
  var hangEnds: HostTime<LinkClock>
  /// Until when the bridge does not run.
  var bridgeReturns: HostTime<LinkClock>

  /// The play state that a fault has left of the observation.
  var seenPlay: PlayState?
  var seenTempo: Tempo?

  // The laws' memory.
  var record: Record
  var violation: Violation?
  /// How often each law was applied and excused.
  public internal(set) var ledger = Ledger()
  /// Every tempo that a user, client or peer has ever asked for, in beats per minute, and whether an owner
  /// has published nonsense.
  var askedTempos: [Double]
  var hasBeenLiedTo = false
  private(set) var lastDecision = Decision()
  /// When the program thought that this cycle began.
  private(set) var lastStart: HostTime<LinkClock>?

  /// Called at the end of every cycle, for people who want to see what happened.
  public var trace: ((Cycle) -> Void)?
  /// Writes a transcript, where one is wanted.
  var transcriber: Transcriber?

  let beginning = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
  /// When the server woke up for this cycle.
  var now: HostTime<LinkClock>
  /// How long a cycle takes by the sample rate.
  private(set) var periodDuration: HostInterval
  private var nextEvent = 0
  /// The cycles run so far.
  public private(set) var cycles = 0

  /// A simulation of a history, with everything right or one thing wrong.
  public init(_ history: History, fault: Fault? = nil) {
    self.history = history
    self.fault = fault
    let setup = history.setup
    random = Seeded(seed: setup.seed &* 7919 &+ 1)
    now = beginning
    heldUntil = beginning
    wakeUp = beginning
    programHeldUntil = beginning
    misses = MissedDeadlines(every: setup.misses, from: beginning, seed: setup.seed)
    serverReturns = beginning
    mode = setup.mode
    latencyPeriods = setup.hasLatency ? 2 : 0
    hangEnds = beginning - .seconds(1_000)
    hangBegan = hangEnds
    bridgeReturns = beginning
    clocks = MachineClocks(offset: setup.clockOffset, skew: setup.clockSkew, at: beginning)
    card = SoundCard(rate: setup.rate, skew: setup.skew, jitter: setup.jitter, from: beginning)
    engine = TransportEngine(period: setup.period, rules: setup.rules)
    periodDuration = HostInterval(FrameCount(Int64(setup.period)), at: setup.rate)
    loop = DelayLockedLoop(at: clocks.jack(at: beginning), period: periodDuration)
    session = SimulatedSession(tempo: setup.tempo, at: beginning)
    if setup.hasOtherBridge { session.otherBridge = Seeded(seed: setup.seed &* 6_700_417 &+ 3) }
    var configuration = setup.configuration
    fault?.bend(&configuration)
    bridge = SimulatedBridge(configuration, rate: setup.rate, at: beginning)
    record = Record(at: beginning, setup)
    // The tempos that peers have by themselves, too.
    askedTempos = [setup.tempo.beatsPerMinute, Tempo.standard.beatsPerMinute]
    setTimeout()
  }

  /// Runs the history to its end, or to the first violation, which it returns.
  public func run() -> Violation? {
    let end = beginning + history.duration
    while now < end, violation == nil { cycle() }
    transcriber?.pause()
    return violation
  }

  /// The time simulated so far.
  public var elapsed: HostInterval { now - beginning }

  /// The sides that play.
  public struct State: Sendable, Equatable {
    /// JACK's transport, held or not.
    public var jack: Bool
    /// The session, in the bridge's view and in its other peers'.
    public var ours: Bool, peers: Bool

    /// The sides that play.
    public init(jack: Bool, ours: Bool, peers: Bool) {
      (self.jack, self.ours, self.peers) = (jack, ours, peers)
    }
  }

  /// The sides that play now.
  public var state: State {
    State(
      jack: engine.motion != .stopped, ours: session.play.isPlaying, peers: session.peersPlay.isPlaying)
  }

  /// How long after a cycle begins its first frame counts as heard: the output latency, less the user's offset.
  var latency: HostInterval {
    HostInterval(FrameCount(Int64(engine.period) * Int64(latencyPeriods)), at: setup.rate) - offset
  }

  /// The server plays so many frames in a cycle from the next one on.
  func changePeriod(to frames: UInt32) {
    engine.period = frames
    periodDuration = HostInterval(FrameCount(Int64(frames)), at: setup.rate)
  }

  private func cycle() {
    cycles += 1
    while nextEvent < history.events.count {
      let time = beginning + history.events[nextEvent].time
      guard time <= card.time else { break }
      let event = placed(history.events[nextEvent].event)
      nextEvent += 1
      if event.needsServer, time < serverReturns { continue }
      switch event {
      case .command, .choice: if time < bridgeReturns { continue }
      default: break
      }
      // The bridge sees an event without a server when the server is back.
      transcriber?.pause()
      note(event, at: max(time, serverReturns))
      happen(event, at: time)
    }
    if let end = freewheelEnds, end <= card.time { endFreewheel() }
    if let miss = misses.pass(to: card.time) { happen(miss) }
    // A server that catches up is quick, and still takes time.
    now = max(card.wakeUp(&random), heldUntil, now + HostInterval(microseconds: 5))
    loop.wake(at: clocks.jack(at: now))
    // A cycle that was late is made up for by another at once: jackd2's way with timers.
    catchesUp = restartCard() && setup.rules.catchesUp && random.oneIn(2)
    session.pass(to: now, &random)
    if let time = joins, time <= now {
      joins = nil
      session.setEnabled(true, now: now, &random)
      record.enabled(now)
    }
    engine.beginCycle()
    shown = engine.reading == nil ? nil : published
    reading = engine.reading.flatMap { answers[$0]?.reading } ?? .absent
    isReadingOthers = engine.reading.map { answers[$0]?.owner == Simulation.other } ?? false
    ownersFrame = askedOwnerAt
    if now < bridgeReturns {
      passWithoutBridge()
    } else {
      lookAtCycle()
      if wakesUs() { decide() } else { publish(engine.motion, nil) }
      controlThread()
    }
    if let trace { trace(Cycle(self)) }
    transcriber?.note(self)
    serverFrame = serverFrame + engine.period
    if catchesUp {
      card.restart(at: now + HostInterval(microseconds: 60))
    } else {
      card.pass(engine.period)
    }
  }

  /// Whether the bridge runs in this cycle, and when: a little after the server, and not in one that is over
  /// by then.
  private func wakesUs() -> Bool {
    let way = random.oneIn(30) ? random.interval(0.05...0.3) : random.interval(0.012...0.05)
    wakeUp = max(now, programHeldUntil) + way
    return wakeUp < card.time + periodDuration || wakeUp - now < periodDuration
  }

  /// JACK and its clients go on without us.
  private func passWithoutBridge() {
    engine.carryOut(Decision())
    publish(engine.motion, nil)
    record.pass(engine)
  }

  // MARK: The cycle, as the program runs it

  /// The transport's frame in the bridge's view. Where the next cycle is run at once, that may be the next
  /// one's already, while the server's count, which the bridge has read before, is this one's.
  private var shownFrame: TransportFrame {
    let isTorn = catchesUp && engine.isRollingOn && (serverFrame.number / engine.period).isMultiple(of: 2)
    return isTorn ? engine.pendingFrame : engine.frame
  }

  private func decide() {
    let report = CycleClock.Report(
      frame: serverFrame, start: loop.start, next: loop.next, wakeUp: clocks.jack(at: wakeUp),
      period: engine.period)
    let span = bridge.wake(report, isFreewheeling: isRendering) { clocks.pair(at: wakeUp, &random) }
    guard let span else { return }
    lastStart = span.start
    record.lastRun = now
    let delay = bridge.delay(latency, while: engine.motion)
    var observation = bridge.observe(
      span, engine, at: shownFrame, delay: delay, told: bridge.told, reading: reading, session)
    fault?.bend(&observation, self)
    var decision = bridge.decide(observation, at: now)
    fault?.bend(&decision, observation, self)
    record.linkPlayed = session.play.isPlaying
    lookAt(decision, observation)
    lastDecision = decision
    let motion = engine.motion
    carryOut(decision, observation.link, at: span.next + delay.now)
    bridge.passed(observation, decision, setup.rules.refusesTimebase ? nil : bridge.grant)
    publish(motion, observation)
  }

  private func carryOut(
    _ decision: Decision, _ seen: LinkObservation, at output: HostTime<LinkClock>
  ) {
    engine.carryOut(decision)
    guard !decision.link.isEmpty else { return }
    let peers = session.peers
    let moved = session.send(decision.link, at: output, seeing: seen, now: now, &random)
    lookAtCommit(decision.link, moved: moved, peers: peers)
  }

  private func publish(_ motion: TransportState, _ observation: Observation?) {
    guard engine.asksOwner else { return }
    switch owner {
    case .me:
      guard let observation else { return engine.ownerMisses() }
      guard var entry = bridge.entry(for: engine.askedFrame), fault != .nothingPublished
      else { return engine.ownerAnswers(nil) }
      fault?.bend(&entry, self)
      bridge.published(entry)
      lookAt(entry, observation)
      published = entry
      publishedReading = TimebaseReading(entry)
    case .other:
      askedOwnerAt = engine.askedFrame
      let frame = otherOwner?.lead.shown(for: askedOwnerAt, while: motion, period: engine.period) ?? 0
      publishedReading = otherOwner?.reading(of: frame, setup.rate, &random) ?? .absent
    case .nobody: return
    }
    answerCount += 1
    answers[answerCount] = (engine.owner, publishedReading)
    if answers.count > 64 {
      // Some servers show the last one of each client, others the last one of all.
      answers = answers.filter { $0.key > answerCount - 8 || $0.value.owner != engine.owner }
    }
    engine.ownerAnswers(answerCount)
  }

  // MARK: The program's other half

  /// The work of the program's other half between two cycles: it drives the keeper of the timebase as
  /// `Bridge` does.
  private func controlThread() {
    if bridge.knownTempo != session.timeline.tempo {
      bridge.knownTempo = session.timeline.tempo
      happened(.positionChanged)
    }
    if bridge.turn.isTakenBack { happened(.positionChanged) }
    let hasReport = bridge.reports.contains { if case .grid = $0 { true } else { false } }
    if bridge.wakesControl, lastDecision.isNews || hasReport { happened(.checkDue) }
    lookAtLaunch()
    answer()
    takeAnswer()
    if bridge.nextCheck <= now {
      happened(.checkDue)
      bridge.nextCheck = now + bridge.keeper.checkInterval
    }
    (bridge.turn, bridge.wakesControl) = (TransportStep(), false)
  }

  private func lookAtLaunch() {
    let isAppointed = bridge.nextLook.map { $0 <= now } ?? false
    guard isAppointed || bridge.wakesControl else { return }
    let look = bridge.keeper.look(
      at: bridge.reconciler.pendingLaunch.map { $0.rollTime - latency }, now: now, period: periodDuration,
      isAppointed: isAppointed)
    if isAppointed { bridge.nextLook = nil }
    if let again = look.again { bridge.nextLook = now + again }
    request(look.action)
  }

  /// The keeper of the timebase takes note.
  func happened(_ event: TimebaseKeeper.Event) {
    let view = TimebaseKeeper.View(
      mode: bridge.choices.mode, tempoSync: bridge.choices.tempoSync,
      transport: engine.motion, tally: bridge.observer.tally)
    var action = bridge.keeper.take(event, seeing: view).action
    bridge.grant.isDisproved = bridge.keeper.isDisproved
    if event == .checkDue { fault?.bend(&action) }
    lookAt(action)
    request(action)
  }

  private func request(_ action: TimebaseAction) {
    guard action != .none else { return }
    bridge.request = action
    answer()
  }

  /// The server answers, unless a client that it has to tell of something hangs.
  private func answer() {
    guard bridge.request != .none, hangEnds <= now else { return }
    let action = bridge.request
    bridge.request = .none
    let questions = bridge.observer.tally.questions
    bridge.answer = (carryOut(action), questions, comes: now + setup.answerDelay)
    takeAnswer()
  }

  /// The bridge takes the server's answer, when it has come.
  private func takeAnswer() {
    guard let (answer, questions, comes) = bridge.answer, comes <= now else { return }
    bridge.answer = nil
    bridge.grant.questions = questions
    happened(.answered(answer))
  }

  private func carryOut(_ action: TimebaseAction) -> TimebaseAnswer {
    switch action {
    case .none: return .unknown
    case .ask: return ask()
    case .retake:
      let answer = ask()
      guard answer == .anothers else { return answer }
      take()
      return .retaken
    case .seize:
      take()
      return .retaken
    case .release:
      if engine.releaseTimebase(Simulation.us) { published = nil }
      return .nobodys
    }
  }

  /// The conditional request for the timebase.
  private func ask() -> TimebaseAnswer {
    guard engine.askForTimebase(Simulation.us) else { return .anothers }
    return setup.rules.refusesTimebase ? .ours : .granted
  }

  private func take() { engine.takeTimebase(Simulation.us) }
}

extension Setup {
  /// The user's choices.
  var configuration: Reconciler.Configuration {
    Reconciler.Configuration(
      quantum: quantum, meter: meter, startStopSync: startStopSync ? .both : .off, launch: launch,
      frameAlignment: frameAlignment,
      relocation: relocation, discipline: discipline, disciplineThreshold: Setup.disciplineThreshold,
      mode: mode, takeover: takeover, rules: rules.believed)
  }
}

extension Simulation {
  /// A cycle as it looked from outside.
  public struct Cycle: CustomStringConvertible {
    /// The time since the beginning of the history.
    public let time: HostInterval
    /// The state of JACK's transport.
    public let transport: TransportState
    /// The transport's frame.
    public let frame: TransportFrame
    /// Link's beat as that is heard, by the sound card's own clock.
    public let linkBeat: BeatTime
    /// The session's tempo.
    public let tempo: Tempo
    /// One line.
    public let description: String

    init(_ world: Simulation) {
      time = world.elapsed
      transport = world.engine.motion
      frame = world.engine.frame
      linkBeat = world.session.beat(at: world.card.time + world.latency)
      tempo = world.session.timeline.tempo
      let decision = world.lastDecision
      let position = world.published.map { "\(world.position($0))" } ?? "-"
      var words = [
        "\(Double(time.nanoseconds / 1_000) / 1e6) s", "\(world.engine.motion)",
        "frame \(world.engine.frame)",
        "owner \(world.owner)", "told \(world.bridge.told)", "leader \(world.bridge.reconciler.leader)",
        "link \(linkBeat)",
        "next \(position)", "peers \(world.session.peers)", world.session.play.isPlaying ? "plays" : "rests",
      ]
      words.append("woken \(world.wakeUp - world.card.time) late")
      if let start = world.lastStart {
        let source = world.bridge.observer.trustsServer ? "JACK's time" : "our clock"
        words.append("\(source) off by \(start - world.card.time)")
      }
      let play = world.session.captured
      words.append(
        "sees \(play.isPlaying ? "play" : "rest") of \((play.time - world.beginning).milliseconds) ms")
      if world.engine.isSyncCallback { words.append("asks") }
      if decision.holdsStart { words.append("held") }
      if let launch = world.bridge.reconciler.pendingLaunch {
        words.append("launch in \((launch.rollTime - world.now - world.latency).milliseconds) ms")
      }
      if let other = world.otherOwner {
        let reading = world.reading
        words.append("owner reads \(reading.bar)|\(reading.beat)|\(reading.tick)")
        words.append("is at \(other.beat(at: world.engine.frame, world.setup.rate))")
      }
      if let follow = world.bridge.reconciler.status().follow {
        words.append(
          "owner at \(follow.tempo?.ownersBeatsPerMinute ?? 0) bpm, off by \(follow.phaseError ?? .zero)")
      }
      if let request = decision.transport { words.append("\(request)") }
      if let play = decision.link.isPlaying { words.append(play.isPlaying ? "tells play" : "tells stop") }
      if let tempo = decision.link.tempo { words.append("sets \(tempo.tempo.beatsPerMinute) bpm") }
      if let beat = decision.link.beat {
        words.append("\(beat.isForced ? "forces" : "asks for") beat \(beat.beat)")
      }
      words += (decision.notices + world.bridge.reports).map { "\($0)" }
      description = words.joined(separator: ", ")
    }
  }
}
