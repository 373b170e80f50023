import MusicalTime
import Reconciliation
import Simulation

/// A JACK server and a Link session with peers, around a real reconciler.
struct Studio {
  var reconciler: Reconciler
  /// The reports about conditions, which stand among the notices of the cycle.
  private var reporter = ConditionReporter()
  var engine: TransportEngine
  var tempo: Tempo
  var peers = 1
  var isEnabled = true
  var owner = TimebaseOwner.me
  /// Another owner of the timebase: its position for a frame.
  ///
  /// While the transport does not roll it may be ahead of itself.
  var dawLead = WaitingLead(frames: 0)
  var daw: ((_ frame: TransportFrame) -> TimebaseReading)?
  /// Whether JACK asks about the next position in each cycle of a held start, as it does when it is asked to.
  var asksInStarting = false
  var choices: Choices
  var command: Command?
  /// The listener to the click.
  var listener: ClickListener?
  /// Whether JACK freewheels, twenty times as fast as it plays.
  var isFreewheeling = false
  var latency = HostInterval(nanoseconds: 10_666_667)
  /// Whether Link takes the bridge's starts and stops, or has a later press of a peer's.
  var takesPresses = true
  /// The start of the current cycle.
  private(set) var now = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
  /// The position that JACK clients read in the current cycle.
  private(set) var shown: TimebaseEntry?
  /// How often the bridge has published a position.
  private(set) var entries = 0
  /// Everything that was committed or asked for, oldest first.
  private(set) var decisions: [ReportedDecision] = []
  /// The observation of the last cycle.
  private(set) var observation: Observation?
  /// The start/stop state as peers have it.
  private(set) var isPlaying = false
  private(set) var timeForIsPlaying = HostTime<LinkClock>(nanoseconds: 0)
  /// Whether the bridge's own mapping has moved Link's beat while peers were there.
  private(set) var hasMovedPeers = false

  private(set) var beat = BeatTime.zero
  private(set) var timeOfBeat = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
  private var published: TimebaseEntry?
  private var dawPublished: TimebaseReading?
  private var serverFrame: ServerFrame = 0
  private var watch = TransportWatch()

  init(
    _ configuration: Reconciler.Configuration = .init(), period: UInt32 = 256, tempo: Tempo = .standard
  ) {
    reconciler = Reconciler(configuration)
    choices = configuration.choices
    engine = TransportEngine(period: period, rules: configuration.rules)
    self.tempo = tempo
  }

  var periodDuration: HostInterval { HostInterval(FrameCount(Int64(engine.period)), at: .standard) }

  /// When the current cycle is heard.
  var output: HostTime<LinkClock> { now + latency }

  func linkBeat(at time: HostTime<LinkClock>) -> BeatTime { beat + tempo.beats(in: time - timeOfBeat) }

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

  private func distance(_ position: BeatTime) -> Beats {
    let quantum = reconciler.configuration.quantum
    return position.phase(in: quantum).distance(from: linkBeat(at: output).phase(in: quantum))
  }

  /// The start/stop state. Link counts microseconds.
  private var play: PlayState {
    let time = HostTime<LinkClock>(microseconds: timeForIsPlaying.microseconds)
    return PlayState(isPlaying: isPlaying, time: time, beat: linkBeat(at: time))
  }

  // MARK: Actions of others

  mutating func peerPlays(at time: HostTime<LinkClock>? = nil) {
    isPlaying = true
    timeForIsPlaying = time ?? now
  }

  mutating func peerStops(at time: HostTime<LinkClock>? = nil) {
    isPlaying = false
    timeForIsPlaying = time ?? now
  }

  mutating func changeTempo(to new: Tempo) {
    beat = linkBeat(at: now)
    timeOfBeat = now
    tempo = new
  }

  mutating func shiftGrid(by beats: Beats) { beat = beat + beats }

  /// The machine stands still, and the server's time with it.
  mutating func stall(for interval: HostInterval) { now = now + interval }

  /// The other owner is gone, and its position with it; the bridge does not have the timebase yet.
  mutating func ownerDies() {
    daw = { _ in .absent }
    dawPublished = .absent
  }

  // MARK: Cycles

  @discardableResult
  mutating func cycle() -> Decision {
    engine.beginCycle()
    shown = published
    let next = now + periodDuration + latency
    let position = owner == .other ? dawPublished ?? .absent : .absent
    let observation = Observation(
      jack: .cycle(
        engine.motion, at: engine.frame, period: engine.period, counted: serverFrame, from: now,
        lasting: periodDuration, latency: latency, seenBy: &watch, owner: owner, position: position,
        isSyncCallback: engine.isSyncCallback, isFreewheeling: isFreewheeling),
      link: LinkObservation(
        tempo: tempo, beat: linkBeat(at: next), play: play, isEnabled: isEnabled,
        peers: peers),
      choices: choices, command: command)
    self.observation = observation
    let decision = reconciler.reconcile(observation)
    let conditions = reconciler.conditions(peers: peers)
    decisions.append(ReportedDecision(decision, conditions, at: now, by: &reporter))
    command = nil
    listener?.listen(observation, &reconciler)
    carryOut(decision, at: next)
    if let daw, engine.isNewPosition || engine.motion == .rolling {
      dawPublished = daw(dawLead.shown(for: engine.askedFrame, while: engine.motion, period: engine.period))
    }
    guard owner == .me else { return decision }
    if engine.isNewPosition || engine.motion == .rolling || asksInStarting {
      published = reconciler.entry(forFrame: engine.pendingFrame)
      entries += 1
      if let published { listener?.song.publish(published, forFrame: engine.pendingFrame) }
    }
    return decision
  }

  /// Goes on to the next cycle's start.
  mutating func pass() {
    let length = periodDuration
    now = now + (isFreewheeling ? HostInterval(nanoseconds: length.nanoseconds / 20) : length)
    serverFrame = serverFrame + engine.period
  }

  private mutating func carryOut(_ decision: Decision, at next: HostTime<LinkClock>) {
    engine.carryOut(decision)
    if let edit = decision.link.tempo {
      beat = linkBeat(at: edit.time)
      timeOfBeat = edit.time
      tempo = edit.tempo
    }
    if let edit = decision.link.beat, edit.isForced || peers == 0 {
      hasMovedPeers = hasMovedPeers || peers > 0
      beat = edit.beat
      timeOfBeat = next
    }
    if let play = decision.link.isPlaying, takesPresses {
      isPlaying = play.isPlaying
      timeForIsPlaying = play.time
    }
  }

  /// Runs cycles until `condition` holds, at most for `seconds`, and returns whether it came to hold. The
  /// state is that of the cycle in which it did.
  @discardableResult
  mutating func run(seconds: Double = 30, until condition: (Studio) -> Bool = { _ in false }) -> Bool {
    let end = now + HostInterval(nanoseconds: Int64(seconds * 1e9))
    while now < end {
      pass()
      cycle()
      if condition(self) { return true }
    }
    return false
  }

  var isRolling: Bool { engine.motion == .rolling }
}
