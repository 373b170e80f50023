import ArgumentParser
import Control
import JACK
import JSON
import Settings

/// Looks at all that has to be right for JACK and Link to meet, and says what is not, and what to do.
struct Doctor: SideCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check this machine, and print what to do.",
    usage: "jackstay doctor [--json] [--name NAME] [--server NAME] [--config FILE]",
    discussion: """
      Example:
        jackstay doctor

      It looks at the configuration, the JACK server, its clocks, timebase, outputs and programs, the limits for real time, \
      the network, firewalls and Link's peers, within some seconds. It changes nothing: it starts no server, takes no \
      timebase, and leaves the session alone.

      Each line begins with ok, note, unknown, warning (it works, and can be better) or fault (something cannot work); \
      below a warning or a fault stands what to do. Checks that need no words are named in one line. With --json each \
      finding is an object on a line, with check, level, text and remedy.

      Exit codes: 0 all is well, 1 a warning or a fault, 2 not understood.
      """)
  static let flags = ["--json", "--name", "--server", "--config"]
  static let flagHelp: [String: (placeholder: String, summary: String)] = [
    "--name": ("NAME", "The bridge that is meant, where several run."),
    "--server": ("NAME", "The JACK server to look at."),
    "--config": ("FILE", "Configuration file to read instead of others."),
  ]

  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions

  func run() throws {
    let environment = CommandLine.environment
    var (settings, fault): (Settings, String?) = (Settings(flags: options), nil)
    do throws(SettingsError) {
      settings = try Settings(options, environment: environment)
    } catch {
      fault = error.description
    }
    PipeWireLibrary.adopt(unlessNamed: settings.server)
    let facts = CheckupInspection.facts(
      bridge: options.bridge, server: settings.server, configurationFault: fault,
      in: ControlPlaces(environment: environment))
    let findings = Checkup.findings(facts)
    for line in control.json ? findings.map(\.object.line) : Self.lines(of: findings) {
      if !StandardStreams.print(line) { throw ExitCode.failure }
    }
    if !control.json, !StandardStreams.print(Self.summary(of: findings)) { throw ExitCode.failure }
    if findings.contains(where: \.isComplaint) { throw ExitCode.failure }
  }

  /// The findings as people read them. Of those that are well, the server, the bridge and the peers have
  /// lines, and the others are named.
  static func lines(of findings: [Finding]) -> [String] {
    let told = findings.filter { $0.level != .ok || ["server", "bridge", "peers"].contains($0.check) }
    var others: [String] = []
    for finding in findings where finding.level == .ok && !told.contains(finding) {
      if !others.contains(finding.check) { others.append(finding.check) }
    }
    guard !others.isEmpty else { return told.flatMap(\.lines) }
    return (told + [Finding("also", .ok, others.joined(separator: ", "))]).flatMap(\.lines)
  }

  /// How many there are of what is not well.
  static func summary(of findings: [Finding]) -> String {
    let counts = [(Finding.Level.fault, "fault"), (.warning, "warning")].map { level, name in
      (count: findings.count { $0.level == level }, name: name)
    }.filter { $0.count > 0 }
    guard !counts.isEmpty else { return "all is well" }
    return counts.map { "\($0.count) \($0.name)\($0.count == 1 ? "" : "s")" }.joined(separator: ", ")
  }
}
