/// A number of quarter-note beats, the unit of Ableton Link: the length of something, or the distance between
/// two positions, each a ``BeatTime``.
///
/// Stored as whole nanobeats, so that sums are exact and bars never drift; a nanobeat at 20 bpm lasts 3 ns.
/// A value is always finite and within ``limit`` of zero: arithmetic saturates there.
public struct Beats: Sendable, BitwiseCopyable, Hashable, Comparable {
  /// The value in billionths of a beat.
  public let nanobeats: Int64

  /// The largest magnitude: a thousand million beats, almost two years at 999 bpm.
  @inlinable public static var limit: Beats { Beats(nanobeats: 1_000_000_000_000_000_000) }

  /// No beats.
  @inlinable public static var zero: Beats { Beats(nanobeats: 0) }

  /// One beat.
  @inlinable public static var one: Beats { Beats(nanobeats: 1_000_000_000) }

  /// Builds a value from nanobeats, saturating at plus and minus ``limit``.
  @inlinable
  public init(nanobeats: Int64) {
    let bound: Int64 = 1_000_000_000_000_000_000
    self.nanobeats = nanobeats > bound ? bound : nanobeats < -bound ? -bound : nanobeats
  }

  /// Builds a value from nanobeats that are known to be within ``limit``.
  @inlinable @inline(__always)
  init(unchecked nanobeats: Int64) {
    self.nanobeats = nanobeats
  }

  /// Builds the value nearest to a floating-point number of beats.
  ///
  /// Returns `nil` when `beats` is not a number, infinite, or beyond ``limit``.
  @inlinable
  public init?(_ beats: Double) {
    guard beats.magnitude <= 1e9 else { return nil }
    self.init(unchecked: roundedToNearest(beats * 1e9))
  }

  /// The value as a floating-point number of beats.
  @inlinable public var doubleValue: Double { Double(nanobeats) / 1e9 }

  /// The number regardless of its sign.
  @inlinable public var magnitude: Beats { Beats(nanobeats: nanobeats < 0 ? 0 &- nanobeats : nanobeats) }

  /// Whether `lhs` is less than `rhs`.
  @inlinable
  public static func < (lhs: Beats, rhs: Beats) -> Bool { lhs.nanobeats < rhs.nanobeats }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: Beats, rhs: Beats) -> Bool { lhs.nanobeats == rhs.nanobeats }

  /// The sum, saturating at ``limit``.
  @inlinable
  public static func + (lhs: Beats, rhs: Beats) -> Beats { Beats(nanobeats: lhs.nanobeats &+ rhs.nanobeats) }

  /// The difference, saturating at ``limit``.
  @inlinable
  public static func - (lhs: Beats, rhs: Beats) -> Beats { Beats(nanobeats: lhs.nanobeats &- rhs.nanobeats) }

  /// The same distance the other way.
  @inlinable
  public static prefix func - (beats: Beats) -> Beats { Beats(nanobeats: 0 &- beats.nanobeats) }
}

extension Beats {
  /// The rest of the distance after as many whole quanta as there are below it: in `0 ..< quantum`.
  @inlinable
  func remainder(in quantum: Quantum) -> Beats {
    let length = quantum.beats.nanobeats
    let remainder = nanobeats % length
    return Beats(nanobeats: remainder < 0 ? remainder &+ length : remainder)
  }

  /// The same distance, shortened by whole quanta: in `-quantum / 2 ..< quantum / 2`.
  @inlinable
  public func shortest(around quantum: Quantum) -> Beats {
    (self + quantum.half).remainder(in: quantum) - quantum.half
  }
}

extension Beats: CustomStringConvertible {
  /// The value in decimal, for example `3.5`.
  public var description: String { "\(doubleValue)" }
}

/// The nearest integer, halves away from zero; the argument must be within the range of `Int64`.
///
/// `Double.rounded()` is an opaque call that the real-time checks reject.
@inlinable @inline(__always)
func roundedToNearest(_ value: Double) -> Int64 {
  Int64(value + Double(signOf: value, magnitudeOf: 0.5))
}
