import Bridge
import JSON
import MusicalTime
import Reconciliation

extension BridgeOverview {
  /// How the bridge stands, as programs read it: see `ControlSocket.md`, which explains each member.
  func object(server: String?) -> JSONObject {
    var object: JSONObject = [
      "state": .string(standing.word), "mode": .string(configuration.choices.mode.rawValue),
      "meter": .string((status?.song.meter ?? configuration.choices.meter).description),
      "quantum": .number((status?.song.quantum ?? configuration.choices.wantedQuantum).doubleValue),
      "launch": .string(configuration.choices.launch.rawValue),
      "discipline": .string(configuration.choices.discipline.rawValue),
      "tempo_sharing": .string(configuration.choices.tempoSync.rawValue),
      "start_stop_sync": .boolean(configuration.choices.startStopSync != .off),
      "start_stop_sharing": .string(configuration.choices.startStopSync.rawValue),
      "link": .boolean(isLinkEnabled), "offset_ms": .number(offset.interval.milliseconds),
    ]
    if let status, status.song.meter != configuration.choices.meter {
      object["next_meter"] = .string(configuration.choices.meter.description)
    }
    if let status, status.song.quantum != configuration.choices.wantedQuantum {
      object["next_quantum"] = .number(configuration.choices.wantedQuantum.doubleValue)
    }
    object["server"] = server.map { .string($0) }
    object["latency_ms"] = outputLatency.map { .number($0.milliseconds) }
    if let convention {
      object["leaves_latency_to_programs"] = .boolean(convention.leavesLatencyToClients)
      object["compensating"] = convention.compensating.asText
      object["not_compensating"] = convention.others.asText
    }
    object["xruns"] = xruns.map { .count($0) }
    object["jack_bpm"] = status?.tempoInJACK.map { .number($0) }
    return status.map { object.adding($0.object) } ?? object
  }
}

extension [String] {
  /// The names of JACK clients in one text; `nil` for none. A name has no colon: JACK ends it by that.
  fileprivate var asText: JSONValue? { isEmpty ? nil : .string(joined(separator: ":")) }
}

extension BridgeOverview.Standing {
  fileprivate var word: String {
    switch self {
    case .waiting: "waiting"
    case .standingBy: "standing_by"
    case .awaitingRender: "awaiting_export"
    case .bridging: "bridging"
    }
  }
}

extension BridgeStatus {
  fileprivate var object: JSONObject {
    var object: JSONObject = [
      "tempo": .number(session.tempo.beatsPerMinute), "transport": .string(transport.word),
      "leader": .string(leader.word), "timebase": .string(owner.word),
      "phase": .number(song.phase.offset.doubleValue), "time_us": .count(song.time.microseconds),
      "peers": .count(session.peers), "downbeat": .number(song.downbeat),
      "rendering": .boolean(isRendering), "stalled": .boolean(standsStill),
      "commits": .count(session.commits),
    ]
    if let position {
      object["bar"] = .count(position.bar)
      object["beat"] = .count(position.beat)
      object["tick"] = .count(position.tick)
      object["ticks_per_beat"] = .number(position.ticksPerBeat)
    }
    object["phase_error_us"] = errors.beat.map { .number($0.microseconds) }
    object["frame_error_ms"] = errors.frames.map { .number($0.milliseconds) }
    if let clocks {
      object["clock_offset_us"] = .number(clocks.offset.microseconds)
      object["clock_drift_ppm"] = .number(clocks.drift * 1e6)
    }
    object["count_in"] = countIn.map { .number($0.doubleValue) }
    object["jack_tempo"] = follow?.tempo.map { .number($0.ownersBeatsPerMinute) }
    return object
  }
}

extension TransportState {
  fileprivate var word: String {
    switch self {
    case .stopped: "stopped"
    case .starting: "starting"
    case .rolling: "rolling"
    }
  }
}

extension Leader {
  fileprivate var word: String {
    switch self {
    case .link: "link"
    case .jack: "jack"
    case .neither: "neither"
    }
  }
}

extension TimebaseOwner {
  fileprivate var word: String {
    switch self {
    case .me: "bridge"
    case .other: "other"
    case .nobody: "none"
    }
  }
}
