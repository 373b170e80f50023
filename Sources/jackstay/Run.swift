import ArgumentParser
import Settings

/// Bridges JACK and Link until it is told to stop.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bridge JACK and Link until told to stop; the same as without a command.",
    usage: "jackstay [run] [<options>]")

  @OptionGroup var options: Options

  func run() async throws {
    let layers = try SettingLayers(options, environment: CommandLine.environment)
    guard !options.printServer else { throw CleanExit.message(layers.settings.server ?? "") }
    throw ExitCode(await Program.run(layers, options))
  }
}
