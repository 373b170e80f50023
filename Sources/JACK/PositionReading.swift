import MusicalTime

/// A position of the transport, exactly as found.
///
/// Only ``frame`` is JACK's own. The rest was written by whichever client owns the timebase and is not to be
/// trusted: not even when ``valid`` declares it, any field may be out of range, infinite or not a number.
///
/// The corresponding C type is `jack_position_t`.
public struct PositionReading: Sendable, Hashable, BitwiseCopyable {
  /// The frame on the transport's timeline.
  public let frame: TransportFrame
  /// Frames per second; zero for a cycle after a locate on jackd2.
  public let frameRate: UInt32
  /// Which of the other fields their writer declares valid.
  public let valid: PositionFields
  /// Ticks from the start of the song to the start of the bar.
  public let barStartTick: Double
  /// Bar, beat, tick, time signature and tempo.
  public let timebase: TimebaseReading

  /// A position of the given parts.
  @_noLocks
  public init(
    frame: TransportFrame, frameRate: UInt32, valid: PositionFields, barStartTick: Double,
    timebase: TimebaseReading
  ) {
    self.frame = frame
    self.frameRate = frameRate
    self.valid = valid
    self.barStartTick = barStartTick
    self.timebase = timebase
  }
}
