import MusicalTime

/// The changes of the transport that notices report, and how soon: a start when it rolls, a stop at once.
public struct TransportWatch: Sendable {
  /// The changes since the cycle before.
  public struct Change: Sendable, Equatable {
    /// Whether it plays, held or not, where it did not, or the other way round.
    public var hasTurned = false
    /// Whether it rolls after a stop.
    public var hasStarted = false
    /// Whether it was stopped.
    public var hasStopped = false
    /// Whether that was a start, or a relocation while it rolled, which was still held: what JACK clients
    /// read was the count to it.
    public var isTakenBack = false

    /// Nothing.
    @_noLocks
    public init() {}
  }

  private var motion: TransportState?
  /// Whether it has rolled since it was last stopped.
  private var hasRolled = false

  /// A watch that has seen nothing.
  @_noLocks
  public init() {}

  /// Takes note of a cycle. The first one changes nothing. Realtime-safe.
  @_noLocks
  public mutating func observe(_ now: TransportState) -> Change {
    var change = Change()
    defer { motion = now }
    guard let before = motion else {
      hasRolled = now.isRolling
      return change
    }
    if now.isRolling, !hasRolled {
      hasRolled = true
      change.hasStarted = true
    }
    guard before.isPlaying != now.isPlaying else { return change }
    change.hasTurned = true
    guard !now.isPlaying else { return change }
    change.hasStopped = true
    change.isTakenBack = !before.isRolling
    hasRolled = false
    return change
  }
}
