import ArgumentParser
import Control
import JSON
import Settings

/// Looks at all that has to be right for JACK and Link to meet, and says what is not, and what to do.
struct Doctor: SideCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check this machine: what is not well, and what to do about it.",
    usage: "jackstay doctor [--json] [--name NAME] [--server NAME] [--config FILE]",
    discussion: """
      It looks at the JACK server, its clocks, timebase, outputs and programs, the limits for real time, the network, Link's \
      peers, firewalls and Ardour, within some seconds. It changes nothing: it starts no server, takes no timebase, and \
      leaves the session alone.

      Each line begins with ok, note, unknown, warning (it works, and can be better) or fault (something cannot work); \
      below it stands what to do. With --json each is an object on a line, with check, level, text and remedy.

      Exit codes: 0 all is well, 1 a warning or a fault, 2 not understood.
      """)
  static let flags = ["--json", "--name", "--server", "--config"]

  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions

  func run() throws {
    let settings = try Settings(options, environment: CommandLine.environment)
    let facts = CheckupInspection.facts(
      bridge: options.bridge, server: settings.server,
      in: ControlFolder(environment: CommandLine.environment))
    let findings = Checkup.findings(facts)
    for finding in findings {
      for line in control.json ? [finding.object.line] : finding.lines {
        if !StandardStreams.print(line) { throw ExitCode.failure }
      }
    }
    if !control.json, !StandardStreams.print(Self.summary(of: findings)) { throw ExitCode.failure }
    if findings.contains(where: \.isComplaint) { throw ExitCode.failure }
  }

  /// How many there are of what is not well.
  static func summary(of findings: [Finding]) -> String {
    let counts = [(Finding.Level.fault, "fault"), (.warning, "warning")].map { level, name in
      (count: findings.count { $0.level == level }, name: name)
    }
    guard counts.contains(where: { $0.count > 0 }) else { return "all is well" }
    return counts.map { "\($0.count) \($0.name)\($0.count == 1 ? "" : "s")" }.joined(separator: ", ")
  }
}
