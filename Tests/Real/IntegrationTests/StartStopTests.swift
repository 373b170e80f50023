import Stage
import Testing

/// Both sides get every press once; the time at which it takes effect is `LaunchTests`' matter.
///
/// At 240 beats per minute no start is held for longer than a second.
@Suite(.serialized, .alone, .measured) struct StartStopTests {
  /// How often each side has been started or stopped since `before`.
  private func changes(_ probe: LinkProbe, since before: ProbeReport) throws -> [Double] {
    // Time for an echo to come back, and for the bridge to lose its patience.
    try probe.send("wait 1.2")
    let after = try probe.peers()
    return try ["start_stop_changes", "transport_changes"].map { key in
      try #require(after[key]) - #require(before[key])
    }
  }

  @Test(.onEveryServer) func `A peer's start and stop are JACK's, once each`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    for (press, state) in [("playnow", 1.0), ("stop", 0), ("playnow", 1), ("stop", 0)] {
      let before = try scene.probe.peers()
      try scene.probe.send(press)
      #expect(try scene.probe.awaitState(state == 1 ? "rolling" : "stopped"))
      #expect(try changes(scene.probe, since: before) == [1, 1])
      // A start that a missed deadline has put out of phase is held once more.
      let now = try scene.probe.awaitPeers { $0["jack_state"] == state && $0["link_playing"] == state }
      #expect(now["jack_state"] == state)
      #expect(now["link_playing"] == state)
    }
    #expect(scene.logged("a peer pressed play").count == 2)
    #expect(scene.logged("a peer pressed stop").count == 2)
  }

  @Test(.onEveryServer) func `JACK's start and stop are the peers', once each`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    for (press, state) in [("jackstart", 1.0), ("jackstop", 0), ("jackstart", 1), ("jackstop", 0)] {
      let before = try scene.probe.peers()
      try scene.probe.send(press)
      #expect(try scene.probe.awaitState(state == 1 ? "playing" : "idle"))
      #expect(try scene.probe.awaitState(state == 1 ? "rolling" : "stopped"))
      #expect(try changes(scene.probe, since: before) == [1, 1])
      // A start that a missed deadline has put out of phase is held once more.
      let now = try scene.probe.awaitPeers { $0["jack_state"] == state && $0["link_playing"] == state }
      #expect(now["jack_state"] == state)
      #expect(now["link_playing"] == state)
    }
    #expect(scene.logged("transport started").count == 2)
    #expect(scene.logged("a peer pressed").isEmpty)
  }

  @Test func `A peer's presses count at once though all have the same stamp`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    // A press that is older than a join may be the session's state before, for three seconds.
    try scene.probe.send("wait 3.5")
    try expectInTime("stopped", scene) {
      try scene.probe.send("jackstart")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("wait 0.3")
      try scene.probe.send("restamp 0")
    } after: {
      try scene.probe.send("wait 1.2")
    }
  }

  @Test func `A peer's play for the next quantum begins there, though JACK has stopped since the same play`()
    throws
  {
    let scene = try Scene(bpm: 120)
    try scene.join()
    try scene.probe.send("wait 3.5")
    try expectInTime("starting", scene) {
      try scene.probe.send("playonquantum 1.5")
      #expect(try scene.probe.awaitState("starting"))
      try scene.probe.send("jackstop")
      #expect(try scene.probe.awaitState("idle"))
      try scene.probe.send("wait 0.3")
      try scene.probe.send("restamp 1")
    } after: {
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("stop")
      #expect(try scene.probe.awaitState("stopped"))
      try scene.probe.send("wait 1.2")
    }
  }

  @Test(arguments: [0.05, 0.2, 0.5])
  func `A peer's stop stops JACK at once, however soon after JACK's start`(wait: Double) throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try expectInTime("stopped", scene) {
      try scene.probe.send("jackstart")
      #expect(try scene.probe.awaitState("playing"))
      try scene.probe.send("wait \(wait)")
      try scene.probe.send("stop")
    } after: {
      try scene.probe.send("wait 0.3")
    }
  }

  /// Presses three times, and expects JACK's transport to be there within 0.4 s each time.
  private func expectInTime(
    _ state: String, _ scene: Scene, press: () throws -> Void, after: () throws -> Void
  ) throws {
    var late = 0
    for _ in 0..<3 {
      try press()
      if try !scene.probe.awaitState(state, seconds: 0.4) { late += 1 }
      try after()
    }
    #expect(late == 0)
  }

  @Test(.onEveryServer)
  func `Presses on both sides in quick turns end with both sides as the last one left them`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let before = try scene.probe.peers()
    let presses = ["playnow", "jackstop", "jackstart", "stop", "playnow", "stop", "jackstart", "jackstop"]
    for press in presses {
      try scene.probe.send(press)
      let states = press.hasSuffix("stop") ? ["idle", "stopped"] : ["playing", "rolling"]
      for state in states { #expect(try scene.probe.awaitState(state), "\(press): \(state)") }
    }
    let count = Double(presses.count)
    #expect(try changes(scene.probe, since: before) == [count, count])
    let after = try scene.probe.peers()
    #expect(after["jack_state"] == 0)
    #expect(after["link_playing"] == 0)
  }

  @Test func `Without start/stop sync neither side follows the other`() throws {
    let scene = try Scene(bpm: 240, flags: ["--no-start-stop-sync"])
    try scene.join()
    let before = try scene.probe.peers()
    try scene.probe.send("jackstart")
    #expect(try scene.probe.awaitState("rolling"))
    #expect(try changes(scene.probe, since: before) == [0, 1])
    try scene.probe.send("playnow")
    try scene.probe.send("wait 0.3")
    try scene.probe.send("stop")
    #expect(try changes(scene.probe, since: before) == [2, 1])
    try scene.probe.send("jackstop")
    try scene.probe.send("playnow")
    #expect(try changes(scene.probe, since: before) == [3, 2])
    #expect(try scene.probe.peers()["jack_state"] == 0)
    // Tempo and beat are shared all the same.
    try scene.probe.changeTempo(90)
  }
}
