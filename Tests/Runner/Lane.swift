/// Tests that run in one process, beside those of other lanes: each process has a network of its own, servers
/// with names of their own, and mostly waits.
struct Lane: Sendable {
  /// What its lines begin with.
  let name: String
  /// What chooses its tests, as `swift test` takes it.
  let arguments: [String]

  /// Suites on real servers in lanes of their own, balanced by how long they take; all others are in the last
  /// lane.
  static let suites = [
    [
      "LaunchTests", "ArmedTests", "FollowTests", "AccuracyTests", "RecordedTests", "DashboardTests",
    ],
    [
      "TortureTests", "MIDIClockOutTests", "SelectionTests", "TempoTests", "FaultTests", "StartStopTests",
      "ClickOutTests", "LoopTests", "XrunTests", "BeatTimeTests",
    ],
    [
      "PipeWireTests", "EndingTests", "DoctorTests", "ServerTroubleTests", "StandbyTests", "ServerLifeTests",
      "TransportTests", "SessionTests", "DeafTerminalTests", "OwnerChangeTests", "OpenSoundControlTests",
      "SurfaceTests", "PanelTests", "CommitTests", "HungClientTests",
    ],
    [
      "RealtimeTests", "JoinTests", "RenderTests", "MetadataTests", "PrivateServerTests", "ControlTests",
      "TerminalTests", "JobControlTests", "SuspendTests", "CommandOutcomeTests", "BrowserTests",
    ],
  ].map { suites in suites.map { "IntegrationTests.\($0)/" } }

  /// What disturbs everybody: it runs beside the pure tests.
  static let thief = "StageTests.ThiefTests/"

  /// The pure tests, which keep all processors busy, and would disturb how well Link peers measure each other: so
  /// they run before the others.
  static let pure = [
    Lane(name: "pure", arguments: ["--skip", choice(of: RealServer.prefixes)]),
    Lane(name: "thief", arguments: ["--filter", choice(of: [thief])]),
  ]

  /// The tests on real servers, side by side.
  static let servers: [Lane] = {
    let named = suites.map { choice(of: $0) }
    let last = [
      "--filter", choice(of: RealServer.prefixes), "--skip", choice(of: suites.flatMap { $0 } + [thief]),
    ]
    return named.enumerated().map { Lane(name: "\($0 + 1)", arguments: ["--filter", $1]) }
      + [Lane(name: "\(named.count + 1)", arguments: last)]
  }()

  /// One after the other.
  static let stages = [pure, servers]

  /// A pattern for identifiers that begin with one of these.
  private static func choice(of prefixes: [String]) -> String {
    let patterns = prefixes.map { prefix in
      prefix.map { $0.isLetter || $0.isNumber ? "\($0)" : "\\\($0)" }.joined()
    }
    return "^(\(patterns.joined(separator: "|")))"
  }
}
