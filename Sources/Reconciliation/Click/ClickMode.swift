import MusicalTime

/// When clicks are heard.
public enum ClickMode: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Never: there is no port for them.
  case off
  /// While JACK rolls, and the count to it while a start waits.
  case rolling
}

/// How loud the loudest sample of a click may be.
public struct ClickLevel: Sendable, BitwiseCopyable, Hashable {
  /// The level in decibels below the largest sample that can be played, which is 1: zero or negative.
  public let decibels: Double

  /// The levels that make sense, in decibels.
  public static let range: ClosedRange<Double> = -60...0

  /// A quarter of what can be played.
  public static var standard: ClickLevel { ClickLevel(unchecked: -12) }

  private init(unchecked decibels: Double) {
    self.decibels = decibels
  }

  /// A level in decibels; `nil` outside ``range``.
  public init?(decibels: Double) {
    guard ClickLevel.range.contains(decibels) else { return nil }
    self.decibels = decibels
  }

  /// The largest magnitude of a sample: 0.001 to 1.
  public var amplitude: Double {
    Spiral.exponential(decay: -decibels * 0.115_129_254_649_702_28, angle: 0).re
  }
}
