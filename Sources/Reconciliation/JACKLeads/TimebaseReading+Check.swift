import MusicalTime

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
    guard let upper = part(beatsPerBar) else { return .fault(.beatsPerBar(beatsPerBar)) }
    guard let lower = part(beatType), let meter = Meter(beatsPerBar: upper, beatType: lower) else {
      return .fault(.beatType(beatType))
    }
    guard ticksPerBeat >= 1, ticksPerBeat <= TimebaseReading.mostTicksPerBeat else {
      return .fault(.ticksPerBeat(ticksPerBeat))
    }
    guard beatsPerMinute > 0, beatsPerMinute <= TimebaseReading.fastest else {
      return .fault(.beatsPerMinute(beatsPerMinute))
    }
    guard beat >= 1, beat <= meter.beatsPerBar else {
      return .fault(.beat(beat, beatsPerBar: meter.beatsPerBar))
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
    return position(in: meter)
  }

  /// A part of a meter. Compared as a floating-point number, so that a value that is not a number fails every test.
  @_noLocks
  private func part(_ number: Float) -> Int? {
    number >= 1 && number <= 64 && Float(Int32(number)) == number ? Int(number) : nil
  }

  @_noLocks
  private func position(in meter: Meter) -> TimebaseVerdict {
    let beatLength = meter.beatLength.nanobeats
    let wholeBeats = (Int64(bar) &- 1) &* Int64(meter.beatsPerBar) &+ Int64(beat) &- 1
    guard bar >= 1, wholeBeats < Beats.limit.nanobeats / beatLength else { return .fault(.bar(bar)) }
    let fraction = (tickDouble ?? Double(tick)) / ticksPerBeat
    return .position(
      OwnerPosition(
        beat: BeatTime(
          sinceZero: Beats(
            nanobeats: wholeBeats &* beatLength &+ Int64(fraction * Double(beatLength) + 0.5))),
        tickLength: tickDouble == nil ? Beats(nanobeats: Int64(Double(beatLength) / ticksPerBeat)) : .zero,
        declaredBeatsPerMinute: beatsPerMinute * 4 / Double(meter.beatType), meter: meter,
        age: FrameCount(Int64(bbtFrameOffset ?? 0))))
  }
}
