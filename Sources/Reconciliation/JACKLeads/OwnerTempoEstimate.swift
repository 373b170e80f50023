import MusicalTime

/// The tempo of a timebase owner, and how well it is known.
public struct OwnerTempoEstimate: Sendable, BitwiseCopyable, Hashable {
  /// The tempo as Link can carry it.
  public var folded: FoldedTempo
  /// How far the tempo may be off, in Link's beats per minute.
  public var uncertainty: Double
  /// Whether it is the tempo the owner declares, and not its beats' own.
  public var isDeclared: Bool

  /// An estimate.
  @_noLocks
  public init(folded: FoldedTempo, uncertainty: Double, isDeclared: Bool) {
    self.folded = folded
    self.uncertainty = uncertainty
    self.isDeclared = isDeclared
  }

  /// An estimate of a tempo as the owner counts it, which may be so many quarter notes per second off; `nil` where
  /// Link can carry none.
  @_noLocks
  init?(beatsPerMinute: Double, uncertainty: Double, isDeclared: Bool) {
    guard let folded = FoldedTempo(beatsPerMinute: beatsPerMinute) else { return nil }
    self.init(folded: folded, uncertainty: uncertainty * 60 * folded.scale, isDeclared: isDeclared)
  }

  /// The owner's own speed, not folded, in quarter notes per second.
  var beatsPerSecond: Double { @_noLocks get { folded.ownersBeatsPerMinute / 60 } }

  /// Whether it differs from a tempo, in quarter notes per minute, by no more than a sound card may be off.
  @_noLocks
  func isNear(_ beatsPerMinute: Double) -> Bool {
    let ownBeatsPerMinute = folded.ownersBeatsPerMinute
    return (beatsPerMinute - ownBeatsPerMinute).magnitude <= ownBeatsPerMinute * OwnerTempo.skew
  }
}
