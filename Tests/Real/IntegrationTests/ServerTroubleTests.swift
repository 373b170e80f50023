import Foundation
import Glibc
import Stage
import Testing

/// Faults of servers besides their end: names that are taken, connections that come and go, cycles that stop,
/// and periods that are as short or as long as can be.
@Suite(.serialized, .alone, .measured) struct ServerTroubleTests {
  private static let clockAndClick = ["--midi-clock", "rolling", "--click", "rolling"]

  private func run(_ words: String..., on server: JackServer) throws -> String {
    let program = try Child(words[0], Array(words.dropFirst()), environment: server.environment)
    let status = try program.wait()
    #expect(status.isSuccess, "\(words): \(program.text(of: .errors))")
    return program.text()
  }

  // MARK: Names

  @Test func `A client name that is taken is reported with the new one, under which its ports are`() throws {
    let server = try JackServer.started()
    let other = try LinkProbe.start(server: server, name: "jackstay")
    try other.send("enable 0")
    let bridge = try Scene.bridge(on: server, flags: Self.clockAndClick)
    let line = try bridge.awaitLine(in: .errors, "the other name") {
      $0.contains("the client name jackstay is taken")
    }
    #expect(line.text.hasSuffix("so the bridge is jackstay-01. Choose with --name."))
    for action in ["midi jackstay-01:midi_clock", "clicks jackstay-01:click"] {
      #expect(try other.send(action).contains { $0["rc"] == 0 }, "\(action)")
    }
    let scene = Scene(bridge: bridge, probe: other, server: server)
    try scene.roll()
    try scene.probe.send("wait 1")
    try scene.rest()
    #expect(try scene.midiRecording().words.first == MIDIRecording.start)
    #expect(try !scene.clicks().isEmpty)
  }

  @Test
  func
    `A port name that is another port's alias is reported as that, and the bridge goes on without the port`()
    throws
  {
    let server = try JackServer.started()
    _ = try run("jack_alias", "system:capture_1", "jackstay:click", on: server)
    let bridge = try Scene.bridge(on: server, flags: Self.clockAndClick)
    let lines = bridge.lines(of: .errors).filter { $0.contains("going on without") }
    #expect(lines.count == 1, "\(lines)")
    let line = try #require(lines.first)
    #expect(line.contains("without the click: the port name 'jackstay:click' is taken."), "\(line)")
    #expect(line.contains("jack_alias -u") && !line.contains("--port-max"), "\(line)")
    // The other port is there, and JACK's transport is the session's.
    let scene = Scene(bridge: bridge, probe: try LinkProbe.start(server: server), server: server)
    try scene.hearMIDIClock()
    try scene.join()
    try scene.roll()
  }

  // MARK: Connections

  @Test(arguments: [JackServer.Kind.jackd, .pipewire])
  func `Ports that are disconnected while JACK rolls, and connected again, are where the song is`(
    kind: JackServer.Kind
  ) throws {
    let scene = try Scene(on: kind, period: 256, flags: Self.clockAndClick)
    try scene.hearMIDIClock()
    try scene.hearClick()
    try scene.join()
    try scene.roll()
    try scene.probe.send("wait 0.6")
    let ports = [("jackstay:midi_clock", "linkprobe:midi"), ("jackstay:click", "linkprobe:clicks")]
    for (from, to) in ports { _ = try run("jack_disconnect", from, to, on: scene.server) }
    let known = (try scene.midiRecording().messages.count, try scene.clicks().count)
    try scene.probe.send("wait 0.7")
    // There was no output meanwhile, so that a deadline missed now comes from connecting.
    #expect(try scene.midiRecording().messages.count == known.0)
    #expect(try scene.clicks().count == known.1)
    for (from, to) in ports { _ = try run("jack_connect", from, to, on: scene.server) }
    try scene.probe.send("wait 1.2")
    try scene.rest()
    let recording = try scene.midiRecording()
    let messages = recording.messages[known.0...]
    let clocks = messages.filter { $0.status == MIDIRecording.clock }
    #expect(clocks.count > 40, "\(clocks.count)")
    #expect(messages.filter { $0.status != MIDIRecording.clock }.map(\.status) == [MIDIRecording.stop])
    // None of those that were not heard comes late.
    let first = try #require(clocks.first)
    let last = try #require(clocks.last)
    if try scene.probe.canJudge("MIDI clocks after all ports are taken", if: first.missed == last.missed) {
      let passed = (last.jackBeat - first.jackBeat) * 24
      #expect(abs(passed - Double(clocks.count - 1)) <= 2, "\(first) to \(last)")
    }
    // PipeWire misses cycles while it makes connections, and does not report that.
    if kind == .jackd {
      // jackd may count a cycle that its transport does not, and not report it: seldom.
      let odd = recording.undisturbedNeighbours(from: known.0).filter { clock, next in
        abs(next.frame - clock.frame - 1000) > 2
      }
      #expect(odd.count <= 2, "\(odd)")
    }
    let clicks = try scene.clicks()[known.1...].filter { $0.frame > first.frame }
    #expect(!clicks.isEmpty)
    for click in clicks where click.missed == first.missed {
      #expect(abs(click.jackBeat - Double(click.beat)) * 24_000 < (kind == .jackd ? 2 : 8), "\(click)")
      #expect(click.isBar == click.beat.isMultiple(of: 4), "\(click)")
    }
    #expect(scene.bridge.isRunning)
  }

  // MARK: The end of the bridge

  @Test(arguments: zip([JackServer.Kind.jackd, .jackd, .pipewire], ["rolling", "always", "rolling"]))
  func `A bridge that ends sends followers of its MIDI clock a Stop, and nothing after it`(
    kind: JackServer.Kind, mode: String
  ) throws {
    let scene = try Scene(on: kind, period: 256, flags: ["--midi-clock", mode])
    try scene.hearMIDIClock()
    try scene.join()
    try scene.roll()
    try scene.probe.send("wait 0.5")
    let start = ContinuousClock.now
    scene.bridge.signal(SIGTERM)
    #expect(try scene.bridge.wait() == .exited(0))
    #expect(.now - start < EndingTests.soon * Sanitizer.patience)
    try scene.probe.send("wait 0.3")
    let recording = try scene.midiRecording()
    #expect(recording.faults.isEmpty, "\(recording.faults)")
    #expect(recording.isOneSong, "\(recording.words)")
    #expect(recording.messages.last?.status == MIDIRecording.stop)
  }

  @Test
  func
    `A bridge that ends while nothing rolls sends nothing, and one whose server hangs does not wait for it`()
    throws
  {
    let scene = try Scene(flags: ["--midi-clock", "always"])
    try scene.hearMIDIClock()
    try scene.probe.send("wait 0.3")
    #expect(scene.bridge.terminate().isSuccess)
    #expect(try scene.midiRecording().words.isEmpty)
    let second = try Scene(flags: ["--midi-clock", "rolling"])
    try second.roll()
    try second.server.suspend()
    let start = ContinuousClock.now
    second.bridge.signal(SIGTERM)
    #expect(try second.bridge.wait() == .exited(0))
    #expect(.now - start < EndingTests.soon * Sanitizer.patience)
    second.server.resume()
  }

  // MARK: Servers that go, and cycles that stop

  @Test
  func
    `PipeWire that ends while a start is held takes the start with it, and the next one is like any other`()
    throws
  {
    let scene = try Scene(on: .pipewire, period: 256, bpm: 240, flags: ["--quantum", "8"], quantum: 8)
    try scene.join()
    try scene.probe.awaitBeat(1, ofQuantum: 8)
    try scene.probe.send("jackstart")
    try scene.bridge.awaitLine(in: .errors, "that it waits") { $0.contains("start waits") }
    try scene.endServer(by: SIGKILL)
    _ = try scene.revive()
    try scene.probe.send("reconnect 5")
    // Longer than the rest of that quantum.
    try scene.probe.send("wait 2.1")
    #expect(try scene.probe.peers()["jack_state"] == 0)
    #expect(scene.logged("transport started").isEmpty)
    // Whether the session plays is its own business: the next press makes all agree.
    try scene.probe.send("stop")
    for state in ["stopped", "idle"] { #expect(try scene.probe.awaitState(state), "\(state)") }
    for launch in try scene.launches(["jackstart", "playnow"], from: 96_000) {
      #expect(abs(try #require(launch.certain("frame_err_out"))) < scene.periodLength, "\(launch)")
    }
  }

  /// Takes a driver of PipeWire's away, as that of a card that is pulled out.
  private func destroyDriver(_ name: String, of server: JackServer) throws {
    var number: Substring?
    for line in try run("pw-cli", "ls", "Node", on: server).split(separator: "\n") {
      if let match = line.firstMatch(of: /id (\d+),/) { number = match.output.1 }
      if line.contains("\"\(name)\"") { break }
    }
    _ = try run("pw-cli", "destroy", String(try #require(number)), on: server)
  }

  @Test func `A driver of PipeWire's that goes while JACK rolls stops all, and the next one is as good`()
    throws
  {
    let scene = try Scene(on: .pipewire, period: 256, bpm: 240)
    // The one of the highest priority drives. PipeWire's own has 20000 on 0.3, 200000 on 1.4.
    _ = try run(
      "pw-cli", "create-node", "spa-node-factory",
      "{ factory.name=support.node.driver node.name=card node.group=card object.linger=true "
        + "priority.driver=300000 }",
      on: scene.server)
    try scene.join()
    try scene.roll()
    try destroyDriver("card", of: scene.server)
    // PipeWire's transport is its driver's, and that of the other one is stopped.
    #expect(try scene.probe.awaitState("stopped"))
    #expect(try scene.probe.awaitState("idle"))
    for launch in try scene.launches(["jackstart", "playnow"], from: 96_000) {
      #expect(abs(try #require(launch.certain("frame_err_out"))) < scene.periodLength, "\(launch)")
    }
    try scene.rest()
    // Without any, PipeWire runs as fast as it can.
    let first = scene.bridge.lines(of: .errors).count
    try destroyDriver("Dummy-Driver", of: scene.server)
    try scene.bridge.awaitLine(in: .errors, from: first, "that there is none") {
      $0.contains("its sound card has gone")
    }
    #expect(scene.bridge.terminate().isSuccess)
  }

  @Test func `Cycles that stop are reported, once, with the remedy, and so is that they go on`() throws {
    let scene = try Scene()
    try scene.roll()
    let first = scene.bridge.lines(of: .errors).count
    try scene.server.suspend()
    let line = try scene.bridge.awaitLine(in: .errors, from: first, "the standstill") {
      $0.contains("cycles have stopped")
    }
    #expect(line.text.hasSuffix("Connect the card again, or restart the server."))
    try scene.bridge.write("status\n")
    try scene.bridge.awaitLine(in: .errors, from: first, "the status") {
      $0.hasPrefix("transport  rolling, but JACK's cycles have")
    }
    scene.server.resume()
    try scene.bridge.awaitLine(in: .errors, from: first, "the end of it") { $0.contains("cycles go on") }
    #expect(scene.logged("JACK's cycles have stopped:").count == 1)
    try scene.join()
    try scene.probe.changeTempo(90)
  }

  @Test(.enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer))
  func
    `A server that goes on without the bridge's client has another within two seconds, and that is reported once`()
    throws
  {
    let scene = try Scene(environment: ["LD_PRELOAD": try Interposer.leftOut()])
    let first = scene.bridge.lines(of: .errors).count
    let line = try scene.bridge.awaitLine(in: .errors, "the absence") {
      $0.contains("JACK's cycles go on without the bridge")
    }
    try scene.bridge.awaitLine(in: .errors, from: first, "the timebase") {
      $0.contains("the bridge owns the timebase")
    }
    #expect(line.text.hasSuffix("There is nothing to do."))
    try scene.join()
    try scene.roll()
    expectSteady(try scene.probe.judgeWindow())
    #expect(scene.logged("go on without the bridge").count == 1 && scene.logged("have stopped").isEmpty)
  }

  // MARK: Real-time threads that begin late

  private func late(_ milliseconds: Int, thread: Int = 3) throws -> [String: String?] {
    [
      "LD_PRELOAD": try Interposer.late(), "LATE_MS": "\(milliseconds)", "LATE_THREAD": "\(thread)",
    ]
  }

  private func complains(_ bridge: Child) -> Bool {
    bridge.lines(of: .errors).contains { $0.contains("warning:") || $0.contains("error:") }
  }

  /// Checks that a bridge has the timebase, obeys and ends in order.
  private func expectHealthy(_ bridge: Child, on server: JackServer) throws {
    #expect(!complains(bridge))
    let scene = Scene(bridge: bridge, probe: try LinkProbe.start(server: server), server: server)
    try scene.probe.send("enable 0")
    try scene.roll()
    try scene.rest()
    bridge.signal(SIGTERM)
    #expect(try bridge.wait() == .exited(0))
  }

  @Test(
    .enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer),
    arguments: [500, 1100, 1150, 3000])
  func `Threads of JACK that begin late only delay the bridge, which has the timebase and ends in order`(
    milliseconds: Int
  ) throws {
    let server = try JackServer.started()
    for thread in [0, 3] {
      let bridge = try Scene.bridge(on: server, environment: late(milliseconds, thread: thread))
      try expectHealthy(bridge, on: server)
    }
  }

  /// The first three threads are those of the log, of the notifications and of the callbacks.
  @Test(.enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer))
  func `A thread of JACK that does not begin in ten seconds is done without, and never begins`() throws {
    let bridges = try (1...3).map { thread in
      let server = try JackServer.started()
      let bridge = try Child(
        Products.path("jackstay"), ["--no-start-stop-sync"],
        environment: server.environment.merging(late(13_000, thread: thread)) { $1 })
      return (bridge: bridge, server: server)
    }
    usleep(16_000_000)
    for (bridge, server) in bridges { try expectHealthy(bridge, on: server) }
  }

  // MARK: Periods

  @Test(arguments: [JackServer.Kind.jackd, .pipewire], [32, 8192])
  func `As short or as long as periods can be, starts are on the quantum, and the position is Link's`(
    kind: JackServer.Kind, period: Int
  ) throws {
    let scene = try Scene(on: kind, period: period, bpm: 240)
    try scene.join()
    for action in ["playnow", "jackstart"] {
      let launch = try scene.probe.judgeReport("a start by \(action), period \(period)") {
        try scene.rest()
        try scene.probe.send("locate 96000")
        try scene.probe.send("wait 0.3")
        return try scene.probe.launch(by: action)
      }
      guard let launch else { continue }
      #expect(abs(try #require(launch["frame"]) - 96_000) <= Double(period), "\(launch)")
      if let error = launch.certain("frame_err_out") { #expect(abs(error) < scene.periodLength, "\(launch)") }
    }
    #expect(try scene.probe.awaitState("playing"))
    let later = try scene.probe.judgeReport("what rolls, period \(period)") {
      let later = try scene.probe.measure(seconds: 0.5)
      #expect(later["link_jumps"] == 0 && later["bad_bbt"] == 0, "\(later)")
      return later
    }
    guard let later else { return }
    #expect(later["relocations"] == 0 && later["backward"] == 0, "\(later)")
    if let error = later.certain("err_out_med") { #expect(abs(error) < 1000, "\(later)") }
  }
}
