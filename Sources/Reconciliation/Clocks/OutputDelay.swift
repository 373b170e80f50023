import MusicalTime

/// How long after a cycle's start the instant comes that its first frame is published for: the output latency,
/// less the user's offset.
///
/// What the server says of its latency is true from one cycle to the next, and so it is taken. What the user
/// says is a wish, and is come to by ``DelaySlew``. So the two are kept apart.
public struct OutputDelay: Sendable, BitwiseCopyable, Hashable {
  /// What holds at once.
  public private(set) var stepped: HostInterval
  /// What is come to slowly while JACK plays.
  public private(set) var slewed = HostInterval.zero

  /// A delay to begin with.
  public init(_ total: HostInterval = .zero) {
    stepped = total
  }

  /// The delay when all of it has come to hold.
  public var total: HostInterval { stepped + slewed }

  /// The server has another latency: it is `total` from now on, but for what is still on the way.
  public mutating func serverChanged(to total: HostInterval) { stepped = total - slewed }

  /// The user wants it to be `total`.
  public mutating func userChose(_ total: HostInterval) { slewed = total - stepped }
}
