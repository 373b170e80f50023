import Glibc
import Stage
import Testing

/// A session's tempo is the owner's when that changes, and not because the bridge came.
@Suite(.serialized, .alone, .measured) struct OwnerChangeTests {
  @Test(.onEveryServer)
  func `TEMPO-3: Joining a session between an owner's stop and its start changes no tempo`()
    throws
  {
    let server = try JackServer.started(period: RealtimeScheduling.period)
    let probe = try LinkProbe.start(server: server, bpm: 126)
    try probe.send("master 100 4")
    let (scene, start) = try Scene.joinBeforeOwnersStart(probe, on: server, rollingFor: 1.5)
    #expect(scene.bridge.isRunning)
    let told = try #require(start.told)
    #expect(told.contains("100") && told.contains("126"), "\(told)")
    #expect(abs(start.after.beatLength("link_bpm") - 60e6 / 126) < 1, "\(start)")
    #expect(start.after["tempo_changes"] == start.before["tempo_changes"], "\(start)")
  }

  @Test func `A tempo that an owner changes before it has ever rolled is reported, and set at the start`()
    throws
  {
    // It happens once in a scene.
    let (scene, launch) = try Scene.judge("a start in a new tempo") {
      let scene = try Scene(bpm: 240)
      try scene.join()
      try scene.lead(scene.probe, bpm: 240)
      try scene.probe.send("wait 0.3")
      try scene.probe.send("masterbpm 200")
      try scene.probe.send("locate 0")
      try scene.bridge.awaitLine(in: .errors, "the change") { $0.contains("has changed while it is stopped") }
      #expect(abs(try scene.probe.peers().beatLength("link_bpm") - 60e6 / 240) < 1)
      return scene
    } _: { scene in
      try scene.probe.launch()
    }
    let now = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / 200) < 1 }
    #expect(abs(now.beatLength("link_bpm") - 60e6 / 200) < 1, "\(now)")
    guard let launch, let report = try scene.awaitPhase() else { return }
    #expect(abs(try #require(launch.certain("err_out"))) < scene.periodLength, "\(launch)")
    #expect(abs(launch.beatLength("link_bpm") - 60e6 / 200) < 1, "\(launch)")
    #expect(abs(try #require(report.certain("err_out_med"))) < 100 + accuracy, "\(report)")
    #expect(report["link_jumps"] == 0)
  }

  @Test(arguments: [true, false])
  func `A start that is held as its owner goes rolls in phase on the bridge's timebase`(dies: Bool) throws {
    // A bar lasts four seconds: the start has to wait for long enough.
    var owner: LinkProbe?
    let (scene, launch) = try Scene.judge("a start whose owner goes") {
      let scene = try Scene(bpm: 60)
      try scene.join()
      owner = try LinkProbe.start(server: scene.server, joinsLink: false)
      try scene.lead(try #require(owner), bpm: 60)
      try scene.probe.send("locate 96000")
      try scene.probe.send("wait 0.3")
      return scene
    } _: { scene in
      let first = scene.probe.child.lines().count
      try scene.probe.send("jackstart")
      // Where it is due at once there is nothing to see.
      guard try scene.probe.awaitState("starting", seconds: 1) else { return nil as ProbeReport? }
      if dies { owner?.child.kill() } else { try owner?.send("release") }
      return try scene.probe.awaitRoll(after: "jackstart", from: first)
    }
    #expect(!scene.bridge.text(of: .errors).contains("publishes no bar, beat and tempo"))
    guard let launch else { return }
    #expect(abs(try #require(launch.certain("frame_err_out"))) < 3000, "\(launch)")
  }

  @Test func `An owner without bar, beat and tempo is reported once, and start and stop are shared`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.probe.send("badmaster silent")
    try scene.probe.send("wait 0.5")
    for start in ["jackstart", "playnow"] {
      let launch = try scene.probe.launch(by: start)
      // At once, from where it is; the probe may have missed the first cycles.
      #expect((0..<4_800).contains(launch["frame"] ?? .nan), "\(launch)")
      #expect(try scene.probe.awaitState("playing"))
      try scene.probe.send("wait 1")
      try scene.probe.send(start == "jackstart" ? "stop" : "jackstop")
      for state in ["stopped", "idle"] { #expect(try scene.probe.awaitState(state), "\(start)") }
      try scene.probe.send("locate 0")
      try scene.probe.send("wait 0.3")
    }
    #expect(scene.logged("publishes no bar, beat and tempo").count == 1)
  }

  @Test func `Pinned to JACK a peer's tempo is JACK's again, and no notice advises the mode that is chosen`()
    throws
  {
    let scene = try Scene(bpm: 120, flags: ["--mode", "jack"], line: "connected to JACK")
    try scene.join()
    try scene.lead(scene.probe, bpm: 110)
    try scene.roll()
    for _ in 0..<3 {
      let before = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / 110) < 200 }
      #expect(abs(before.beatLength("link_bpm") - 60e6 / 110) < 200, "\(before)")
      try scene.probe.send("wait 1.5")
      try scene.probe.send("tempo 150")
    }
    let again = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / 110) < 200 }
    #expect(abs(again.beatLength("link_bpm") - 60e6 / 110) < 200, "\(again)")
    try scene.rest()
    try scene.probe.send("wait 1.5")
    try scene.probe.send("tempo 150")
    let rested = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / 110) < 1 }
    #expect(abs(rested.beatLength("link_bpm") - 60e6 / 110) < 1, "\(rested)")
    #expect(scene.logged("a peer set ").count >= 1)
    #expect(scene.logged("different tempos").isEmpty)
  }
}
