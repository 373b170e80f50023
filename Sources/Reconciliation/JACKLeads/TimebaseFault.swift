/// What is wrong in a ``TimebaseReading``: the field, with the value it had.
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

extension TimebaseFault: CustomStringConvertible {
  /// One sentence: what was wrong and what was expected.
  public var description: String {
    switch self {
    case .bar(let bar):
      "The timebase owner says bar \(bar), where bars are counted from 1 and end at a thousand million beats."
    case .beat(let beat, let beatsPerBar):
      "The timebase owner says beat \(beat), where its bar has the beats 1 to \(beatsPerBar)."
    case .tick(let tick, let ticksPerBeat):
      "The timebase owner says tick \(tick), where its beat has \(ticksPerBeat) ticks, counted from 0."
    case .tickDouble(let fraction, let tick):
      "The timebase owner says tick \(tick) and tick_double \(fraction), where the two must be within 1."
    case .beatsPerBar(let count):
      "The timebase owner says \(count) beats per bar, where a whole number from 1 to 64 was expected."
    case .beatType(let type):
      "The timebase owner says beat type \(type), where 1, 2, 4, 8, 16, 32 or 64 was expected."
    case .ticksPerBeat(let count):
      "The timebase owner says \(count) ticks per beat, where 1 to 100000000 were expected."
    case .beatsPerMinute(let tempo):
      "The timebase owner says \(tempo) beats per minute, where one above 0, up to 1000000, was expected."
    case .frameOffset(let frames):
      "The timebase owner's position is \(frames) frames old, where at most 65536 were expected."
    }
  }
}
