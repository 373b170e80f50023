import Glibc
import Stage
import Testing

/// JACK leads: another client's position and tempo go into the session, as far as they are valid.
///
/// At 240 beats per minute a quantum of four beats lasts a second, which is 48 000 frames. On a bad machine
/// periods are long, and few are missed: an owner that counts frames is off by those that a missed deadline
/// costs, until Link has been steered to it.
@Suite(.serialized, .alone, .measured) struct FollowTests {
  @Test(.onEveryServer) func `TEMPO-1: A timebase owner's tempo is the session's, rolling and stopped`()
    throws
  {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 100)
    try scene.join()
    try scene.lead(scene.probe, bpm: 100)
    try scene.roll()
    expectInPhase(try scene.awaitPhase())
    for bpm in [110.0, 95] {
      let change = try scene.changeOwnersTempo(to: bpm)
      #expect(try #require(change["ms"]) < 5000, "\(change)")
    }
    let report = try scene.awaitPhase()
    expectSteady(report)
    expectInPhase(report)
    if let report { #expect(report["link_jumps"] == 0) }
    try scene.rest()
    // JACK asks an owner at rest for its position only when that is new.
    try scene.probe.send("masterbpm 130")
    try scene.probe.send("locate 0")
    let stopped = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / 130) < 1 }
    #expect(abs(stopped.beatLength("link_bpm") - 60e6 / 130) < 1, "\(stopped)")
    expectOwned(stopped)
  }

  @Test(arguments: [0, 100])
  func `Link keeps to an owner's beat, with any sound card's clock, with few changes of tempo`(
    drift: Double
  ) throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, drift: drift)
    try scene.lead(scene.probe, bpm: 133.7)
    try scene.roll()
    try scene.joinAsGuest()
    #expect(abs(try #require(scene.probe.peers()["link_bpm"]) - 133.7) < 0.1)
    _ = try scene.awaitPhase()
    let (told, missed) = (scene.logged(": tempo ").count, try scene.probe.missedDeadlines())
    // Where JACK's times stray from its frames the owner's beats do, and steering follows in its own time: on a
    // card that is off it has to find anew by how much.
    let settling = drift == 0 ? 8000.0 : 15_000
    let report = try scene.probe.judge("a phase that is kept", for: .seconds(20)) { () -> ProbeReport? in
      let report = try scene.probe.measure(seconds: 3)
      return try #require(scene.probe.peers()["strayed_ms"]) > settling ? report : nil
    }
    expectOwned(try scene.probe.peers())
    // Steering is no tempo, and leaves none.
    try scene.rest()
    let plain = try scene.probe.awaitPeers { abs($0.beatLength("link_bpm") - 60e6 / 133.7) < 0.9 }
    #expect(abs(plain.beatLength("link_bpm") - 60e6 / 133.7) < 0.9, "\(plain)")
    // An owner that has lost frames is measured anew, and may be reported as often.
    let mostTold = told + (try scene.probe.missedDeadlines()) - missed
    #expect((told...mostTold).contains(scene.logged(": tempo ").count), "\(scene.logged(": tempo "))")
    #expect(scene.logged("steering").isEmpty)
    let limit = drift == 0 ? 100.0 : 300
    guard let report, try scene.probe.canJudge("a phase without losses", if: !report.isOfOwnerWithLosses)
    else {
      // However much an owner has lost, Link keeps its tempo.
      return #expect(abs(try #require(scene.probe.peers()["link_bpm"]) - 133.7) < 0.1)
    }
    expectSteady(report)
    expectInPhase(report, within: limit)
    #expect(try #require(report["tempo_changes"]) <= 2, "\(report)")
    #expect(report["link_jumps"] == 0)
  }

  @Test func `The tempo is that of the owner's beats, not the one it declares`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod)
    try scene.probe.send("says 133.7")
    try scene.probe.send("ticks 1920")
    try scene.lead(scene.probe, bpm: 90)
    try scene.roll()
    try scene.joinAsGuest()
    let now = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - 90) < 0.05 }
    #expect(abs(try #require(now["link_bpm"]) - 90) < 0.05, "\(now)")
    #expect(now["jack_bpm"] == 133.7)
    // Whole ticks place each beat to 350 us, and PipeWire cuts them once more.
    let report = try scene.awaitPhase(within: 350)
    expectOwned(try scene.probe.peers())
    if let report { #expect(try #require(report["err_out_p99"]) < 700, "\(report)") }
  }

  @Test(.onEveryServer, arguments: ["release", "kill"])
  func `When an owner gives the timebase up, or dies, the bridge takes it, and JACK rolls on`(end: String)
    throws
  {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    let daw = try scene.startDAW()
    try scene.lead(daw, bpm: 240)
    try scene.roll()
    expectInPhase(try scene.awaitPhase())
    let before = try scene.probe.peers()
    let time = try scene.awaitOwnership {
      if end == "kill" { daw.child.kill() } else { try daw.send("release") }
    }
    // A second is promised and measured by the benchmark; here it is only that nothing waits for long.
    #expect(time < 5000)
    // JACK starts again when its owner goes, and that start waits for the phase, a second at most.
    try scene.probe.send("wait 1.2")
    #expect(try scene.probe.awaitState("rolling"))
    if let report = try scene.probe.judgeWindow() {
      expectSteady(report)
      #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    }
    let after = try scene.probe.peers()
    for count in ["transport_changes", "start_stop_changes", "link_jumps"] {
      #expect(after[count] == before[count], "\(count)")
    }
    #expect(abs(after.beatLength("link_bpm") - 60e6 / 240) < 1)
  }

  @Test(.onEveryServer)
  func `TEMPO-3: An owner with another tempo than the session's is shown, and changes it only by a change`()
    throws
  {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    let before = try scene.probe.peers()
    try scene.lead(scene.probe, bpm: 100)
    try scene.roll()
    let told = try scene.bridge.awaitLine(in: .errors, "the mismatch") { $0.contains("different tempos") }
    #expect(told.text.contains("100") && told.text.contains("240"), "\(told)")
    try scene.probe.send("locate 480000")
    try scene.probe.send("wait 1")
    #expect(try scene.probe.awaitState("rolling"))
    let joined = try scene.probe.peers()
    for key in ["tempo_changes", "link_jumps", "link_bpm"] { #expect(joined[key] == before[key], "\(key)") }
    try scene.changeOwnersTempo(to: 110)
    #expect(scene.logged("different tempos").count == 1)
    expectOwned(try scene.probe.peers())
  }

  // Not at 20 bpm itself, the least of Link's: a session that a missed deadline has put ahead cannot be steered slower.
  @Test(arguments: [(11, 22), (1500, 750)])
  func `TEMPO-4: An owner beyond Link's tempos is followed by a multiple or a part`(
    jack: Double, link: Double
  ) throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod)
    try scene.lead(scene.probe, bpm: jack)
    try scene.roll()
    try scene.joinAsGuest()
    try scene.probe.send("unit \(link / jack)")
    let now = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - link) < 0.05 }
    #expect(abs(try #require(now["link_bpm"]) - link) < 0.05, "\(now)")
    // PipeWire cuts positions to whole ticks, which are long at 11 bpm.
    let limit = 100 + 2 * scene.coarseness(at: jack)
    expectInPhase(try scene.awaitPhase(within: limit), within: limit)
    try scene.bridge.awaitLine(in: .errors, "the multiple") { $0.contains("outside Link's") }
    #expect(scene.logged("outside Link's").count == 1)
  }

  @Test(arguments: [6, 7])
  func `An owner that counts eighths leads Link's quarters, and its bar is Link's quantum`(
    beats: Double
  ) throws {
    let quantum = beats / 2
    let scene = try Scene(
      period: RealtimeScheduling.exactPeriod, flags: ["--quantum", "\(quantum)"], quantum: quantum)
    try scene.join()
    try scene.probe.send("meter 8")
    try scene.lead(scene.probe, bpm: 240, beats: beats)
    try scene.probe.send("unit 0.5")
    try scene.roll()
    expectInPhase(try scene.awaitPhase())
    try scene.changeOwnersTempo(to: 200)
    let report = try scene.awaitPhase()
    expectInPhase(report)
    if let report { #expect(report["jack_bpm"] == 100) }
    expectOwned(try scene.probe.peers())
  }

  @Test(.onEveryServer)
  func `In a session a start waits until Link is where the owner is, and alone it does not`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.lead(scene.probe, bpm: 240)
    try scene.probe.send("locate 66000")
    #expect(DiscoveryPort.await(inUse: true))
    for alone in try scene.launches(["jackstart"], from: 66_000) {
      #expect(alone["frame"] == 66_000)
      // A quantum is a second.
      #expect(try #require(alone["ms"]) < 500)
    }
    try scene.joinAsGuest()
    expectInPhase(try scene.awaitPhase())
    for frame in [0, 66_000] {
      let launches = try scene.launches(["jackstart", "playnow", "jackstart"], from: frame, atBeat: 0.7)
      try expectInPhase(launches, from: frame, of: scene, isWhole: false, isOwners: true)
    }
    // A locate while rolling is a start at another place.
    let located = try scene.probe.judge("a locate") { try scene.probe.launch(by: "locate 30000") }
    if let located {
      let error = try #require(located.certain("err_out", from: scene.ownersHeadStart))
      #expect(abs(error) < scene.periodLength, "\(located)")
    }
    let after = try scene.probe.peers()
    expectOwned(after)
    #expect(try scene.probe.measure(seconds: 0.5)["link_jumps"] == 0)
  }

  @Test(.onEveryServer)
  func
    `An owner that takes the timebase while stopped at frame 0 leads before the first roll, which is exact`()
    throws
  {
    // At the session's tempo it shows the same position as the bridge has shown.
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    try scene.lead(scene.probe, bpm: 240)
    #expect(scene.logged("transport started").isEmpty)
    let launches = try scene.launches(["jackstart"], from: 0, atBeat: 0.7)
    try expectInPhase(launches, from: 0, of: scene, isWhole: false, isOwners: true)
    #expect(scene.logged("the bridge owns the timebase").count == 1)
    expectOwned(try scene.probe.peers())
  }

  @Test func `An owner that publishes nonsense is reported once, and Link is left alone`() throws {
    let kinds = ["nan", "bar0", "negtick", "beats0", "beats1e9", "tpb0"]
    let scene = try Scene(period: RealtimeScheduling.exactPeriod)
    try scene.roll()
    try scene.probe.send("masterbpm 77")
    // The bridge is alone: a valid position would be the session's at once.
    try scene.probe.send("badmaster \(kinds[0])")
    try scene.bridge.awaitLine(in: .errors, "the fault") { $0.contains("makes no sense") }
    try scene.joinAsGuest(isLed: false)
    for kind in kinds {
      try scene.probe.send("badmaster \(kind)")
      let report = try scene.probe.measure(seconds: 0.6)
      for count in ["link_jumps", "tempo_changes"] { #expect(report[count] == 0, "\(kind): \(report)") }
      #expect(report["link_bpm"] == 120, "\(kind)")
    }
    #expect(scene.logged("makes no sense").count == 1)
    #expect(scene.bridge.isRunning)
    expectOwned(try scene.probe.peers())
  }

  @Test func `A song of four meters moves no beat of a peer, and is in phase after each`() throws {
    let scene = try Scene(
      period: RealtimeScheduling.exactPeriod, bpm: 240, flags: ["--mode", "jack"], line: "connected to JACK")
    try scene.join()
    try scene.probe.send("song 3:4/4:240 3:3/4:240 4:7/8:240 40:4/4:180")
    try scene.lead(scene.probe, bpm: 240)
    try scene.probe.send("locate 48000")
    try scene.roll()
    expectInPhase(try scene.awaitPhase(within: 350), within: 350)
    // From here on each try plays the song through its seams.
    let played = try scene.probe.judge("a song of four meters") {
      try scene.rest()
      try scene.probe.send("locate 48000")
      try scene.probe.send("wait 0.3")
      try scene.roll()
      try scene.probe.send("wait 0.5")
      return try scene.probe.measure("song", seconds: 9)
    }
    // A change of the meter alone moves nothing. A new tempo shows in its first beats, and the bridge
    // corrects Link after them: by 10 to 14 ms on a quiet machine, by up to 19 ms on a busy one.
    if let played {
      #expect((played["link_jumps"] ?? .nan) <= 1, "\(played)")
      #expect(abs(played["link_jump_max"] ?? .nan) < 25_000, "\(played)")
    }
    let after = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - 180) < 0.1 }
    #expect(abs(try #require(after["link_bpm"]) - 180) < 0.1, "\(after)")
    expectInPhase(try scene.awaitPhase(within: 350), within: 350)
    #expect(scene.logged("makes no sense").isEmpty)
  }

  @Test func `A tempo that an owner lets glide is followed throughout`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 160)
    try scene.join()
    try scene.probe.send("song 4:4/4:160 8:4/4:160-100 60:4/4:100")
    try scene.lead(scene.probe, bpm: 160)
    let played = try scene.probe.judge("a tempo that glides") {
      try scene.rest()
      try scene.probe.send("locate 48000")
      try scene.probe.send("wait 0.3")
      try scene.roll()
      try scene.probe.send("wait 3")
      return try scene.probe.measure("glide", seconds: 20)
    }
    if let played { #expect(try #require(played["err_out_p99"]) < 10_000, "\(played)") }
    let after = try scene.probe.awaitPeers { abs(($0["link_bpm"] ?? 0) - 100) < 0.1 }
    #expect(abs(try #require(after["link_bpm"]) - 100) < 0.1, "\(after)")
    expectInPhase(try scene.awaitPhase(within: 500), within: 500)
  }

  @Test func `An owner that hangs or goes mad leaves the session as it was, and is followed when it is well`()
    throws
  {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod)
    try scene.join()
    try scene.lead(scene.probe, bpm: 120)
    try scene.roll()
    // A tempo that was never there does not change.
    try scene.probe.send("wait 0.3")
    try scene.changeOwnersTempo(to: 110)
    expectInPhase(try scene.awaitPhase())
    var bpm = 110.0
    func heal() throws {
      // The owner goes on elsewhere, and the session's beat is not to be corrected; its tempo is.
      bpm = bpm == 110 ? 105 : 110
      try scene.changeOwnersTempo(to: bpm, by: "master")
      try scene.probe.send("wait 0.5")
      #expect(abs(try #require(scene.probe.peers()["link_bpm"]) - bpm) < 0.1)
    }
    for kind in ["frozen", "jumpy", "negtick"] {
      let told = try scene.probe.judge("the session while an owner is \(kind)", preparing: heal) {
        let link = try #require(scene.probe.peers()["link_bpm"])
        try scene.probe.send("badmaster \(kind)")
        try scene.probe.send("wait 0.1")
        return (link: link, report: try scene.probe.measure(seconds: 0.7))
      }
      guard let (link, report) = told else { continue }
      for count in ["link_jumps", "tempo_changes"] { #expect(report[count] == 0, "\(kind): \(report)") }
      #expect(report["link_bpm"] == link, "\(kind)")
    }
    try heal()
    #expect(scene.bridge.isRunning)
  }

  @Test func `Two owners that take the timebase in turns all the time change nothing in the session`() throws
  {
    // A tempo that lasts for 40 ms is one to be followed: each owner has to have only a few short cycles of
    // it.
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    let owners = [try scene.startDAW(named: "one"), try scene.startDAW(named: "other")]
    for (owner, bpm) in zip(owners, [100, 140]) { try owner.send("masterbpm \(bpm)") }
    let told = try scene.probe.judge("a series of takeovers") { () -> (report: ProbeReport, lines: Int)? in
      let line = scene.bridge.lines(of: .errors).count
      let first = scene.probe.child.lines().count
      let starts = owners.map { $0.child.lines().count }
      try scene.probe.child.write("measure turns 1\n")
      for owner in owners {
        try owner.child.write("takeloop 60 20\n")
        usleep(10_000)
      }
      let report = try scene.probe.awaitReport("the measurement", from: first) {
        $0.word("measure") == "turns"
      }
      let lines = scene.bridge.lines(of: .errors).count - line
      let longest = try zip(owners, starts).map { owner, start in
        try owner.awaitReport("the end of the turns", from: start) { $0.has("longest_ms") }["longest_ms"]
      }
      _ = try scene.awaitOwnership { for owner in owners { try owner.send("release") } }
      // An owner that has the timebase for 40 ms is one to be followed: a tempo that lasts as long is one.
      // Each has it for some 10 ms, unless the other is not let run.
      guard longest.allSatisfy({ $0 ?? .infinity < 30 }) else {
        try scene.probe.send("tempo 120")
        try scene.probe.send("wait 1")
        return nil
      }
      return (report, lines)
    }
    #expect(scene.bridge.isRunning)
    guard let (report, lines) = told else { return }
    for count in ["link_jumps", "tempo_changes"] { #expect(report[count] == 0, "\(count): \(report)") }
    #expect(report["link_bpm"] == 120)
    #expect(lines <= 10, "\(scene.bridge.text(of: .errors))")
  }
}

extension Scene {
  /// Lets the probe join as ``join()`` does, late enough for the session to be the bridge's in any case, and
  /// for its beat to be the owner's where that leads and rolls: with other peers in the session Link does not
  /// move it.
  ///
  /// - Parameter isLed: Whether there is an owner that makes sense.
  /// - Throws: ``StageError`` when the probe or the bridge has ended.
  fileprivate func joinAsGuest(isLed: Bool = true) throws {
    #expect(DiscoveryPort.await(inUse: true))
    if isLed { #expect(eventually { (try? apart()).map { $0 < 1_000 } ?? false }) }
    // Link takes one session for older than another only if it is by more than half a second.
    try probe.send("wait 0.7")
    try join()
  }

  /// How far JACK's beat and Link's are apart, as the bridge has them, in microseconds; none where there is
  /// nothing to compare.
  private func apart() throws -> Double {
    let first = bridge.lines(of: .errors).count
    try bridge.write("status\n")
    let line = try bridge.awaitLine(in: .errors, from: first, "the status") { $0.contains("session ") }
    // session    0 peers, beat 1.23 of 4.00, JACK +0.1 us
    guard let error = line.text.firstRange(of: "JACK ") else { return 0 }
    return abs(Double(line.text[error.upperBound...].prefix { $0 != " " }) ?? .infinity)
  }
}

/// Checks that Link's beat was the owner's; the benchmark measures how near it is. Nothing where that could
/// not be judged.
private func expectInPhase(
  _ report: ProbeReport?, within limit: Double = 100, sourceLocation: SourceLocation = #_sourceLocation
) {
  guard let report else { return }
  let error = abs(report.certain("err_out_med") ?? .infinity)
  #expect(error < limit + accuracy, "\(report)", sourceLocation: sourceLocation)
  #expect((report["rolling"] ?? 0) > 0, "\(report)", sourceLocation: sourceLocation)
}
