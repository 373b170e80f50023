import Glibc
import PropertyTesting
import Stage
import Testing

/// All events that a bridge can meet, in one of its modes, for a watch over its callbacks.
///
/// At 240 beats per minute a quantum of four beats lasts a second.
struct RealtimeScenario: Sendable, CustomTestStringConvertible {
  /// The leading side at the beginning.
  let mode: String
  /// When a start rolls.
  let launch: String

  /// Each mode and each kind of launch once.
  static let all = [
    RealtimeScenario(mode: "auto", launch: "bar"), RealtimeScenario(mode: "link", launch: "beat"),
    RealtimeScenario(mode: "jack", launch: "now"),
  ]

  var testDescription: String { "\(mode), \(launch)" }

  /// Starts a bridge with `environment`, has everything happen to it, and ends it in order while JACK rolls.
  ///
  /// - Parameter environment: The variables that the watch needs.
  /// - Throws: ``StageError`` when something takes too long.
  func play(environment: [String: String?]) throws {
    let scene = try Scene(
      bpm: 240,
      flags: [
        "--mode", mode, "--launch", launch, "--on-takeover", "retake", "--midi-clock", "always",
        "--click", "rolling",
      ],
      environment: environment, line: mode == "jack" ? "connected to JACK" : "the bridge owns the timebase")
    try scene.join()
    try startAndStop(in: scene)
    try scene.roll()
    try scene.probe.send("wait 1.5")
    try changeTempo(in: scene)
    try locate(in: scene)
    try changeOwner(in: scene)
    try loseServer(in: scene)
    #expect(scene.bridge.terminate().isSuccess)
  }

  /// Starts and stops from both sides and by command, and a start that is cancelled while it waits.
  private func startAndStop(in scene: Scene) throws {
    let probe = scene.probe
    for (start, stop) in [("jackstart", "stop"), ("playnow", "jackstop"), ("play", "stop")] {
      try probe.send(start)
      #expect(try probe.awaitState("rolling"), "\(start)")
      try probe.send("wait 0.2")
      try probe.send(stop)
      for state in ["stopped", "idle"] { #expect(try probe.awaitState(state), "\(stop)") }
    }
    try scene.bridge.write("start\n")
    #expect(try probe.awaitState("rolling"))
    try scene.bridge.write("stop\n")
    #expect(try probe.awaitState("stopped"))
    try probe.send("locate 66000")
    try probe.send("jackstart")
    try probe.send("jackstop")
    for state in ["stopped", "idle"] { #expect(try probe.awaitState(state)) }
  }

  /// Tempo changes by a peer and by command.
  private func changeTempo(in scene: Scene) throws {
    for action in ["tempo 200", "tempo 137.53", "tempo 240"] {
      try scene.probe.send(action)
      try scene.probe.send("wait 0.2")
    }
    try scene.bridge.write("tempo 180\n")
    try scene.probe.send("wait 0.2")
    try scene.bridge.write("tempo 240\n")
    try scene.probe.send("wait 1.2")
  }

  /// Locates while rolling, one on the heels of another, and a client that takes its time.
  private func locate(in scene: Scene) throws {
    try scene.probe.send("slow 100")
    for action in ["locate 480000", "reposition 1000", "locateloop 5 20"] {
      try scene.probe.send(action)
      #expect(try scene.probe.awaitState("rolling", seconds: 10), "\(action)")
      try scene.probe.send("wait 0.2")
    }
    try scene.probe.send("slow off")
  }

  /// Other owners of the timebase: one with tempo changes that gives it up, one that talks nonsense, one that
  /// dies; other modes in between, and a client that comes and goes.
  private func changeOwner(in scene: Scene) throws {
    let other = try scene.startDAW(named: "other")
    var random = Seeded(seed: 5)
    for end in ["release", "kill"] {
      let daw = try scene.startDAW()
      for action in ["master 240 4", "masterbpm 150", "locate 0", "badmaster jumpy", "master 77 3"] {
        try daw.send(action)
        try daw.send("wait 0.3")
      }
      try scene.switchModes(10, using: &random)
      if end == "kill" { daw.child.kill() } else { try daw.send("release") }
      try scene.bridge.write("mode \(mode)\n")
      try scene.probe.send("wait 1.2")
    }
    other.child.terminate()
    if mode != "jack" {
      let now = try scene.probe.awaitPeers { $0["valid"] == 16 }
      #expect(now["valid"] == 16, "the timebase is the bridge's again: \(now)")
    }
  }

  /// Servers that end while JACK rolls, as a crash does and in order, and come back.
  private func loseServer(in scene: Scene) throws {
    for isCrash in [true, false] {
      let lost = scene.bridge.lines(of: .errors).count
      if isCrash { scene.server.kill() } else { scene.server.terminate() }
      try scene.bridge.awaitLine(in: .errors, from: lost, "the loss") { $0.contains("server is gone") }
      let found = scene.bridge.lines(of: .errors).count
      try scene.server.start()
      try scene.bridge.awaitLine(in: .errors, from: found, timeout: .seconds(20), "the return") {
        $0.contains("connected to JACK")
      }
      try scene.probe.send("reconnect 5")
      try scene.probe.send("wait 1")
      try scene.roll()
    }
  }
}
