/// Tests that run in one process.
///
/// Processes run side by side: each has a network of its own, servers with names of their own, and mostly waits.
struct Batch: Sendable {
  /// The name that its time is kept under: the test's identifier where it is one test.
  let name: String
  /// The arguments that choose its tests, as the tests' program takes them.
  let arguments: [String]
  /// The beginning of its lines; without one, that of the place that it runs at.
  var label: String?
  /// Whether they run only while no other program wants the core.
  var isIdle = false

  /// All that depends on nothing but the code. These tests keep all processors busy, and would disturb how well Link
  /// peers measure each other: so they have only the time that those on real servers leave, which mostly wait.
  static let pure = Batch(
    name: "pure", arguments: ["--skip", choice(of: RealServer.prefixes)], label: "pure", isIdle: true)

  /// The tests that disturb all others: nothing on a real server runs beside them.
  static let thief = Batch(name: "thief", arguments: ["--filter", choice(of: [thiefTests])], label: "thief")
  private static let thiefTests = "StageTests.ThiefTests/"

  /// How many processes with tests on real servers run side by side.
  static let places = 5

  /// Each test on a real server by itself, the longest first: so all places are busy to the end.
  ///
  /// - Parameters:
  ///   - tests: All tests, as the tests' program lists them.
  ///   - seconds: How long they took the last time. One that is not there is new, or short.
  /// - Returns: A batch for each.
  static func servers(of tests: [String], seconds: [String: Double]) -> [Batch] {
    func length(of test: String) -> Double { seconds[test] ?? Times.usual(of: test) }
    return tests.filter { RealServer.isUsed(by: $0) && !$0.hasPrefix(thiefTests) }
      .sorted { (length(of: $0), $1) > (length(of: $1), $0) }
      .map { Batch(name: $0, arguments: ["--filter", choice(of: [$0 + "/"])]) }
  }

  /// A pattern for identifiers that begin with one of these.
  private static func choice(of prefixes: [String]) -> String {
    "^(\(prefixes.map(literally).joined(separator: "|")))"
  }

  /// A pattern that fits these tests and no others.
  static func choice(ofWhole tests: [String]) -> String {
    "^(\(tests.map(literally).joined(separator: "|")))$"
  }

  private static func literally(_ text: String) -> String {
    text.map { $0.isLetter || $0.isNumber || $0.isWhitespace ? "\($0)" : "\\\($0)" }.joined()
  }
}

/// How long tests take where that was never measured, as in a fresh clone: those that take long, in seconds.
///
/// Only the order in which they begin depends on it. Other tests are short, or new.
enum Times {
  static func usual(of test: String) -> Double {
    long.first { test.hasPrefix($0.prefix) }?.seconds ?? 0
  }

  private static let long: [(prefix: String, seconds: Double)] = [
    ("CommandLineTests.CommandLineTests/everyFlag", 40),
    ("CommandLineTests.CommandLineTests/fault", 20),
    ("IntegrationTests.ArmedTests/", 12),
    ("IntegrationTests.CalibrateTests/`The offset", 45),
    ("IntegrationTests.FollowTests/", 20),
    ("IntegrationTests.GridTests/", 15),
    ("IntegrationTests.JoinTests/`A start that", 20),
    ("IntegrationTests.JoinTests/`BACKGROUND-4", 17),
    ("IntegrationTests.JoinTests/`STARTSTOPSTATE-2", 45),
    ("IntegrationTests.LaunchTests/`A launch", 23),
    ("IntegrationTests.LaunchTests/`From frame 0", 22),
    ("IntegrationTests.LoopTests/`A loop of whole", 35),
    ("IntegrationTests.MIDIClockOutTests/`A loop", 29),
    ("IntegrationTests.RealtimeTests/`Callbacks", 70),
    ("IntegrationTests.ServerTroubleTests/`A thread of", 22),
    ("IntegrationTests.ServerTroubleTests/`As short", 33),
    ("IntegrationTests.ServerTroubleTests/`Threads of", 30),
    ("IntegrationTests.StandbyTests/`Tempo", 20),
    ("IntegrationTests.StandbyTests/`When the first", 25),
    ("IntegrationTests.StartStopTests/", 15),
    ("IntegrationTests.SuspendTests/", 25),
    ("IntegrationTests.TempoTests/`TEMPO-2", 18),
    ("StageTests.RunnerTests/`A fault", 15),
  ]
}
