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

struct ChangeTempo: ControlCommand {
  static let configuration = described(as: "tempo")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("The tempo.", valueName: "BPM")) var tempo: String
  var line: String { "tempo \(tempo)" }
}

struct ChooseMode: ControlCommand {
  static let configuration = described(as: "mode")
  @OptionGroup(visibility: .hidden) var options: Options
  @OptionGroup var control: ControlOptions
  @Argument(help: ArgumentHelp("Who leads.", valueName: "auto|link|jack")) var mode: String
  var line: String { "mode \(mode)" }
}
