import ArgumentParser
import JACK
import Settings

/// Bridges JACK and Link until a signal ends it.
struct Run: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bridge JACK and Link; the same as without a command.",
    usage: "jackstay [run] [<options>]",
    discussion: """
      Example:
        jackstay run --tempo 126
      """)

  @OptionGroup var options: Options

  func run() async throws {
    let layers = try SettingLayers(options, environment: CommandLine.environment)
    guard !options.printServer else { throw CleanExit.message(layers.settings.server ?? "") }
    PipeWireLibrary.adopt(unlessNamed: layers.settings.server)
    guard !options.findServer else { throw ExitCode(Self.answers(layers.settings.server) ? 0 : 1) }
    throw ExitCode(await Program.run(layers, options))
  }

  /// Whether a client can be opened at `server`, or at the default one. Messages of libjack's about it are
  /// dropped.
  private static func answers(_ server: String?) -> Bool {
    JACKLog.route { _, _ in }
    return (try? Client.open(name: "jackstay-looks", server: server)) != nil
  }
}
