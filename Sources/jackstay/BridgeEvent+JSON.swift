import Bridge
import JSON
import Logging
import MusicalTime
import Reconciliation

extension BridgeEvent {
  /// The event, as programs read it: see `ControlSocket.md`, which explains each event.
  var object: JSONObject {
    let lines = logLines
    var object: JSONObject = ["event": .string(name)]
    object = object.adding(details)
    object["level"] = .string((lines.map(\.level).max() ?? .debug).rawValue)
    object["text"] = .string(lines.map(\.text).joined(separator: "; "))
    return object
  }

  private var name: String {
    switch self {
    case .waitingForServer: "waiting"
    case .standingBy: "standing_by"
    case .takingOver: "taking_over"
    case .serverRefuses: "server_refuses"
    case .connected: "connected"
    case .timebaseTaken: "timebase_taken"
    case .timebaseRetaken: "timebase_retaken"
    case .tempoChanged: "tempo"
    case .tempoSteered: "tempo_steered"
    case .peersChanged: "peers"
    case .transportStarted: "transport_started"
    case .transportStopped: "transport_stopped"
    case .noticesLost: "events_lost"
    case .grid(let notice): notice.name
    case .transport(let notice): notice.name
    case .latencyChanged: "latency"
    case .offsetChanged: "offset"
    case .chosen(let choice): choice.name
    case .noLatencyPort: "no_latency_port"
    case .outputConvention: "output_convention"
    case .noMIDIClock: "no_midi_clock"
    case .noClick: "no_click"
    case .awaitingRender: "awaiting_export"
    case .leftOut: "left_out"
    case .transportIsMasters: "transport_of_netjack"
    case .sampleRateChanged: "sample_rate"
    case .xruns: "xruns"
    case .cyclesStopped: "cycles_stopped"
    case .cyclesResumed: "cycles_resumed"
    case .serverGone: "server_gone"
    case .resumed: "resumed"
    case .leavingWhileRolling: "leaving_while_rolling"
    }
  }

  private var details: JSONObject {
    switch self {
    case .takingOver, .timebaseTaken, .timebaseRetaken, .transportStarted, .transportStopped,
      .cyclesStopped, .cyclesResumed, .leavingWhileRolling, .awaitingRender, .leftOut,
      .transportIsMasters:
      [:]
    case .waitingForServer(let error), .serverRefuses(let error), .noMIDIClock(let error),
      .noClick(let error):
      ["reason": .string(error.description)]
    case .standingBy(let holder): ["process": holder.map { .count($0) } ?? .null]
    case .connected(let connection):
      [
        "client": .string(connection.clientName), "requested_name": .string(connection.requestedName),
        "rate_hz": .number(connection.rate.hertz), "buffer_frames": .count(connection.bufferSize),
      ]
    case .tempoChanged(let tempo, let jack):
      (["tempo": .number(tempo.beatsPerMinute)] as JSONObject).adding(
        jack.map { ["jack_bpm": .number($0)] } ?? [:])
    case .tempoSteered(let tempo): ["tempo": .number(tempo.beatsPerMinute)]
    case .peersChanged(let count), .noticesLost(let count): ["count": .count(count)]
    case .xruns(let xruns): ["count": .count(xruns.count), "total": .count(xruns.total)]
    case .sampleRateChanged(let rate): ["rate_hz": .number(rate.hertz)]
    case .grid(let notice): notice.details
    case .transport(let notice): notice.details
    case .latencyChanged(let latency): ["latency_ms": .number(latency.milliseconds)]
    case .offsetChanged(let offset): ["offset_ms": .number(offset.interval.milliseconds)]
    case .chosen(let choice): choice.members
    case .noLatencyPort(let name): ["port": .string(name)]
    case .outputConvention(let convention):
      ["leaves_latency_to_programs": .boolean(convention.leavesLatencyToClients)]
    case .serverGone(let reason): ["reason": .string(reason)]
    case .resumed(let slept): ["slept_s": .number(slept.seconds)]
    }
  }
}

extension BridgeEvent.Choice {
  /// The name of the event.
  fileprivate var name: String {
    switch self {
    case .link: "link"
    case .tempoSync: "tempo_sharing"
    case .startStopSync: "start_stop_sync"
    case .launch: "launch"
    case .discipline: "discipline"
    case .meter: "meter"
    case .quantum: "quantum"
    }
  }

  fileprivate var members: JSONObject {
    switch self {
    case .link(let isOn): ["link": .boolean(isOn)]
    case .tempoSync(let sharing): ["tempo_sharing": .string(sharing.rawValue)]
    case .startStopSync(let sharing):
      ["start_stop_sync": .boolean(sharing != .off), "start_stop_sharing": .string(sharing.rawValue)]
    case .launch(let launch): ["launch": .string(launch.rawValue)]
    case .discipline(let discipline): ["discipline": .string(discipline.rawValue)]
    case .meter(let meter): ["meter": .string(meter.description)]
    case .quantum(let quantum): ["quantum": .number(quantum.doubleValue)]
    }
  }
}

extension GridNotice {
  fileprivate var name: String {
    switch self {
    case .jackLeads: "jack_leads"
    case .neitherLeads: "neither_leads"
    case .linkLeads: "link_leads"
    case .fault: "owner_fault"
    case .noPosition: "no_position"
    case .silentOwner: "silent_owner"
    case .differentTempos: "different_tempos"
    case .declaresAnotherTempo: "declares_another_tempo"
    case .tempoWaits: "tempo_waits"
    case .imposed: "tempo_imposed"
    case .folded: "tempo_folded"
    case .rendering: "rendering"
    case .renderingEnded: "rendering_ended"
    case .tempoIsJACKs: "tempo_controlled_by_jack"
    case .tempoKept: "tempo_kept"
    case .tempoIsNotSent: "tempo_not_sent"
    case .downbeatShifted: "downbeat"
    case .downbeatIsOwners: "downbeat_controlled_by_jack"
    case .phaseImposed: "phase_imposed"
    case .nothingToImpose: "nothing_to_impose"
    }
  }

  fileprivate var details: JSONObject {
    switch self {
    case .jackLeads, .neitherLeads, .linkLeads, .fault, .noPosition, .silentOwner, .rendering,
      .renderingEnded, .tempoIsJACKs, .tempoIsNotSent, .downbeatIsOwners, .nothingToImpose:
      [:]
    case .downbeatShifted(let beats): ["downbeat": .number(beats)]
    case .tempoKept(let tempo): ["peers_tempo": .number(tempo.beatsPerMinute)]
    case .phaseImposed(let moved): ["moved_ms": .number(moved.milliseconds)]
    case .differentTempos(let jack, let link), .tempoWaits(let jack, let link), .imposed(let jack, let link):
      ["jack_tempo": .number(jack), "tempo": .number(link.beatsPerMinute)]
    case .declaresAnotherTempo(let declared, let played):
      ["declared_tempo": .number(declared), "jack_tempo": .number(played)]
    case .folded(let folded):
      ["jack_tempo": .number(folded.ownersBeatsPerMinute), "tempo": .number(folded.tempo.beatsPerMinute)]
    }
  }
}

extension TransportNotice {
  fileprivate var name: String {
    switch self {
    case .peerPressedPlay: "peer_pressed_play"
    case .peerPressedStop: "peer_pressed_stop"
    case .pressIgnored: "press_ignored"
    case .launchWaits: "start_waits"
    case .launchMissed: "start_missed"
    case .clientNotReady: "client_not_ready"
    case .launchPostponed: "start_postponed"
    case .launchCorrected: "start_corrected"
    case .gridMoved: "session_moved"
    case .ownerCorrected: "owner_corrected"
    case .launchDisturbed: "start_disturbed"
    case .rollsOn: "rolls_on"
    case .framesStayOff: "frames_stay_off"
    case .framesFellBehind: "frames_fell_behind"
    case .framesRealigned: "frames_realigned"
    case .framesShifted: "frames_shifted"
    case .launchSpoilt: "start_stays_off"
    }
  }

  fileprivate var details: JSONObject {
    switch self {
    case .peerPressedPlay, .peerPressedStop: [:]
    case .pressIgnored(let isPlaying): ["plays": .boolean(isPlaying)]
    case .launchWaits(let beats), .launchMissed(let beats), .launchPostponed(let beats):
      ["beats": .number(beats.doubleValue)]
    case .launchCorrected(let off), .gridMoved(let off), .ownerCorrected(let off), .launchDisturbed(let off),
      .rollsOn(let off), .framesStayOff(let off), .framesFellBehind(let off), .framesRealigned(let off),
      .framesShifted(let off), .clientNotReady(let off), .launchSpoilt(let off):
      ["off_ms": .number(off.milliseconds)]
    }
  }
}
