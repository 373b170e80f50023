/// The choices that a user may change at any time: each cycle's observation has the latest.
public struct Choices: Sendable, BitwiseCopyable, Hashable {
  /// The side that leads tempo and beat.
  public var mode = SyncMode.auto
  /// Whether start and stop travel between JACK and Link.
  public var startStopSync = true
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
    case .startStopSync(let isShared): startStopSync = isShared
    case .launch(let launch): self.launch = launch
    case .discipline(let discipline): self.discipline = discipline
    }
  }
}

/// One of the ``Choices``.
public enum Choice: Sendable, Hashable {
  /// The side that leads tempo and beat.
  case mode(SyncMode)
  /// Whether starts and stops are shared with the session.
  case startStopSync(Bool)
  /// When a start rolls.
  case launch(LaunchMode)
  /// How programs that count frames stay with the session.
  case discipline(Discipline)
}
