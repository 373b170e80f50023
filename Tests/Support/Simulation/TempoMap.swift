import MusicalTime

/// A song with meters and tempos: where it is at each instant, and what its owner publishes there.
public struct TempoMap: Sendable, Equatable {
  /// A part of a song, with one meter, and a tempo that goes evenly from one to another.
  public struct Part: Sendable, Equatable {
    /// How many bars it has.
    public var bars: Double
    /// How they are counted.
    public var meter: Meter
    /// The tempo at its beginning, in quarter notes per minute.
    public var from: Double
    /// The tempo at its end.
    public var to: Double

    /// So many bars in one tempo, or from one tempo to another.
    public init(_ bars: Double, _ meter: Meter, from: Double, to: Double? = nil) {
      self.bars = bars
      self.meter = meter
      self.from = from
      self.to = to ?? from
    }

    /// A change of tempo that takes so many seconds, in 4/4.
    public static func ramp(_ from: Double, _ to: Double, seconds: Double) -> Part {
      Part(seconds * (from + to) / 480, .common, from: from, to: to)
    }

    var quarters: Double { bars * meter.barLength.doubleValue }
    var seconds: Double { 120 * quarters / (from + to) }
  }

  /// Where a song is.
  public struct Place: Sendable, Equatable {
    /// The quarter notes since its beginning.
    public var quarters: Double
    /// The tempo, in quarter notes per minute.
    public var beatsPerMinute: Double
    /// The number of the part.
    public var part: Int
  }

  /// The parts, one after the other; the last one goes on for ever at its last tempo.
  public var parts: [Part]

  /// A song of these parts.
  public init(_ parts: [Part]) { self.parts = parts }

  /// When each part begins, in seconds.
  public var seams: [Double] {
    var time = 0.0
    return parts.map { part in
      defer { time += part.seconds }
      return time
    }
  }

  /// Where the song is so many seconds after its beginning.
  public func place(at seconds: Double) -> Place {
    var (time, quarters) = (0.0, 0.0)
    for (index, part) in parts.enumerated() {
      let isLast = index == parts.count - 1
      let passed = seconds - time
      guard isLast || passed < part.seconds else {
        time += part.seconds
        quarters += part.quarters
        continue
      }
      let within = min(passed, part.seconds)
      let tempo = part.from + (part.to - part.from) * within / part.seconds
      let way = (part.from + tempo) / 2 * within + (passed - within) * part.to
      return Place(quarters: quarters + way / 60, beatsPerMinute: tempo, part: index)
    }
    return Place(quarters: 0, beatsPerMinute: 120, part: 0)
  }

  /// The position that its owner publishes for a frame.
  ///
  /// - Parameters:
  ///   - frame: The frame, from the beginning of the song.
  ///   - rate: The sample rate.
  ///   - ticks: The ticks of a beat.
  ///   - declared: The tempo that it says, in quarter notes per minute; the truth if `nil`.
  /// - Returns: The position that JACK clients read.
  public func reading(
    of frame: TransportFrame, _ rate: SampleRate = .standard, ticks: Double = 1920, declared: Double? = nil
  ) -> TimebaseReading {
    let place = place(at: Double(frame.number) / rate.hertz)
    let part = parts[place.part]
    let isEven = parts.allSatisfy { $0.meter == part.meter }
    let before = isEven ? 0 : parts[..<place.part].reduce(0) { $0 + $1.quarters }
    let bars = isEven ? 0 : parts[..<place.part].reduce(0) { $0 + $1.bars }
    let beats = (place.quarters - before) / part.meter.beatLength.doubleValue
    // A beat that is there but for rounding is there.
    let whole = (beats + 1e-9).rounded(.down)
    let bar = (whole / Double(part.meter.beatsPerBar)).rounded(.down)
    return TimebaseReading(
      isValid: true, bar: Int32(bar + bars) + 1,
      beat: Int32(whole - bar * Double(part.meter.beatsPerBar)) + 1,
      tick: Int32(max(0, beats - whole) * ticks), beatsPerBar: Float(part.meter.beatsPerBar),
      beatType: Float(part.meter.beatType), ticksPerBeat: ticks,
      beatsPerMinute: (declared ?? place.beatsPerMinute) * Double(part.meter.beatType) / 4)
  }
}
