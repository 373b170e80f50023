import PropertyTesting

/// One way by which bytes from outside reach the program, and the laws that hold for any bytes.
public struct FuzzTarget: Sendable {
  /// The result of an input that broke no law.
  public enum Verdict: Sendable {
    /// It was understood, or had an effect.
    case accepted
    /// It was turned down, or had none.
    case refused
  }

  /// The name on the command line and in reports.
  public let name: String
  /// The longest input that is tried, in bytes.
  public let longest: Int
  /// As how many inputs of others one counts, because it takes that much longer: so many fewer are tried.
  public var cost = 1
  /// An input with the structure that the parser expects, and some of it wrong: random bytes get nowhere.
  public let generate: @Sendable (inout Seeded) -> [UInt8]
  /// Has the program's code take an input. Every input is also one law: that this returns.
  public let check: @Sendable ([UInt8]) throws(BrokenLaw) -> Verdict

  /// Every target.
  public static let all: [FuzzTarget] = [
    .configuration, .environment, .state, .flags, .commands, .control, .datagrams, .peers, .ardour, .panel,
    .properties,
    .timebase, .owner, .jack,
    .link,
    .clocks,
  ]

  /// The target called `name`.
  public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A law that an input has broken.
public struct BrokenLaw: Error, CustomStringConvertible {
  /// The law, and the violation.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Throws the law when it does not hold.
func require(_ holds: Bool, _ law: @autoclosure () -> String) throws(BrokenLaw) {
  if !holds { throw BrokenLaw(law()) }
}
