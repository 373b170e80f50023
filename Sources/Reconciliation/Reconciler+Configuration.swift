import MusicalTime

extension Reconciler {
  /// The choices of a user: those of the beginning, and those that may change at any time.
  public struct Configuration: Sendable, Equatable {
    /// The choices that may change at any time, at their latest.
    public var choices = Choices()
    /// The span over which the playhead shares its phase with Link at present.
    public internal(set) var quantum: Quantum
    /// How bars are counted at present.
    public internal(set) var meter: Meter
    /// The resolution of published positions.
    public var ticksPerBeat: TicksPerBeat
    /// How a start may move the playhead so that frames times tempo is in phase with Link.
    public var frameAlignment: FrameAlignment
    /// The reaction to a locate while JACK rolls that does not fit Link's phase.
    public var relocation: Relocation
    /// How far programs that count frames may be off before they are relocated.
    public var disciplineThreshold: HostInterval
    /// The reaction to another client that owns the timebase; `nil` for the default of the mode.
    public var takeover: Takeover?
    /// The rules of this kind of server.
    public var rules: ServerRules

    /// A configuration; the default quantum is a bar of the meter. Choices that change it afterwards are what a
    /// reconciler begins with.
    public init(
      quantum: Quantum? = nil, meter: Meter = .common, ticksPerBeat: TicksPerBeat = .standard,
      startStopSync: Sharing = .both, tempoSync: Sharing = .both, launch: LaunchMode = .bar,
      frameAlignment: FrameAlignment = .whole,
      relocation: Relocation = .wait, discipline: Discipline = .off,
      disciplineThreshold: HostInterval = .milliseconds(5), mode: SyncMode = .auto, takeover: Takeover? = nil,
      rules: ServerRules = .jackd2
    ) {
      (choices.mode, choices.startStopSync, choices.tempoSync) = (mode, startStopSync, tempoSync)
      (choices.launch, choices.discipline) = (launch, discipline)
      self.quantum = quantum ?? Quantum(barOf: meter)
      self.meter = meter
      (choices.quantum, choices.meter) = (quantum, meter)
      self.ticksPerBeat = ticksPerBeat
      self.frameAlignment = frameAlignment
      self.relocation = relocation
      self.disciplineThreshold = disciplineThreshold
      self.takeover = takeover
      self.rules = rules
    }

    /// The longest time to hold a start: a quantum at the slowest tempo, and some seconds for a clock that
    /// has been disturbed; or less than the time for which the server lets a client hold one.
    public var longestHold: HostInterval {
      @_noLocks get {
        let wanted = Tempo.slowest.interval(of: quantum.beats) + HostInterval.seconds(6)
        guard let longest = rules.longestHold else { return wanted }
        let most = longest - Configuration.holdMargin
        return wanted < most ? wanted : most
      }
    }

    /// How much earlier than the server a start is given up.
    private static var holdMargin: HostInterval { @_noLocks get { .milliseconds(500) } }

    /// A place as clients read it, where the server shows them fewer ticks. Realtime-safe.
    @_noLocks
    public func legible(_ place: BarBeatTick) -> BarBeatTick {
      guard let ticks = rules.wholeTicks else { return place }
      return place.legible(inWholeTicks: ticks)
    }

    /// Whether a start may move the playhead.
    var alignsFrames: Bool {
      @_noLocks get {
        switch frameAlignment {
        case .whole, .exact: true
        case .off: false
        }
      }
    }
  }
}
