import ArgumentParser
import Settings

/// The program.
@main
struct Jackstay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jackstay",
    abstract: HelpPage.abstract,
    version: Version.report,
    subcommands: [Run.self],
    defaultSubcommand: Run.self)

  // Not `async`: what runs an asynchronous main has opened descriptors of its own before.
  static func main() {
    StandardStreams.ensureOpen()
    Signals.hold()
    // Of medium priority, the only one that leaves a thread's nice value alone: Link's threads inherit it,
    // and one that wakes sooner than its peers' measures itself some 8 us away from them. Detached: the main
    // thread, which answers signals, runs no tasks.
    Task.detached(priority: .medium) { await result(of: CommandLine.bytes).end() }
    Signals.wait()
  }

  /// Carries out a command line, given without the program's name.
  private static func result(of words: [[UInt8]]) async -> ProgramResult {
    do {
      let command = try parsedCommand(words)
      // Whatever is not `run` is ArgumentParser's own help command.
      guard let run = command as? Run else { return .output(HelpPage.text) }
      let settings = try run.settings()
      return run.printsServer ? .output(settings.server ?? "") : await .finished(Program.run(settings))
    } catch let error as SettingsError {
      return .usage(error.description)
    } catch {
      return exitCode(for: error).isSuccess ? .output(fullMessage(for: error)) : .usage("\(error)")
    }
  }

  /// The command that a command line asks for. Throws a ``SettingsError``, or what ArgumentParser says for
  /// `--help`.
  static func parsedCommand(_ words: [[UInt8]]) throws -> any ParsableCommand {
    let arguments = try words.map { word throws(SettingsError) in
      guard let argument = String(validating: word, as: UTF8.self) else {
        let echo = String(decoding: word, as: UTF8.self).echoed()
        throw SettingsError("argument \"\(echo)\" is not UTF-8 text; see jackstay --help")
      }
      return argument
    }
    // Nothing follows `--`: the program takes no file names.
    guard !arguments.contains("--") else {
      throw SettingsError("unexpected argument --; see jackstay --help")
    }
    do {
      return try parseAsRoot(arguments)
    } catch {
      if exitCode(for: error).isSuccess { throw error }
      throw UsageFault.error(parsing: arguments, message: message(for: error))
    }
  }
}
