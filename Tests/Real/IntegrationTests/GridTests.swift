import Stage
import Testing

/// Meter, quantum, downbeat and directions that change while the bridge runs, as a client and a peer see it.
///
/// At 240 beats per minute a bar of four beats lasts a second.
@Suite(.serialized, .alone, .measured) struct GridTests {
  /// The reports of a second, once the bridge has carried out a command.
  private func judge(_ scene: Scene, _ name: String) throws -> ProbeReport? {
    try scene.probe.send("wait 2.2")
    return try scene.probe.judgeWindow(name)
  }

  @Test(.onEveryServer)
  func `A meter and a quantum hold from the next bar line on, and no beat of a peer moves`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.roll()
    for quantum in [8, 2, 4] {
      // The probe's own quantum has its beat counted anew, which looks like a jump.
      let before = try scene.probe.peers()["link_jumps"]
      try scene.bridge.write("quantum \(quantum)\n")
      try scene.probe.send("wait 2.2")
      #expect(try scene.probe.peers()["link_jumps"] == before)
      try scene.probe.send("quantum \(quantum)")
      guard let report = try scene.probe.judgeWindow("a quantum of \(quantum)") else { continue }
      #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    }
    let jumps = try scene.probe.peers()["link_jumps"]
    try scene.bridge.write("meter 7/4\n")
    if let report = try judge(scene, "seven quarters") { #expect(report["beats_per_bar"] == 7) }
    // Where the bars are says the first of them: quanta go on as they were.
    #expect(scene.logged("the meter is 7/4").count == 1)
    try scene.bridge.write("meter 4/4\n")
    try scene.probe.send("wait 2.2")
    #expect(try scene.probe.peers()["link_jumps"] == jumps)
  }

  @Test func `JACK's downbeat is shifted by beats, and the session's is not`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.roll()
    let before = try scene.probe.peers()
    for (command, beats) in [
      ("downbeat +1", 1.0), ("downbeat -2", -1), ("downbeat +2", 1), ("downbeat 0", 0),
    ] {
      try scene.bridge.write("\(command)\n")
      guard let report = try judge(scene, command) else { continue }
      // JACK is behind by so many beats, of 250 ms each.
      let error = try #require(report.certain("err_out_med", from: -beats * 250_000))
      #expect(abs(error) < accuracy, "\(command): \(report)")
    }
    #expect(try scene.probe.peers()["link_jumps"] == before["link_jumps"])
    #expect(scene.logged("JACK's downbeat is").count == 4)
  }

  @Test func `A bridge that only receives changes no tempo, and one that only sends has its own again`()
    throws
  {
    let scene = try Scene(bpm: 240, flags: ["--tempo-sync", "receive"])
    try scene.join()
    try scene.roll()
    try scene.probe.changeTempo(200)
    #expect(
      try scene.probe.awaitPeers { $0["jack_bpm"].map { abs($0 - 200) < 0.01 } == true }["jack_bpm"] != nil)
    let before = try scene.probe.peers()
    try scene.bridge.write("tempo 120\n")
    try scene.bridge.awaitLine(in: .errors) { $0.contains("tempo-sync keeps JACK") }
    try scene.probe.send("wait 0.5")
    #expect(try scene.probe.peers()["tempo_changes"] == before["tempo_changes"])
    try scene.bridge.write("tempo-sync send\n")
    try scene.bridge.awaitLine(in: .errors) { $0.contains("JACK gives the session its tempo") }
    try scene.probe.send("wait 0.2")
    try scene.probe.send("tempo 150")
    // It comes back, and JACK has never had the other one.
    #expect(
      try scene.probe.awaitPeers { $0["link_bpm"].map { abs($0 - 200) < 0.01 } == true }["link_bpm"] != nil)
    #expect(try #require(scene.probe.peers()["jack_bpm"]).rounded() == 200)
  }

  @Test(arguments: ["receive", "send"])
  func `Starts and stops pass in one direction`(direction: String) throws {
    let scene = try Scene(bpm: 240, flags: ["--start-stop-sync", direction])
    try scene.join()
    let receives = direction == "receive"
    try scene.probe.send("jackstart")
    #expect(try scene.probe.awaitState("rolling"))
    try scene.probe.send("wait 0.5")
    #expect(try scene.probe.peers()["link_playing"] == (receives ? 0 : 1))
    try scene.probe.send("jackstop")
    #expect(try scene.probe.awaitState("stopped"))
    try scene.probe.send("wait 0.5")
    try scene.probe.send("playnow")
    try scene.probe.send("wait 2.5")
    #expect(try scene.probe.peers()["jack_state"] == (receives ? 1 : 0))
    try scene.probe.send("stop")
    #expect(try scene.probe.awaitState("stopped"))
  }
}
