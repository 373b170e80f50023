import AbletonLink
import JACK
import MusicalTime
import Realtime
import Reconciliation

/// One JACK cycle, from clock to timebase: read this first.
///
///     cycle times ─> ClockMap ─> Observation ─> Reconciler ─> Decision ─┬─> the next cycle's bar, beat, tick
///     transport, Link's beat there ─┘                                   ├─> JACK start, stop
///                                                                       └─> one Link edit, only on change
///
/// Everything here runs on JACK's real-time thread and follows its rule: nothing allocates, locks, waits or logs.
/// `@_noLocks` has the compiler check that through every call.
final class Cycle: RealtimeHandler {
  private let rate: SampleRate
  private let link: AudioThreadAccess
  // The channels' own ends are used, not the channels: references are counted, and counting may lock.
  private let channels: CycleChannels
  private let commands: Ring<Command>.Reader
  private let latency: LatestValue<HostInterval>.Reader
  private let notices: Ring<CycleNotice>.Writer
  private let status: LatestValue<CycleStatus>.Writer
  // Touched by the real-time thread only. A plain pointer: class properties are guarded by run-time checks.
  private let state: UnsafeMutablePointer<State>

  private struct State {
    var reconciler: Reconciler
    var clock = ClockMap()
    var status = CycleStatus()
    var transport: TransportMotion?
    var lastPairing: HostTime<JACKClock>?
    var lastReport: HostTime<JACKClock>?
  }

  private enum Pace {
    /// How often the clocks are compared: they drift apart by nanoseconds in that time.
    static var pairing: HostInterval { HostInterval(nanoseconds: 50_000_000) }
    /// How often people are told how things are: more often than a screen can show it is wasted.
    static var report: HostInterval { HostInterval(nanoseconds: 50_000_000) }
  }

  init(
    _ configuration: Reconciler.Configuration, rate: SampleRate, link: AudioThreadAccess,
    channels: CycleChannels
  ) {
    self.link = link
    self.rate = rate
    self.channels = channels
    commands = channels.commands.reader
    latency = channels.latency.reader
    notices = channels.notices.writer
    status = channels.status.writer
    state = .allocate(capacity: 1)
    state.initialize(to: State(reconciler: Reconciler(configuration)))
    super.init()
  }

  deinit {
    state.deinitialize(count: 1)
    state.deallocate()
  }

  @_noLocks
  override func process(_ cycle: CycleContext) {
    guard let times = cycle.cycleTimes() else { return }
    pairClocks(cycle, times.start)
    guard let start = state.pointee.clock.link(at: times.start),
      let next = state.pointee.clock.link(at: times.next)
    else { return }
    let transport = cycle.transport()
    let latency = latency.read()
    var session = link.captureSessionState()
    let observation = Observation(
      jack: JACKObservation(
        transport: TransportMotion(transport.state), frame: transport.position.frame,
        period: cycle.frameCount, rate: rate, nextOutput: next + latency, outputLatency: latency),
      link: LinkObservation(session, at: next + latency, quantum: quantum, peers: link.numberOfPeers),
      command: commands.pop())

    let decision = state.pointee.reconciler.reconcile(observation)
    carryOut(decision, cycle, &session, at: next + latency)
    note(observation, decision)
    if isDue(state.pointee.lastReport, Pace.report, at: times.start) {
      state.pointee.lastReport = times.start
      report(observation, heard: session.beat(at: start + latency, quantum: quantum), transport)
    }
  }

  @_noLocks
  override func timebase(
    _ cycle: CycleContext, state transport: TransportState, next: TimebasePosition, isNewPosition: Bool
  ) {
    guard let entry = state.pointee.reconciler.entry(forFrame: next.reading.frame) else {
      next.clear()
      return
    }
    next.publish(entry.position, beatsPerMinute: entry.beatsPerMinute)
    state.pointee.status.silentCycles = 0
  }

  private var quantum: Quantum {
    @_noLocks get { state.pointee.reconciler.configuration.quantum }
  }

  @_noLocks
  private func isDue(
    _ last: HostTime<JACKClock>?, _ interval: HostInterval, at time: HostTime<JACKClock>
  ) -> Bool {
    guard let last else { return true }
    // Also when the clock was set back.
    return (time - last).magnitude >= interval
  }

  @_noLocks
  private func pairClocks(_ cycle: CycleContext, _ time: HostTime<JACKClock>) {
    guard isDue(state.pointee.lastPairing, Pace.pairing, at: time) else { return }
    state.pointee.lastPairing = time
    let before = cycle.now()
    let now = link.now()
    state.pointee.clock.observe(before: before, link: now, after: cycle.now())
  }

  @_noLocks
  private func carryOut(
    _ decision: Decision, _ cycle: CycleContext, _ session: inout SessionState<AudioThread>,
    at time: HostTime<LinkClock>
  ) {
    switch decision.transport {
    case .none: break
    case .start: cycle.startTransport()
    case .stop: cycle.stopTransport()
    }
    guard !decision.link.isEmpty else { return }
    if let tempo = decision.link.tempo { session.setTempo(tempo, at: time) }
    if let isPlaying = decision.link.isPlaying { session.setIsPlaying(isPlaying, at: time) }
    link.commit(session)
    state.pointee.status.commits &+= 1
  }

  /// Keeps the books that must not miss a cycle.
  @_noLocks
  private func note(_ observation: Observation, _ decision: Decision) {
    let motion = observation.jack.transport
    if let known = state.pointee.transport, known.isPlaying != motion.isPlaying {
      notify(motion.isPlaying ? .transportStarted : .transportStopped)
      // The bridge leaves a moving transport otherwise than a resting one: it must not think it rests.
      state.pointee.lastReport = nil
    }
    state.pointee.transport = motion
    switch decision.transport {
    case .none: break
    case .start: notify(.startRequested)
    case .stop: notify(.stopRequested)
    }
    state.pointee.status.tempo = decision.link.tempo ?? observation.link.tempo
    if case .some = observation.command {
      state.pointee.status.commandsDone &+= 1
      // Somebody waits for it.
      state.pointee.lastReport = nil
    }
    if motion.isRolling { state.pointee.status.silentCycles &+= 1 }
  }

  @_noLocks
  private func report(_ observation: Observation, heard: Beats, _ transport: TransportReading) {
    state.pointee.status.transport = observation.jack.transport
    state.pointee.status.linkIsPlaying = observation.link.isPlaying
    state.pointee.status.peers = observation.link.peers
    state.pointee.status.heard = heard
    state.pointee.status.reading = transport.position
    status.write(state.pointee.status)
  }
}

extension Cycle {
  @_noLocks
  private func notify(_ notice: CycleNotice) {
    if !notices.push(notice) { state.pointee.status.lostNotices &+= 1 }
  }
}

extension TransportMotion {
  @_noLocks
  fileprivate init(_ state: TransportState) {
    switch state {
    case .stopped: self = .stopped
    case .starting: self = .starting
    case .rolling: self = .rolling
    }
  }
}

extension LinkObservation {
  @_noLocks
  fileprivate init(
    _ session: borrowing SessionState<AudioThread>, at time: HostTime<LinkClock>, quantum: Quantum, peers: Int
  ) {
    self.init(
      tempo: session.tempo, beat: session.beat(at: time, quantum: quantum), isPlaying: session.isPlaying,
      timeForIsPlaying: session.timeForIsPlaying, peers: peers)
  }
}
