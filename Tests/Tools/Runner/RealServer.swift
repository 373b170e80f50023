/// Which tests have other programs beside them, and clocks to meet: JACK servers, Link peers, the bridge
/// itself.
///
/// They are the suites with the trait `.alone`; a test compares the two.
enum RealServer {
  /// The beginnings of the identifiers of those tests.
  static let prefixes = [
    "AbletonLinkTests.AbletonLinkTests/", "CommandLineTests.CommandLinesTests/",
    "CommandLineTests.CommandLineTests/", "CommandLineTests.ConfigurationTests/",
    "CommandLineTests.ControlCommandTests/", "CommandLineTests.ServiceTests/", "IntegrationTests.",
    "JACKTests.JACKSuite/", "StageTests.",
  ]

  /// Whether a test is one of those.
  static func isUsed(by test: String) -> Bool { prefixes.contains { test.hasPrefix($0) } }
}
