/// The length, in Link's beats, over which the peers of a session agree on the phase.
///
/// A quantum is not a meter: it is each peer's own choice and independent of how bars are counted.
public struct Quantum: Sendable, BitwiseCopyable, Hashable {
  /// The length.
  public let beats: Beats

  /// The shortest and the longest quantum, in beats.
  public static let range: ClosedRange<Double> = 0.125...1024

  /// Builds a quantum of `beats` beats; `nil` outside ``range``.
  public init?(beats: Double) {
    guard Quantum.range.contains(beats), let length = Beats(beats) else { return nil }
    self.beats = length
  }

  /// One bar of `meter`: 4 beats for 4/4, 3 for 6/8.
  @inlinable
  public init(barOf meter: Meter) {
    beats = meter.barLength
  }

  /// One of JACK's beats of `meter`, or ``range``'s shortest if that is longer.
  @inlinable
  public init(beatOf meter: Meter) {
    let shortest = Beats(nanobeats: 125_000_000)
    beats = meter.beatLength < shortest ? shortest : meter.beatLength
  }

  /// Whether two are the same. Realtime-safe, which a comparison that the compiler makes is not.
  @inlinable @_noLocks
  public static func == (lhs: Quantum, rhs: Quantum) -> Bool {
    lhs.beats.nanobeats == rhs.beats.nanobeats
  }

  /// Half the length.
  @inlinable var half: Beats { Beats(nanobeats: beats.nanobeats / 2) }

  /// The length as a floating-point number of beats, as Link takes it.
  @inlinable public var doubleValue: Double { beats.doubleValue }
}
