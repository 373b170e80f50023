/// A position of the transport, exactly as found.
///
/// Only ``frame`` is JACK's own. The rest was written by whichever client owns the timebase and is not to be
/// trusted: not even when ``valid`` declares it, any field may be out of range, infinite or not a number.
///
/// The corresponding C type is `jack_position_t`.
public struct PositionReading: Sendable, Hashable, BitwiseCopyable {
  /// The frame on the transport's timeline.
  public let frame: UInt32
  /// Frames per second; zero for a cycle after a locate on jackd2.
  public let frameRate: UInt32
  /// Which of the other fields their writer declares valid.
  public let valid: PositionFields
  /// The bar, counted from 1.
  public let bar: Int32
  /// The beat of the bar, counted from 1.
  public let beat: Int32
  /// The tick of the beat, counted from 0.
  public let tick: Int32
  /// Ticks from the start of the song to the start of the bar.
  public let barStartTick: Double
  /// The upper number of the time signature.
  public let beatsPerBar: Float
  /// The lower number of the time signature.
  public let beatType: Float
  /// Ticks in a beat.
  public let ticksPerBeat: Double
  /// The tempo, in the time signature's beats per minute.
  public let beatsPerMinute: Double
  /// The tick with its fraction; `nil` unless declared valid.
  public let tickDouble: Double?
  /// How many frames before the start of the cycle bar, beat and tick refer to; `nil` unless declared valid.
  public let bbtFrameOffset: UInt32?

  /// A position of the given parts.
  @inlinable @_noLocks
  public init(
    frame: UInt32, frameRate: UInt32, valid: PositionFields = PositionFields(rawValue: 0),
    bar: Int32 = 0, beat: Int32 = 0, tick: Int32 = 0, barStartTick: Double = 0, beatsPerBar: Float = 0,
    beatType: Float = 0, ticksPerBeat: Double = 0, beatsPerMinute: Double = 0, tickDouble: Double? = nil,
    bbtFrameOffset: UInt32? = nil
  ) {
    self.frame = frame
    self.frameRate = frameRate
    self.valid = valid
    self.bar = bar
    self.beat = beat
    self.tick = tick
    self.barStartTick = barStartTick
    self.beatsPerBar = beatsPerBar
    self.beatType = beatType
    self.ticksPerBeat = ticksPerBeat
    self.beatsPerMinute = beatsPerMinute
    self.tickDouble = tickDouble
    self.bbtFrameOffset = bbtFrameOffset
  }
}
