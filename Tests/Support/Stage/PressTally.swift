/// The result of a series of random presses.
public struct PressTally: Sendable {
  /// How often JACK and Link were not in the same state long after a press.
  public private(set) var disagreements = 0
  /// How often a stop was not heard on both sides.
  public private(set) var lostStops = 0
  /// How often a start was not heard on both sides, or the transport did not roll.
  public private(set) var lostStarts = 0
  /// How often the session's grid moved by more than tempos account for that cross.
  public internal(set) var linkJumps = 0
  /// The last presses before the first fault.
  public private(set) var trail: [String] = []

  /// Whether all went as it should.
  public var isClean: Bool { !hasFault && linkJumps == 0 }

  /// Whether anything was not heard, or not agreed upon.
  public var hasFault: Bool { disagreements + lostStops + lostStarts > 0 }

  mutating func note(_ press: String) {
    if !hasFault { trail = trail.suffix(29) + [press] }
  }

  mutating func expectAgreement(_ isMet: Bool) { if !isMet { disagreements += 1 } }
  mutating func expectStop(_ isMet: Bool) { if !isMet { lostStops += 1 } }
  mutating func expectStart(_ isMet: Bool) { if !isMet { lostStarts += 1 } }
}
