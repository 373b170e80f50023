import Stage
import Testing

/// After a start by any client, peer or command, all start together on the bar.
///
/// At 240 beats per minute a quantum of four beats lasts a second, which is 48 000 frames.
@Suite(.serialized, .alone, .measured) struct LaunchTests {
  @Test(.onEveryServer)
  func `STARTSTOPSTATE-1: A peer's start is JACK's on the next quantum, and its stop is JACK's`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    let launches = try scene.launches(["playnow", "play", "playnow"], from: 0)
    try expectInPhase(launches, from: 0, of: scene)
    for launch in launches { try expectOnNextQuantum(launch, of: 1, in: scene) }
    try scene.probe.send("stop")
    #expect(try scene.probe.awaitState("stopped"))
    #expect(try scene.probe.peers()["link_playing"] == 0)
  }

  @Test(.onEveryServer)
  func `STARTSTOPSTATE-2: Joining a playing session starts nothing; JACK's start is on the quantum`()
    throws
  {
    let server = try JackServer.started(period: RealtimeScheduling.exactPeriod)
    let probe = try LinkProbe.start(server: server, bpm: 240)
    try probe.send("playnow")
    try probe.send("wait 0.6")
    let bridge = try Scene.bridge(on: server)
    let scene = Scene(bridge: bridge, probe: probe, server: server)
    #expect(try probe.awaitState("peers 1"))
    try probe.send("wait 1.2")
    let joined = try probe.peers()
    #expect(joined["transport_changes"] == 0)
    #expect(joined["link_playing"] == 1)

    // It happens once: where a deadline was missed it has rolled, and the next start is judged.
    let first = try probe.judgeReport("the first start after joining", for: .zero, atLeast: 1) {
      try probe.launch()
    }
    try expectOnNextQuantum(first, of: 1, in: scene)
    #expect(try probe.peers()["link_playing"] == 1)
    try probe.send("jackstop")
    #expect(try probe.awaitState("idle"))
    let again = try scene.launches(["jackstart"], from: 0)
    for launch in again { try expectOnNextQuantum(launch, of: 1, in: scene) }
    #expect(try probe.awaitState("playing"))
  }

  @Test(.onEveryServer)
  func `A launch is exact to the frame: on a bar, within a bar and at frame 0, then and later`() throws {
    let scene = try Scene(
      period: RealtimeScheduling.exactPeriod, bpm: 240, flags: ["--frame-align", "exact"])
    try scene.join()
    for frame in [0, 48_000, 66_001] {
      let (launches, later) = try scene.launchesThenWindow(
        ["jackstart", "playnow", "jackstart"], from: frame)
      try expectInPhase(launches, from: frame, of: scene, isWhole: false)
      guard let later else { continue }
      expectSteady(later)
      #expect(abs(try #require(later.certain("frame_err_out_med"))) < accuracy + frameLength, "\(later)")
      #expect(later["link_jumps"] == 0)
    }
  }

  @Test(arguments: [64, 256, 1024])
  func `From frame 0 the first beat is there, whole, and everything after it is Link's`(period: Int) throws {
    let scene = try Scene(period: period, bpm: 240)
    try scene.join()
    let (launches, later) = try scene.launchesThenWindow(
      ["jackstart", "playnow", "jackstart", "playnow", "jackstart"], from: 0)
    for launch in launches { try expectWhole(launch, of: scene) }
    // Frames that cannot be in phase stay as far off as a period allows, which is reported where it can be
    // heard.
    let told = scene.logged("to play the first beat in full").count
    #expect(period == 1024 ? told <= launches.count + 5 : told == 0)
    guard let later else { return }
    expectSteady(later)
    #expect(abs(try #require(later.certain("err_out_med"))) < accuracy, "\(later)")
    #expect(later["relocations"] == 0 && later["link_jumps"] == 0, "\(later)")
  }

  @Test func `A start of JACK's is committed to Link at once, with the instant at which it rolls`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    let told = try scene.probe.judge(
      "a launch that is told",
      preparing: {
        try scene.rest()
        try scene.probe.awaitBeat(1)
      }
    ) { () -> (armed: ProbeReport, rolls: Double, launch: ProbeReport)? in
      let first = scene.probe.child.lines().count
      let before = try scene.rolls()
      try scene.probe.send("jackstart")
      #expect(try scene.probe.awaitState("playing"))
      let armed = try scene.probe.peers()
      let launch = try scene.probe.awaitRoll(after: "jackstart", from: first)
      // A machine that stood still for the rest of the quantum has shown nothing.
      let wasSoon = try #require(armed["link_beat"]).truncatingRemainder(dividingBy: 4) < 3.5
      return wasSoon ? (armed, try #require(armed["rolls"]) - before, launch) : nil
    }
    guard let (armed, rolls, launch) = told else { return }
    #expect(rolls == 0)
    #expect((1...1000).contains(try #require(armed["play_time_ms"])), "\(armed)")
    let early = try #require(launch.certain("play_time_us"))
    #expect(abs(early) < scene.periodLength + accuracy, "\(launch)")
  }

  @Test(.onEveryServer) func `Alone a start rolls at once, and Link's beat is the playhead's`() throws {
    let (_, told) = try Scene.judge("a start alone, and what comes after it", countsFrames: true) {
      let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 60)
      try scene.letSessionAge()
      try scene.probe.send("locate 100000")
      try scene.probe.send("wait 0.2")
      return scene
    } _: { scene in
      let launch = try scene.probe.launch()
      try scene.join()
      return (launch: launch, report: try scene.probe.measure(seconds: 0.5))
    }
    guard let (launch, report) = told else { return }
    #expect(launch["frame"] == 100_000)
    // A quantum would be four seconds.
    #expect(try #require(launch["ms"]) < 500)
    expectSteady(report)
    #expect(abs(try #require(report.certain("frame_err_out_med"))) < accuracy + frameLength, "\(report)")
  }

  @Test func `JACK's starts and stops alone are not reported as a peer's`() throws {
    let scene = try Scene(bpm: 120)
    try scene.letSessionAge()
    for state in ["jackstart", "jackstop", "jackstart"] {
      try scene.probe.send(state)
      #expect(try scene.probe.awaitState(state == "jackstart" ? "rolling" : "stopped"))
      // Link hides the session's state from a peer that has just committed something, for a second.
      try scene.probe.send("wait 1.6")
    }
    #expect(scene.logged("transport started").count == 2)
    #expect(scene.logged("a peer pressed").isEmpty)
  }

  @Test func `Launched now, JACK rolls at once, at the place in the bar where the session is`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 120, flags: ["--launch", "now"])
    try scene.join()
    let launches = try [("jackstart", 0.0), ("playnow", 384_000), ("jackstart", 384_000)].flatMap {
      (start, frame) in
      let launches = try scene.launches([start], from: Int(frame), atBeat: 1.3)
      for launch in launches { #expect(abs(try #require(launch["frame"]) - frame) < 96_000, "\(launch)") }
      return launches
    }
    // The next quantum would be 1.35 seconds away.
    for launch in launches { #expect(try #require(launch["ms"]) < 700, "\(launch)") }
    guard !launches.isEmpty else { return }
    #expect(launches.median { $0.certain("err_out") } < accuracy, "\(launches)")
    #expect(launches.median { $0.certain("frame_err_out") } < accuracy + frameLength, "\(launches)")
  }

  @Test func `Launched on the beat, JACK rolls on the next one`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 120, flags: ["--launch", "beat"])
    try scene.join()
    let launches = try scene.launches(["jackstart", "playnow", "jackstart"], from: 0, atBeat: 1.3)
    for launch in launches {
      // The next beat is 350 ms away, the next quantum 1.35 s.
      #expect(try #require(launch["ms"]) < 1000, "\(launch)")
      let toBeat = try #require(launch.certain("to_quantum_out")).remainder(dividingBy: 500_000)
      #expect(abs(toBeat) < scene.periodLength, "\(launch)")
    }
    guard !launches.isEmpty else { return }
    #expect(launches.median { $0.certain("err_out") } < accuracy, "\(launches)")
    let frames = launches.median { $0.certain("frame_err_out")?.remainder(dividingBy: 500_000) }
    #expect(frames < accuracy + frameLength, "\(launches)")
  }

  @Test func `Without frame alignment the playhead is left where it is`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240, flags: ["--frame-align", "off"])
    try scene.join()
    for frame in [0, 66_001] {
      let launches = try scene.launches(["jackstart", "playnow"], from: frame)
      for launch in launches {
        #expect(launch["frame"] == Double(frame))
        #expect(
          abs(try #require(launch.certain("frame_err_out"))) < scene.periodLength + accuracy, "\(launch)")
        #expect(abs(try #require(launch.certain("err_out"))) < 10 * accuracy, "\(launch)")
      }
    }
  }

  @Test func `A start time that is past does not count, and one ahead is waited for`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    // A press from before the bridge came is ignored; for a while the bridge cannot know.
    try scene.probe.send("wait 3")
    let past = try scene.launches(["playat -60"], from: 0)
    for launch in past { try expectOnNextQuantum(launch, of: 1, in: scene) }
    let ahead = try scene.launches(["playat 1.5"], from: 0)
    for launch in ahead {
      #expect(abs(try #require(launch.certain("to_quantum_out"))) < scene.periodLength, "\(launch)")
      // At the first quantum from then on.
      let late = -(try #require(launch.certain("play_time_us")))
      #expect(late > -scene.periodLength && late < 1e6 + scene.periodLength, "\(launch)")
    }
    // A minute ahead, nothing hangs meanwhile.
    try scene.rest()
    let rolls = try scene.rolls()
    try scene.probe.send("playat 60")
    try scene.probe.send("wait 1.2")
    #expect(try scene.rolls() == rolls)
    try scene.probe.send("stop")
    #expect(try scene.probe.awaitState("stopped"))
    let next = try scene.launches(["playnow"], from: 0)
    for launch in next { try expectOnNextQuantum(launch, of: 1, in: scene) }
  }

  @Test func `Lines on standard input start, stop and set the tempo`() throws {
    let scene = try Scene(
      period: RealtimeScheduling.exactPeriod, bpm: 240, flags: ["--frame-align", "exact"])
    try scene.join()
    let report = try scene.probe.judge(
      "a start on standard input", countsFrames: true, preparing: { try scene.rest() }
    ) {
      try scene.bridge.write("start\n")
      for state in ["playing", "rolling"] { #expect(try scene.probe.awaitState(state)) }
      return try scene.probe.measure(seconds: 0.3)
    }
    if let report {
      expectSteady(report)
      #expect(abs(try #require(report.certain("frame_err_out_med"))) < accuracy + frameLength, "\(report)")
    }
    try scene.bridge.write("tempo 150\n")
    let changed = try scene.probe.awaitPeers { $0["jack_bpm"] == 150 && $0["link_bpm"] == 150 }
    #expect(changed["jack_bpm"] == 150 && changed["link_bpm"] == 150, "\(changed)")
    try scene.bridge.write("stop\n")
    for state in ["idle", "stopped"] { #expect(try scene.probe.awaitState(state)) }
    #expect(scene.bridge.isRunning)
  }
}
