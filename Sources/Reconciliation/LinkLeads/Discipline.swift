import MusicalTime

/// What keeps programs that count frames alone with the session while they roll: their beat goes with the sound
/// card, and with the tempo that was, and Link's does not.
public enum Discipline: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Nothing. They are put in phase by the next start.
  case off
  /// What is off by more than a threshold is put in phase at the next bar line, by one relocation. Nothing of
  /// it reaches the session.
  case relocate
  /// The session's tempo is steered, by some millionths, so that Link's beat stays on the frames': every peer
  /// goes along. What is too far off to be steered is relocated.
  case tempo

  /// Whether anything is done.
  var isOn: Bool {
    @inline(__always) @_noLocks get {
      switch self {
      case .off: false
      case .relocate, .tempo: true
      }
    }
  }
}

/// How far programs that count frames may be off before they are relocated.
public struct DisciplineThreshold: Sendable, BitwiseCopyable, Hashable {
  /// The time.
  public let interval: HostInterval

  /// The thresholds that make sense, in milliseconds: from what the clocks of all parts are known to.
  public static let range: ClosedRange<Double> = 1...1000

  /// What people begin to hear.
  public static var standard: DisciplineThreshold { DisciplineThreshold(interval: .milliseconds(5)) }

  private init(interval: HostInterval) {
    self.interval = interval
  }

  /// A threshold in milliseconds; `nil` outside ``range``.
  public init?(milliseconds: Double) {
    guard DisciplineThreshold.range.contains(milliseconds),
      let interval = HostInterval(milliseconds: milliseconds)
    else { return nil }
    self.interval = interval
  }
}
