import MusicalTime

/// What the timebase owner tells JACK about the next cycle.
public struct TimebaseEntry: Sendable, Hashable {
  /// The position of the next cycle's first frame.
  public var position: BarBeatTick
  /// The tempo in the meter's own beats per minute.
  public var beatsPerMinute: Double

  /// An entry.
  @_noLocks
  public init(position: BarBeatTick, beatsPerMinute: Double) {
    self.position = position
    self.beatsPerMinute = beatsPerMinute
  }
}
