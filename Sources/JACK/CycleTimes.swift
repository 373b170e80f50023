import MusicalTime

/// The times of a cycle, filtered by the server's delay-locked loop.
public struct CycleTimes: Sendable, Hashable {
  /// The server's own count of frames at the start of the cycle.
  public let frame: ServerFrame
  /// When the cycle began.
  public let start: HostTime<JACKClock>
  /// When the next cycle is expected to begin.
  public let next: HostTime<JACKClock>

  /// Times of a cycle.
  @_noLocks
  public init(frame: ServerFrame, start: HostTime<JACKClock>, next: HostTime<JACKClock>) {
    self.frame = frame
    self.start = start
    self.next = next
  }
}
