import Bridge
import Logging
import MusicalTime
import Reconciliation
import Words

extension BridgeEvent {
  /// What people are told of it: mostly one line, sometimes none.
  var logLines: [LogLine] { [logLine, renaming].compactMap(\.self) }

  private var logLine: LogLine? {
    switch self {
    case .waitingForServer(let error):
      .notice("waiting for a JACK server. \(error)")
    case .standingBy(let holder):
      .warning(
        "another Jackstay bridges this JACK server: this one stands by until that ends; end one of the two",
        metadata: holder.map { ["process": "\($0)"] } ?? [:])
    case .takingOver: .notice("the other Jackstay has gone: this one takes over")
    case .serverRefuses(let error):
      .warning("\(error) Trying again.")
    case .connected(let connection):
      .info("connected to JACK", metadata: connection.metadata)
    case .timebaseTaken:
      .info("we own the timebase: JACK clients read Link's bar, beat and tempo")
    case .timebaseRetaken:
      .notice(
        "another client took the timebase, and we took it back; --on-takeover follow would follow it")
    case .grid(let notice): notice.logLine
    case .tempoChanged(let tempo, let jack): .tempo(tempo, inJACK: jack)
    case .tempoSteered(let tempo):
      .debug("steering", metadata: ["bpm": "\(tempo.beatsPerMinute.formatted(decimals: 3))"])
    case .peersChanged(let count):
      .info("Link peers", metadata: ["count": "\(count)"])
    case .transportStarted: .info("transport started")
    case .transportStopped: .info("transport stopped")
    case .transport(let notice): notice.logLine
    case .noticesLost(let count):
      .warning(
        "more happened at once than can be told: the lines above are not complete",
        metadata: ["lost": "\(count)"])
    case .latencyChanged(let latency):
      .info("output latency", metadata: ["ms": "\(latency.milliseconds.formatted(decimals: 3))"])
    case .offsetChanged(let offset):
      .info("offset", metadata: ["ms": "\(offset.interval.milliseconds.signed(decimals: 3))"])
    case .chosen(let choice): .info("\(choice.sentence)")
    case .noLatencyPort(let name):
      .warning(
        """
        there is no such port to take the output latency of, so JACK's outputs are asked until it comes; list what there \
        is with jack_lsp, and name one as --latency system:playback_1
        """, metadata: ["port": "\(name)"])
    case .outputConvention(let convention): convention.logLine
    case .noMIDIClock(let error): .warning("going on without the MIDI clock. \(error)")
    case .noClick(let error): .warning("going on without the click. \(error)")
    case .awaitingRender:
      .notice(
        "JACK is freewheeling (export): the bridge joins it when the export ends; end the export to have it join at once"
      )
    case .leftOut:
      .warning(
        "JACK's cycles go on without the bridge, so the bridge opens a new client; nothing is to be done")
    case .transportIsMasters: .warning(LogLine.mastersTransport)
    case .sampleRateChanged(let rate):
      .notice(
        """
        JACK's sample rate has changed: bar, beat and clocks go on, and programs that count frames are off until the next \
        start or locate
        """, metadata: ["rate": "\(Int(rate.hertz)) Hz"])
    case .xruns(let count):
      .notice(
        "JACK missed deadlines; if it goes on, use larger buffers", metadata: ["xruns": "\(count)"])
    case .cyclesStopped:
      .warning(
        """
        JACK's cycles have stopped, so nothing moves: its sound card may have gone, or the server hangs; connect the card \
        again, or restart the server
        """)
    case .cyclesResumed: .notice("JACK's cycles go on")
    case .serverGone(let reason):
      .warning(
        "the JACK server is gone: left the Link session, back as soon as a server is",
        metadata: ["reason": "\(reason)"])
    case .resumed(let slept):
      .notice(
        """
        the machine has slept: left the Link session, and joins it again; if JACK and the session differ then, the next \
        play or stop, on any side, makes both agree
        """, metadata: ["slept": "\((slept.milliseconds / 1000).formatted(decimals: 1)) s"])
    case .leavingWhileRolling:
      .notice(
        "leaving while the transport rolls: JACK restarts it one period back; stop it first to avoid that")
    }
  }

  /// That JACK has given the bridge another name than it was to have.
  private var renaming: LogLine? {
    guard case .connected(let connection) = self, connection.clientName != connection.requestedName else {
      return nil
    }
    return .notice(
      "the client name is taken, JACK gave us another; choose one with --name",
      metadata: ["name": "\(connection.clientName)", "taken": "\(connection.requestedName)"])
  }
}

extension BridgeEvent.Choice {
  /// What holds from now on.
  fileprivate var sentence: String {
    switch self {
    case .link(true): "the bridge takes part in Link's session"
    case .link(false): "the bridge takes no part in Link's session; the command link on joins it"
    case .startStopSync(true): "starts and stops are shared with the session"
    case .startStopSync(false): "the bridge keeps starts and stops to itself"
    case .launch(.bar): "starts in company wait for their place in the quantum"
    case .launch(.beat): "starts in company wait for the next beat"
    case .launch(.now): "starts in company wait for nothing"
    case .discipline(.off): "programs that count frames are left as they are"
    case .discipline(.relocate): "programs that count frames are relocated at bar lines when they are off"
    case .discipline(.tempo): "the session's tempo is steered to keep programs that count frames in phase"
    }
  }
}

extension OutputConvention {
  fileprivate var logLine: LogLine? {
    // That nobody does is said by the latency.
    guard !compensating.isEmpty else { return nil }
    let metadata: Logger.Metadata = [
      "programs": "\(compensating.joined(separator: ", "))", "others": "\(others.joined(separator: ", "))",
    ]
    return switch (others.isEmpty, leavesLatencyToClients) {
    case (true, _):
      .info(
        "the programs that are heard make up for the output latency themselves, so it is left to them",
        metadata: metadata.filter { $0.key == "programs" })
    case (false, true):
      .warning(
        """
        some programs make up for the output latency themselves, and it is left to them: the others, if they follow \
        JACK's position, are heard an output latency late; to suit those instead, take the names of the first out of \
        --compensating
        """, metadata: metadata)
    case (false, false):
      .warning(
        """
        some programs make up for the output latency themselves, but more do not: the first are heard an output latency \
        early; to suit them instead, choose --latency none
        """, metadata: metadata)
    }
  }
}

extension GridNotice {
  fileprivate var logLine: LogLine {
    switch self {
    case .linkLeads: .info("Link leads")
    case .jackLeads:
      .info(
        """
        JACK leads: tempo and beat are those of the client that owns the timebase; while none does, only start and stop are \
        shared
        """)
    case .neitherLeads:
      .warning(
        """
        another client owns the timebase, so JACK clients do not read Link's bar, beat and tempo; have it give the \
        timebase up (in Ardour, turn off "JACK time master" in the session's properties), or choose --mode auto to \
        have Link follow it
        """)
    case .fault(let fault):
      .warning(
        """
        the timebase owner's position makes no sense, so Link is left alone; mend it there, or have it give the \
        timebase up. \(fault.sentence)
        """)
    case .noPosition:
      .notice(
        """
        nobody publishes bar, beat and tempo, so only start and stop are shared; have a program own the timebase, or \
        choose --mode auto
        """)
    case .silentOwner:
      .notice(
        """
        the program that owns the timebase publishes no bar, beat and tempo, so only start and stop are shared, and \
        starts do not wait; have it publish them, or give the timebase up
        """)
    case .declaresAnotherTempo(let declared, let played):
      .notice(
        """
        the timebase owner declares another tempo than it plays; the session follows what it plays, and other JACK \
        programs may show the declared tempo
        """,
        metadata: [
          "declared": "\(declared.formatted(decimals: 2))", "played": "\(played.formatted(decimals: 2))",
        ])
    case .tempoWaits(let jack, let link):
      .notice(
        "JACK's tempo has changed while it is stopped: it goes to the session when JACK starts",
        metadata: [
          "JACK": "\(jack.formatted(decimals: 2))", "Link": "\(link.beatsPerMinute.formatted(decimals: 2))",
        ])
    case .imposed(let jack, let link):
      .notice(
        "a peer set another tempo, and JACK's is the session's again, as mode jack has it",
        metadata: [
          "JACK": "\(jack.formatted(decimals: 2))", "peer": "\(link.beatsPerMinute.formatted(decimals: 2))",
        ])
    case .differentTempos(let jack, let link):
      .notice(
        """
        JACK and the session have different tempos; JACK's goes to the session when it next changes, or at once with \
        "mode jack"
        """,
        metadata: [
          "JACK": "\(jack.formatted(decimals: 2))", "Link": "\(link.beatsPerMinute.formatted(decimals: 2))",
        ])
    case .folded(let folded):
      .notice(
        "JACK's tempo is outside Link's 20 to 999 bpm: Link has a multiple or a fraction of it",
        metadata: [
          "JACK": "\(folded.ownersBeatsPerMinute.formatted(decimals: 2))", "factor": "\(folded)",
          "Link": "\(folded.tempo.beatsPerMinute.formatted(decimals: 2))",
        ])
    case .rendering:
      .notice(
        """
        JACK renders, faster or slower than it plays: bar, beat and tick go with its frames, and nothing is shared with \
        the session until that is over; if no program exports, its sound card has gone: connect it, or restart the server
        """)
    case .renderingEnded:
      .notice(
        """
        JACK keeps time again, and so do bar, beat and tick; the next play or stop, on any side, makes both agree, and has \
        programs that count frames in phase again
        """
      )
    case .tempoKept(let tempo):
      .notice(
        "a Link peer came as the last one left, and brought its own tempo: the session's tempo was set again",
        metadata: ["peer": "\(tempo.beatsPerMinute.formatted(decimals: 2))"])
    case .phaseImposed(let moved):
      .notice(
        "the session has JACK's tempo and phase, as you asked: everybody's beat has moved",
        metadata: ["moved": "\(moved.milliseconds.signed(decimals: 1)) ms"])
    case .nothingToImpose:
      .notice(
        """
        there is nothing to impose on the session: JACK has to roll in time, with a tempo and a position that are known; \
        start it, wait a second, and repeat it
        """)
    case .tempoIsJACKs: .tempoIsJACKs
    }
  }
}

extension TransportNotice {
  fileprivate var logLine: LogLine {
    switch self {
    case .peerPressedPlay: .info("a Link peer pressed play")
    case .peerPressedStop: .info("a Link peer pressed stop")
    case .pressIgnored(let isPlaying):
      .notice(
        """
        a Link peer pressed \(isPlaying ? "play" : "stop"), and JACK renders on; press again when the render is over
        """)
    case .launchWaits(let beats):
      .info(
        "start waits to be in phase", metadata: ["beats": "\(beats.doubleValue.formatted(decimals: 2))"])
    case .launchMissed(let beats):
      .notice(
        """
        there was no time left to start when it was to: start waits to be in phase once more; if that happens often, use \
        larger buffers
        """, metadata: ["beats": "\(beats.doubleValue.formatted(decimals: 2))"])
    case .clientNotReady(let late):
      .notice(
        """
        a start is due, and JACK waits for a client that is not ready: wait for it, or end that client
        """, metadata: ["late": "\(late.milliseconds.formatted(decimals: 0)) ms"])
    case .launchPostponed(let beats):
      .notice(
        """
        the start is further ahead than JACK waits: JACK stays stopped until it is time; start JACK to have it roll at once
        """, metadata: ["beats": "\(beats.doubleValue.formatted(decimals: 2))"])
    case .launchCorrected(let late):
      .notice(
        """
        a JACK client was not ready in time: moved the playhead to where it would be; later starts leave more time
        """, metadata: ["late": "\(late.milliseconds.formatted(decimals: 1)) ms"])
    case .ownerCorrected(let error):
      .notice(
        """
        the timebase owner shows another position when it rolls than while it waits: moved the playhead once; later \
        starts allow for it
        """, metadata: ["off": "\(error.milliseconds.formatted(decimals: 1)) ms"])
    case .gridMoved(let distance):
      .notice(
        "the session's beat was moved while JACK began to roll: moved the playhead to where it is now",
        metadata: ["off": "\(distance.milliseconds.formatted(decimals: 1)) ms"])
    case .launchDisturbed(let error):
      .notice(
        """
        JACK missed a deadline while the start was under way: moved the playhead to where it would be; if it goes on, \
        use larger buffers
        """, metadata: ["off": "\(error.milliseconds.formatted(decimals: 1)) ms"])
    case .rollsOn(let distance):
      .info(
        "a program located where the session is at another phase: rolling on, as --on-locate roll has it",
        metadata: ["off": "\(distance.milliseconds.formatted(decimals: 1)) ms"])
    case .framesStayOff(let distance):
      .notice(
        """
        JACK began in the cycle nearest to the beat, to play the first beat whole: programs that count frames are off \
        until the next start; start from bar 2, or use smaller buffers, or --frame-align exact
        """, metadata: ["off": "\(distance.milliseconds.formatted(decimals: 1)) ms"])
    case .framesFellBehind(let lost):
      .notice(
        """
        JACK has lost time while it rolled: programs that count frames, as Ardour does, are off the session's beat until \
        the next start or locate, or with --discipline relocate until the next bar line; if it goes on, use larger buffers
        """, metadata: ["late": "\(lost.milliseconds.formatted(decimals: 1)) ms"])
    case .framesRealigned(let error):
      .info(
        "put programs that count frames in phase at the bar line, as --discipline has it",
        metadata: ["off": "\(error.milliseconds.formatted(decimals: 1)) ms"])
    case .framesShifted(let distance):
      distance.magnitude < .milliseconds(1)
        ? .notice(
          "what JACK clients read is where it was with the offset and the latency: programs that count frames are with it"
        )
        : .notice(
          """
          what JACK clients read has moved with the offset or the latency: programs that count frames are off the session's \
          beat by so much until the next start or locate
          """, metadata: ["late": "\(distance.milliseconds.formatted(decimals: 1)) ms"])
    case .launchSpoilt(let late):
      .warning(
        """
        JACK rolls out of phase for programs that count frames, because a client was not ready: end that client, then \
        stop and start again
        """, metadata: ["late": "\(late.milliseconds.formatted(decimals: 1)) ms"])
    }
  }
}

extension BridgeEvent.Connection {
  fileprivate var metadata: Logger.Metadata {
    ["client": "\(clientName)", "rate": "\(Int(rate.hertz)) Hz", "buffer": "\(bufferSize) frames"]
  }
}
