import Glibc
import Stage
import Testing

/// That joining presses nobody's button, and that the next press on any side, of any kind, makes all agree: whatever the
/// bridge finds, and however often it comes back.
@Suite(.serialized, .alone, .measured) struct JoinTests {
  /// What a join finds.
  struct World: Sendable, CustomTestStringConvertible {
    var jackRolls: Bool
    var sessionPlays: Bool

    static let all = [true, false].flatMap { jackRolls in
      [true, false].map { World(jackRolls: jackRolls, sessionPlays: $0) }
    }

    var testDescription: String {
      "JACK \(jackRolls ? "rolls" : "rests"), the session \(sessionPlays ? "plays" : "rests")"
    }
  }

  /// Everything that can be pressed: by a JACK client, a peer, the user.
  enum Press: String, CaseIterable, Sendable {
    case jackstart, jackstop
    case playnow, stop
    case typedStart, typedStop

    var isStart: Bool { self == .jackstart || self == .playnow || self == .typedStart }

    /// Whether anybody gets to know of it: JACK tells nobody of a start while it rolls.
    func isHeard(in world: World) -> Bool {
      switch self {
      case .jackstart: !world.jackRolls
      case .jackstop: world.jackRolls
      case .playnow, .stop, .typedStart, .typedStop: true
      }
    }
  }

  private func perform(_ press: Press, in scene: Scene) throws {
    switch press {
    case .typedStart: try scene.bridge.write("start\n")
    case .typedStop: try scene.bridge.write("stop\n")
    case .jackstart, .jackstop, .playnow, .stop: try scene.probe.send(press.rawValue)
    }
  }

  /// Without the bridge, has JACK and the session do what they are to be found at.
  private func arrange(_ world: World, _ server: JackServer, _ probe: LinkProbe) throws {
    try #require(try probe.awaitState("alone"))
    try probe.send(world.jackRolls ? "jackstart" : "jackstop")
    try probe.send(world.sessionPlays ? "playnow" : "stop")
    try #require(try probe.awaitState(world.jackRolls ? "rolling" : "stopped"))
    try probe.send("wait 0.3")
  }

  private func expect(_ isStart: Bool, in scene: Scene, _ comment: Comment) throws {
    #expect(try scene.probe.awaitState(isStart ? "playing" : "idle", seconds: 10), comment)
    // A start that a missed deadline has put out of phase is held once more.
    let now = try scene.probe.awaitPeers(within: .seconds(15)) {
      $0["jack_state"] == (isStart ? 1 : 0) && $0["link_playing"] == (isStart ? 1 : 0)
    }
    #expect(now["jack_state"] == (isStart ? 1 : 0) && now["link_playing"] == (isStart ? 1 : 0), comment)
  }

  @Test(arguments: World.all, [false, true])
  func `STARTSTOPSTATE-2: joining presses nobody's button, and the next press makes all agree`(
    world: World, hasOwner: Bool
  ) throws {
    let server = try JackServer.started(period: RealtimeScheduling.period)
    let probe = try LinkProbe.start(server: server, bpm: 240)
    for press in Press.allCases where press.isHeard(in: world) {
      try arrange(world, server, probe)
      if hasOwner { try probe.send("master 240 4") }
      let before = try probe.peers()
      let bridge = try Scene.bridge(on: server, line: hasOwner ? "JACK leads" : "we own the timebase")
      let scene = Scene(bridge: bridge, probe: probe, server: server)
      #expect(try probe.awaitState("peers 1"))
      // Longer than the state of a session that is joined may be on its way.
      try probe.send("wait 1.3")
      let after = try probe.peers()
      for key in ["jack_state", "link_playing", "start_stop_changes"] {
        #expect(after[key] == before[key], "\(press): \(key)")
      }
      try perform(press, in: scene)
      try expect(press.isStart, in: scene, "\(press)")
      bridge.terminate()
      if hasOwner { try probe.send("release") }
    }
  }

  @Test(arguments: [Press.playnow, .jackstart, .typedStart])
  func `BACKGROUND-4, BACKGROUND-5: back with the server, the bridge hears the next press`(press: Press)
    throws
  {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.probe.send("playnow")
    #expect(try scene.probe.awaitState("rolling"))
    try scene.endServer(by: SIGKILL)
    try scene.probe.send("stop")
    _ = try scene.revive()
    try scene.probe.send("reconnect 5")
    try scene.probe.send("wait 1.3")
    let back = try scene.probe.peers()
    #expect(back["jack_state"] == 0 && back["link_playing"] == 0, "\(back)")
    try perform(press, in: scene)
    try expect(true, in: scene, "\(press)")
    try scene.probe.send("stop")
    try expect(false, in: scene, "stop after \(press)")
  }

  @Test func `BACKGROUND-1, BACKGROUND-3: while there is a server, the bridge is a peer, playing or not`()
    throws
  {
    let scene = try Scene(bpm: 240)
    try scene.join()
    for action in ["jackstart", "jackstop"] {
      try scene.probe.send(action)
      try expect(action == "jackstart", in: scene, "\(action)")
      try scene.probe.send("wait 1")
      #expect(try scene.probe.peers()["peers"] == 1)
    }
  }

  @Test(arguments: [false, true])
  func `BACKGROUND-2: without a server the bridge is nobody's peer`(rolls: Bool) throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    if rolls { try scene.roll() }
    // It waits until the bridge has left the session.
    try scene.endServer(by: SIGTERM)
    try scene.probe.send("wait 1")
    #expect(try scene.probe.peers()["peers"] == 0)
  }

  @Test
  func `STARTSTOPSTATE-1: a start that a peer stamps with the quantum's own time rolls on that quantum`()
    throws
  {
    let scene = try Scene(period: 1024, bpm: 240)
    try scene.join()
    let launches = try (0..<6).compactMap { _ -> ProbeReport? in
      try scene.probe.judge(
        "a stamped start", for: .seconds(8),
        preparing: {
          try scene.rest()
          try scene.probe.send("locate 0")
          try scene.probe.send("wait 0.2")
        },
        { try scene.probe.launch(by: "playonquantum 1.2") })
    }
    for launch in launches {
      // From the cycle at output to the stamp: a quantum would be a second.
      let way = try #require(launch["play_time_us"])
      #expect(abs(way) < 1.5 * scene.periodLength, "\(launch)")
    }
  }

  @Test(arguments: ["bar", "now"])
  func `A start that is taken back leaves the playhead, and what is read, where they were`(launch: String)
    throws
  {
    let scene = try Scene(period: 1024, bpm: 120, flags: ["--launch", launch])
    try scene.join()
    // It would roll before anybody can take it back.
    if launch == "now" { try scene.probe.send("slow never") }
    for frame in [0, 240_000] {
      for stop in ["jackstop", "stop"] {
        let taken = try scene.probe.judge("a start that is taken back") {
          try scene.rest()
          try scene.probe.send("locate \(frame)")
          try scene.probe.send("wait 0.2")
          let before = try scene.rolls()
          // Before the next start in phase, when the playhead has been put to where that begins.
          if launch == "bar" { try scene.probe.awaitBeat(frame == 0 ? 0.5 : 2.5) }
          try scene.probe.send("jackstart")
          try scene.probe.send("wait \(launch == "bar" ? 1.55 : 0.5)")
          try scene.probe.send(stop)
          #expect(try scene.probe.awaitState("stopped"))
          try scene.probe.send("wait 0.4")
          return try scene.rolls() == before ? try scene.probe.peers() : nil
        }
        guard let after = taken else { continue }
        #expect(after["frame"] == Double(frame), "\(stop), \(after)")
        let position = try #require(after.word("bbt"))
        #expect(position.hasPrefix(frame == 0 ? "1|1|" : "3|3|"), "\(stop): \(position)")
        #expect(after.position.last == 0, "\(stop): \(position)")
      }
    }
  }
}
