/// A fault of a ``TimebaseReading``: the field, with its value.
public enum TimebaseFault: Sendable, BitwiseCopyable, Equatable {
  /// The bar is below 1, or beyond any song.
  case bar(Int32)
  /// The beat is not one of the bar's.
  case beat(Int32, beatsPerBar: Int32)
  /// The tick is not one of the beat's.
  case tick(Double, ticksPerBeat: Double)
  /// The tick with its fraction is not the tick.
  case tickDouble(Double, tick: Int32)
  /// The upper number of the time signature is none.
  case beatsPerBar(Float)
  /// The lower number of the time signature is none.
  case beatType(Float)
  /// The resolution is no number of ticks.
  case ticksPerBeat(Double)
  /// The tempo is no tempo.
  case beatsPerMinute(Double)
  /// The position is of another time.
  case frameOffset(UInt32)
}
