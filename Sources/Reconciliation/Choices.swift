/// The choices that a user may change at any time: each cycle's observation has the latest.
public struct Choices: Sendable, BitwiseCopyable, Hashable {
  /// The side that leads tempo and beat.
  public private(set) var mode: SyncMode
  /// Whether start and stop travel between JACK and Link.
  public private(set) var startStopSync: Bool
  /// When a start rolls if the session has other peers.
  public private(set) var launch: LaunchMode
  /// How programs that count frames stay with the session while they roll.
  public private(set) var discipline: Discipline
  /// How often a mode has been chosen: `jack` that is chosen again imposes JACK's tempo again.
  private(set) var selections: UInt8 = 0

  /// The choices of the beginning.
  public init(
    mode: SyncMode = .auto, startStopSync: Bool = true, launch: LaunchMode = .bar,
    discipline: Discipline = .off
  ) {
    self.mode = mode
    self.startStopSync = startStopSync
    self.launch = launch
    self.discipline = discipline
  }

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
  /// The way in which programs that count frames stay with the session.
  case discipline(Discipline)
}
