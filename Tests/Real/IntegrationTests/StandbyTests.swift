import Glibc
import Stage
import Testing

/// That of two bridges on one server one stands by, and takes over when the other goes.
@Suite(.serialized, .alone, .measured) struct StandbyTests {
  private static let standsBy = "has this JACK server, so this one stands by"
  private static let takesOver = "the other bridge has ended, so this one takes over"

  /// A second bridge on the server, as soon as it stands by.
  private func second(in scene: Scene, flags: [String] = []) throws -> Child {
    let start = ContinuousClock.now
    let second = try Child(
      Products.path("jackstay"), flags, environment: scene.server.environment, streams: .pipes)
    let line = try second.awaitLine(in: .errors, "that it stands by") { $0.contains(Self.standsBy) }
    #expect(.now - start < .seconds(1) * Sanitizer.patience)
    #expect(line.text.contains("another bridge (process \(scene.bridge.pid)) has"), "\(line)")
    return second
  }

  /// Expects of a second bridge that it has logged nothing but that it stands by.
  private func expectQuiet(_ second: Child) {
    #expect(second.lines(of: .errors).count == 1, "\(second.lines(of: .errors))")
    #expect(second.isRunning)
  }

  @Test
  func
    `Tempo ramps and starts go as with one bridge: every side ends at the last tempo, each start rolls once`()
    throws
  {
    let scene = try Scene()
    let second = try second(in: scene, flags: ["--mode", "link", "--on-takeover", "retake"])
    try scene.join()
    try scene.roll()
    for ramp in 0..<6 {
      let goal = 100.0 + Double(ramp * 37 % 60)
      for step in stride(from: 12, through: 0, by: -1) {
        try scene.probe.send("tempo \(goal + Double(step) * 3)")
        usleep(20_000)
      }
      let isThere = { (now: ProbeReport) in
        ["link_bpm", "jack_bpm"].allSatisfy { abs(now.beatLength($0) - 60e6 / goal) < 1 }
      }
      let reached = try scene.probe.awaitPeers(where: isThere)
      #expect(isThere(reached), "ramp \(ramp) to \(goal): \(reached)")
      // For a second peers do not see each other's changes: if one is undone, it is by then.
      try scene.probe.send("wait 1.2")
      let kept = try scene.probe.peers()
      #expect(isThere(kept), "ramp \(ramp) to \(goal): \(kept)")
      #expect(kept["peers"] == 1)
    }
    for start in 0..<6 {
      try scene.rest()
      try scene.probe.send("tempo 240")
      try scene.probe.send("locate 0")
      try scene.probe.send("wait 0.1")
      let (before, missedBefore) = (try scene.rolls(), try scene.probe.missedDeadlines())
      _ = try scene.probe.launch(by: start.isMultiple(of: 2) ? "jackstart" : "playnow")
      try scene.probe.send("wait 0.5")
      let now = try scene.probe.peers()
      // A deadline that is missed as a roll begins may have it corrected, once.
      let isDisturbed = try scene.probe.missedDeadlines() > missedBefore
      let rolls = (now["rolls"] ?? 0) - before
      #expect(rolls == 1 || (isDisturbed && rolls == 2), "start \(start): \(now)")
      #expect(now["jack_state"] == 1 && now["link_playing"] == 1, "start \(start): \(now)")
    }
    expectQuiet(second)
    #expect(scene.logged("the bridge owns the timebase").count == 1)
    #expect(scene.logged("JACK leads").isEmpty && scene.logged("another client").isEmpty)
  }

  @Test(arguments: [SIGTERM, SIGKILL], [false, true])
  func `When the first ends, the second takes over, and works`(signal: Int32, rolls: Bool) throws {
    let scene = try Scene(bpm: 240)
    let second = try second(in: scene)
    try scene.join()
    if rolls { try scene.roll() }
    expectQuiet(second)
    let start = ContinuousClock.now
    scene.bridge.signal(signal)
    try second.awaitLine(in: .errors, "that it takes over") { $0.contains(Self.takesOver) }
    try second.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    #expect(.now - start < .seconds(2) * Sanitizer.patience)
    let after = Scene(bridge: second, probe: scene.probe, server: scene.server)
    #expect(try after.probe.awaitPeers { $0["peers"] == 1 }["peers"] == 1)
    try after.probe.changeTempo(200)
    if rolls {
      // JACK starts again when its owner goes, and that start waits for the phase, a second at most.
      try after.probe.send("wait 1.4")
      let isRolling = try after.probe.awaitState("rolling")
      let found = try after.probe.peers()
      #expect(isRolling, "\(found), \(second.lines(of: .errors))")
      expectSteady(try after.probe.judgeWindow())
      try after.probe.send("stop")
      #expect(try after.probe.awaitState("stopped"))
    }
    for press in ["jackstart", "playnow"] {
      try after.rest()
      let before = try after.rolls()
      _ = try after.probe.launch(by: press)
      #expect(try after.probe.awaitState("playing"))
      #expect(try after.rolls() == before + 1, "\(press)")
    }
    expectSteady(try after.probe.judgeWindow())
    #expect(after.logged(Self.standsBy).count == 1)
    #expect(after.logged(Self.takesOver).count == 1)
  }

  @Test func `Beside another owner of the timebase, too, only one follows, and then the other`() throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.lead(scene.probe, bpm: 240)
    let second = try second(in: scene)
    try scene.roll()
    try scene.probe.send("wait 1")
    expectQuiet(second)
    scene.bridge.kill()
    try second.awaitLine(in: .errors, "that it follows") { $0.contains("JACK leads") }
    try scene.probe.send("jackstop")
    #expect(try scene.probe.awaitState("stopped"))
    #expect(!second.text(of: .errors).contains("the bridge owns the timebase"))
  }

  @Test func `Commands to the second are refused with a line, but a mode is kept`() throws {
    let scene = try Scene()
    let second = try second(in: scene)
    for command in ["start", "stop", "tempo 90"] {
      let first = second.lines(of: .errors).count
      try second.write("\(command)\n")
      try second.awaitLine(in: .errors, from: first, command) {
        $0.contains("jackstay: error: another bridge has this JACK server")
      }
    }
    try second.write("mode jack\n")
    try second.awaitLine(in: .errors, "the mode") { $0.contains("takes effect when this one takes over") }
    scene.bridge.kill()
    try second.awaitLine(in: .errors, "the server") { $0.contains("connected to JACK") }
    usleep(1_500_000)
    #expect(!second.text(of: .errors).contains("the bridge owns the timebase"))
  }

  @Test func `Of two that wait for a server one takes it, again and again`() throws {
    let server = JackServer()
    let bridges = try (0..<2).map { _ in
      let bridge = try Child(Products.path("jackstay"), environment: server.environment)
      try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
      return bridge
    }
    func count(_ text: String) -> Int {
      bridges.map { $0.lines(of: .errors).filter { $0.contains(text) }.count }.reduce(0, +)
    }
    for round in 1...3 {
      let told = count(Self.standsBy)
      try server.start()
      #expect(eventually { count("the bridge owns the timebase") == round }, "round \(round)")
      #expect(eventually { count(Self.standsBy) == told + 1 }, "round \(round)")
      usleep(500_000)
      #expect(count("the bridge owns the timebase") == round)
      #expect(count("connected to JACK") == round)
      if round.isMultiple(of: 2) { server.terminate() } else { server.kill() }
      // The bridge that had the server looks for the next, and so does the one that stood by.
      #expect(eventually { count("the JACK server is gone") == round })
      #expect(eventually { count(Self.takesOver) == round }, "round \(round)")
      usleep(500_000)
    }
    for bridge in bridges { #expect(bridge.terminate().isSuccess) }
  }

  @Test func `Servers of one name are different servers: each has a bridge, and a bridge stays with its own`()
    throws
  {
    let servers = [
      try JackServer.started(.jackd), try JackServer.started(.pipewire), try JackServer.started(.pipewire),
    ]
    // All three are called what jackd is; PipeWire has no names.
    let name: [String: String?] = ["JACK_DEFAULT_SERVER": servers[0].name]
    let bridges = try servers.map { try Scene.bridge(on: $0, environment: name) }
    for (server, bridge) in zip(servers, bridges) {
      let second = try Child(
        Products.path("jackstay"), environment: server.environment.merging(name) { $1 }, streams: .pipes)
      let line = try second.awaitLine(in: .errors, "that it stands by") { $0.contains(Self.standsBy) }
      #expect(line.text.contains("another bridge (process \(bridge.pid)) has"), "\(line)")
    }
    for bridge in bridges { #expect(!bridge.text(of: .errors).contains(Self.standsBy)) }
  }

  @Test func `One PipeWire has one bridge, under any name, and the second bridge takes over`() throws {
    let server = try JackServer.started(.pipewire)
    let first = try Scene.bridge(on: server)
    let second = try Child(
      Products.path("jackstay"),
      environment: server.environment.merging(["JACK_DEFAULT_SERVER": "foo"]) { $1 }, streams: .pipes)
    try second.awaitLine(in: .errors, "that it stands by") { $0.contains(Self.standsBy) }
    // Another server's bridge that ends is none of its business.
    let other = try Scene.bridge(on: JackServer.started(.pipewire))
    other.kill()
    usleep(500_000)
    #expect(!second.text(of: .errors).contains(Self.takesOver))
    first.kill()
    try second.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    #expect(second.text(of: .errors).contains(Self.takesOver))
  }
}
