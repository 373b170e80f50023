import MusicalTime

/// The step of JACK's transport since the last cycle in which JACK called the bridge.
///
/// A ``TransportWatch`` finds it once in a cycle. Whether the bridge or another client has located is known to
/// the start that the bridge has located for, by its ``RequestedFrames``.
public struct TransportStep: Sendable, BitwiseCopyable, Equatable {
  /// Whether the transport rolled in the cycle before.
  public var wasRolling = false
  /// Whether a client, or the bridge, has located: the transport is not where the cycles that have passed
  /// have brought it, missed ones included.
  public var isLocated = true
  /// Where this cycle was to begin if none had been missed.
  public var expected: TransportFrame = 0
  /// The frames that the server has counted.
  public var passed: UInt32 = 0
  /// For how many cycles before this one the transport has rolled on, or has stood at this frame.
  public var cycles: UInt32 = 0

  /// Whether it plays, held or not, where it did not, or the other way round.
  public var hasTurned = false
  /// Whether it rolls after a stop.
  public var hasStarted = false
  /// Whether it was stopped.
  public var hasStopped = false
  /// Whether that was a start, or a relocation while it rolled, which was still held: what JACK clients
  /// read was the count to it.
  public var isTakenBack = false

  /// The first cycle, of which nothing is known.
  @_noLocks
  public init() {}

  /// Whether a transport in this state rolls on from the cycle before.
  @inline(__always) @_noLocks
  func rollsOn(_ motion: TransportState) -> Bool { wasRolling && motion.isRolling && !isLocated }

  /// Whether a roll that began at `frame` since the last cycle may have come to `now`: on some servers a start
  /// that has waited begins a period further, and JACK may skip the bridge in some cycles.
  @inline(__always) @_noLocks
  func canHaveCome(from frame: TransportFrame, to now: TransportFrame, period: UInt32) -> Bool {
    now.frames(since: frame) <= max(passed, period)
  }
}
