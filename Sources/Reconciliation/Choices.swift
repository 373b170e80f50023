import MusicalTime

/// The choices that a user may change at any time: each cycle's observation has the latest.
public struct Choices: Sendable, BitwiseCopyable, Hashable {
  /// The span over which the playhead shares its phase with Link, from the next bar line on, and at rest at
  /// once; `nil` for one bar of the meter, from the next rest on.
  public var quantum: Quantum?
  /// How bars are counted: from the next bar line on, and at rest at once.
  public var meter = Meter.common
  /// The side that leads tempo and beat.
  public var mode = SyncMode.auto
  /// The direction in which tempo is shared with the session.
  public var tempoSync = Sharing.both
  /// The direction in which starts and stops are shared with the session.
  public var startStopSync = Sharing.both
  /// When a start rolls if the session has other peers.
  public var launch = LaunchMode.bar
  /// How programs that count frames stay with the session while they roll.
  public var discipline = Discipline.off
  /// How often ``take(_:)`` has chosen a mode: `jack` that is chosen again imposes JACK's tempo again.
  private(set) var selections: UInt8 = 0

  /// The defaults.
  public init() {}

  /// Has a choice hold instead of the one before.
  public mutating func take(_ choice: Choice) {
    switch choice {
    case .mode(let mode): (self.mode, selections) = (mode, selections &+ 1)
    case .tempoSync(let sharing): tempoSync = sharing
    case .startStopSync(let sharing): startStopSync = sharing
    case .launch(let launch): self.launch = launch
    case .discipline(let discipline): self.discipline = discipline
    case .meter(let meter): self.meter = meter
    case .quantum(let quantum): self.quantum = quantum
    }
  }
}

extension Choices {
  /// The chosen quantum, or one bar of the meter.
  public var wantedQuantum: Quantum {
    @_noLocks get { quantum ?? Quantum(barOf: meter) }
  }

  /// Whether JACK's tempo is the session's whatever peers do, while JACK leads.
  var imposesJACK: Bool {
    @_noLocks get {
      switch tempoSync {
      case .send: true
      case .both, .receive, .off: mode.isJACK
      }
    }
  }

  /// The discipline as far as it may touch the session: where no tempo is sent, an error is relocated instead of
  /// steered.
  var permittedDiscipline: Discipline {
    @_noLocks get {
      switch discipline {
      case .tempo: tempoSync.sends ? .tempo : .relocate
      case .off, .relocate: discipline
      }
    }
  }
}

/// One of the ``Choices``.
public enum Choice: Sendable, Hashable {
  /// The side that leads tempo and beat.
  case mode(SyncMode)
  /// The direction in which tempo is shared with the session.
  case tempoSync(Sharing)
  /// The direction in which starts and stops are shared with the session.
  case startStopSync(Sharing)
  /// When a start rolls.
  case launch(LaunchMode)
  /// How programs that count frames stay with the session.
  case discipline(Discipline)
  /// How bars are counted.
  case meter(Meter)
  /// The span over which the phase is shared.
  case quantum(Quantum)
}
