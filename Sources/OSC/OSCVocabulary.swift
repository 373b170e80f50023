import JSON
import Settings

/// How the members of the status are called in OSC, and of which types they are.
enum OSCVocabulary {
  /// What all addresses begin with.
  static let prefix = "/jackstay/"

  /// The members of the status, each of which can be asked for.
  static let members = [
    "name", "process", "version", "state", "server", "mode", "meter", "quantum", "launch", "discipline",
    "start_stop_sync", "link", "offset_ms", "latency_ms", "leaves_latency_to_programs", "compensating",
    "not_compensating", "tempo", "transport", "leader", "timebase", "bar", "beat", "tick", "ticks_per_beat",
    "phase", "time_us", "now_us", "phase_error_us", "frame_error_ms", "count_in", "jack_tempo", "peers",
    "rendering", "stands_still", "clock_offset_us", "clock_drift_ppm", "xruns", "commits", "wrong_lines",
    "slow_readers", "strangers", "properties_wrong", "panel_viewers", "panel_wrong_requests",
    "panel_strangers", "panel_slow_readers", "panel_turned_away", "osc", "osc_malformed", "osc_wrong",
    "osc_subscribers",
  ]

  /// Those that never rest: they are told when they are asked for, and not whenever they change.
  static let restless: Set<String> = [
    "tick", "phase", "time_us", "now_us", "phase_error_us", "frame_error_ms", "count_in", "clock_offset_us",
    "clock_drift_ppm",
  ]

  /// Members of the status and of events that are counted.
  private static let counts: Set<String> = [
    "process", "bar", "beat", "tick", "peers", "xruns", "commits", "wrong_lines", "slow_readers", "strangers",
    "properties_wrong", "panel_viewers", "panel_wrong_requests", "panel_strangers", "panel_slow_readers",
    "panel_turned_away", "osc_malformed", "osc_wrong", "osc_subscribers", "count", "buffer_frames",
  ]
  /// Those that seven digits are too few for.
  private static let wide: Set<String> = ["time_us", "now_us", "clock_offset_us"]

  /// The command of that name: as it is written, with `_` for `-`, or with its unit.
  static func word(_ name: String) -> Instruction.Word? {
    Instruction.vocabulary.first { names(of: $0).contains(name) }
  }

  /// The member of the status that a command changes, or that has the name itself; `nil` for none.
  static func member(_ name: String) -> String? {
    let names = word(name).map { $0.parameter == nil ? [] : self.names(of: $0) } ?? [name]
    return names.first { members.contains($0) }
  }

  /// Where a member of the status is told: at the address of the command that changes it, if there is one, so
  /// that a fader follows what it controls.
  static func address(of member: String) -> String {
    prefix + (word(member).flatMap { $0.parameter == nil ? nil : $0.word } ?? member)
  }

  private static func names(of word: Instruction.Word) -> [String] {
    [word.word, word.word.replacing("-", with: "_"), "\(word.word)_ms"]
  }

  /// A value of the status or of an event, as OSC has it: of the same type each time.
  static func argument(_ value: JSONValue, of member: String) -> OSCArgument {
    switch value {
    case .string(let text): .string(text)
    case .boolean(let truth): .bool(truth)
    case .null: .null
    case .number(let number):
      if wide.contains(member) {
        .double(number)
      } else if counts.contains(member), let count = Int32(exactly: number) {
        .int32(count)
      } else {
        .float(Float(number))
      }
    }
  }
}
