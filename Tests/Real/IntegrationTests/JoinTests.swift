import Glibc
import Stage
import Testing

/// Joining does not start or stop anything, and the next press on any side, of any kind, makes all agree: in
/// any state that the bridge finds, and however often it comes back.
@Suite(.serialized, .alone, .measured) struct JoinTests {
  /// Presses, and expects JACK and the session to follow.
  private func expectAgreement(after press: Press, in scene: Scene) throws {
    let agreement = try scene.agreement(after: press)
    #expect(agreement.isReached, "\(press): \(agreement.state)")
  }

  /// A start and a stop in each state that a bridge may find, and all kinds of each; every press in every state is
  /// simulated.
  private static let presses: [(jackRolls: Bool, sessionPlays: Bool, presses: [Press])] = [
    (false, false, [.jackStart, .peersStop]), (false, true, [.peersPlay, .typedStop]),
    (true, false, [.typedStart, .jackStop]), (true, true, [.peersStop, .peersPlay]),
  ]

  @Test(arguments: presses, [false, true])
  func `STARTSTOPSTATE-2: joining does not start or stop anything, and the next press makes all agree`(
    state: (jackRolls: Bool, sessionPlays: Bool, presses: [Press]), hasOwner: Bool
  ) throws {
    let sides = BothSides(jackRolls: state.jackRolls, sessionPlays: state.sessionPlays)
    let server = try JackServer.started(period: RealtimeScheduling.period)
    let probe = try LinkProbe.start(server: server, bpm: 240)
    for press in state.presses {
      try probe.arrange(sides)
      if hasOwner { try probe.send("master 240 4") }
      let before = try probe.peers()
      let scene = try Scene(
        joining: probe, on: server, line: hasOwner ? "JACK leads" : "the bridge owns the timebase")
      // Longer than the state of a session that is joined may be on its way.
      try probe.send("wait 1.3")
      #expect(try scene.pressed(since: before).isEmpty, "before \(press)")
      try expectAgreement(after: press, in: scene)
      scene.bridge.terminate()
      if hasOwner { try probe.send("release") }
    }
  }

  @Test func `A bridge that joins a rolling bridge's session on another server starts nothing`() throws {
    let rolling = try Scene(bpm: 240)
    try rolling.roll()
    let server = try JackServer.started(period: RealtimeScheduling.period)
    let probe = try LinkProbe.start(server: server, bpm: 240)
    try probe.send("enable 0")
    for _ in 0..<3 {
      let joining = try Scene.bridge(on: server)
      try joining.awaitLine(in: .errors, "the other bridge") { $0.contains("jackstay: 1 peer") }
      // The rolling bridge repeats that the session plays half a second after that, and once more for the next peer.
      try probe.send("wait 2.5")
      try probe.send("enable 1")
      #expect(try probe.awaitState("playing"), "the rolling bridge has told nothing")
      try probe.send("wait 1.5")
      let report = try probe.peers()
      #expect(report["jack_state"] == 0 && report["transport_changes"] == 0, "\(report)")
      try probe.send("enable 0")
      joining.terminate()
    }
    let report = try rolling.probe.peers()
    #expect(report["jack_state"] == 1, "\(report)")
  }

  @Test(.onEveryServer, arguments: [Press.jackStart, .peersPlay])
  func `BACKGROUND-4, BACKGROUND-5: back with the server, the bridge hears the next press`(press: Press)
    throws
  {
    let scene = try Scene(bpm: 240)
    try scene.join()
    try scene.missStop(whileEndedBy: SIGKILL)
    try scene.probe.send("wait 1.3")
    let back = try scene.probe.peers()
    #expect(back["jack_state"] == 0 && back["link_playing"] == 0, "\(back)")
    for press in [press, .peersStop] { try expectAgreement(after: press, in: scene) }
  }

  @Test func `BACKGROUND-1, BACKGROUND-3: while there is a server, the bridge is a peer, playing or not`()
    throws
  {
    let scene = try Scene(bpm: 240)
    try scene.join()
    for press in [Press.jackStart, .jackStop] {
      try expectAgreement(after: press, in: scene)
      try scene.probe.send("wait 1")
      #expect(try scene.probe.peers()["peers"] == 1)
    }
  }

  @Test
  func `STARTSTOPSTATE-1: a start that a peer stamps with the quantum's own time rolls on that quantum`()
    throws
  {
    let scene = try Scene(period: 1024, bpm: 240)
    try scene.join()
    for _ in 0..<6 {
      guard let launch = try scene.stampedStart() else { continue }
      #expect(scene.isOnItsStamp(launch), "\(launch)")
    }
  }

  @Test(arguments: ["bar", "now"])
  func `A start that is cancelled leaves the playhead, and the position that is read, where they were`(
    launch: String
  )
    throws
  {
    let scene = try Scene(period: 1024, bpm: 120, flags: ["--launch", launch])
    try scene.join()
    // It would roll before a client can cancel it.
    if launch == "now" { try scene.probe.send("slow never") }
    for frame in [0, 240_000] {
      for stop in launch == "bar" ? ["jackstop", "stop"] : ["jackstop"] {
        let taken = try scene.probe.judge("a start that is taken back") {
          try scene.rest()
          try scene.probe.send("locate \(frame)")
          try scene.probe.send("wait 0.2")
          let rolls = try scene.rolls()
          // Before the next start in phase, when the playhead has been put to where that begins.
          if launch == "bar" { try scene.probe.awaitBeat(frame == 0 ? 0.5 : 2.5) }
          try scene.probe.send("jackstart")
          try scene.probe.send("wait \(launch == "bar" ? 1.55 : 0.5)")
          try scene.probe.send(stop)
          #expect(try scene.probe.awaitState("stopped"))
          try scene.probe.send("wait 0.4")
          return (after: try scene.probe.peers(), hasRolled: try scene.rolls() != rolls)
        }
        guard let (after, hasRolled) = taken else { continue }
        #expect(!hasRolled, "\(stop), \(after)")
        #expect(after["frame"] == Double(frame), "\(stop), \(after)")
        let position = try #require(after.word("bbt"))
        #expect(position.hasPrefix(frame == 0 ? "1|1|" : "3|3|"), "\(stop): \(position)")
        #expect(after.position.last == 0, "\(stop): \(position)")
      }
    }
  }
}
