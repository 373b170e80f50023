import MusicalTime

/// The position and tempo that the timebase owner passes to JACK for the next cycle.
public struct TimebaseEntry: Sendable, Hashable {
  /// The position of the next cycle's first frame.
  public var position: BarBeatTick
  /// The tempo in the meter's own beats per minute.
  public var beatsPerMinute: Double
  /// The position as it is known, of which ``position`` is the nearest tick.
  public var exact: BeatTime
  /// The tempo as Link counts it.
  public var tempo: Tempo
  /// How bars are counted there.
  public var bars: BarCount

  /// An entry.
  @_noLocks
  public init(position: BarBeatTick, beatsPerMinute: Double, exact: BeatTime, tempo: Tempo, bars: BarCount) {
    self.position = position
    self.beatsPerMinute = beatsPerMinute
    self.exact = exact
    self.tempo = tempo
    self.bars = bars
  }
}
