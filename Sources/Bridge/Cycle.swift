import AbletonLink
import JACK
import MusicalTime
import Realtime
import Reconciliation

/// One JACK cycle, from clock to timebase: read this first.
///
///     wake-up, cycle times, transport ─> CycleObserver ─┐
///     Link's beat there, what was pressed ──────────────┴─> Observation ─> Reconciler ─> Decision
///
///     Decision ─┬─> the next cycle's bar, beat, tick
///               ├─> JACK start, stop, relocate, wait
///               └─> one Link edit, only on change ─> SessionWriter
///
/// JACK calls `process` in every cycle; before it, while the transport is about to roll, `sync`, which asks
/// whether it may; and after it, when JACK wants to know the next position, `timebase`. The decision is made
/// in whichever of the first two comes first.
///
/// Everything here runs on JACK's real-time thread and follows its rule: nothing allocates, locks, waits or
/// logs. `@_noLocks` has the compiler check that through every call.
final class Cycle: RealtimeHandler {
  private let link: AudioThreadAccess
  // It keeps the channels whose ends are used.
  private let channels: CycleChannels
  private let orders: CycleOrders.Readers
  private let grant: LatestValue<TimebaseGrant>.Reader?
  private let tally: LatestValue<TimebaseTally>.Writer?
  private let desk: TransportDesk.Counter?
  private let writer: SessionWriter.Sender
  private let wakeup: Wakeup.Sender
  private let notices: Ring<CycleNotice>.Writer
  private let status: LatestValue<CycleStatus>.Writer
  // Touched by the real-time thread only. A plain pointer: class properties are guarded by run-time checks.
  private let state: UnsafeMutablePointer<State>

  private struct State {
    var reconciler: Reconciler
    var observer: CycleObserver
    /// The ports that play along with the song, where there are any.
    var ports: SongPorts?
    /// Whether the ports have got the song's end.
    var portsHaveEnded = false
    /// Link's state in this cycle, with the decision's changes.
    var session: SessionState<AudioThread>
    var status = CycleStatus()
    /// Whether the control thread is to look.
    var wakesControl = false
    /// Whether this cycle's decision has been made, in `sync`.
    var isDecided = false
    var lastReport: HostTime<JACKClock>?
  }

  private enum Pace {
    /// The shortest interval between two reports of the status while a program reads it: a screen cannot show
    /// more.
    static var watched: HostInterval { .milliseconds(50) }
    /// The interval while none does, and nothing changes: a status is never older than that when it is first
    /// read.
    static var unwatched: HostInterval { .milliseconds(250) }
    /// The least change of a start's time that is reported: half of the time between two looks of the control
    /// thread before it.
    static var launch: HostInterval { .milliseconds(4) }
    /// How long a program counts as a reader after it has read the status.
    static var attention: HostInterval { .seconds(2) }
  }

  init(
    _ configuration: Reconciler.Configuration, rate: SampleRate, link: AudioThreadAccess,
    channels: CycleChannels
  ) {
    self.link = link
    self.channels = channels
    orders = CycleOrders.Readers(channels.orders)
    grant = channels.grants?.latest.reader
    tally = channels.grants?.tally.writer
    desk = channels.desk?.counter
    writer = channels.session.sender
    wakeup = channels.wakeup.sender
    notices = channels.notices.writer
    status = channels.status.writer
    state = .allocate(capacity: 1)
    state.initialize(
      to: State(
        reconciler: Reconciler(configuration), observer: CycleObserver(rate: rate),
        session: link.captureSessionState()))
    super.init()
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  /// Has ports play along with the song. Only before JACK calls.
  func set(_ ports: SongPorts?) { state.pointee.ports = ports }

  @_noLocks
  override func sync(_ cycle: CycleContext, state transport: TransportState, position: PositionReading)
    -> Bool
  {
    state.pointee.isDecided = true
    return !decide(cycle, isSyncCallback: true)
  }

  @_noLocks
  override func process(_ cycle: CycleContext) {
    if !state.pointee.isDecided { decide(cycle, isSyncCallback: false) }
    state.pointee.isDecided = false
    state.pointee.ports?.play(cycle)
  }

  /// Looks, decides and acts, once in a cycle. Returns whether the transport has to wait.
  @_noLocks
  @discardableResult
  private func decide(_ cycle: CycleContext, isSyncCallback: Bool) -> Bool {
    let wakeUp = cycle.now()
    if let rate = cycle.sampleRate, rate.hertz != state.pointee.observer.rate.hertz { begin(at: rate) }
    guard let server = cycle.cycleTimes() else { return false }
    let wake = CycleClock.Report(
      frame: server.frame, start: server.start, next: server.next, wakeUp: wakeUp, period: cycle.frameCount)
    if state.pointee.observer.wake(wake, isFreewheeling: cycle.isFreewheeling) {
      let before = cycle.now()
      let now = link.now()
      state.pointee.observer.pair(before: before, link: now, after: cycle.now())
    }
    guard let span = state.pointee.observer.span else { return false }
    let transport = cycle.transportMotion()
    let motion = transport.state
    let told = orders.owner.read()
    let reading =
      state.pointee.observer.needsReading(told: told, while: motion)
      ? cycle.transport().position.timebase : nil
    let delay = state.pointee.observer.delay(orders.delay.read(), while: motion)
    let latency = delay.now
    let quantum = quantum
    let session = look(at: span.next + latency, quantum)
    var command: Command?
    var choices = orders.choices.read()
    if let request = orders.commands.pop() { (command, choices) = (request.command, request.choices) }
    let observation = Observation(
      jack: state.pointee.observer.observation(
        span, motion, frame: transport.frame, delay: delay, told: told, reading: reading,
        isSyncCallback: isSyncCallback),
      link: LinkObservation(
        tempo: session.tempo, beat: session.beat, play: PlayState(session),
        isEnabled: link.isEnabled, peers: link.numberOfPeers),
      choices: choices, command: command)

    let decision = state.pointee.reconciler.reconcile(observation)
    carryOut(decision, cycle, observation.link, at: span.next + latency, quantum)
    note(observation, decision)
    playAlong(observation)
    if isReportDue(at: wakeUp, in: span.start) {
      state.pointee.lastReport = wakeUp
      let heard =
        state.pointee.session.beat(at: span.start + latency, quantum: quantum)
        - state.pointee.reconciler.view.downbeat
      report(observation, heard: heard, at: span.start + latency, cycle)
    }
    if !decision.link.isEmpty { writer.wake() }
    if state.pointee.wakesControl {
      state.pointee.wakesControl = false
      wakeup.send()
    }
    return decision.holdsStart
  }

  @_noLocks
  override func timebase(
    _ cycle: CycleContext, state transport: TransportState, next: TimebasePosition, isNewPosition: Bool
  ) {
    // No client is to read the previous position, or none, from a transport that stands.
    if isNewPosition { state.pointee.lastReport = nil }
    state.pointee.observer.asked()
    tally?.write(state.pointee.observer.tally)
    guard let entry = state.pointee.reconciler.entry(forFrame: next.frame) else {
      next.clear()
      return
    }
    let position = state.pointee.reconciler.configuration.legible(entry.position)
    next.publish(position, beatsPerMinute: entry.beatsPerMinute)
    state.pointee.observer.published(position, beatsPerMinute: entry.beatsPerMinute)
    state.pointee.ports?.publish(entry, forFrame: next.frame)
  }

  /// Link's session, with the decided edits that are not committed yet.
  @inline(__always) @_noLocks
  private func look(at time: HostTime<LinkClock>, _ quantum: Quantum) -> SessionReading {
    let waiting = writer.waiting
    let reading = link.captureSessionState(into: &state.pointee.session, at: time, quantum: quantum)
    guard waiting > 0 else { return reading }
    writer.foresee(waiting, in: &state.pointee.session)
    return state.pointee.session.reading(at: time, quantum: quantum)
  }

  /// The server plays at another rate from this cycle on: beats go on, and frames are counted anew.
  @inline(never) @_noLocks
  private func begin(at rate: SampleRate) {
    state.pointee.observer.begin(at: rate)
    state.pointee.ports?.begin(at: rate)
  }

  /// Passes the cycle to the ports that play along with the song, if there are any.
  @inline(__always) @_noLocks
  private func playAlong(_ observation: Observation) {
    if case .none = state.pointee.ports { return }
    if let songEnds = orders.songEnds, songEnds.read() { return endSong() }
    let owner = state.pointee.reconciler.ownersPlace(at: state.pointee.observer.rate)
    let reconciler = state.pointee.reconciler.status()
    var observation = observation
    if let session = state.pointee.reconciler.view.seen { observation.link = session }
    state.pointee.ports?.take(
      observation, leader: reconciler.leader, owner: owner, launch: reconciler.launch, quantum: quantum,
      bars: state.pointee.reconciler.bars, lead: orders.clickLead.read())
  }

  /// Has the ports end the song in this cycle, and reports the end in the next: then the messages have left.
  @_noLocks
  private func endSong() {
    guard state.pointee.portsHaveEnded else {
      state.pointee.portsHaveEnded = true
      state.pointee.ports?.end()
      return
    }
    guard !state.pointee.status.songHasEnded else { return }
    state.pointee.status.songHasEnded = true
    state.pointee.lastReport = nil
    state.pointee.wakesControl = true
  }

  private var quantum: Quantum {
    @_noLocks get { state.pointee.reconciler.configuration.quantum }
  }

  @_noLocks
  private func isReportDue(at time: HostTime<JACKClock>, in cycle: HostTime<LinkClock>) -> Bool {
    guard let last = state.pointee.lastReport else { return true }
    // Also when the clock was set back.
    let age = (time - last).magnitude
    guard age >= Pace.watched else { return false }
    // The control thread prepares a waiting start by its status.
    if case .some = state.pointee.status.start.roll { return true }
    if age >= Pace.unwatched { return true }
    return cycle - orders.lastLook.read() <= Pace.attention
  }

  @inline(__always) @_noLocks
  private func carryOut(
    _ decision: Decision, _ cycle: CycleContext, _ seen: LinkObservation, at time: HostTime<LinkClock>,
    _ quantum: Quantum
  ) {
    switch decision.transport {
    case .none: break
    case .start: if let desk { desk.ask(.start) } else { cycle.startTransport() }
    case .stop: if let desk { desk.ask(.stop) } else { cycle.stopTransport() }
    case .relocate(let frame): cycle.repositionTransport(to: frame)
    case .locate(let frame): cycle.locateTransport(to: frame)
    }
    guard !decision.link.isEmpty else { return }
    // A session that takes no more of them is seen as it is by the next cycle.
    guard writer.send(SentEdit(decision.link, at: time, in: quantum, seeing: seen)) else { return }
    writer.foresee(1, in: &state.pointee.session)
    state.pointee.status.counts.commits &+= 1
    // The status counts it at once.
    state.pointee.lastReport = nil
  }

  /// Keeps the books that must not miss a cycle.
  @inline(__always) @_noLocks
  private func note(_ observation: Observation, _ decision: Decision) {
    if let press = decision.press { notify(.notice(.transport(press))) }
    if let correction = decision.correction { notify(.notice(.transport(correction))) }
    if let restoration = decision.restoration { notify(.notice(.grid(restoration))) }
    if let answer = decision.answer { notify(.notice(.grid(answer))) }
    if decision.isNews {
      state.pointee.lastReport = nil
      state.pointee.wakesControl = true
    }
    note(observation.jack.step)
    state.pointee.observer.passed(observation.jack.transport, granted: grant?.read())
    tally?.write(state.pointee.observer.tally)
    if let edit = decision.link.tempo {
      state.pointee.status.session.steered = edit.isSteering ? edit.tempo : nil
      // Before Link reports it.
      state.pointee.lastReport = nil
    }
    let tempo = decision.link.tempo?.tempo ?? observation.link.tempo
    // The status is to show a tempo or number of peers as soon as Link's own notices report it.
    if tempo != state.pointee.status.session.tempo { state.pointee.lastReport = nil }
    if observation.link.peers != state.pointee.status.session.peers { state.pointee.lastReport = nil }
    state.pointee.status.session.tempo = tempo
    // The control thread is to prepare the start and to report the wait.
    if decision.holdsStart, state.pointee.status.start.roll == nil { state.pointee.lastReport = nil }
    if case .some = observation.command {
      state.pointee.status.counts.commands &+= 1
      // The bridge may wait for it.
      state.pointee.lastReport = nil
      state.pointee.wakesControl = true
    }
  }

  @_noLocks
  private func note(_ step: TransportStep) {
    if step.hasStarted { notify(.transportStarted) }
    // The bridge leaves a moving transport otherwise than one that is stopped: it must not take one for the
    // other.
    if step.hasTurned { state.pointee.lastReport = nil }
    if step.hasStopped { notify(.transportStopped) }
    if step.isTakenBack { notify(.startTakenBack) }
  }

  @_noLocks
  private func report(
    _ observation: Observation, heard: BeatTime, at time: HostTime<LinkClock>, _ cycle: CycleContext
  ) {
    if !state.pointee.status.hasBegun {
      state.pointee.status.hasBegun = true
      // The bridge waits for the first cycle.
      state.pointee.wakesControl = true
    }
    state.pointee.status.jack.transport = observation.jack.transport
    state.pointee.status.jack.owner = observation.jack.timebase.owner
    state.pointee.status.jack.reading = cycle.transport().position.timebase
    state.pointee.status.jack.clocks = state.pointee.observer.clocks
    state.pointee.status.counts.silentCycles = state.pointee.observer.tally.silentCycles
    state.pointee.status.session.peers = observation.link.peers
    state.pointee.status.song.beat = heard
    state.pointee.status.song.time = time
    state.pointee.status.song.quantum = quantum
    state.pointee.status.song.bars = state.pointee.reconciler.bars
    state.pointee.status.song.downbeat = state.pointee.reconciler.downbeatInBeats
    state.pointee.status.reconciler = state.pointee.reconciler.status()
    state.pointee.status.conditions = state.pointee.reconciler.conditions(peers: observation.link.peers)
    let launch = state.pointee.status.reconciler.launch
    let latency = observation.jack.outputLatency
    let roll = launch.map { $0.rollTime - latency }
    // The control thread prepares it, and reports a wait.
    let change =
      if let roll, let known = state.pointee.status.start.roll { roll - known } else { Pace.launch }
    if change.magnitude >= Pace.launch, roll != state.pointee.status.start.roll {
      state.pointee.wakesControl = true
      state.pointee.status.start.roll = roll
    }
    let next = state.pointee.reconciler.view.seen?.beat ?? observation.link.beat
    state.pointee.status.start.countIn = launch.map { heard - next - $0.beatsAhead }
    status.write(state.pointee.status)
  }
}

extension Cycle {
  @_noLocks
  private func notify(_ notice: CycleNotice) {
    if !notices.push(notice) { state.pointee.status.counts.lostNotices &+= 1 }
    // A reader of the notice finds the status that goes with it.
    state.pointee.lastReport = nil
    state.pointee.wakesControl = true
  }
}

extension PlayState {
  @inline(__always) @_noLocks
  fileprivate init(_ session: SessionReading) {
    self.init(
      isPlaying: session.isPlaying, time: session.timeForIsPlaying, beat: session.beatForIsPlaying)
  }
}
