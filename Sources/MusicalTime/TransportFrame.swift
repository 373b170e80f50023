/// A position on the timeline of JACK's transport, in frames: where a client locates to, and where it rolls
/// from there.
///
/// JACK counts in 32 bits, and begins again after a day at 48 kHz; so does the arithmetic here.
public struct TransportFrame: Sendable, BitwiseCopyable, Hashable {
  /// The number of the frame, 0 where the timeline begins.
  public let number: UInt32

  /// The frame of that number.
  @inlinable
  public init(_ number: UInt32) {
    self.number = number
  }

  /// How far it is from frame 0 on a timeline that has not wrapped: 0 to 4,294,967,295.
  @inlinable public var sinceZero: FrameCount { FrameCount(Int64(number)) }

  /// The frames from `other` to here, the shorter way around: negative where it comes before `other`.
  @inlinable
  public static func - (lhs: TransportFrame, other: TransportFrame) -> FrameCount {
    FrameCount(Int64(Int32(bitPattern: lhs.number &- other.number)))
  }

  /// The frames from `other` to here, forwards: many where it comes before `other`.
  @inlinable
  public func frames(since other: TransportFrame) -> UInt32 { number &- other.number }

  /// The frame `count` frames later.
  @inlinable
  public static func + (lhs: TransportFrame, count: UInt32) -> TransportFrame {
    TransportFrame(lhs.number &+ count)
  }

  /// The frame `count` frames later, or earlier where it is negative.
  @inlinable
  public static func + (lhs: TransportFrame, count: FrameCount) -> TransportFrame {
    TransportFrame(lhs.number &+ UInt32(truncatingIfNeeded: count.count))
  }

  /// The frame `count` frames earlier, or later where it is negative.
  @inlinable
  public static func - (lhs: TransportFrame, count: FrameCount) -> TransportFrame {
    TransportFrame(lhs.number &- UInt32(truncatingIfNeeded: count.count))
  }

  /// Whether the two are the same.
  @inlinable
  public static func == (lhs: TransportFrame, rhs: TransportFrame) -> Bool { lhs.number == rhs.number }
}

extension TransportFrame: ExpressibleByIntegerLiteral {
  /// The frame of that number.
  @inlinable
  public init(integerLiteral number: UInt32) { self.init(number) }
}

extension TransportFrame: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { "\(number)" }
}
