import Bridge
import JACK
import MusicalTime
import Reconciliation
import Words

extension BridgeEvent {
  /// The lines of the log about it: mostly one, sometimes none.
  var logLines: [LogLine] { [logLine, renaming].compactMap(\.self) }

  private var logLine: LogLine? {
    switch self {
    case .waitingForServer(let error): .notice("waiting for a JACK server: \(error.continuing)")
    case .standingBy(let holder):
      .warning(
        """
        another bridge\(holder.map { " (process \($0))" } ?? "") has this JACK server, so this one stands by. End one of \
        the two.
        """)
    case .takingOver: .notice("the other bridge has ended, so this one takes over")
    case .serverRefuses(let error): .warning("trying again to join JACK: \(error.continuing)")
    case .connected(let connection):
      .info(
        """
        connected to JACK as \(connection.clientName): \(Int(connection.rate.hertz)) Hz, \(connection.bufferSize) frames a \
        buffer
        """)
    case .timebaseTaken:
      .info("the bridge owns the timebase: JACK clients read Link's bar, beat and tempo")
    case .timebaseRetaken:
      .notice(
        """
        another client took the timebase, so the bridge claimed it again. To follow that client instead, use \
        --on-takeover follow.
        """)
    case .grid(let notice): notice.logLine
    case .tempoChanged(let tempo, let jack): .tempo(tempo, inJACK: jack)
    case .tempoSteered(let tempo):
      .debug("tempo \(tempo.beatsPerMinute.formatted(decimals: 3)) bpm, steered to keep the phase")
    case .peersChanged(let count): .info(count.asPeers)
    case .transportStarted: .info("transport started")
    case .transportStopped: .info("transport stopped")
    case .transport(let notice): notice.logLine
    case .noticesLost(let count):
      .warning("\(count == 1 ? "1 event is" : "\(count) events are") missing above: too many came at once")
    case .latencyChanged(let latency): .info("output latency \(latency.asMilliseconds)")
    case .offsetChanged(let offset):
      .info("offset \(offset.interval.milliseconds.signed(decimals: 1)) ms")
    case .chosen(let choice): .info(choice.sentence)
    case .noLatencyPort(let name):
      .warning(
        """
        JACK has no port "\(name)", so the latency of its outputs holds until that port comes. List the ports with jack_lsp.
        """)
    case .outputConvention(let convention): convention.logLine
    case .noMIDIClock(let error): .warning("going on without the MIDI clock: \(error.continuing)")
    case .noClick(let error): .warning("going on without the click: \(error.continuing)")
    case .awaitingRender:
      .notice("JACK is freewheeling (export). The bridge joins JACK when the export ends.")
    case .leftOut:
      .warning(
        "JACK's cycles go on without the bridge, so the bridge opens a new client. There is nothing to do.")
    case .transportIsMasters: .warning(LogLine.mastersTransport)
    case .sampleRateChanged(let rate):
      .notice(
        """
        JACK's sample rate is now \(Int(rate.hertz)) Hz. Programs that count frames, such as Ardour, are off until the next \
        start or locate.
        """)
    case .xruns(let xruns): .notice("\(xruns.asText). If this goes on, use larger buffers.")
    case .cyclesStopped:
      .warning(
        """
        JACK's cycles have stopped: its sound card has gone, or the server hangs. Connect the card again, or restart the \
        server.
        """)
    case .cyclesResumed: .notice("JACK's cycles go on")
    case .serverGone(let reason):
      .warning(
        """
        the JACK server is gone (\(reason.echoed(limit: 60))), so the bridge has left the session. The bridge joins again \
        when a server runs.
        """)
    case .resumed(let slept):
      .notice(
        """
        the machine has slept for \(slept.seconds.formatted(decimals: 1)) s. If JACK and the session differ now, the next \
        start or stop makes them agree.
        """)
    case .leavingWhileRolling:
      .notice("leaving while JACK rolls makes JACK jump back by one period. To avoid that, stop it first.")
    }
  }

  /// That JACK has given the bridge another name than the requested one.
  private var renaming: LogLine? {
    guard case .connected(let connection) = self, connection.clientName != connection.requestedName else {
      return nil
    }
    return .notice(
      "the client name \(connection.requestedName) is taken, so the bridge is \(connection.clientName). Choose with --name."
    )
  }
}

extension BridgeEvent.Choice {
  /// The state that holds from now on.
  fileprivate var sentence: String {
    switch self {
    case .link(true): "Link is on: the bridge is in the session"
    case .link(false): "Link is off: the bridge is not in the session. To join it again: link on"
    case .tempoSync(.both): "tempo is shared with the session"
    case .tempoSync(.receive): "JACK follows the session's tempo, and does not change it"
    case .tempoSync(.send): "JACK gives the session its tempo, and does not follow peers"
    case .tempoSync(.off): "tempo is not shared with the session"
    case .startStopSync(.both): "starts and stops are shared with the session"
    case .startStopSync(.receive): "JACK follows the session's starts and stops, and gives it none"
    case .startStopSync(.send): "JACK gives the session its starts and stops, and follows none"
    case .startStopSync(.off): "starts and stops are not shared with the session"
    case .launch(.bar): "starts wait for the session's bar"
    case .launch(.beat): "starts wait for the next beat"
    case .launch(.now): "starts do not wait"
    case .discipline(.off): "programs that count frames are not kept in phase"
    case .discipline(.relocate): "programs that count frames are corrected at bar lines"
    case .discipline(.tempo): "the session's tempo is steered to keep programs that count frames in phase"
    case .meter(let meter): "the meter is \(meter): while JACK rolls, from the next bar line on"
    case .quantum(let quantum):
      "the quantum is \(quantum.beats.asText): while JACK rolls, from the next bar line on"
    }
  }
}

extension OutputConvention {
  fileprivate var logLine: LogLine? {
    // Where no program compensates, the line of the latency says all.
    guard !compensating.isEmpty else { return nil }
    return switch (others.isEmpty, leavesLatencyToClients) {
    case (true, _):
      .info("the output latency is left to \(Self.list(compensating)) (see --compensating)")
    case (false, true):
      .warning(
        """
        the output latency is left to \(Self.list(compensating)), so \(Self.list(others)) may be late. To change that, \
        shorten --compensating.
        """)
    case (false, false):
      .warning(
        """
        \(Self.list(compensating)) may be early, because most programs do not compensate for the output latency. To change \
        that, use --latency none.
        """)
    }
  }

  /// The first names, so that a line stays short.
  private static func list(_ names: [String]) -> String {
    let shown = names.prefix(2).map { $0.echoed(limit: 30) }.joined(separator: ", ")
    return names.count > 2 ? "\(shown) and \(names.count - 2) more" : shown
  }
}

extension GridNotice {
  fileprivate var logLine: LogLine {
    switch self {
    case .linkLeads: .info("Link leads")
    case .jackLeads: .info("JACK leads: the session follows the tempo and beat of the timebase owner")
    case .neitherLeads:
      .warning(
        """
        another client owns the timebase, so JACK clients do not read Link's beat. Turn off its "JACK time master", or use \
        --mode auto.
        """)
    case .fault(let fault):
      .warning(
        "the timebase owner's position makes no sense: \(fault.phrase). Correct it, or release the timebase.")
    case .noPosition:
      .notice(
        """
        no client publishes bar, beat and tempo, so only starts and stops are shared. Have one own the timebase, or use \
        --mode auto.
        """)
    case .silentOwner:
      .notice(
        """
        the timebase owner publishes no bar, beat and tempo, so only starts and stops are shared. Have it publish them, or \
        release the timebase.
        """)
    case .declaresAnotherTempo(let declared, let played):
      .notice(
        """
        the timebase owner declares \(declared.asBeatsPerMinute) and plays \(played.asBeatsPerMinute). The session follows \
        what it plays.
        """)
    case .tempoWaits(let jack, let link):
      .notice(
        """
        JACK's tempo has changed while it is stopped. The session keeps \(link.asBeatsPerMinute) until JACK starts, then has \
        \(jack.asBeatsPerMinute).
        """)
    case .imposed(let jack, let link):
      .notice("a peer set \(link.asBeatsPerMinute). Mode jack restored JACK's \(jack.asBeatsPerMinute).")
    case .differentTempos(let jack, let link):
      .notice(
        """
        JACK and the session have different tempos, \(jack.asBeatsPerMinute) and \(link.asBeatsPerMinute). To give the \
        session JACK's, enter: mode jack
        """)
    case .folded(let folded):
      .notice(
        """
        JACK's \(folded.ownersBeatsPerMinute.asBeatsPerMinute) is outside Link's 20 to 999 bpm, so the session has \
        \(folded.tempo.asBeatsPerMinute) (\(folded)).
        """)
    case .rendering:
      .notice(
        """
        JACK is freewheeling (export), or its sound card has gone. The session is left alone until JACK keeps time again.
        """)
    case .renderingEnded:
      .notice("JACK keeps time again. The next start or stop, on any side, makes JACK and the session agree.")
    case .tempoKept(let tempo):
      .notice(
        "a peer brought \(tempo.asBeatsPerMinute) as the last one left. The bridge restored the session's tempo."
      )
    case .phaseImposed(let moved):
      .notice(
        """
        the session has JACK's tempo and phase, as requested. The beat of every peer moved by \
        \(moved.milliseconds.signed(decimals: 1)) ms.
        """)
    case .nothingToImpose:
      .notice(
        "JACK has no tempo and phase to give the session yet. Start JACK, wait a second, and repeat the command."
      )
    case .tempoIsJACKs: .tempoIsJACKs
    case .tempoIsNotSent: .tempoIsNotSent
    case .downbeatIsOwners: .downbeatIsOwners
    case .downbeatShifted(0): .notice("JACK's downbeat is the session's")
    case .downbeatShifted(let beats):
      .notice(
        """
        JACK's downbeat is \(beats.magnitude.beatsInWords) \(beats < 0 ? "before" : "after") the session's. To undo \
        that: downbeat 0
        """)
    }
  }
}

extension TransportNotice {
  fileprivate var logLine: LogLine {
    switch self {
    case .peerPressedPlay: .info("a peer pressed play")
    case .peerPressedStop: .info("a peer pressed stop")
    case .pressIgnored(let isPlaying):
      .notice(
        """
        a peer pressed \(isPlaying ? "play" : "stop") during JACK's export, which goes on. Press it again when the export is \
        over.
        """)
    case .launchWaits(let beats): .info("start waits to be in phase, \(beats.asText)")
    case .launchMissed(let beats):
      .notice(
        "the start came too late for its beat, and waits \(beats.asText) more. If that repeats, use larger buffers."
      )
    case .clientNotReady(let late):
      .notice(
        """
        a start is \(late.milliseconds.formatted(decimals: 0)) ms late, because JACK waits for a client. Wait for it too, or \
        end that client.
        """)
    case .launchPostponed(let beats):
      .notice(
        """
        the start is \(beats.asText) ahead, longer than JACK can wait, so JACK stays stopped until then. To roll at once, \
        start JACK.
        """)
    case .launchCorrected(let late):
      .notice(
        """
        corrected the start by \(late.asMilliseconds): a JACK client was not ready in time. Later starts leave more time.
        """)
    case .ownerCorrected(let error):
      .notice(
        """
        corrected the start by \(error.asMilliseconds): the timebase owner's position jumped when it began to roll. Later \
        starts allow for this.
        """)
    case .gridMoved(let distance):
      .notice(
        "corrected the start by \(distance.asMilliseconds): a peer moved the session's beat while JACK began to roll"
      )
    case .launchDisturbed(let error):
      .notice(
        """
        corrected the start by \(error.asMilliseconds): JACK missed a deadline while it began to roll. If this goes on, use \
        larger buffers.
        """)
    case .rollsOn(let distance):
      .info(
        "a program located \(distance.asMilliseconds) off the session's phase, and JACK rolls on (--on-locate roll)"
      )
    case .framesStayOff(let distance):
      .notice(
        """
        started \(distance.asShift) to play the first beat in full. Programs that count frames stay off until the next \
        start (guide: "First beat").
        """)
    case .framesFellBehind(let lost):
      .notice(
        """
        JACK has lost \(lost.asMilliseconds) while it rolled, so programs that count frames are late. Start or locate again, \
        or use --discipline.
        """)
    case .framesRealigned(let error):
      .info("corrected programs that count frames by \(error.asMilliseconds) at the bar line")
    case .framesShifted(let distance):
      distance.magnitude < .milliseconds(1)
        ? .notice("programs that count frames are in phase again, with the offset and latency of before")
        : .notice(
          """
          the offset or latency has changed, so programs that count frames are \((.zero - distance).asShift) until the next \
          start or locate
          """)
    case .launchSpoilt(let late):
      .warning(
        """
        JACK rolls \(late.asMilliseconds) late for programs that count frames: a client was not ready. End that client, then \
        stop and start again.
        """)
    }
  }
}

extension JACKError {
  /// The description, to follow a colon.
  fileprivate var continuing: String {
    description.hasPrefix("The ") ? "t\(description.dropFirst())" : description
  }
}

extension Xruns {
  /// For example `3 xruns in 10 s, 41 in all`.
  fileprivate var asText: String {
    guard let period else { return count.asXruns }
    let seconds = Double(period.components.seconds)
    let time =
      seconds < 120 ? "\(seconds.formatted(decimals: 0)) s" : "\((seconds / 60).formatted(decimals: 0)) min"
    return "\(count.asXruns) in \(time), \(total) in all"
  }
}
