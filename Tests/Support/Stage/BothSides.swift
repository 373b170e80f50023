/// The state of JACK's transport and of the session.
public struct BothSides: Sendable, Hashable {
  /// Whether JACK's transport rolls.
  public let jackRolls: Bool
  /// Whether the session plays.
  public let sessionPlays: Bool

  /// JACK and the session, each rolling or resting.
  public init(jackRolls: Bool, sessionPlays: Bool) {
    self.jackRolls = jackRolls
    self.sessionPlays = sessionPlays
  }
}

extension BothSides: CustomStringConvertible {
  /// In words.
  public var description: String {
    "JACK \(jackRolls ? "rolls" : "rests"), the session \(sessionPlays ? "plays" : "rests")"
  }
}
