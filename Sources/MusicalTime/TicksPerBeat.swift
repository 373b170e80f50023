/// The resolution of JACK's bar, beat and tick: how many ticks make one of the meter's beats.
public struct TicksPerBeat: Sendable, BitwiseCopyable, Hashable {
  /// Ticks in a beat.
  public let count: Int32

  /// The resolutions a timebase can have.
  public static let range: ClosedRange<Int> = 1...10_000_000

  /// 1,920,000 ticks: a tick is 0.26 µs at 120 bpm and 1.6 µs at 20 bpm, and a whole multiple of the
  /// customary 1920 and of MIDI's 24, 96 and 480.
  @inlinable public static var standard: TicksPerBeat { TicksPerBeat(unchecked: 1_920_000) }

  @inlinable
  init(unchecked count: Int32) { self.count = count }

  /// Builds a resolution; `nil` outside ``range``.
  public init?(_ count: Int) {
    guard TicksPerBeat.range.contains(count) else { return nil }
    self.count = Int32(count)
  }
}
