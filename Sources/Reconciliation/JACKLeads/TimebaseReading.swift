import MusicalTime

/// What another client, the owner of JACK's timebase, published for one cycle, exactly as found.
///
/// Nothing in it is to be trusted before ``check()``. Real owners publish a bar 0, a beat that never moves,
/// or a tempo they left long ago.
public struct TimebaseReading: Sendable, BitwiseCopyable {
  /// Whether the owner declares bar, beat and tick valid.
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
  /// The tick with its fraction, from owners that know it.
  public var tickDouble: Double?
  /// How many frames before the start of the cycle the position refers to, from owners that say so.
  public var bbtFrameOffset: UInt32?

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

/// What a ``TimebaseReading`` is worth.
public enum TimebaseVerdict: Sendable, Equatable {
  /// The owner declares nothing valid: there is no position.
  case absent
  /// The position makes sense.
  case position(OwnerPosition)
  /// A field contradicts the others, or itself.
  case fault(TimebaseFault)
}

/// Where the owner of the timebase says the music is, in Link's beats.
public struct OwnerPosition: Sendable, BitwiseCopyable, Hashable {
  /// The position from bar 1 beat 1, in quarter notes, as if all bars were like this one.
  public var beats: Beats
  /// The length of the owner's tick, in quarter notes: what the position can be off by. Zero when the owner
  /// publishes fractions of ticks.
  public var tickLength: Beats
  /// The tempo the owner declares, in quarter notes per minute: a hint, to be held against the beats.
  public var declaredBeatsPerMinute: Double
  /// How long before the start of the cycle the position holds.
  public var age: FrameCount

  /// A position.
  @_noLocks
  public init(
    beats: Beats, tickLength: Beats, declaredBeatsPerMinute: Double, age: FrameCount = FrameCount(0)
  ) {
    self.beats = beats
    self.tickLength = tickLength
    self.declaredBeatsPerMinute = declaredBeatsPerMinute
    self.age = age
  }
}

extension TimebaseReading {
  // Bounds as numbers: a range that is a static property would be a lazy global.
  private static var mostTicksPerBeat: Double { @_noLocks get { 1e8 } }
  private static var fastest: Double { @_noLocks get { 1e6 } }
  /// More than any period of JACK.
  private static var oldest: UInt32 { @_noLocks get { 65_536 } }

  /// Finds the position, or the first field that makes no sense. Realtime-safe.
  @_noLocks
  public func check() -> TimebaseVerdict {
    guard isValid else { return .absent }
    // Compared as floating-point numbers, so that what is not a number fails every test.
    guard beatsPerBar >= 1, beatsPerBar <= 64, Float(Int32(beatsPerBar)) == beatsPerBar else {
      return .fault(.beatsPerBar(beatsPerBar))
    }
    guard beatType >= 1, beatType <= 64, Float(Int32(beatType)) == beatType,
      Int32(beatType) & (Int32(beatType) &- 1) == 0
    else { return .fault(.beatType(beatType)) }
    guard ticksPerBeat >= 1, ticksPerBeat <= TimebaseReading.mostTicksPerBeat else {
      return .fault(.ticksPerBeat(ticksPerBeat))
    }
    guard beatsPerMinute > 0, beatsPerMinute <= TimebaseReading.fastest else {
      return .fault(.beatsPerMinute(beatsPerMinute))
    }
    guard beat >= 1, beat <= Int32(beatsPerBar) else {
      return .fault(.beat(beat, beatsPerBar: Int32(beatsPerBar)))
    }
    guard tick >= 0, Double(tick) < ticksPerBeat else {
      return .fault(.tick(Double(tick), ticksPerBeat: ticksPerBeat))
    }
    if let fraction = tickDouble {
      guard fraction >= 0, fraction < ticksPerBeat else {
        return .fault(.tick(fraction, ticksPerBeat: ticksPerBeat))
      }
      guard (fraction - Double(tick)).magnitude <= 1 else {
        return .fault(.tickDouble(fraction, tick: tick))
      }
    }
    if let offset = bbtFrameOffset, offset > TimebaseReading.oldest { return .fault(.frameOffset(offset)) }
    return position(beatsPerBar: Int32(beatsPerBar), beatType: Int32(beatType))
  }

  @_noLocks
  private func position(beatsPerBar: Int32, beatType: Int32) -> TimebaseVerdict {
    let beatLength = 4_000_000_000 / Int64(beatType)
    let wholeBeats = (Int64(bar) &- 1) &* Int64(beatsPerBar) &+ Int64(beat) &- 1
    guard bar >= 1, wholeBeats < Beats.limit.nanobeats / beatLength else { return .fault(.bar(bar)) }
    let fraction = (tickDouble ?? Double(tick)) / ticksPerBeat
    return .position(
      OwnerPosition(
        beats: Beats(
          nanobeats: wholeBeats &* beatLength &+ Int64(fraction * Double(beatLength) + 0.5)),
        tickLength: tickDouble == nil ? Beats(nanobeats: Int64(Double(beatLength) / ticksPerBeat)) : .zero,
        declaredBeatsPerMinute: beatsPerMinute * 4 / Double(beatType),
        age: FrameCount(Int64(bbtFrameOffset ?? 0))))
  }
}
