import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@testable import Simulation

/// The simulated world at its quietest: a JACK server, a bridge and a Link session with peers, in which nothing is late, lost
/// or measured wrongly.
struct Studio {
  private(set) var bridge: SimulatedBridge
  var engine: TransportEngine
  private(set) var session: SimulatedSession
  private(set) var card: SoundCard
  private var random = Seeded(seed: 1)
  private var serverFrame: ServerFrame = 0
  /// When a peer last did something: Link's microseconds are not the same for two.
  private var lastAct = HostTime<LinkClock>(nanoseconds: 0)

  var owner = TimebaseOwner.me
  /// Another owner of the timebase: its position for a frame.
  ///
  /// While the transport does not roll it may be ahead of itself.
  var dawLead = WaitingLead(frames: 0)
  var daw: ((_ frame: TransportFrame) -> TimebaseReading)? { didSet { if daw != nil { owner = .other } } }
  private var dawPublished: TimebaseReading?
  /// Whether JACK asks about the next position, in each cycle or in none; `nil` for where it has to be known.
  var asks: Bool?
  /// How far the frame that the bridge reads is from the transport's.
  var torn = FrameCount(0)
  var command: Command?
  /// The listener to the click.
  var listener: ClickListener?
  /// Whether JACK freewheels, twenty times as fast as it plays.
  var isFreewheeling = false { didSet { card.hurry = isFreewheeling ? 20 : 1 } }
  var latency: HostInterval {
    get { delay.now }
    set { delay = CycleDelay(now: newValue) }
  }
  /// The same, and what is left of a gradual change of it.
  var delay = CycleDelay(now: HostInterval(nanoseconds: 10_666_667))
  /// The delay that is approached as in the program, if the test has chosen one.
  var wantedDelay: OutputDelay?
  /// Whether JACK does what the bridge requests, and Link what it commits, unless a peer was later.
  var isHeeded = (jack: true, link: true)
  /// The start/stop state that Link shows instead of its own.
  var shownPlay: PlayState?
  /// The position that JACK clients read in the current cycle, and in the next one.
  private(set) var shown: TimebaseEntry?
  private(set) var published: TimebaseEntry?
  /// Everything that was committed or asked for, oldest first.
  private(set) var decisions: [ReportedDecision] = []
  var notices: [Notice] { decisions.flatMap(\.notices) }
  /// The observation of the last cycle.
  private(set) var observation: Observation?
  /// Whether the bridge's own mapping has moved Link's beat while peers were there.
  private(set) var hasMovedPeers = false

  init(
    _ configuration: Reconciler.Configuration = .init(), period: UInt32 = 256, tempo: Tempo = .standard,
    peers: Int = 1, skew: Double = 0
  ) {
    let beginning = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
    bridge = SimulatedBridge(configuration, rate: .standard, at: beginning)
    engine = TransportEngine(period: period, rules: TransportRules(of: configuration.rules))
    card = SoundCard(rate: .standard, skew: skew, jitter: .zero, from: beginning)
    session = SimulatedSession(tempo: tempo, at: beginning)
    session.network = .init(delay: 0...0, loss: .max)
    (session.handOver, session.lateHandOver) = (0...0, 0...0)
    self.peers = peers
  }

  /// The observation of a first cycle.
  static func firstCycle(rolling: Bool = false, period: UInt32 = 256) throws -> Observation {
    var studio = Studio(period: period)
    if rolling { studio.engine.put(.rolling) }
    studio.cycle()
    return try #require(studio.observation)
  }

  var reconciler: Reconciler {
    get { bridge.reconciler }
    set { bridge.reconciler = newValue }
  }
  var choices: Choices {
    get { bridge.choices }
    set { bridge.choices = newValue }
  }

  /// The start of the current cycle.
  var now: HostTime<LinkClock> { card.time }

  var periodDuration: HostInterval { HostInterval(FrameCount(Int64(engine.period)), at: .standard) }

  /// When the current cycle is heard.
  var output: HostTime<LinkClock> { now + latency }

  var isRolling: Bool { engine.motion == .rolling }
  var tempo: Tempo { session.timeline.tempo }
  /// Whether the session plays.
  var isPlaying: Bool { session.play.isPlaying }

  func linkBeat(at time: HostTime<LinkClock>) -> BeatTime { session.beat(at: time) }

  /// How far the phase of frames times tempo is from Link's in the current cycle.
  var frameError: HostInterval {
    let nominal = BeatTime(sinceZero: tempo.beats(in: engine.frame.sinceZero, at: .standard))
    return tempo.interval(of: distance(nominal))
  }

  /// Whether what JACK clients read in the current cycle has Link's phase.
  func isShownInPhase(within tolerance: HostInterval) -> Bool {
    guard let shown else { return false }
    return tempo.interval(of: distance(shown.position.position)).magnitude <= tolerance
  }

  /// How far a position is from Link's phase in the current cycle.
  func distance(_ position: BeatTime) -> Beats {
    let quantum = reconciler.configuration.quantum
    return position.phase(in: quantum).distance(from: linkBeat(at: output).phase(in: quantum))
  }

  // MARK: Actions of others

  var isEnabled: Bool {
    get { session.isEnabled }
    set { act { $0.setEnabled(newValue, now: $1, &$2) } }
  }

  var peers: Int {
    get { session.peers }
    set { act { [way = newValue - peers] in way < 0 ? $0.leave(-way) : $0.meet(way, at: $1, &$2) } }
  }

  mutating func peerPlays(at time: HostTime<LinkClock>? = nil) { peerPresses(true, at: time ?? now) }
  mutating func peerStops(at time: HostTime<LinkClock>? = nil) { peerPresses(false, at: time ?? now) }
  private mutating func peerPresses(_ isPlaying: Bool, at time: HostTime<LinkClock>) {
    act { $0.peerPresses(isPlaying, at: time, now: $1, &$2) }
  }

  /// A peer changed the tempo some time ago; Link's beat has run at the new one since.
  mutating func changeTempo(to new: Tempo, delay: HostInterval = .zero) {
    guard peers == 0 else { return act { $0.peerChangesTempo(to: new, now: $1 - delay, &$2) } }
    join(SimulatedSession.Timeline(tempo: new, beat: linkBeat(at: now), time: now, stamp: .zero))
  }

  /// Moves Link's grid, as joining another session does.
  mutating func shiftGrid(by beats: Beats) {
    join(SimulatedSession.Timeline(tempo: tempo, beat: linkBeat(at: now) + beats, time: now, stamp: .zero))
  }

  private mutating func join(_ timeline: SimulatedSession.Timeline) {
    act { $0.meet(0, timeline, at: $1, &$2) }
  }

  /// Peers do something right after the cycle, which the next one sees.
  private mutating func act(
    _ act: (inout SimulatedSession, HostTime<LinkClock>, inout Seeded) -> Void
  ) {
    lastAct = max(now, lastAct) + HostInterval(microseconds: 1)
    act(&session, lastAct, &random)
    session.pass(to: lastAct, &random)
  }

  /// Something of what happens in histories, in this cycle or right after it.
  mutating func happen(_ event: Event) {
    switch event {
    case .clientStarts: engine.start()
    case .clientStops: engine.stop()
    case .clientLocates(let frame): engine.locate(to: frame)
    case .peerStarts(let wait): peerPlays(at: now + wait)
    case .peerStops: peerStops()
    case .peerChangesTempo(let tempo): changeTempo(to: tempo)
    case .peersJoin(let count, _): peers += count
    case .peersLeave(let count): peers -= count
    case .command(let command): self.command = command
    case .choice(let choice): choices.take(choice)
    case .stall(let interval, _): card.stall(for: interval)
    default: preconditionFailure("In a studio it does not happen that \(event).")
    }
  }

  /// The other owner is gone, and its position with it; the bridge does not have the timebase yet.
  mutating func ownerDies() {
    daw = { _ in .absent }
    dawPublished = .absent
  }

  // MARK: Cycles

  // Each use of a property that is computed would have all of the studio be copied.
  @discardableResult
  mutating func cycle() -> Decision {
    let now = card.time
    engine.beginCycle()
    shown = published
    session.pass(to: now, &random)
    let wakeUp = HostTime<JACKClock>(nanoseconds: now.nanoseconds)
    let nominal = HostInterval(FrameCount(Int64(engine.period)), at: .standard)
    let length = HostInterval(nanoseconds: Int64(Double(nominal.nanoseconds) / (1 + card.skew)))
    let report = CycleClock.Report(
      frame: serverFrame, start: wakeUp, next: wakeUp + length, wakeUp: wakeUp, period: engine.period)
    let span = bridge.wake(report, isFreewheeling: isFreewheeling) { (wakeUp, now, wakeUp) }
    guard let span else { preconditionFailure("The clocks are compared in the first cycle.") }
    if let wantedDelay { delay = bridge.observer.delay(wantedDelay, while: engine.motion) }
    if let command { bridge.give(command) }
    command = nil
    let reading = owner == .me ? shown.map(TimebaseReading.init) : owner == .other ? dawPublished : nil
    var observation = bridge.observe(
      span, engine, at: engine.frame + torn, delay: delay, told: owner, reading: reading ?? .absent,
      session)
    if let shownPlay { observation.link.play = shownPlay }
    self.observation = observation
    let decision = bridge.decide(observation, at: now)
    decisions.append(ReportedDecision(decision, reports: bridge.reports))
    listener?.listen(observation, &bridge.reconciler)
    carryOut(decision, observation.link, at: span.next + latency)
    bridge.passed(observation, decision, nil)
    publish()
    return decision
  }

  private mutating func carryOut(
    _ decision: Decision, _ seen: LinkObservation, at output: HostTime<LinkClock>
  ) {
    if isHeeded.jack { engine.carryOut(decision) } else { engine.answer(isReady: !decision.holdsStart) }
    guard isHeeded.link, !decision.link.isEmpty else { return }
    if session.peers > 0, decision.link.beat?.isForced == true { hasMovedPeers = true }
    _ = session.send(decision.link, at: output, seeing: seen, now: card.time, &random)
    session.pass(to: card.time, &random)
  }

  private mutating func publish() {
    guard asks ?? (engine.isNewPosition || engine.motion == .rolling) else { return }
    if let daw {
      dawPublished = daw(dawLead.shown(for: engine.askedFrame, while: engine.motion, period: engine.period))
    }
    guard owner == .me else { return }
    published = bridge.entry(for: engine.pendingFrame)
    guard let published else { return }
    bridge.published(published)
    listener?.song.publish(published, forFrame: engine.pendingFrame)
  }

  /// Goes on to the next cycle's start.
  mutating func pass() {
    card.pass(engine.period)
    serverFrame = serverFrame + engine.period
  }

  /// Goes on to the next cycle, and runs it.
  @discardableResult
  mutating func step() -> Decision {
    pass()
    return cycle()
  }

  /// The same, and returns the entry that JACK clients read in the next one.
  mutating func entry() throws -> TimebaseEntry {
    step()
    return try #require(published)
  }

  /// JACK skips the bridge in some cycles, which the server runs all the same.
  mutating func miss(_ cycles: Int) {
    for _ in 0..<cycles {
      pass()
      engine.beginCycle()
    }
  }

  /// Runs cycles after some events until `condition` holds, at most for `seconds`, and returns whether it came to hold.
  /// The state is that of the cycle in which it did.
  @discardableResult
  mutating func run(
    seconds: Double = 30, after events: Event..., until condition: (Studio) -> Bool = { _ in false }
  ) -> Bool {
    for event in events { happen(event) }
    let end = card.time + .seconds(seconds)
    while card.time < end {
      step()
      if condition(self) { return true }
    }
    return false
  }
}

extension SimulatedSession {
  /// Peers come, into the bridge's session or from one of their own, which plays or does not as before.
  fileprivate mutating func meet(
    _ count: Int, _ timeline: Timeline? = nil, at time: HostTime<LinkClock>, _ random: inout Seeded
  ) {
    join(count, timeline, isPlaying: peersPlay.isPlaying, tellsPlay: false, now: time, &random)
  }
}

extension Event {
  /// The machine stands still.
  static func stalls(for interval: HostInterval) -> Event { .stall(interval, isNoticed: true) }
}

extension TransportRules {
  /// Those of a server that the bridge goes by these rules on.
  fileprivate init(of believed: ServerRules) {
    self = believed.refusesTimebase ? .jackd2 : believed.takesTransportLate ? .modernPipewire : .pipewire
  }
}

extension ServerRules {
  /// Those of jackd2, with a bound on how long a start can be held.
  static func holding(for longest: HostInterval) -> ServerRules {
    var rules = jackd2
    rules.longestHold = longest
    return rules
  }
}

extension Quantum {
  static let four = Quantum(barOf: .common)
}
