/// The fields that the owner of JACK's timebase has published for one cycle, exactly as found.
///
/// Not to be trusted, not even when ``isValid`` declares it: any field may be out of range, infinite or not a
/// number. Real owners publish a bar 0, a beat that never moves, or a tempo they left long ago.
public struct TimebaseReading: Sendable, BitwiseCopyable, Hashable {
  /// Whether the owner declares bar, beat, tick, time signature and tempo valid.
  public var isValid: Bool
  /// The bar, counted from 1.
  public var bar: Int32
  /// The beat of the bar, counted from 1.
  public var beat: Int32
  /// The tick of the beat, counted from 0.
  public var tick: Int32
  /// The upper number of the time signature.
  public var beatsPerBar: Float
  /// The lower number of the time signature.
  public var beatType: Float
  /// Ticks in a beat.
  public var ticksPerBeat: Double
  /// The tempo, in the time signature's beats per minute.
  public var beatsPerMinute: Double
  /// The tick with its fraction; `nil` unless declared valid.
  public var tickDouble: Double?
  /// How many frames before the start of the cycle bar, beat and tick refer to; `nil` unless declared valid.
  public var bbtFrameOffset: UInt32?

  /// Nothing is published.
  public static var absent: TimebaseReading {
    @inlinable @_noLocks get {
      TimebaseReading(
        isValid: false, bar: 0, beat: 0, tick: 0, beatsPerBar: 0, beatType: 0, ticksPerBeat: 0,
        beatsPerMinute: 0)
    }
  }

  /// A reading of the given parts.
  @inlinable @_noLocks
  public init(
    isValid: Bool, bar: Int32, beat: Int32, tick: Int32, beatsPerBar: Float, beatType: Float,
    ticksPerBeat: Double, beatsPerMinute: Double, tickDouble: Double? = nil,
    bbtFrameOffset: UInt32? = nil
  ) {
    self.isValid = isValid
    self.bar = bar
    self.beat = beat
    self.tick = tick
    self.beatsPerBar = beatsPerBar
    self.beatType = beatType
    self.ticksPerBeat = ticksPerBeat
    self.beatsPerMinute = beatsPerMinute
    self.tickDouble = tickDouble
    self.bbtFrameOffset = bbtFrameOffset
  }
}
