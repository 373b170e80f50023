/// A length of time on any host clock, in nanoseconds.
public struct HostInterval: Sendable, BitwiseCopyable, Hashable, Comparable {
  /// The length in nanoseconds; negative for a time that has passed.
  public let nanoseconds: Int64

  /// No time.
  @inlinable public static var zero: HostInterval { HostInterval(nanoseconds: 0) }

  /// A length in nanoseconds.
  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// So many seconds, to the nanosecond; at most 292 years.
  @inlinable
  public static func seconds(_ count: Double) -> HostInterval { HostInterval(saturating: count * 1e9) }

  /// So many milliseconds, to the nanosecond; at most 292 years.
  @inlinable
  public static func milliseconds(_ count: Double) -> HostInterval { HostInterval(saturating: count * 1e6) }

  /// A length in microseconds, saturating at 146 years.
  @inlinable
  public init(microseconds: Int64) {
    let bound: Int64 = 4_611_686_018_427_387
    nanoseconds = (microseconds > bound ? bound : microseconds < -bound ? -bound : microseconds) &* 1000
  }

  /// A length in milliseconds; `nil` when not a number or longer than 146 years.
  public init?(milliseconds: Double) {
    guard milliseconds.magnitude <= 4_611_686_018_427 else { return nil }
    nanoseconds = roundedToNearest(milliseconds * 1e6)
  }

  /// How long `frames` last at `rate`.
  @inlinable
  public init(_ frames: FrameCount, at rate: SampleRate) {
    self.init(saturating: Double(frames.count) * 1e9 / rate.hertz)
  }

  @inlinable @inline(__always)
  init(saturating nanoseconds: Double) {
    // One comparison, that nearly every value passes.
    guard nanoseconds.magnitude < 4e18 else {
      self.init(nanoseconds: nanoseconds < 0 ? -4_000_000_000_000_000_000 : 4_000_000_000_000_000_000)
      return
    }
    self.init(nanoseconds: roundedToNearest(nanoseconds))
  }

  /// The length in seconds.
  @inlinable public var seconds: Double { Double(nanoseconds) / 1e9 }

  /// The length in microseconds.
  @inlinable public var microseconds: Double { Double(nanoseconds) / 1e3 }

  /// The length in milliseconds.
  @inlinable public var milliseconds: Double { Double(nanoseconds) / 1e6 }

  /// The length regardless of its direction.
  @inlinable public var magnitude: HostInterval {
    HostInterval(nanoseconds: nanoseconds < 0 ? 0 &- nanoseconds : nanoseconds)
  }

  /// Whether `lhs` comes before `rhs`.
  @inlinable
  public static func < (lhs: HostInterval, rhs: HostInterval) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: HostInterval, rhs: HostInterval) -> Bool { lhs.nanoseconds == rhs.nanoseconds }

  /// The sum of two lengths.
  @inlinable
  public static func + (lhs: HostInterval, rhs: HostInterval) -> HostInterval {
    HostInterval(nanoseconds: lhs.nanoseconds &+ rhs.nanoseconds)
  }

  /// The difference of two lengths.
  @inlinable
  public static func - (lhs: HostInterval, rhs: HostInterval) -> HostInterval {
    HostInterval(nanoseconds: lhs.nanoseconds &- rhs.nanoseconds)
  }

  /// So many times this length.
  @inlinable
  public static func * (lhs: HostInterval, count: Int64) -> HostInterval {
    HostInterval(nanoseconds: lhs.nanoseconds &* count)
  }
}
