import ArgumentParser
import Control
import Settings
import Words

/// The program.
@main
struct Jackstay: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Keeps JACK's transport and an Ableton Link session on the same beat.",
    usage: """
      jackstay [run] [<options>]
      jackstay COMMAND [--name NAME] [--json]
      jackstay top [--name NAME]
      jackstay panel [--name NAME]
      jackstay peers [--wait N] [--within TIME] [--json]
      jackstay calibrate [--input PORT] [--output PORTS] [--beats N] [--yes]
      jackstay doctor [--json]
      """,
    discussion: """
      Examples:
        jackstay                  join the session on this network, or start one
        jackstay --tempo 96       the same, at 96 bpm if it starts one
        jackstay --meter 6/8      count eighths in JACK; a bar is three beats in Link
        jackstay --latency 12.5   compensate for 12.5 ms between JACK and the ear
        jackstay --server studio --no-wait

      Files:
        $XDG_CONFIG_HOME/jackstay/config.toml, else ~/.config/jackstay/config.toml
        /etc/xdg/jackstay/config.toml, or as $XDG_CONFIG_DIRS has it
        Read when they exist and --config names no other. They take every option
        but the last four. The first wins over the second, variables such as
        JACKSTAY_TEMPO=96 over both, and flags over all: --wait undoes a
        "wait = false". "jackstay config show" says where each value comes from.

        $XDG_STATE_HOME/jackstay/NAME.toml, else in ~/.local/state
        The last choices of Link, start/stop sync, offset and tempo. They apply
        where no other layer names them. --no-state does without.

        PATH.toml in a session's folder, where a session manager (NSM_URL) says
        The settings of the session: they are stronger than config.toml.

      Commands, to a running bridge, as "jackstay COMMAND" or on its standard input:
        \(Instruction.help.joined(separator: "\n  "))

      Signals:
        SIGINT (Ctrl-C), SIGTERM, SIGQUIT (Ctrl-\\)
                                  leave the session and JACK, and end
        SIGTSTP (Ctrl-Z)          leave the session and JACK, and stop; SIGCONT joins
                                  both again
        SIGHUP                    the same if the terminal has gone, unless ignored
                                  from the start, by nohup; else read the
                                  configuration again, and change what can be

      Exit codes:
        0  ended as asked
        1  failed while running, or the command was not carried out
        2  the command line or the configuration cannot be used
      """,
    version: Version.report,
    subcommands: [Run.self, Config.self] + controlCommands + [
      Top.self, ShowPanel.self, Peers.self, Calibrate.self, Doctor.self,
    ],
    defaultSubcommand: Run.self)

  // `run` has them, too, and finds them as they are read here: so they may stand on both sides of the command,
  // and the help of the program lists them.
  @OptionGroup var options: Options

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
      var command = try parsedCommand(words)
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      return .finished(0)
    } catch let error as SettingsError {
      return .usage(error.lines)
    } catch let error as ControlError {
      return .failure(error.description)
    } catch let error as ControlFailure {
      return .failure(error.description)
    } catch let code as ExitCode {
      return .finished(code.rawValue)
    } catch {
      // ArgumentParser throws what was asked for, too: the help, the version, a server's name.
      return exitCode(for: error).isSuccess ? .output(help(for: error, words)) : .usage(["\(error)"])
    }
  }

  /// The help that was asked for instead of a run, by a command line that such an error has ended.
  private static func help(for error: any Error, _ words: [[UInt8]]) -> String {
    let text = fullMessage(for: error)
    let words = words.map { String(decoding: $0, as: UTF8.self) }
    if words.contains(where: { $0.hasPrefix(CompletionScript.flag) }) {
      return CompletionScript.completed(text)
    }
    let known = words.compactMap { named($0) }
    if known.isEmpty, words.last == "--help" || words.last == "-h" || words == ["help"] {
      return ShortHelp.text(of: helpMessage(columns: 10_000))
    }
    guard let command = known.first as? any SideCommand.Type else { return text }
    return command.completed(help: text)
  }

  /// The command that is called by a word.
  private static func named(_ word: String) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0.configuration.commandName ?? $0._commandName == word }
  }

  /// The message about a word that is no command.
  private static func unknown(_ word: String) -> SettingsError? {
    let commands = configuration.subcommands.map { $0.configuration.commandName ?? $0._commandName }
    return word.nearest(of: commands).map {
      SettingsError("unknown command \"\(word.echoed())\"; did you mean \"\($0)\"? See jackstay --help.")
    }
  }

  /// The fault in the words after `help`; `nil` for none.
  private static func helpFault(_ arguments: [String]) -> SettingsError? {
    guard arguments.first == "help", let word = arguments.dropFirst().first, !word.hasPrefix("-"),
      named(word) == nil
    else { return nil }
    return unknown(word)
      ?? SettingsError("there is no command \"\(word.echoed())\" to explain. See jackstay --help.")
  }

  /// The message about a command line that ArgumentParser refuses for a word, if that is nearly a command.
  private static func misspelling(_ arguments: [String]) -> SettingsError? {
    guard let word = arguments.first, !word.hasPrefix("-"), named(word) == nil else { return nil }
    return unknown(word)
  }

  /// The command that a command line asks for. Throws a ``SettingsError``, or what ArgumentParser has for
  /// `--version` and the like.
  static func parsedCommand(_ words: [[UInt8]]) throws -> any ParsableCommand {
    let arguments = try words.map(argument).map { $0 == ShortHelp.longFlag ? "--help" : $0 }
    if let fault = helpFault(arguments) { throw fault }
    let command: any ParsableCommand
    do {
      // Its --wait has a value, and that of a bridge that begins has none.
      command =
        arguments.first == Peers.configuration.commandName
        ? try Peers.parseAsRoot(Array(arguments.dropFirst())) : try parseAsRoot(arguments)
    } catch {
      if exitCode(for: error).isSuccess { throw error }
      throw misspelling(arguments) ?? SettingsError(refusal: message(for: error))
    }
    // ArgumentParser takes the last one. Which one was meant is unknown.
    var flags: Set<Substring> = []
    for flag in arguments.map({ $0.prefix { $0 != "=" } }) where flag.hasPrefix("--") {
      guard flags.insert(flag).inserted else {
        throw SettingsError("\(flag.description.echoed()) is given more than once; keep one")
      }
      guard let own = command as? any SideCommand, !type(of: own).flags.contains(String(flag)) else {
        continue
      }
      throw SettingsError("\(flag.description.echoed()) is for a bridge that begins; leave it out here")
    }
    if command is Peers, arguments.first != Peers.configuration.commandName {
      throw SettingsError(
        "peers has to be the first word; expected its options after it, for example jackstay peers --wait 2")
    }
    return command
  }

  /// The text of `bytes`, as a word of the command line.
  private static func argument(_ bytes: [UInt8]) throws(SettingsError) -> String {
    let echo = String(decoding: bytes.prefix(200), as: UTF8.self).echoed()
    guard bytes.count <= longestArgument else {
      throw SettingsError(
        "argument \"\(echo)\" is longer than \(longestArgument) bytes; see jackstay --help")
    }
    guard let argument = String(validating: bytes, as: UTF8.self) else {
      throw SettingsError("argument \"\(echo)\" is not UTF-8 text; see jackstay --help")
    }
    return argument
  }

  /// As long as a path can be: what ArgumentParser is given, it compares with all its flags.
  private static let longestArgument = 4096
}
