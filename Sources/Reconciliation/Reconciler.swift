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

    /// A configuration; the default quantum is a bar of the meter.
    public init(
      quantum: Quantum? = nil, meter: Meter = .common, ticksPerBeat: TicksPerBeat = .standard,
      startStopSync: Bool = true
    ) {
      self.quantum = quantum ?? Quantum(barOf: meter)
      self.meter = meter
      self.ticksPerBeat = ticksPerBeat
      self.startStopSync = startStopSync
    }
  }

  /// The choices this reconciler was made with.
  public let configuration: Configuration
  private var playhead: Playhead
  private var startStop = StartStop()
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
    var decision = Decision()
    decision.link.tempo = tempoEdit(for: observation)
    tempo = decision.link.tempo ?? observation.link.tempo
    if configuration.startStopSync {
      switch startStop.update(with: observation) {
      case .none: break
      case .tellJACK(let request): decision.transport = request
      case .tellLink(let isPlaying): decision.link.isPlaying = isPlaying
      }
    }
    playhead.observe(observation, tempo: tempo)
    latest = observation
    return decision
  }

  /// What to publish about the next cycle, which JACK says begins at `frame`. Realtime-safe.
  ///
  /// Returns `nil` before the first observation: then nothing true can be said.
  @_noLocks
  public mutating func entry(forFrame frame: UInt32) -> TimebaseEntry? {
    guard let latest else { return nil }
    let position = playhead.advance(toFrame: frame, latest, tempo: tempo)
    return TimebaseEntry(
      position: BarBeatTick(
        nearest: position, meter: configuration.meter, ticksPerBeat: configuration.ticksPerBeat),
      beatsPerMinute: configuration.meter.beatsPerMinute(at: tempo))
  }

  @_noLocks
  private func tempoEdit(for observation: Observation) -> Tempo? {
    switch observation.command {
    case .none: nil
    case .proposeTempo(let wanted): wanted.isSameOnTheWire(as: observation.link.tempo) ? nil : wanted
    case .foundSession(let wanted):
      observation.link.peers > 0 || wanted == observation.link.tempo ? nil : wanted
    }
  }
}
