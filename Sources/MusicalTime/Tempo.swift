/// A tempo that Link can carry: 20 to 999 quarter-note beats per minute.
public struct Tempo: Sendable, BitwiseCopyable, Hashable, Comparable {
  /// Quarter-note beats per minute.
  public let beatsPerMinute: Double

  /// The tempos Link accepts, in beats per minute; it clamps every other one.
  public static let range: ClosedRange<Double> = 20...999

  /// 120 beats per minute, Link's own default.
  @inlinable public static var standard: Tempo { Tempo(unchecked: 120) }

  /// The slowest tempo.
  @inlinable public static var slowest: Tempo { Tempo(unchecked: 20) }

  @inlinable
  init(unchecked beatsPerMinute: Double) {
    self.beatsPerMinute = beatsPerMinute
  }

  /// Builds a tempo; `nil` when `beatsPerMinute` is not a number or outside ``range``.
  @inlinable
  public init?(beatsPerMinute: Double) {
    guard beatsPerMinute >= 20, beatsPerMinute <= 999 else { return nil }
    self.beatsPerMinute = beatsPerMinute
  }

  /// Builds the nearest tempo within ``range``, as Link does; `nil` when `beatsPerMinute` is not a number.
  ///
  /// The tempo 999 bpm, for example, comes back from the network as 999.000999.
  @inlinable
  public init?(clamping beatsPerMinute: Double) {
    guard !beatsPerMinute.isNaN else { return nil }
    self.beatsPerMinute = beatsPerMinute < 20 ? 20 : beatsPerMinute > 999 ? 999 : beatsPerMinute
  }

  /// The tempo as it travels between peers: whole microseconds per beat.
  @inlinable public var microsecondsPerBeat: Int64 { roundedToNearest(60e6 / beatsPerMinute) }

  /// Whether the two tempos are the same for peers, because the network carries both as the same number.
  @inlinable
  public func isSameOnTheWire(as other: Tempo) -> Bool { microsecondsPerBeat == other.microsecondsPerBeat }

  /// How many beats pass in `interval` at this tempo.
  @inlinable @inline(__always)
  public func beats(in interval: HostInterval) -> Beats {
    Beats(saturating: Double(interval.nanoseconds) * beatsPerMinute / 60)
  }

  /// How many beats pass in `frames` at this tempo.
  @inlinable
  public func beats(in frames: FrameCount, at rate: SampleRate) -> Beats {
    Beats(saturating: Double(frames.count) * 1e9 * beatsPerMinute / (60 * rate.hertz))
  }

  /// How many frames pass in `beats` at this tempo, to the nearest.
  @inlinable
  public func frames(in beats: Beats, at rate: SampleRate) -> FrameCount {
    FrameCount(nearest: interval(of: beats), at: rate)
  }

  /// How long `beats` last at this tempo.
  @inlinable @inline(__always)
  public func interval(of beats: Beats) -> HostInterval {
    HostInterval(saturating: Double(beats.nanobeats) * 60 / beatsPerMinute)
  }

  /// Whether `lhs` comes before `rhs`.
  @inlinable
  public static func < (lhs: Tempo, rhs: Tempo) -> Bool { lhs.beatsPerMinute < rhs.beatsPerMinute }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: Tempo, rhs: Tempo) -> Bool { lhs.beatsPerMinute == rhs.beatsPerMinute }
}

extension Beats {
  @inlinable @inline(__always)
  init(saturating nanobeats: Double) {
    // One comparison, that nearly every value passes.
    guard nanobeats.magnitude < 1e18 else {
      self = nanobeats < 0 ? -.limit : .limit
      return
    }
    self.init(unchecked: roundedToNearest(nanobeats))
  }
}
