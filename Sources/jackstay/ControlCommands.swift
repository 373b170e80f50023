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
  @Argument(help: ArgumentHelp("The place.", valueName: "BAR|SECONDSs")) var place: String
  var line: String { "locate \(place)" }
}

struct ChangeTempo: ControlCommand {
  static let configuration = described(as: "tempo")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  // Some of them begin with a dash, and would be taken for flags.
  @Argument(
    parsing: .allUnrecognized, help: ArgumentHelp("The tempo, or the step.", valueName: "BPM|+BPM|-BPM|tap"))
  var tempo: [String]
  var line: String { "tempo \(tempo.joined(separator: " "))" }
}

struct ChooseMode: ControlCommand {
  static let configuration = described(as: "mode")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("Who leads.", valueName: "auto|link|jack")) var mode: String
  var line: String { "mode \(mode)" }
}

struct ChooseLaunch: ControlCommand {
  static let configuration = described(as: "launch")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("What it waits for.", valueName: "bar|beat|now")) var launch: String
  var line: String { "launch \(launch)" }
}

struct ChangeLatency: ControlCommand {
  static let configuration = described(as: "latency")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("The latency.", valueName: "auto|none|MS|PORT")) var latency: String
  var line: String { "latency \(latency)" }
}

struct SwitchLink: ControlCommand {
  static let configuration = described(as: "link")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("Whether it does.", valueName: "on|off")) var state: String
  var line: String { "link \(state)" }
}

struct SwitchStartStopSync: ControlCommand {
  static let configuration = described(as: "start-stop-sync")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("Whether it does.", valueName: "on|off")) var state: String
  var line: String { "start-stop-sync \(state)" }
}

struct ChangeQuantum: ControlCommand {
  static let configuration = described(as: "quantum")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("The length.", valueName: "BEATS")) var quantum: String
  var line: String { "quantum \(quantum)" }
}

struct ChangeMeter: ControlCommand {
  static let configuration = described(as: "meter")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("The meter.", valueName: "N/D")) var meter: String
  var line: String { "meter \(meter)" }
}
