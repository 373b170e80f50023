import MusicalTime

/// How long after a cycle's start the instant comes that its first frame is published for: the output latency,
/// less the user's offset.
///
/// The server's latency is true from one cycle to the next, so it applies at once. The user's offset is
/// approached gradually by ``DelaySlew``. So the two are stored separately.
public struct OutputDelay: Sendable, BitwiseCopyable, Hashable {
  /// The part that applies at once.
  public private(set) var stepped: HostInterval
  /// The part that is approached gradually while JACK rolls.
  public private(set) var slewed = HostInterval.zero

  /// A delay to begin with.
  public init(_ total: HostInterval = .zero) {
    stepped = total
  }

  /// The delay when all of it has come to hold.
  public var total: HostInterval { stepped + slewed }

  /// The server has another latency: it is `total` from now on, less the rest of a gradual change.
  public mutating func serverChanged(to total: HostInterval) { stepped = total - slewed }

  /// The user wants it to be `total`.
  public mutating func userChose(_ total: HostInterval) { slewed = total - stepped }
}

/// An ``OutputDelay`` as one cycle has it.
public struct CycleDelay: Sendable, BitwiseCopyable, Hashable {
  /// How long after the cycle's start its first frame counts as heard.
  public var now: HostInterval
  /// The rest of the gradual change to the offset that the user has chosen. It is added at once where JACK
  /// waits, so a roll that is relocated goes on with all of it.
  public var rest: HostInterval

  /// The delay of a cycle, and what is left of a gradual change.
  @inlinable @_noLocks
  public init(now: HostInterval, rest: HostInterval = .zero) { (self.now, self.rest) = (now, rest) }
}
