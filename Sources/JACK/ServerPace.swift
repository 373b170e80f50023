import MusicalTime

/// How far a server has counted at one moment: two of them show whether its frames go with the clock.
public struct ServerPace: Sendable, Equatable {
  /// The first frame of the server's current cycle.
  public var frame: ServerFrame
  /// When that was read.
  public var time: HostTime<JACKClock>
  /// Whether the server schedules its clients in real time. jackd2 never does while it freewheels.
  public var isRealtime: Bool

  /// A reading.
  public init(frame: ServerFrame, time: HostTime<JACKClock>, isRealtime: Bool) {
    self.frame = frame
    self.time = time
    self.isRealtime = isRealtime
  }
}
