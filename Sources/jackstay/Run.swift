import ArgumentParser
import Settings

/// Bridges JACK and Link until it is told to stop.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run", abstract: HelpPage.abstract)

  @OptionGroup var flags: Flags

  @Option(
    name: .customLong("config"), parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Configuration file to read.", valueName: "FILE"), completion: .file())
  var configurations: [String] = []

  @Flag(name: .customLong("print-server"), help: "Print the name of the JACK server that is chosen, if any.")
  var printsServer = false

  // Catches what ArgumentParser would report in words of its own.
  @Argument(parsing: .allUnrecognized, help: .hidden)
  var unrecognized: [String] = []

  /// The settings that the flags and the configuration file make together.
  func settings() throws(SettingsError) -> Settings {
    try FlagUse.check(flags.uses)
    if let word = unrecognized.first {
      throw UsageFault.unexpected(word)
    }
    var settings = Settings()
    if let file = try configurationFile() {
      try settings.apply(file)
    }
    try settings.apply(flags.uses)
    return settings
  }

  private func configurationFile() throws(SettingsError) -> ConfigurationFile? {
    guard configurations.count <= 1 else {
      throw SettingsError("--config is given more than once; keep one")
    }
    guard let path = configurations.first else {
      return try .atDefaultPath(environment: CommandLine.environment)
    }
    return try ConfigurationFile(named: path)
  }
}
