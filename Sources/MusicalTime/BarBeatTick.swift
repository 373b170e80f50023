/// A position as JACK shows it: a bar and a beat counted from one, and a tick counted from zero.
///
/// Always within its own ranges: `bar >= 1`, `1 ... beatsPerBar`, `0 ..< ticksPerBeat`. JACK has no position
/// before bar 1, so a position before zero shows as 1|1|0: sit and wait.
public struct BarBeatTick: Sendable, BitwiseCopyable, Hashable {
  /// The bar, from 1.
  public let bar: Int32
  /// The beat of the bar, from 1 to the meter's beats per bar.
  public let beat: Int32
  /// The tick of the beat, from 0 to one less than ``ticksPerBeat``.
  public let tick: Int32
  /// The meter the position is counted in.
  public let meter: Meter
  /// The resolution of ``tick``.
  public let ticksPerBeat: TicksPerBeat

  /// The tick nearest to `position`, counted from bar 1 beat 1 at position zero.
  ///
  /// Rounding to the nearest tick, not down, keeps the average error of readers at zero. The mapping is
  /// monotone, and the inverse of ``position`` to within half a tick.
  ///
  /// - Parameters:
  ///   - position: The position, in Link's beats.
  ///   - meter: The meter that bars and beats are counted in.
  ///   - ticksPerBeat: The resolution.
  ///   - barsBefore: The number of bars before position zero, from 0.
  @inlinable
  public init(nearest position: BeatTime, meter: Meter, ticksPerBeat: TicksPerBeat, barsBefore: Int64 = 0) {
    // Nothing is negative from here on: unsigned numbers are divided with fewer checks.
    let beatLength = UInt64(truncatingIfNeeded: meter.beatLength.nanobeats)
    let resolution = UInt64(truncatingIfNeeded: ticksPerBeat.count)
    let sinceZero = position.sinceZero.nanobeats
    let nanobeats = UInt64(truncatingIfNeeded: sinceZero < 0 ? 0 : sinceZero)
    var (wholeBeats, rest) = nanobeats.quotientAndRemainder(dividingBy: beatLength)
    rest = rest &* resolution &+ beatLength / 2
    var tick = rest / beatLength
    if tick == resolution {
      tick = 0
      wholeBeats &+= 1
    }
    let (bars, beat) = wholeBeats.quotientAndRemainder(
      dividingBy: UInt64(truncatingIfNeeded: meter.beatsPerBar))
    let bar = bars &+ UInt64(truncatingIfNeeded: barsBefore)
    self.bar = Int32(truncatingIfNeeded: bar < UInt64(Int32.max) ? bar &+ 1 : UInt64(Int32.max))
    self.beat = Int32(truncatingIfNeeded: beat &+ 1)
    self.tick = Int32(truncatingIfNeeded: tick)
    self.meter = meter
    self.ticksPerBeat = ticksPerBeat
  }

  @inlinable
  init(bar: Int32, beat: Int32, tick: Int32, meter: Meter, ticksPerBeat: TicksPerBeat) {
    self.bar = bar
    self.beat = beat
    self.tick = tick
    self.meter = meter
    self.ticksPerBeat = ticksPerBeat
  }

  /// The same for readers who are shown whole ticks only, of which there are `resolution` in a beat, with
  /// fractions cut off: they read the nearest one.
  ///
  /// In ticks of ``TicksPerBeat/standard``, a quarter of a reader's tick later than that one, so that no
  /// rounding on the way to them makes it the one before.
  @inlinable
  public func legible(inWholeTicks resolution: TicksPerBeat) -> BarBeatTick {
    let nearest = BarBeatTick(nearest: position, meter: meter, ticksPerBeat: resolution)
    let fine = Int64(TicksPerBeat.standard.count)
    let quarters = (Int64(nearest.tick) &* 4 &+ 1) &* fine / (4 &* Int64(resolution.count))
    return BarBeatTick(
      bar: nearest.bar, beat: nearest.beat, tick: Int32(truncatingIfNeeded: quarters), meter: meter,
      ticksPerBeat: .standard)
  }

  /// The position, counted from bar 1 beat 1.
  @inlinable public var position: BeatTime {
    let wholeBeats = (Int64(bar) &- 1) &* Int64(meter.beatsPerBar) &+ Int64(beat) &- 1
    let beatLength = meter.beatLength.nanobeats
    let resolution = Int64(ticksPerBeat.count)
    let fraction = (Int64(tick) &* beatLength &+ resolution / 2) / resolution
    return BeatTime(sinceZero: Beats(nanobeats: wholeBeats &* beatLength &+ fraction))
  }

  /// The number of ticks from bar 1 to the start of ``bar``.
  @inlinable public var barStartTick: Double {
    (Double(bar) - 1) * Double(meter.beatsPerBar) * Double(ticksPerBeat.count)
  }
}

extension BarBeatTick: CustomStringConvertible {
  /// The position as musicians write it, for example `3|2|960`.
  public var description: String { "\(bar)|\(beat)|\(tick)" }
}
