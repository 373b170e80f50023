/// The sample rate of an audio server, in hertz.
public struct SampleRate: Sendable, BitwiseCopyable, Hashable {
  /// Frames per second.
  public let hertz: Double

  /// 48 kHz.
  @inlinable public static var standard: SampleRate { SampleRate(unchecked: 48_000) }

  @inlinable
  init(unchecked hertz: Double) {
    self.hertz = hertz
  }

  /// Builds a rate; `nil` when `hertz` is not between 1 and 10 million.
  @inlinable
  public init?(hertz: Double) {
    guard hertz >= 1, hertz <= 10_000_000 else { return nil }
    self.hertz = hertz
  }
}
