import MusicalTime

/// The relation between JACK's clock and Link's.
public struct ClockReading: Sendable, BitwiseCopyable {
  /// How far Link's clock is ahead of JACK's.
  public var offset: HostInterval
  /// How much faster Link's clock runs, as a fraction: 1e-6 is one ppm.
  public var drift: Double

  /// A reading. Realtime-safe.
  @_noLocks
  public init(offset: HostInterval, drift: Double) {
    self.offset = offset
    self.drift = drift
  }
}
