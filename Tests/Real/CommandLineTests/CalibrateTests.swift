import JACK
import JSON
import MusicalTime
import Testing

@testable import Calibration
@testable import jackstay

/// The sense that `jackstay calibrate` makes of words, a bridge's status and a server's ports.
@Suite struct CalibrateTests {
  @Test func `Beats are 16 to 256, in whole groups of eight`() throws {
    #expect(try ["16", "17", "48", "250", "256"].map { try Calibrate.count($0) } == [16, 24, 48, 256, 256])
    for text in ["15", "257", "", "x", "-16", "1e2", "48.0"] {
      let error = try #require(throws: (any Error).self) { try Calibrate.count(text) }
      #expect("\(error)".contains("expected 16 to 256"))
    }
  }

  private static let status: JSONObject = [
    "state": "bridging", "link": true, "peers": 1, "tempo": 120, "phase": 3.5, "time_us": 1_000_000,
    "quantum": 4, "rendering": false, "stalled": false,
  ]

  private func status(_ changes: (String, JSONValue?)...) -> JSONObject {
    var status = Self.status
    for (key, value) in changes { status[key] = value }
    return status
  }

  @Test func `A bridge that cannot be measured has a reason, and what to do`() {
    #expect(CalibrationRun.fault(in: Self.status) == nil)
    for (key, value, words) in [
      ("state", "waiting", "not in JACK"), ("link", false, "Link is off"), ("rendering", true, "export"),
      ("stalled", true, "does not keep time"), ("peers", 0, "no other device"),
      ("peers", nil, "no other device"),
    ] as [(String, JSONValue?, String)] {
      let text = CalibrationRun.fault(in: status((key, value)))?.description ?? ""
      #expect(text.contains(words) && text.count <= 160, "\(text)")
    }
  }

  @Test func `The beat goes on over the ends of quanta, and another tempo or beat ends it`() throws {
    var session = SessionBeat()
    let first = try session.take(Self.status)
    #expect(first.beat >= 0 && first.beat.truncatingRemainder(dividingBy: 4) == 3.5)
    for step in 1...40 {
      let beat = 3.5 + 0.7 * Double(step)
      let point = try session.take(
        status(
          ("phase", .number(beat.truncatingRemainder(dividingBy: 4))),
          ("time_us", .number(1_000_000 + 350_000 * Double(step)))))
      #expect((point.beat - first.beat - 0.7 * Double(step)).magnitude < 1e-6)
    }
    // As little as steers a session is no other tempo.
    var steered = session
    #expect(throws: Never.self) {
      try steered.take(status(("phase", 0.2), ("time_us", 15_350_000), ("tempo", 120.1)))
    }
    for (phase, tempo) in [(0.2, 121.0), (0.25, 120), (2.2, 120)] {
      var other = session
      #expect(throws: SessionBeat.Fault.moved) {
        try other.take(
          status(("phase", .number(phase)), ("time_us", 15_350_000), ("tempo", .number(tempo))))
      }
    }
    #expect(throws: SessionBeat.Fault.missing) { try session.take(status(("phase", nil))) }
    for quantum in [3.5, 0.5] {
      #expect(throws: SessionBeat.Fault.quantum) { try session.take(status(("quantum", .number(quantum)))) }
    }
  }

  private static let ports = [
    port("system:capture_1", .output, true), port("system:capture_2", .output, true),
    port("system:playback_1", .input, true), port("system:playback_2", .input, true),
    port("system:playback_3", .input, true), port("synth:out", .output, false),
    port("mixer:in", .input, false), port("jackstay-calibrate:microphone", .input, false, isOwn: true),
  ]

  private static func port(
    _ name: String, _ direction: PortDescription.Direction, _ isPhysical: Bool, isOwn: Bool = false
  ) -> PortDescription {
    PortDescription(name: name, content: .audio, direction: direction, isPhysical: isPhysical, isOwn: isOwn)
  }

  @Test func `The first microphone and two loudspeakers are taken, or the ports that are named`() throws {
    let usual = try CalibrationPorts(input: nil, outputs: [], among: Self.ports)
    #expect(usual.input == "system:capture_1")
    #expect(usual.outputs == ["system:playback_1", "system:playback_2"])
    let named = try CalibrationPorts(input: "synth:out", outputs: ["mixer:in"], among: Self.ports)
    #expect(named.input == "synth:out" && named.outputs == ["mixer:in"])
    for (input, outputs, words) in [
      ("system:capture_3", [], "Did you mean \"system:capture_1\"?"), ("mixer:in", [], "jack_lsp"),
      ("synth:out", ["synth:out"], "--output"), ("synth:out", ["jackstay-calibrate:microphone"], "--output"),
    ] as [(String, [String], String)] {
      let error = try #require(throws: ControlFailure.self) {
        try CalibrationPorts(input: input, outputs: outputs, among: Self.ports)
      }
      #expect(error.description.contains(words) && error.description.count <= 160, "\(error)")
    }
    for (ports, words) in [([], "--input PORT"), (Array(Self.ports.prefix(2)), "--output PORT")] {
      let error = try #require(throws: ControlFailure.self) {
        try CalibrationPorts(input: nil, outputs: [], among: ports)
      }
      #expect(error.description.contains(words))
    }
  }

  @Test func `The result names the direction, the spread and a signal that is cut off`() {
    var result = CalibrationResult(
      offset: .milliseconds(-37.456), spread: .milliseconds(0.21), bound: .milliseconds(0.15), beats: 26,
      chirps: 24, isClipped: false)
    #expect(
      Calibrate.lines(of: result) == [
        "JACK is heard 37.46 ms later than the other device, without an offset",
        "spread 0.21 ms over 26 beats and 24 chirps, the other's beginning within 0.15 ms",
      ])
    (result.offset, result.isClipped) = (.milliseconds(4), true)
    let lines = Calibrate.lines(of: result)
    #expect(lines[0] == "JACK is heard 4.00 ms earlier than the other device, without an offset")
    #expect(lines.count == 3 && lines[2].contains("cut off"))
  }

  @Test func `A refusal names JACK's xruns where they may be the reason`() {
    #expect(Calibrate.failure(.otherTempo, xruns: 0).description == CalibrationRefusal.otherTempo.description)
    #expect(
      Calibrate.failure(.otherTempo, xruns: 1).description
        == "JACK had 1 xrun meanwhile, which move clicks. Use larger buffers, and run it again.")
    #expect(
      Calibrate.failure(.scattered(.milliseconds(3)), xruns: 26).description.hasPrefix("JACK had 26 xruns"))
    #expect(Calibrate.failure(.silent, xruns: 26).description == CalibrationRefusal.silent.description)
  }
}
