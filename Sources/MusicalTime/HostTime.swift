/// A clock that host times are read from.
///
/// JACK and Link each keep their own, and the two may differ by a quarter of a second and run at different
/// speeds: an instant of one means nothing to the other.
public protocol HostClock {}

/// The clock of the JACK server, read by `jack_get_time`.
public enum JACKClock: HostClock {}

/// The clock of Ableton Link, `CLOCK_MONOTONIC_RAW` on Linux.
public enum LinkClock: HostClock {}

/// An instant of `Clock`, in nanoseconds.
public struct HostTime<Clock: HostClock>: Sendable, BitwiseCopyable, Hashable, Comparable {
  /// Nanoseconds since the clock's own origin.
  public let nanoseconds: Int64

  /// An instant, in nanoseconds since the clock's origin.
  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// An instant, in microseconds since the clock's origin, within 146 years of it.
  @inlinable
  public init(microseconds: Int64) {
    nanoseconds = HostInterval(microseconds: microseconds).nanoseconds
  }

  /// The instant in whole microseconds, rounded down.
  @inlinable public var microseconds: Int64 {
    let quotient = nanoseconds / 1000
    return nanoseconds % 1000 < 0 ? quotient &- 1 : quotient
  }

  /// The time since the last whole microsecond.
  @inlinable public var sinceMicrosecond: HostInterval {
    HostInterval(nanoseconds: nanoseconds &- microseconds &* 1000)
  }

  /// Whether `lhs` comes before `rhs`.
  @inlinable
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds == rhs.nanoseconds }

  /// The instant `interval` later.
  @inlinable
  public static func + (lhs: Self, interval: HostInterval) -> Self {
    Self(nanoseconds: lhs.nanoseconds &+ interval.nanoseconds)
  }

  /// The instant `interval` earlier.
  @inlinable
  public static func - (lhs: Self, interval: HostInterval) -> Self {
    Self(nanoseconds: lhs.nanoseconds &- interval.nanoseconds)
  }

  /// The time from `rhs` to `lhs`.
  @inlinable
  public static func - (lhs: Self, rhs: Self) -> HostInterval {
    HostInterval(nanoseconds: lhs.nanoseconds &- rhs.nanoseconds)
  }
}
