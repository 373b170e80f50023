/// A frame of the JACK server's own count, which goes on while the transport is stopped and which no client
/// relocates.
///
/// JACK counts in 32 bits, and begins again after a day at 48 kHz; so does the arithmetic here. ``FrameClock``
/// extends it.
public struct ServerFrame: Sendable, BitwiseCopyable, Hashable {
  /// The server's count.
  public let number: UInt32

  /// The frame that the server counts as `number`.
  @inlinable
  public init(_ number: UInt32) {
    self.number = number
  }

  /// The frames that the server has counted from `other` to here, forwards.
  @inlinable
  public func frames(since other: ServerFrame) -> UInt32 { number &- other.number }

  /// The frame `count` frames later.
  @inlinable
  public static func + (lhs: ServerFrame, count: UInt32) -> ServerFrame { ServerFrame(lhs.number &+ count) }

  /// The frame `count` frames earlier.
  @inlinable
  public static func - (lhs: ServerFrame, count: UInt32) -> ServerFrame { ServerFrame(lhs.number &- count) }

  /// Whether the two are the same.
  @inlinable
  public static func == (lhs: ServerFrame, rhs: ServerFrame) -> Bool { lhs.number == rhs.number }
}

extension ServerFrame: ExpressibleByIntegerLiteral {
  /// The frame that the server counts as `number`.
  @inlinable
  public init(integerLiteral number: UInt32) { self.init(number) }
}

extension ServerFrame: CustomStringConvertible {
  /// The count in decimal.
  public var description: String { "\(number)" }
}
