import MusicalTime

/// How much later something is to be heard than it would be, or earlier.
public struct Offset: Sendable, BitwiseCopyable, Hashable {
  /// The time; negative for earlier.
  public let interval: HostInterval

  /// The offsets that make sense, in milliseconds.
  public static let range: ClosedRange<Double> = -500...500

  /// Neither later nor earlier.
  public static var none: Offset { Offset(interval: .zero) }

  private init(interval: HostInterval) {
    self.interval = interval
  }

  /// An offset in milliseconds; `nil` outside ``range``.
  public init?(milliseconds: Double) {
    guard Offset.range.contains(milliseconds), let interval = HostInterval(milliseconds: milliseconds) else {
      return nil
    }
    self.interval = interval
  }
}
