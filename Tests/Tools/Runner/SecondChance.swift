import Glibc

/// The further runs of a test that failed, to show that the machine was at fault and not the program.
///
/// A fault that shows in a fifth of a test's runs passes ten runs in a row with a tenth, and a single one with four fifths:
/// so a failure earns more runs, and only where there is a reason to suspect the machine.
enum SecondChance {
  /// How often it has to pass, alone, and never fail.
  static let times = 10
  /// How long all of that may take in one run of the tests, in seconds: CI has forty minutes for everything.
  static let budget = 900.0
  /// The share of runs in which a test may fail and be forgiven.
  static let mostFlakes = 0.02

  /// Why a test gets no second chance; nil when it gets one.
  ///
  /// - Parameters:
  ///   - test: Its identifier.
  ///   - isExplained: Whether others took a core while it ran, for as long as so many missed deadlines need.
  ///   - missed: How many deadlines its own servers missed.
  /// - Returns: The reason, as the end of a sentence.
  static func refusal(of test: String, isExplained: Bool, missed: Int) -> String? {
    if !RealServer.isUsed(by: test) { return "it depends on nothing but the code" }
    if !isExplained { return "the machine was quiet" }
    if missed == 0 { return "its servers missed no deadline" }
    return nil
  }

  /// Whether a test that ran again with these outcomes has shown that the machine was at fault.
  static func isTaken(_ outcomes: [Bool]) -> Bool { outcomes.count == times && outcomes.allSatisfy { $0 } }

  /// Whether so many forgiven failures in so many runs are more than ``mostFlakes``, with nine tenths of certainty.
  static func isTooMuch(_ flakes: Int, in runs: Int) -> Bool {
    // A single one may be chance after any number of runs.
    guard flakes >= 2 else { return false }
    // How probable fewer are where the share is just the allowed one.
    var fewer = 0.0
    var probability = pow(1 - mostFlakes, Double(runs))
    for count in 0..<min(flakes, runs) {
      fewer += probability
      probability *= Double(runs - count) / Double(count + 1) * mostFlakes / (1 - mostFlakes)
    }
    return 1 - fewer < 0.1
  }
}

/// A test that failed at first, and how it went again.
struct Trial {
  let test: String
  /// The first line of the issue.
  let line: String
  /// The share of a core that others took while it ran.
  let taken: Double
  /// Whether others may be why it missed as many deadlines as it did.
  let isExplained: Bool
  /// How many deadlines its servers missed.
  let missed: Int
  /// How long it took, in seconds.
  let seconds: Double
  /// Whether it passed, each time that it ran again.
  var outcomes: [Bool] = []

  /// Why it gets no second chance; nil when it gets one.
  var refusal: String? { SecondChance.refusal(of: test, isExplained: isExplained, missed: missed) }
  /// Whether it has shown that the machine was at fault.
  var isForgiven: Bool { SecondChance.isTaken(outcomes) }
}
