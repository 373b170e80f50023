import Stage
import Testing

/// While JACK freewheels, as for an export, frames are the music: the position goes with them, and the
/// session does not notice.
@Suite(.serialized, .alone) struct RenderTests {
  /// Frames and position go together, at one tempo, and to a tick.
  private func expectByFrames(
    _ report: ProbeReport, seconds: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try #require(report["seconds"]) >= seconds, "\(report)", sourceLocation: sourceLocation)
    #expect(try #require(report["beat_err_max"]) < 1, "\(report)", sourceLocation: sourceLocation)
    #expect(
      report["unread"] == 0 && report["tempo_changes"] == 0, "\(report)", sourceLocation: sourceLocation)
  }

  @Test(arguments: [0, 480_000])
  func `An export reads bar, beat and tick from its frames, and the session is left alone`(frame: Int) throws
  {
    let scene = try Scene(bpm: 97.3)
    try scene.join()
    let before = try scene.probe.peers()
    for _ in 0..<2 {
      let report = try scene.probe.render(from: frame, seconds: 120)
      try expectByFrames(report, seconds: 120)
      let nominal = try #require(report["frame"]) / 48_000 * 97.3 / 60
      #expect(abs(try #require(report["beat"]) - nominal) < 1e-4, "\(report)")
    }
    try scene.probe.send("wait 0.5")
    let after = try scene.probe.peers()
    for field in ["start_stop_changes", "link_jumps", "tempo_changes", "link_playing"] {
      #expect(after[field] == before[field], "\(field): \(after)")
    }
    #expect(
      scene.logged("JACK is freewheeling").count == 2
        && scene.logged("JACK keeps time again. The next").count == 2)
  }

  @Test func `Peers' changes during a freewheel reach the session, and JACK at the next press`() throws {
    let scene = try Scene(bpm: 120)
    try scene.join()
    let peer = try LinkProbe.start(server: nil, bpm: 120)
    #expect(try scene.probe.awaitState("peers 2"))
    try scene.probe.send("freewheel 1")
    try scene.probe.send("jackstart")
    #expect(try scene.probe.awaitState("rolling"))
    for action in ["play", "tempo 90", "wait 0.3", "stop", "wait 0.3"] { try peer.send(action) }
    // A peer's stop does not end an export.
    #expect(try scene.probe.peers()["jack_state"] == 1)
    let told = "a peer pressed stop during JACK's export"
    try scene.bridge.awaitLine(in: .errors, "\"\(told)\"") { $0.contains(told) }
    #expect(scene.logged("a peer pressed play during JACK's export").count == 1)
    #expect(scene.logged(told).count == 1)
    try scene.probe.send("freewheel 0")
    // JACK still rolls, and in the session's tempo and phase from here on.
    try scene.probe.send("wait 1")
    let report = try scene.probe.judge("what rolls on after a render") {
      try scene.probe.measure(seconds: 0.3)
    }
    if let report {
      expectSteady(report)
      #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
      #expect(report["jack_bpm"] == 90 || report["link_bpm"] == 90, "\(report)")
    }
    #expect(try scene.probe.peers()["link_playing"] == 0)
    try peer.send("stop")
    #expect(try scene.probe.awaitState("stopped"))
    try scene.probe.send("jackstart")
    for state in ["rolling", "playing"] { #expect(try scene.probe.awaitState(state)) }
  }

  @Test func `A held start is released, and nothing of it is left when the freewheel is over`() throws {
    let scene = try Scene(bpm: 60)
    try scene.join()
    try scene.probe.awaitBeat(0.2)
    try scene.probe.send("jackstart")
    #expect(try scene.probe.awaitState("starting"))
    try scene.probe.send("freewheel 1")
    #expect(try scene.probe.awaitState("rolling", seconds: 2))
    try scene.probe.send("jackstop")
    #expect(try scene.probe.awaitState("stopped"))
    try scene.probe.send("freewheel 0")
    try scene.probe.send("wait 1")
    // The session, which had the start, plays on: there was no press since.
    let after = try scene.probe.peers()
    #expect(after["jack_state"] == 0 && after["link_playing"] == 1, "\(after)")
    try scene.probe.send("stop")
    #expect(try scene.probe.awaitState("idle"))
    let launches = try scene.launches(["playnow", "jackstart"], from: 0)
    for launch in launches { try expectWhole(launch, of: scene) }
  }

  @Test
  func `A bridge that comes while JACK freewheels joins it when that ends, and rejects commands until then`()
    throws
  {
    for round in 0..<4 {
      let server = try JackServer.started()
      let probe = try LinkProbe.start(server: server, bpm: 97.3)
      try probe.send("enable 0")
      try probe.send("freewheel 1")
      let bridge = try Scene.bridge(
        on: server, flags: ["--tempo", "97.3"],
        line: "JACK is freewheeling (export). The bridge joins")
      let first = bridge.lines(of: .errors).count
      try bridge.write("tempo 91\n")
      try bridge.awaitLine(in: .errors, from: first, "the refusal") {
        $0.contains("jackstay: error: JACK is freewheeling (export)")
      }
      try bridge.write("status\n")
      try bridge.awaitLine(in: .errors, from: first, "the status") {
        $0.contains("waits for the end of JACK's export")
      }
      #expect(!bridge.text(of: .errors).contains("connected to JACK"), "round \(round)")
      // The freewheel goes on as if there were no bridge.
      #expect(try probe.send("freewheel 0").allSatisfy { $0["rc"] != -1 })
      try bridge.awaitLine(in: .errors, from: first, "the timebase") {
        $0.contains("the bridge owns the timebase")
      }
      let scene = Scene(bridge: bridge, probe: probe, server: server)
      let report = try scene.probe.render(from: 0, seconds: 30)
      try expectByFrames(report, seconds: 30)
      try scene.roll()
      let judged = try scene.probe.judgeWindow()
      if let judged { expectSteady(judged) }
      #expect(scene.logged("cycles").isEmpty, "round \(round): \(scene.logged("cycles"))")
      try scene.rest()
      #expect(bridge.terminate().isSuccess)
    }
  }

  @Test func `A bridge that comes to PipeWire in a freewheel obeys, and has its cycles when that is over`()
    throws
  {
    for round in 0..<2 {
      let server = try JackServer.started(.pipewire)
      let probe = try LinkProbe.start(server: server, bpm: 97.3)
      try probe.send("enable 0")
      try probe.send("freewheel 1")
      // PipeWire shows its frames to active clients only, and takes one in at any time.
      let bridge = try Scene.bridge(on: server, flags: ["--tempo", "97.3"])
      var first = bridge.lines(of: .errors).count
      try bridge.write("tempo 91\n")
      #expect(try probe.send("freewheel 0").allSatisfy { $0["rc"] != -1 })
      // PipeWire 0.3 does not report a freewheel, and the tempo is set in it. From 1.2 on it does, and the tempo is set
      // when that is over; or the first cycle comes 5 s late, and the command is refused until then.
      while true {
        let line = try bridge.awaitLine(in: .errors, from: first, "the tempo") {
          $0.contains("tempo 91.00 bpm") || $0.contains("Repeat the command")
        }
        guard line.text.contains("Repeat the command") else { break }
        try bridge.awaitLine(in: .errors, from: line.index, "cycles") { $0.contains("JACK's cycles go on") }
        first = bridge.lines(of: .errors).count
        try bridge.write("tempo 91\n")
      }
      let scene = Scene(bridge: bridge, probe: probe, server: server)
      try scene.join()
      let stalls = scene.logged("cycles").count
      try scene.roll()
      let judged = try scene.probe.judgeWindow()
      if let judged { expectSteady(judged) }
      #expect(scene.logged("cycles").count == stalls, "round \(round): \(scene.logged("cycles"))")
      try scene.rest()
      #expect(bridge.terminate().isSuccess)
    }
  }

  @Test func `A stand-by takes over when a freewheel ends`() throws {
    let scene = try Scene(bpm: 120)
    let second = try Child(
      Products.path("jackstay"), [], environment: scene.server.environment, streams: .pipes)
    try second.awaitLine(in: .errors, "that it stands by") { $0.contains("this one stands by") }
    try scene.probe.send("freewheel 1")
    #expect(scene.bridge.terminate().isSuccess)
    try second.awaitLine(in: .errors, "the render") { $0.contains("JACK is freewheeling (export)") }
    try scene.probe.send("freewheel 0")
    try second.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    #expect(second.terminate().isSuccess)
  }

  @Test func `A bridge that waits for the end of a freewheel ends at once`() throws {
    // On a server of its own: jackd2 may hang in a second freewheel where a client was closed in the first.
    let server = try JackServer.started()
    let probe = try LinkProbe.start(server: server)
    try probe.send("freewheel 1")
    let bridge = try Scene.bridge(on: server, line: "JACK is freewheeling (export)")
    let start = ContinuousClock.now
    #expect(bridge.terminate().isSuccess)
    #expect(.now - start < EndingTests.soon * Sanitizer.patience)
    try probe.send("freewheel 0")
  }

  @Test func `An owner of the timebase that exports does not take the session with it`() throws {
    let scene = try Scene(bpm: 120)
    try scene.lead(scene.probe, bpm: 120)
    let guest = try LinkProbe.start(server: nil, bpm: 120)
    #expect(try guest.awaitState("peers 1"))
    try guest.send("wait 1")
    let before = try guest.peers()
    let report = try scene.probe.render(from: 0, seconds: 120)
    #expect(try #require(report["seconds"]) >= 120, "\(report)")
    try guest.send("wait 1")
    let after = try guest.peers()
    for field in ["start_stop_changes", "link_jumps", "tempo_changes", "link_playing"] {
      #expect(after[field] == before[field], "\(field): \(after)")
    }
  }
}
