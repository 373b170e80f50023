import Foundation
import JACK
import JSON
import MusicalTime
import Panel
import Reconciliation
import Settings
import Testing
import Typechecking

@testable import Bridge
@testable import Control
@testable import jackstay

/// The protocol in `ControlSocket.md`, against the program's messages.
@Suite struct ControlDocumentationTests {
  private static let text: String = {
    let path = Typechecking.packageRoot.appending(path: "Sources/Control/Control.docc/ControlSocket.md")
    return (try? String(contentsOf: path, encoding: .utf8)) ?? ""
  }()

  private static let interval = HostInterval.milliseconds(1.5)
  static let events =
    ofTheBridge + ofTheGrid.map(BridgeEvent.grid) + ofStarts.map(BridgeEvent.transport)
  private static let ofTheBridge: [BridgeEvent] = [
    .waitingForServer(.serverGone), .standingBy(holder: nil), .standingBy(holder: 7), .takingOver,
    .serverRefuses(.serverGone), .timebaseTaken, .timebaseRetaken, .tempoChanged(.standard, jack: 240),
    .tempoSteered(.standard), .peersChanged(2), .transportStarted, .transportStopped, .noticesLost(3),
    .latencyChanged(interval), .offsetChanged(.none), .chosen(.link(false)), .chosen(.link(true)),
    .chosen(.startStopSync(.both)), .chosen(.startStopSync(.off)), .chosen(.tempoSync(.receive)),
    .chosen(.meter(.common)), .chosen(.quantum(Quantum(barOf: .common))), .chosen(.launch(.beat)),
    .chosen(.discipline(.tempo)),
    .outputConvention(.init(of: ["a", "b"], compensating: ["a"])),
    .xruns(Xruns(count: 4, period: .seconds(10), total: 41)),
    .noLatencyPort("a:b"), .noMIDIClock(.noPort("midi_clock")), .noClick(.noPort("click")),
    .sampleRateChanged(.standard), .awaitingRender, .leftOut, .transportIsMasters,
    .cyclesStopped, .cyclesResumed,
    .serverGone(reason: "x\ny"), .resumed(after: interval),
    .leavingWhileRolling,
  ]
  private static let ofTheGrid: [GridNotice] = [
    .jackLeads, .neitherLeads, .linkLeads, .fault(.progress(.goesBack)), .noPosition, .silentOwner,
    .differentTempos(jack: 1, link: .standard), .tempoWaits(jack: 1, link: .standard),
    .imposed(jack: 1, link: .standard), .declaresAnotherTempo(declared: 2, played: 1), .rendering,
    .renderingEnded, .tempoIsJACKs, .tempoIsNotSent, .downbeatIsOwners, .downbeatShifted(beats: 1),
    .phaseImposed(moved: interval), .nothingToImpose,
    .tempoKept(peers: .standard),
  ]
  private static let ofStarts: [TransportNotice] = [
    .peerPressedPlay, .peerPressedStop, .pressIgnored(isPlaying: true), .launchWaits(.one),
    .launchMissed(.one), .clientNotReady(late: interval),
    .launchPostponed(.one), .launchCorrected(late: interval), .gridMoved(by: interval),
    .ownerCorrected(interval), .launchDisturbed(by: interval), .rollsOn(interval),
    .framesStayOff(by: interval), .framesFellBehind(by: interval), .framesRealigned(interval),
    .framesShifted(by: interval),
    .launchSpoilt(late: interval),
  ]

  @Test func `Each event is one line that says what it is, how severe, and what the log says`() throws {
    for event in Self.events {
      let object = event.object
      #expect(object.members.first?.name == "event")
      #expect(object.members.suffix(2).map(\.name) == ["level", "text"])
      #expect(!object.line.contains { $0.isNewline })
      #expect(try JSONObject(parsing: object.line.utf8) == object)
      #expect(object["text"]?.string?.isEmpty == false)
    }
    let connected = BridgeEvent.connected(
      .init(
        clientName: "a-01", requestedName: "a", rate: try #require(SampleRate(hertz: 48000)), bufferSize: 256)
    )
    #expect(
      connected.object.line.hasPrefix(
        #"{"event":"connected","client":"a-01","requested_name":"a","rate_hz":48000,"buffer_frames":256,"level":"notice""#
      ))
    for (jack, text) in [
      (240.0, "tempo 120.00 bpm (JACK 240.00)"), (120, "tempo 120.00 bpm"),
      (nil, "tempo 120.00 bpm"),
    ] {
      let tempo = BridgeEvent.tempoChanged(.standard, jack: jack).object
      #expect(tempo["text"]?.string == text && tempo["tempo"] == 120 && tempo["jack_bpm"]?.number == jack)
    }
    let late = BridgeEvent.transport(.launchCorrected(late: Self.interval)).object
    #expect(late["event"] == "start_corrected" && late["off_ms"] == 1.5 && late["level"] == "notice")
  }

  @Test func `Each event, its members, each answer and each member of the status is documented`() throws {
    var status = BridgeStatus(
      owner: .other, transport: .rolling,
      position: TimebaseReading(
        isValid: true, bar: 3, beat: 2, tick: 0, beatsPerBar: 4, beatType: 4, ticksPerBeat: 1920,
        beatsPerMinute: 120),
      session: .init(tempo: .standard, peers: 2),
      song: .init(phase: try #require(BeatTime(1.25)).phase(in: try #require(Quantum(beats: 4)))),
      errors: .init(beat: Self.interval), countIn: .one)
    status.follow = nil
    status.clocks = ClockReading(offset: Self.interval, drift: 1e-6)
    let overview = BridgeOverview(
      standing: .bridging, configuration: .init(), isLinkEnabled: true, outputLatency: Self.interval,
      offset: .none,
      convention: OutputConvention(of: ["a", "b"], compensating: ["a"]), xruns: 1, status: status
    )
    let described = overview.object(server: "studio")
    #expect(described["clock_offset_us"] == 1500 && described["compensating"] == "a")
    let objects =
      Self.events.map(\.object) + [described]
      + [ControlProtocol.greeting(program: "1", name: "a"), ControlAnswer.kept("").object(id: 1)]
      + [ControlServer.Tally().object, PanelTally().object, ["now_us": 0, "link_release": ""]]
    for object in objects {
      for member in object.members {
        #expect(Self.text.contains("`\(member.name)`"), "\(member.name)")
      }
      if let name = object["event"]?.string { #expect(Self.text.contains("`\(name)`"), "\(name)") }
    }
    for name in ["taken", "kept", "refused", "error", "status", "watching", "help", "jack_tempo", "count_in"]
    {
      #expect(Self.text.contains("`\(name)`"), "\(name)")
    }
    #expect(Self.text.contains("\(ControlRequest.longest) bytes"))
    #expect(Self.text.contains("\(ControlServer.mostUnread / 1024) KiB"))
    #expect(Self.text.contains("\(ControlServer.mostConnections) programs"))
    #expect(Self.text.contains("`protocol` the version of this protocol, \(ControlProtocol.version)"))
  }

  @Test func `Programs in the status can be distinguished, with any names`() {
    let overview = BridgeOverview(
      standing: .bridging, configuration: .init(), isLinkEnabled: true, offset: .none,
      convention: OutputConvention(of: ["a, b", "a", "c", "c, d"], compensating: ["a"]))
    let object = overview.object(server: nil)
    func names(_ member: String) -> [String]? {
      object[member]?.string?.split(separator: ":").map(String.init)
    }
    #expect(names("compensating") == ["a, b", "a"] && names("not_compensating") == ["c", "c, d"])
  }

  @Test func `Each value of a status is in a line for people that names it`() throws {
    let status: JSONObject = [
      "name": "a", "state": "bridging", "mode": "auto", "tempo": 126, "jack_bpm": 252, "meter": "6/8",
      "transport": "starting", "count_in": -2.312, "peers": 1, "phase": 1.53, "quantum": 3,
      "phase_error_us": 0.14, "timebase": "other", "leader": "jack", "jack_tempo": 63, "latency_ms": 10.667,
      "server": "b\u{1B}[2J", "version": "0.1.0", "link_release": "3.0",
    ]
    #expect(
      StatusText(status).lines == [
        #"bridge     a, joins JACK and Link, server b\u{1B}[2J, mode auto"#,
        "tempo      126.00 bpm (JACK 252.00), meter 6/8", "transport  starting, in 2.31 beats",
        "session    1 peer, beat 1.53 of 3.00, JACK +0.1 us",
        "timebase   owned by another program, JACK leads at 63.00 bpm", "latency    10.7 ms",
        "versions   jackstay 0.1.0, Link 3.0",
      ])
    #expect(StatusText([:]).lines == ["bridge     unknown, mode unknown"])
  }
}
