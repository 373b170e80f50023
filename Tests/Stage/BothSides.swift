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

  /// All there are.
  public static let all = [true, false].flatMap { jackRolls in
    [true, false].map { BothSides(jackRolls: jackRolls, sessionPlays: $0) }
  }
}

extension BothSides: CustomStringConvertible {
  /// In words.
  public var description: String {
    "JACK \(jackRolls ? "rolls" : "rests"), the session \(sessionPlays ? "plays" : "rests")"
  }
}
