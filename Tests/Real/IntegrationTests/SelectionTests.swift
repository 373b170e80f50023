import PropertyTesting
import Stage
import Testing

/// The leading side, Link or JACK: the user's choice, and its changes while JACK rolls.
@Suite(.serialized, .alone, .measured) struct SelectionTests {
  @Test(.onEveryServer) func `Link is to lead and a client takes the timebase: the bridge retakes it`() throws
  {
    let scene = try Scene(flags: ["--mode", "link", "--on-takeover", "retake"])
    try scene.join()
    try scene.roll()
    let before = try scene.probe.peers()
    _ = try scene.awaitOwnership { try scene.probe.send("master 77 3") }
    let now = try scene.probe.awaitPeers { $0["jack_bpm"] == 120 && $0["valid"] == 16 }
    #expect(now["jack_bpm"] == 120 && now["valid"] == 16, "\(now)")
    if let report = try scene.probe.judgeWindow() {
      expectSteady(report)
      #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    }
    let after = try scene.probe.peers()
    for key in ["tempo_changes", "link_jumps"] { #expect(after[key] == before[key], "\(key)") }
  }

  @Test(.onEveryServer)
  func `Link is to lead and a client takes the timebase: the bridge leaves it alone, and reports that once`()
    throws
  {
    let scene = try Scene(flags: ["--mode", "link"])
    try scene.join()
    try scene.roll()
    let before = try scene.probe.peers()
    try scene.probe.send("master 77 3")
    let told = "another client owns the timebase"
    try scene.bridge.awaitLine(in: .errors, "the takeover") { $0.contains("warning") && $0.contains(told) }
    try scene.probe.send("masterbpm 90")
    try scene.probe.send("wait 1")
    let after = try scene.probe.peers()
    #expect(after["jack_bpm"] == 90, "\(after)")
    expectOwned(after)
    for key in ["link_bpm", "tempo_changes", "link_jumps"] { #expect(after[key] == before[key], "\(key)") }
    #expect(scene.logged(told).count == 1)
    #expect(scene.logged("JACK leads").isEmpty)
    _ = try scene.awaitOwnership { try scene.probe.send("release") }
    let ours = try scene.probe.awaitPeers { $0["jack_bpm"] == 120 }
    #expect(ours["jack_bpm"] == 120)
  }

  @Test func `Link is to lead and the timebase is taken: it is followed`() throws {
    let scene = try Scene(flags: ["--mode", "link", "--on-takeover", "follow"])
    try scene.join()
    try scene.roll()
    try scene.lead(scene.probe, bpm: 120)
    try scene.probe.send("wait 0.5")
    try scene.changeOwnersTempo(to: 90)
    expectOwned(try scene.probe.peers())
  }

  @Test func `Pinned to JACK without an owner only the transport is shared, which is reported once`() throws {
    let scene = try Scene(bpm: 240, flags: ["--mode", "jack"], line: "connected to JACK")
    try scene.join()
    for start in ["jackstart", "playnow"] {
      _ = try scene.probe.launch(by: start)
      #expect(try scene.probe.awaitState("playing"))
      try scene.probe.send("wait 0.3")
      try scene.probe.send(start == "jackstart" ? "stop" : "jackstop")
      for state in ["stopped", "idle"] { #expect(try scene.probe.awaitState(state), "\(start)") }
    }
    try scene.roll()
    let report = try scene.probe.measure(seconds: 1)
    #expect(report["no_bbt"] == report["rolling"])
    for count in ["link_jumps", "tempo_changes"] { #expect(report[count] == 0, "\(count)") }
    let silence = "no client publishes bar, beat and tempo"
    try scene.bridge.awaitLine(in: .errors, "the silence") { $0.contains(silence) }
    #expect(scene.logged(silence).count == 1)
    for told in ["the bridge owns the timebase", "JACK leads"] {
      #expect(scene.logged(told).isEmpty, "\(told)")
    }
  }

  @Test func `Pinned to JACK the owner's tempo and phase are the session's at once`() throws {
    // An owner that counts frames is off by those that a missed deadline costs: long periods on a bad
    // machine, few of which are missed.
    let scene = try Scene(
      period: RealtimeScheduling.exactPeriod, bpm: 60, flags: ["--mode", "jack"], line: "connected to JACK")
    try scene.join()
    try scene.probe.send("master 100 4")
    try scene.probe.send("wait 1")
    // The session's next quantum is 3 s away.
    try scene.probe.awaitBeat(1)
    let launch = try scene.probe.launch()
    #expect(launch["frame"] == 0)
    #expect(try #require(launch["ms"]) < 1500, "\(launch)")
    let now = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - 100) < 0.05 }
    #expect(abs(try #require(now["link_bpm"]) - 100) < 0.05, "\(now)")
    if let report = try scene.awaitPhase() {
      #expect(abs(try #require(report.certain("err_out_med"))) < 100 + accuracy, "\(report)")
    }
    expectOwned(try scene.probe.peers())
    try scene.probe.send("release")
    try scene.bridge.awaitLine(in: .errors, "the missing owner") {
      $0.contains("no client publishes bar, beat and tempo")
    }
    try scene.probe.send("wait 1")
    #expect(scene.logged("the bridge owns the timebase").isEmpty)
  }

  @Test(.onEveryServer)
  func `The mode can be changed all the time while JACK rolls on the bridge's timebase`() throws {
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    for report in try switchModes(in: scene) {
      expectSteady(report)
      for count in ["relocations", "tempo_changes"] { #expect(report[count] == 0, "\(count): \(report)") }
      for step in ["step_max", "link_step_max"] {
        #expect(try #require(report[step]) < 100 + accuracy, "\(step): \(report)")
      }
    }
    try expectAgreement(in: scene)
  }

  @Test(.onEveryServer)
  func `The mode can be changed all the time while JACK rolls on another client's timebase`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 120)
    try scene.join()
    try scene.lead(scene.probe, bpm: 120)
    try scene.roll()
    _ = try scene.awaitPhase()
    for report in try switchModes(in: scene) {
      expectSteady(report)
      #expect(report["relocations"] == 0)
      #expect(try #require(report["tempo_changes"]) <= 2, "\(report)")
      #expect(try #require(report["link_step_max"]) < 100 + accuracy, "\(report)")
    }
    try expectAgreement(in: scene)
    expectOwned(try scene.probe.peers())
  }

  @Test(.onEveryServer) func `The timebase can change hands again and again while JACK rolls`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    try scene.lead(scene.probe, bpm: 240)
    try scene.roll()
    let before = try scene.probe.peers()
    for _ in 0..<2 {
      _ = try scene.awaitOwnership { try scene.probe.send("release") }
      // JACK starts again when its owner goes, and that start waits for the phase, a second at most.
      let ours = try scene.probe.measure("ours", seconds: 1.2)
      #expect(try #require(ours["link_step_max"]) < 100 + accuracy, "\(ours)")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.lead(scene.probe, bpm: 240)
      let others = try scene.probe.measure("others", seconds: 0.3)
      #expect(try #require(others["link_step_max"]) < 100 + accuracy, "\(others)")
    }
    // Each time frames were lost, and an owner that counts them is off by so much.
    _ = try scene.awaitOwnership { try scene.probe.send("release") }
    try scene.probe.send("wait 1.2")
    try expectAgreement(in: scene)
    let after = try scene.probe.peers()
    for count in ["link_jumps", "transport_changes", "start_stop_changes"] {
      #expect(after[count] == before[count], "\(count)")
    }
  }

  /// Changes the mode thirty times while the probe measures, in three stretches, each without a missed
  /// deadline.
  private func switchModes(in scene: Scene) throws -> [ProbeReport] {
    var random = Seeded(seed: 1)
    return try (0..<3).compactMap { _ in
      try scene.probe.judge("a series of modes") {
        try scene.probe.measure("switching", seconds: 10 * 0.06 + 0.3) {
          try scene.switchModes(10, using: &random)
        }
      }
    }
  }

  /// Checks that both sides play, at one tempo and in phase.
  private func expectAgreement(
    in scene: Scene, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(scene.bridge.isRunning, sourceLocation: sourceLocation)
    guard let report = try scene.awaitPhase() else { return }
    #expect(report["state_mismatch_cycles"] == 0, "\(report)", sourceLocation: sourceLocation)
    #expect(
      abs(try #require(report.certain("err_out_med"))) < 100 + accuracy, "\(report)",
      sourceLocation: sourceLocation)
    #expect(abs(try #require(report["bpm_err"])) < 0.1, "\(report)", sourceLocation: sourceLocation)
  }
}
