import ArgumentParser
import Settings

// One type for each word that a running bridge is told, because ArgumentParser wants them so.

struct Status: ControlCommand {
  static let configuration = described(as: "status")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  var line: String { "status" }
}

struct Watch: ControlCommand {
  static let configuration = described(as: "watch")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  var line: String { "watch" }
}

struct Start: ControlCommand {
  static let configuration = described(as: "start")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  var line: String { "start" }
}

struct Stop: ControlCommand {
  static let configuration = described(as: "stop")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  var line: String { "stop" }
}

struct Rewind: ControlCommand {
  static let configuration = described(as: "rewind")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  var line: String { "rewind" }
}

struct Locate: ControlCommand {
  static let configuration = described(as: "locate")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  // What begins with a dash would be taken for a flag, and not be told what a place is.
  @Argument(
    parsing: .allUnrecognized, help: .value(of: "locate", "The place."), completion: .values(of: "locate"))
  var place: [String]
  var line: String { "locate \(place.joined(separator: " "))" }
}

struct ChangeTempo: ControlCommand {
  static let configuration = described(as: "tempo")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  // Some of them begin with a dash, and would be taken for flags.
  @Argument(
    parsing: .allUnrecognized, help: .value(of: "tempo", "The tempo, or the step."),
    completion: .values(of: "tempo"))
  var tempo: [String]
  var line: String { "tempo \(tempo.joined(separator: " "))" }
}

struct ChooseMode: ControlCommand {
  static let configuration = described(as: "mode")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "mode", "The leader."), completion: .values(of: "mode")) var mode: String
  var line: String { "mode \(mode)" }
}

struct Assert: ControlCommand {
  static let configuration = described(as: "assert")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  var line: String { "assert" }
}

struct ChooseLaunch: ControlCommand {
  static let configuration = described(as: "launch")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "launch", "What it waits for."), completion: .values(of: "launch")) var launch:
    String
  var line: String { "launch \(launch)" }
}

struct ChooseDiscipline: ControlCommand {
  static let configuration = described(as: "discipline")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "discipline", "How they are kept."), completion: .values(of: "discipline"))
  var discipline: String
  var line: String { "discipline \(discipline)" }
}

struct ChangeLatency: ControlCommand {
  static let configuration = described(as: "latency")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "latency", "The latency."), completion: .values(of: "latency")) var latency:
    String
  var line: String { "latency \(latency)" }
}

struct ChangeOffset: ControlCommand {
  static let configuration = described(as: "offset")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  // Some of them begin with a dash, and would be taken for flags.
  @Argument(
    parsing: .allUnrecognized, help: .value(of: "offset", "The offset, with its sign."),
    completion: .values(of: "offset"))
  var offset: [String]
  var line: String { "offset \(offset.joined(separator: " "))" }
}

struct SwitchLink: ControlCommand {
  static let configuration = described(as: "link")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "link", "Whether it does."), completion: .values(of: "link")) var state: String
  var line: String { "link \(state)" }
}

struct SwitchStartStopSync: ControlCommand {
  static let configuration = described(as: "start-stop-sync")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(
    help: .value(of: "start-stop-sync", "Whether it does."), completion: .values(of: "start-stop-sync"))
  var state: String
  var line: String { "start-stop-sync \(state)" }
}

struct ChangeQuantum: ControlCommand {
  static let configuration = described(as: "quantum")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "quantum", "The length."), completion: .values(of: "quantum")) var quantum:
    String
  var line: String { "quantum \(quantum)" }
}

struct ChangeMeter: ControlCommand {
  static let configuration = described(as: "meter")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: .value(of: "meter", "The meter."), completion: .values(of: "meter")) var meter: String
  var line: String { "meter \(meter)" }
}

extension ArgumentHelp {
  /// What the help says of what follows a word: how that is written is known with the word.
  fileprivate static func value(of word: String, _ summary: String) -> ArgumentHelp {
    ArgumentHelp(
      "\(summary)", valueName: Instruction.vocabulary.first { $0.word == word }?.parameter)
  }
}

extension CompletionKind {
  /// The words that may follow a word, for a shell to complete.
  fileprivate static func values(of word: String) -> CompletionKind {
    .list(Instruction.vocabulary.first { $0.word == word }?.values ?? [])
  }
}
