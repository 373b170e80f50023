/// A position on a beat timeline, Link's or the song's: so many quarter-note beats after beat zero, or before
/// it. Ableton's word for it is beat time.
///
/// Two positions are a number of ``Beats`` apart, and a position moved by ``Beats`` is another one; a sum of
/// two positions means nothing. Always within ``Beats/limit`` of beat zero: arithmetic saturates there.
public struct BeatTime: Sendable, BitwiseCopyable, Hashable, Comparable {
  /// The beats from beat zero; negative before it.
  public let sinceZero: Beats

  /// Beat zero.
  @inlinable public static var zero: BeatTime { BeatTime(sinceZero: .zero) }

  /// The position so many beats after beat zero.
  @inlinable @inline(__always)
  public init(sinceZero: Beats) {
    self.sinceZero = sinceZero
  }

  /// Builds the position nearest to a floating-point number of beats from beat zero.
  ///
  /// Returns `nil` when `beats` is not a number, infinite, or beyond ``Beats/limit``.
  @inlinable
  public init?(_ beats: Double) {
    guard let sinceZero = Beats(beats) else { return nil }
    self.init(sinceZero: sinceZero)
  }

  /// Builds the position nearest to a floating-point number of beats that comes from outside: the last or the
  /// first for numbers beyond them, beat zero for a value that is not a number.
  ///
  /// A Link peer can send a timeline that is beyond any beat.
  @inlinable @inline(__always)
  public init(clamping beats: Double) {
    self.init(sinceZero: Beats(beats) ?? (beats > 0 ? .limit : beats < 0 ? -.limit : .zero))
  }

  /// The position as a floating-point number of beats from beat zero.
  @inlinable public var doubleValue: Double { sinceZero.doubleValue }

  /// Whether `lhs` comes before `rhs`.
  @inlinable
  public static func < (lhs: BeatTime, rhs: BeatTime) -> Bool { lhs.sinceZero < rhs.sinceZero }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: BeatTime, rhs: BeatTime) -> Bool { lhs.sinceZero == rhs.sinceZero }

  /// The position `beats` later, saturating at ``Beats/limit``.
  @inlinable
  public static func + (lhs: BeatTime, beats: Beats) -> BeatTime {
    BeatTime(sinceZero: lhs.sinceZero + beats)
  }

  /// The position `beats` earlier, saturating at ``Beats/limit``.
  @inlinable
  public static func - (lhs: BeatTime, beats: Beats) -> BeatTime {
    BeatTime(sinceZero: lhs.sinceZero - beats)
  }

  /// The beats from `rhs` to `lhs`, saturating at ``Beats/limit``.
  @inlinable
  public static func - (lhs: BeatTime, rhs: BeatTime) -> Beats { lhs.sinceZero - rhs.sinceZero }
}

extension BeatTime: CustomStringConvertible {
  /// The beats from beat zero in decimal, for example `3.5`.
  public var description: String { "\(sinceZero)" }
}
