import MusicalTime

/// The position of a timebase owner in the music, in Link's beats.
public struct OwnerPosition: Sendable, BitwiseCopyable, Hashable {
  /// The position from bar 1 beat 1, in quarter notes: as it is read, as if all bars were like this one.
  public var beat: BeatTime
  /// A position at which a bar begins: that of bar 1, if all bars were like this one.
  public var barsFrom: BeatTime
  /// The length of the owner's tick, in quarter notes: the largest rounding error of the position. Zero when
  /// the owner publishes fractions of ticks.
  public var tickLength: Beats
  /// The tempo the owner declares, in quarter notes per minute: a hint, to be held against the beats.
  public var declaredBeatsPerMinute: Double
  /// How the owner counts bars.
  public var meter: Meter
  /// How long before the start of the cycle the position holds.
  public var age: FrameCount

  /// A position.
  @_noLocks
  public init(
    beat: BeatTime, tickLength: Beats, declaredBeatsPerMinute: Double, meter: Meter,
    age: FrameCount, barsFrom: BeatTime = .zero
  ) {
    self.beat = beat
    self.barsFrom = barsFrom
    self.tickLength = tickLength
    self.declaredBeatsPerMinute = declaredBeatsPerMinute
    self.meter = meter
    self.age = age
  }
}
