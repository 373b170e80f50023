import MusicalTime
import PropertyTesting
import Reconciliation

/// The program as it is: its parts that observe, decide and keep the timebase. The parts that carry out
/// decisions are left out: that is the simulation's business.
struct SimulatedBridge: Sendable {
  var reconciler: Reconciler
  var observer: CycleObserver
  var keeper: TimebaseKeeper
  /// The bridge's reports of what holds.
  var reporter = ConditionReporter()
  /// The reports about conditions that were due in the last cycle.
  var reports: [Notice] = []
  /// The user's choices.
  var choices: Choices
  /// The user's commands that the cycle has not taken yet, each with the choices at that time.
  var requests: [(command: Command, choices: Choices)] = []
  /// The request to the server, until it answers.
  var request = TimebaseAction.none
  /// The server's answer on its way, and when it comes.
  var answer: (TimebaseAnswer, questions: Int, comes: HostTime<LinkClock>)?
  var nextCheck: HostTime<LinkClock>
  /// When a start that is waited for is to be looked at.
  var nextLook: HostTime<LinkClock>?
  var knownTempo: Tempo?
  /// The transport's change in this cycle.
  var turn = TransportStep()
  /// Whether the cycle has something to tell, and has the program's other half look.
  var wakesControl = false

  /// The last grant of a server that grants the timebase to any client.
  var grant = TimebaseGrant()
  /// The owner of the timebase when it was last asked for, as far as JACK tells.
  var told: TimebaseOwner { keeper.told }
  /// The owner, as far as the bridge knows.
  var owner: TimebaseOwner { keeper.owner }

  /// How long after a cycle begins its first frame counts as heard, when a gradual change is over.
  private var wantedDelay: OutputDelay?

  /// The user has chosen an offset with which it is to be so long.
  mutating func choose(delay: HostInterval) { wantedDelay?.userChose(delay) }

  /// How long it is in this cycle, while the server's latency has it come to so much.
  mutating func delay(_ total: HostInterval, while motion: TransportState) -> CycleDelay {
    var wanted = wantedDelay ?? OutputDelay(total)
    wanted.serverChanged(to: total)
    wantedDelay = wanted
    return observer.delay(wanted, while: motion)
  }

  /// Gives the cycle a command.
  mutating func give(_ command: Command) { requests.append((command, choices)) }

  init(_ configuration: Reconciler.Configuration, rate: SampleRate, at time: HostTime<LinkClock>) {
    observer = CycleObserver(rate: rate)
    reconciler = Reconciler(configuration)
    choices = configuration.choices
    keeper = TimebaseKeeper(takeover: configuration.takeover)
    nextCheck = time
  }
}

/// A cycle as the program runs it: each function is called once, in this order.
extension SimulatedBridge {
  /// Takes the server's report of a cycle, and a reading of both clocks where that is due. Returns when the cycle begins,
  /// and the next one; `nil` as long as the clocks were not compared.
  mutating func wake(
    _ report: CycleClock.Report, isFreewheeling: Bool, readClocks: () -> MachineClocks.Pair
  ) -> (start: HostTime<LinkClock>, next: HostTime<LinkClock>)? {
    if observer.wake(report, isFreewheeling: isFreewheeling) {
      let pair = readClocks()
      observer.pair(before: pair.before, link: pair.link, after: pair.after)
    }
    return observer.span
  }

  /// Looks at JACK, where the transport is at `frame` in its view and clients read a position, at Link, and takes the user's
  /// next command.
  mutating func observe(
    _ span: (start: HostTime<LinkClock>, next: HostTime<LinkClock>), _ engine: TransportEngine,
    at frame: TransportFrame, delay: CycleDelay, told: TimebaseOwner, reading: TimebaseReading,
    _ session: SimulatedSession
  ) -> Observation {
    let request = requests.isEmpty ? nil : requests.removeFirst()
    let needsReading = observer.needsReading(told: told, while: engine.motion)
    return Observation(
      jack: observer.observation(
        span, engine.motion, frame: frame, delay: delay, told: told,
        reading: needsReading ? reading : nil, isSyncCallback: engine.isSyncCallback),
      link: LinkObservation(
        tempo: session.timeline.tempo, beat: session.beat(at: span.next + delay.now), play: session.captured,
        isEnabled: session.isEnabled, peers: session.shownPeers),
      choices: request?.choices ?? choices, command: request?.command)
  }

  /// Decides, and finds the reports about conditions that are due.
  mutating func decide(_ observation: Observation, at now: HostTime<LinkClock>) -> Decision {
    let decision = reconciler.reconcile(observation)
    reports = reporter.reports(reconciler.conditions(peers: observation.link.peers), at: now)
    return decision
  }

  /// Takes note of the cycle's end; `grant` is `nil` where a server refuses a timebase that another client has.
  mutating func passed(_ observation: Observation, _ decision: Decision, _ grant: TimebaseGrant?) {
    observer.passed(observation.jack.transport, granted: grant)
    turn = observation.jack.step
    wakesControl =
      turn.hasStarted || turn.hasStopped || decision.isNews || !(decision.notices + reports).isEmpty
  }

  /// JACK asks it, as the timebase owner, for the position of a frame; `nil` where it has none.
  mutating func entry(for frame: TransportFrame) -> TimebaseEntry? {
    observer.asked()
    return reconciler.entry(forFrame: frame)
  }

  /// Takes note of what it has published.
  mutating func published(_ entry: TimebaseEntry) {
    observer.published(entry.position, beatsPerMinute: entry.beatsPerMinute)
  }
}
