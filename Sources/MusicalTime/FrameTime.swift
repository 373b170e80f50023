/// An instant on the sample clock: frames since some origin, in 64 bits.
///
/// JACK counts frames in 32 bits, which wrap after a day at 48 kHz; ``FrameClock`` extends them.
public struct FrameTime: Sendable, BitwiseCopyable, Hashable {
  /// Frames since the origin.
  public let frame: Int64

  /// The instant `frame` frames after the origin.
  @inlinable
  public init(frame: Int64) {
    self.frame = frame
  }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: FrameTime, rhs: FrameTime) -> Bool { lhs.frame == rhs.frame }

  /// The instant `count` frames later.
  @inlinable
  public static func + (lhs: FrameTime, count: FrameCount) -> FrameTime {
    FrameTime(frame: lhs.frame &+ count.count)
  }

  /// The frames from `rhs` to `lhs`.
  @inlinable
  public static func - (lhs: FrameTime, rhs: FrameTime) -> FrameCount {
    FrameCount(lhs.frame &- rhs.frame)
  }
}

/// A number of frames.
public struct FrameCount: Sendable, BitwiseCopyable, Hashable, Comparable {
  /// The number; negative for a distance backwards.
  public let count: Int64

  /// `count` frames.
  @inlinable
  public init(_ count: Int64) {
    self.count = count
  }

  /// The whole number of frames nearest to `interval`.
  @inlinable
  public init(nearest interval: HostInterval, at rate: SampleRate) {
    // No interval has more than a hundred million billion of them at any rate.
    self.init(roundedToNearest(Double(interval.nanoseconds) * rate.hertz / 1e9))
  }

  /// The sum of two numbers.
  @inlinable
  public static func + (lhs: FrameCount, rhs: FrameCount) -> FrameCount {
    FrameCount(lhs.count &+ rhs.count)
  }

  /// The difference of two numbers.
  @inlinable
  public static func - (lhs: FrameCount, rhs: FrameCount) -> FrameCount {
    FrameCount(lhs.count &- rhs.count)
  }

  /// Whether `lhs` comes before `rhs`.
  @inlinable
  public static func < (lhs: FrameCount, rhs: FrameCount) -> Bool { lhs.count < rhs.count }

  /// Whether the two are equal.
  @inlinable
  public static func == (lhs: FrameCount, rhs: FrameCount) -> Bool { lhs.count == rhs.count }
}

/// Extends the server's 32-bit count of frames to 64 bits, across any number of wraps.
///
/// Readings may go backwards, by less than half the 32-bit range.
public struct FrameClock: Sendable {
  /// The last extended reading, or `nil` before the first.
  public private(set) var last: FrameTime?

  /// A clock that has read nothing.
  public init() {}

  /// The instant that `frame` stands for: of all that agree with it in 32 bits, the nearest to the last
  /// reading.
  ///
  /// Realtime-safe.
  @_noLocks
  public mutating func extend(_ frame: ServerFrame) -> FrameTime {
    guard let last else {
      let first = FrameTime(frame: Int64(frame.number))
      self.last = first
      return first
    }
    let step = Int32(truncatingIfNeeded: Int64(frame.number) &- last.frame)
    let extended = FrameTime(frame: last.frame &+ Int64(step))
    self.last = extended
    return extended
  }
}
