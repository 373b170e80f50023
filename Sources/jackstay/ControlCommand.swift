import ArgumentParser
import Control
import JSON
import Settings
import Words

/// A command that is for a bridge which runs already: in the same words as on its standard input.
protocol ControlCommand: SideCommand {
  /// The program's options, of which only the name counts: read there, it may stand on both sides.
  var options: Options { get }
  var control: ControlOptions { get }
  /// The line that goes to the bridge.
  var line: String { get }
}

extension ControlCommand {
  static var flags: [String] { ["--name", "--json"] }

  /// The help of the command of a word.
  static func described(as word: CommandWord) -> CommandConfiguration {
    CommandConfiguration(
      commandName: word.word,
      abstract: "\(word.summary.prefix(1).uppercased())\(word.summary.dropFirst()).",
      usage: "jackstay \(word.usage) [--name NAME] [--json]",
      discussion: """
        Example:
          jackstay \(word.example)

        The command is for the bridge that runs. Where several run, it is for the one called NAME.

        Exit codes: 0 done, 1 no such bridge or not carried out, 2 not understood.
        """)
  }

  /// Tells the bridge, and prints what it answers.
  func run() throws {
    // Before a bridge is looked for: a mistake is one for every bridge.
    let instruction = try Instruction(line: line)
    let client = try ControlClient(
      name: options.bridge, in: ControlPlaces(environment: CommandLine.environment))
    let answer = try client.ask(line)
    let reply = ControlReply(answer)
    if control.json {
      try print(answer.line)
    } else {
      for line in reply.output { try print(line) }
    }
    if instruction == .watch, !reply.isFailure { try watch(client) }
    guard reply.isFailure else { return }
    if control.json { throw ExitCode.failure }
    throw ControlFailure(reply.message)
  }

  /// Prints the events until the bridge ends, or the reader has gone.
  private func watch(_ client: ControlClient) throws {
    while let event = try client.nextEvent() {
      if control.json {
        try print(event.line)
      } else if let text = ControlReply.text(of: event) {
        try print(text)
      }
    }
    throw ControlFailure("the bridge \"\(client.name.echoed())\" has ended")
  }

  private func print(_ line: String) throws {
    // A reader that has gone has seen enough.
    if !StandardStreams.print(line) { throw ExitCode.failure }
  }
}

/// Why a running bridge did not carry out a command, in one line.
struct ControlFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

/// The answer of a running bridge, for people.
struct ControlReply {
  /// Whether it has not carried out the command.
  let isFailure: Bool
  /// Its message about that.
  let message: String
  /// The lines to print if it has.
  let output: [String]

  init(_ answer: JSONObject) {
    message = answer["message"]?.string.map { LogLines.shown($0) } ?? "the bridge gives no reason"
    switch answer["answer"]?.string {
    case "taken", "watching": (isFailure, output) = (false, [])
    case "status": (isFailure, output) = (false, StatusText(answer).lines)
    case "kept": (isFailure, output) = (false, [message])
    default: (isFailure, output) = (true, [])
    }
  }

  /// An event as a line for people, as in the bridge's log; `nil` for events that it leaves out.
  static func text(of event: JSONObject) -> String? {
    guard let text = event["text"]?.string, !text.isEmpty else { return nil }
    return switch event["level"]?.string {
    case "trace", "debug": nil
    case "warning": LogLines.shown("warning: \(text)")
    case "error": LogLines.shown("error: \(text)")
    default: LogLines.shown(text)
    }
  }
}
