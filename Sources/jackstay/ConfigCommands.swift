import ArgumentParser
import JSON
import MusicalTime
import Settings
import Words

/// Reports on the configuration.
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check the configuration, or show where each value comes from.",
    usage: "jackstay config check [FILE]\njackstay config show [--json] [<options>]",
    discussion: """
      Example:
        jackstay config check
        jackstay config show --tempo 96
      """,
    subcommands: [CheckConfiguration.self, ShowConfiguration.self])
}

/// Says whether the configuration can be used.
struct CheckConfiguration: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Say whether the configuration can be used.",
    usage: "jackstay config check [FILE]",
    discussion: """
      Of FILE, or without one of all that a bridge would read: the files and the JACKSTAY_ variables.

      Exit codes: 0 all well, 2 a fault, which is reported in one line.
      """)

  @OptionGroup(visibility: .hidden) var options: Options
  @Argument(help: "The file to check.", completion: .file()) var file: String?

  func run() throws {
    if let file {
      let layers = try SettingLayers(ConfigurationFile(named: file, after: "config check"))
      return try Output.print("\(file.echoed(limit: 200)): all well, options set: \(layers.count)")
    }
    let environment = CommandLine.environment
    let layers = try SettingLayers(options, environment: environment)
    for path in layers.files { try Output.print("\(path.echoed(limit: 200)): all well") }
    if layers.files.isEmpty {
      let places = ConfigurationFile.places(environment: environment).map { $0.echoed(limit: 200) }
      try Output.print("no configuration file; it could be \(places.reversed().joined(separator: " or "))")
    }
  }
}

/// Says what each option has, and where that comes from.
struct ShowConfiguration: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the value of each option, and where it comes from.",
    usage: "jackstay config show [--json] [<options>]",
    discussion: "What it prints can be used as a configuration file.")

  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions

  func run() throws {
    let environment = CommandLine.environment
    var layers = try SettingLayers(options, environment: environment)
    if layers.settings.keepsState,
      let file = StateFile(name: layers.settings.clientName, environment: environment),
      // The next bridge reports a damaged state, and sets it aside.
      let state = try? file.read()
    {
      layers.remember(state, at: file.path)
    }
    for setting in Setting.all {
      try Output.print(control.json ? object(setting, layers).line : line(setting, layers))
    }
  }

  private func line(_ setting: Setting, _ layers: SettingLayers) -> String {
    let value = layers.literal(of: setting).map { "\(setting.key) = \($0)" } ?? "# \(setting.key) is not set"
    let padding = String(repeating: " ", count: max(2, 36 - value.count))
    return "\(value)\(padding)# \(layers.origin(of: setting))"
  }

  private func value(of setting: Setting, _ layers: SettingLayers) -> JSONValue {
    if let text = layers.text(of: setting) { return .string(text) }
    guard let literal = layers.literal(of: setting) else { return .null }
    return Double(literal).map { .number($0) } ?? .boolean(literal == "true")
  }

  private func object(_ setting: Setting, _ layers: SettingLayers) -> JSONObject {
    var object: JSONObject = ["option": .string(setting.key)]
    object["value"] = value(of: setting, layers)
    switch layers.origin(of: setting) {
    case .standard: object["origin"] = "default"
    case .state(let path):
      object["origin"] = "state"
      object["path"] = .string(path)
    case .file(let path, let line):
      object["origin"] = "file"
      object["path"] = .string(path)
      object["line"] = .count(line)
    case .variable(let name):
      object["origin"] = "environment"
      object["variable"] = .string(name)
    case .flag(let flag):
      object["origin"] = "flag"
      object["flag"] = .string(flag)
    }
    return object
  }
}

/// Standard output, for what was asked for.
private enum Output {
  /// Prints a line; ends the command where its reader has gone.
  static func print(_ line: String) throws {
    if !StandardStreams.print(line) { throw ExitCode.failure }
  }
}
