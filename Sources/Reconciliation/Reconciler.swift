import MusicalTime

/// The one place where decisions are made: what a cycle sees goes in, what it does comes out.
///
/// A pure value: no clock, no I/O, no JACK, no Link. Each cycle calls ``reconcile(_:)`` once, and then
/// ``entry(forFrame:)`` when JACK asks its timebase owner about the next cycle. In any one cycle each facet has
/// one authority: tempo and beat come from Link, the place in the song from JACK, start and stop from whoever
/// pressed last.
public struct Reconciler: Sendable {
  /// The choices a user makes once.
  public struct Configuration: Sendable {
    /// The span over which the playhead shares its phase with Link.
    public var quantum: Quantum
    /// How bars are counted.
    public var meter: Meter
    /// The resolution of what is published.
    public var ticksPerBeat: TicksPerBeat
    /// Whether start and stop travel between JACK and Link.
    public var startStopSync: Bool
    /// What a start waits for.
    public var launch: Launch
    /// Whether a start may move the playhead so that frames times tempo is in phase with Link.
    public var alignsFrames: Bool
    /// The longest time that the server lets a client hold a start.
    public var longestHold: HostInterval

    /// A configuration; the default quantum is a bar of the meter.
    public init(
      quantum: Quantum? = nil, meter: Meter = .common, ticksPerBeat: TicksPerBeat = .standard,
      startStopSync: Bool = true, launch: Launch = .bar, alignsFrames: Bool = true,
      longestHold: HostInterval? = nil
    ) {
      self.quantum = quantum ?? Quantum(barOf: meter)
      self.meter = meter
      self.ticksPerBeat = ticksPerBeat
      self.startStopSync = startStopSync
      self.launch = launch
      self.alignsFrames = alignsFrames
      self.longestHold = longestHold ?? Configuration.longestWait(for: self.quantum)
    }

    /// The longest that a start can have to wait for its phase: a quantum at the slowest tempo, and some seconds for a
    /// clock that has been disturbed.
    public static func longestWait(for quantum: Quantum) -> HostInterval {
      Tempo.slowest.interval(of: quantum.beats) + HostInterval(nanoseconds: 6_000_000_000)
    }
  }

  /// The choices this reconciler was made with.
  public let configuration: Configuration
  private var playhead: Playhead
  private(set) var transport = Transport()
  private var clock = SampleClock()
  private var latest: Observation?
  private var tempo = Tempo.standard

  /// A reconciler for one life of a JACK server.
  public init(_ configuration: Configuration) {
    self.configuration = configuration
    playhead = Playhead(quantum: configuration.quantum)
  }

  /// Decides what this cycle does. Realtime-safe.
  @_noLocks
  public mutating func reconcile(_ observation: Observation) -> Decision {
    var observation = observation
    var decision = Decision()
    decision.link.tempo = tempoEdit(for: observation)
    tempo = decision.link.tempo ?? observation.link.tempo
    clock.observe(
      frame: observation.jack.serverFrame, at: observation.jack.start, rate: observation.jack.rate)
    playhead.observe(observation, tempo: tempo)
    let outcome = transport.update(
      Circumstances(
        observation: observation, tempo: tempo, clock: clock, playhead: playhead,
        configuration: configuration))
    decision.transport = outcome.transport
    decision.holdsStart = outcome.holds
    decision.notice = outcome.notice
    decision.link.isPlaying = outcome.isPlaying
    if outcome.mapsLink {
      let beat = playhead.mapLink(observation, tempo: tempo)
      decision.link.beat = beat
      observation.link.beat = beat
    }
    latest = observation
    return decision
  }

  /// What to publish about the next cycle, which JACK says begins at `frame`. Realtime-safe.
  ///
  /// While a start is held, that is where it will begin. Returns `nil` before the first observation: then nothing true
  /// can be said.
  @_noLocks
  public mutating func entry(forFrame frame: UInt32) -> TimebaseEntry? {
    guard let latest else { return nil }
    let position = playhead.advance(
      toFrame: frame, latest, tempo: tempo, alignsFrames: configuration.alignsFrames,
      transport.roll(next: latest.jack.nextOutput))
    return TimebaseEntry(
      position: BarBeatTick(
        nearest: position, meter: configuration.meter, ticksPerBeat: configuration.ticksPerBeat),
      beatsPerMinute: configuration.meter.beatsPerMinute(at: tempo))
  }

  /// The start that is waited for.
  public var pendingLaunch: PendingLaunch? {
    @_noLocks get {
      guard let latest, let plan = transport.pendingPlan else { return nil }
      return PendingLaunch(
        edge: plan.edge, beatsAhead: tempo.beats(in: plan.edge - latest.jack.nextOutput))
    }
  }

  @_noLocks
  private func tempoEdit(for observation: Observation) -> Tempo? {
    switch observation.command {
    case .none, .start, .stop: nil
    case .proposeTempo(let wanted): wanted.isSameOnTheWire(as: observation.link.tempo) ? nil : wanted
    case .foundSession(let wanted):
      observation.link.peers > 0 || wanted == observation.link.tempo ? nil : wanted
    }
  }
}

/// A start that is held until it is in phase.
public struct PendingLaunch: Sendable, BitwiseCopyable {
  /// When the first frame of the cycle is heard in which the transport is to roll.
  public var edge: HostTime<LinkClock>
  /// Link's beats until then, counted from when the next cycle is heard.
  public var beatsAhead: Beats
}
