import MusicalTime

extension Reconciler {
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
    public var launch: LaunchMode
    /// What a start may do so that frames times tempo is in phase with Link.
    public var frameAlignment: FrameAlignment
    /// What becomes of a locate while JACK rolls that does not fit Link's phase.
    public var relocation: Relocation
    /// Who leads, until a command says otherwise.
    public var mode: SyncMode
    /// What happens when another client owns the timebase; `nil` for what goes with the mode.
    public var takeover: Takeover?
    /// The longest time that the server lets a client hold a start.
    public var longestHold: HostInterval

    /// A configuration; the default quantum is a bar of the meter.
    public init(
      quantum: Quantum? = nil, meter: Meter = .common, ticksPerBeat: TicksPerBeat = .standard,
      startStopSync: Bool = true, launch: LaunchMode = .bar, frameAlignment: FrameAlignment = .whole,
      relocation: Relocation = .wait, mode: SyncMode = .auto, takeover: Takeover? = nil,
      longestHold: HostInterval? = nil
    ) {
      self.quantum = quantum ?? Quantum(barOf: meter)
      self.meter = meter
      self.ticksPerBeat = ticksPerBeat
      self.startStopSync = startStopSync
      self.launch = launch
      self.frameAlignment = frameAlignment
      self.relocation = relocation
      self.mode = mode
      self.takeover = takeover
      self.longestHold = longestHold ?? Configuration.longestWait(for: self.quantum)
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

    /// The longest that a start can have to wait for its phase: a quantum at the slowest tempo, and some
    /// seconds for a clock that has been disturbed.
    public static func longestWait(for quantum: Quantum) -> HostInterval {
      Tempo.slowest.interval(of: quantum.beats) + HostInterval.seconds(6)
    }
  }
}
