extension LinkProbe {
  /// As long as there is no bridge, has JACK and the session do something: the state for a bridge that joins.
  public func arrange(_ sides: BothSides) throws(StageError) {
    guard try awaitState("alone") else { throw .unusable("the bridge stays in the session") }
    try send(sides.jackRolls ? "jackstart" : "jackstop")
    try send(sides.sessionPlays ? "playnow" : "stop")
    guard try awaitState(sides.jackRolls ? "rolling" : "stopped") else {
      throw .unusable("JACK does not do as it is told: \(sides)")
    }
    try send("wait 0.3")
  }
}

extension Scene {
  /// Has a bridge come to a server and a session that were there before.
  ///
  /// - Parameters:
  ///   - probe: The session, and a client of the server.
  ///   - server: The server.
  ///   - line: The bridge's log line when it is on the server.
  /// - Throws: ``StageError`` when it is not on the server, or in the session, in time. Peers that fail to
  ///   measure each other at once try again after half a minute.
  public init(
    joining probe: LinkProbe, on server: JackServer, line: String = "the bridge owns the timebase"
  ) throws(StageError) {
    self.init(bridge: try Self.bridge(on: server, line: line), probe: probe, server: server)
    guard try probe.awaitState("peers 1", seconds: 60) else {
      throw .unusable("the bridge does not join the session")
    }
  }

  /// The changes of JACK and the session.
  ///
  /// - Parameter before: The probe's report on them.
  /// - Returns: Names of fields; none when there was no start or stop, in JACK or in the session.
  /// - Throws: ``StageError`` when the probe has ended.
  public func pressed(since before: ProbeReport) throws(StageError) -> [String] {
    let after = try probe.peers()
    return ["jack_state", "link_playing", "start_stop_changes"].filter { after[$0] != before[$0] }
  }
}

/// The session's tempo after a bridge has joined between an owner's stop and its start.
public struct OwnersStart: Sendable {
  /// The line in which the bridge reported that the tempos differ; nil when it did not.
  public let told: String?
  /// How many milliseconds after it was in the session the bridge reported that.
  public let milliseconds: Double
  /// The session before the bridge joined.
  public let before: ProbeReport
  /// The session after JACK has rolled for a while.
  public let after: ProbeReport
}

extension Scene {
  /// Has a bridge join a session while a client is stopped that owns the timebase, at another tempo than the
  /// session's, and then starts JACK.
  ///
  /// - Parameters:
  ///   - probe: The owner, and the session.
  ///   - server: The server.
  ///   - seconds: For how long JACK is to roll.
  /// - Returns: The scene, and what became of the tempo.
  /// - Throws: ``StageError`` when the bridge does not follow the owner, or JACK does not roll.
  public static func joinBeforeOwnersStart(
    _ probe: LinkProbe, on server: JackServer, rollingFor seconds: Double
  ) throws(StageError) -> (scene: Scene, start: OwnersStart) {
    try probe.send("locate 0")
    let before = try probe.peers()
    let scene = try Scene(joining: probe, on: server, line: "JACK leads")
    let start = ContinuousClock.now
    let told = try? scene.bridge.awaitLine(in: .errors, timeout: .seconds(10), "the difference") {
      $0.contains("different tempos")
    }
    let time = (.now - start) / .milliseconds(1)
    try scene.roll()
    try probe.send("wait \(seconds)")
    let after = try probe.peers()
    return (scene, OwnersStart(told: told?.text, milliseconds: time, before: before, after: after))
  }
}
