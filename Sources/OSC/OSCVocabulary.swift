import JSON
import OSCCodec
import Words

/// How the members of the status are called in OSC, and of which types they are.
enum OSCVocabulary {
  /// The beginning of all addresses.
  static let prefix = "/jackstay/"
  /// The beginning of the addresses of values. A value has another address than the command that changes it,
  /// so that a controller that echoes what it receives commands nothing.
  static let valuePrefix = "\(prefix)value/"

  /// The members of the status, each of which can be asked for.
  static let members = [
    "name", "process", "version", "link_release", "state", "server", "mode", "meter", "next_meter", "quantum",
    "next_quantum", "launch",
    "discipline", "tempo_sharing", "start_stop_sync", "start_stop_sharing", "downbeat", "link", "offset_ms",
    "latency_ms", "leaves_latency_to_programs",
    "compensating",
    "not_compensating", "tempo", "transport", "leader", "timebase", "bar", "beat", "tick", "ticks_per_beat",
    "phase", "time_us", "now_us", "phase_error_us", "frame_error_ms", "count_in", "jack_tempo", "jack_bpm",
    "peers", "peer_addresses",
    "rendering", "stalled", "clock_offset_us", "clock_drift_ppm", "xruns", "commits", "invalid_lines",
    "slow_readers", "rejected_users", "invalid_properties", "panel_viewers", "panel_invalid_requests",
    "panel_rejected_users", "panel_slow_readers", "panel_rejected_connections", "osc", "osc_malformed",
    "osc_invalid",
    "osc_dropped", "osc_subscribers", "ardour", "ardour_tempo", "ardour_records", "ardour_malformed",
  ]

  /// Those that change all the time: they are sent in answers, and not whenever they change.
  static let restless: Set<String> = [
    "tick", "phase", "time_us", "now_us", "phase_error_us", "frame_error_ms", "count_in", "clock_offset_us",
    "clock_drift_ppm",
  ]

  /// Members of the status and of events that are counted.
  private static let counts: Set<String> = [
    "process", "bar", "beat", "tick", "peers", "xruns", "commits", "invalid_lines", "slow_readers",
    "rejected_users",
    "invalid_properties", "panel_viewers", "panel_invalid_requests", "panel_rejected_users",
    "panel_slow_readers",
    "panel_rejected_connections", "osc_malformed", "osc_invalid", "osc_dropped", "osc_subscribers", "count",
    "buffer_frames", "ardour_malformed",
  ]
  /// Those that seven digits are too few for.
  private static let wide: Set<String> = ["time_us", "now_us", "clock_offset_us"]

  /// The address at which a member of the status is asked for, and sent.
  static func address(of member: String) -> String { valuePrefix + member }

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
