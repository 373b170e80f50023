import MusicalTime

/// By how much a tempo is to be faster, or slower, in beats per minute.
public struct TempoStep: Sendable, BitwiseCopyable, Hashable {
  /// The step: negative is slower.
  public let beatsPerMinute: Double

  /// The steps there are: from the slowest tempo to the fastest, and back.
  public static let range: ClosedRange<Double> = -979...979

  /// A step of `beatsPerMinute`; `nil` unless it is within the ``range``.
  public init?(beatsPerMinute: Double) {
    guard TempoStep.range.contains(beatsPerMinute) else { return nil }
    self.beatsPerMinute = beatsPerMinute
  }
}

extension Tempo {
  /// The tempo a step from here, or where the step leads beyond the slowest or the fastest, that one.
  ///
  /// Realtime-safe.
  @_noLocks
  func stepped(by step: TempoStep) -> Tempo {
    Tempo(clamping: beatsPerMinute + step.beatsPerMinute) ?? self
  }
}
