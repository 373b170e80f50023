import MusicalTime

/// How programs that only count frames stay in phase with the session while they roll: their beat goes with
/// the sound card, and with the tempo at the start; Link's does not.
public enum Discipline: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Nothing. The next start brings them into phase.
  case off
  /// At the next bar line one relocation removes an error above a threshold. The session is not changed.
  case relocate
  /// The session's tempo is steered, by some millionths, so that Link's beat stays on the frames': every peer
  /// goes along. An error too large to be steered is removed by a relocation.
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

  /// The reasonable thresholds, in milliseconds: from the accuracy of all clocks involved.
  public static let range: ClosedRange<Double> = 1...1000

  /// The smallest distance between two sounds that most people hear.
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
