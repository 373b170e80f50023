import Glibc

extension Scene {
  /// Ends the server, by SIGTERM or SIGKILL, and waits until the bridge has logged that and left the session.
  public func endServer(by signal: Int32) throws(StageError) {
    let first = bridge.lines(of: .errors).count
    if signal == SIGKILL { server.kill() } else { server.terminate() }
    try bridge.awaitLine(in: .errors, from: first, "the loss") { $0.contains("server is gone") }
    guard try probe.awaitState("alone") else { throw .unusable("the bridge stays in the session") }
  }

  /// Starts the server again, and waits until the bridge is back: on the server, with its log line there, and
  /// in the session.
  ///
  /// - Parameter line: The bridge's log line when it is ready.
  /// - Returns: How many milliseconds it took from when clients could connect.
  /// - Throws: ``StageError`` when it does not come back.
  public func revive(line: String = "the bridge owns the timebase") throws(StageError) -> Double {
    let first = bridge.lines(of: .errors).count
    try server.start()
    let start = ContinuousClock.now
    try bridge.awaitLine(in: .errors, from: first, "the return") { $0.contains(line) }
    guard try probe.awaitState("peers 1") else { throw .unusable("the bridge does not join the session") }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// Has the bridge miss a peer's stop: the server dies while both sides play, and is back when the peer has
  /// stopped.
  ///
  /// - Parameter signal: The signal that ends the server: SIGTERM, or SIGKILL.
  /// - Throws: ``StageError`` when they do not play, or the bridge does not come back.
  public func missStop(whileEndedBy signal: Int32) throws(StageError) {
    try probe.send("playnow")
    guard try probe.awaitState("rolling") else { throw .unusable("the transport does not roll") }
    try endServer(by: signal)
    try probe.send("stop")
    _ = try revive()
    try probe.send("reconnect 5")
  }

  /// Ends the server and starts it again, as fast as the bridge takes it, by turns in order and not, and
  /// waits until the bridge takes part in Link again, which is a while after. For a scene that is in no
  /// session.
  ///
  /// - Parameter count: How often.
  /// - Throws: ``StageError`` when the bridge does not come back.
  public func reconnect(_ count: Int) throws(StageError) {
    for round in 0..<count {
      let first = bridge.lines(of: .errors).count
      if round.isMultiple(of: 2) { server.terminate() } else { server.kill() }
      try server.start()
      try bridge.awaitLine(in: .errors, from: first, "the return") {
        $0.contains("the bridge owns the timebase")
      }
    }
    guard DiscoveryPort.await(inUse: true) else { throw .unusable("the bridge does not join a session") }
    // The port is one of the sockets Link opens then, not the last.
    usleep(100_000)
  }

  /// Ends the server, starts it again after 0.3 s, and waits until the bridge is back.
  ///
  /// - Returns: How many milliseconds it took from when clients could connect.
  public func restartServer(by signal: Int32) throws(StageError) -> Double {
    try endServer(by: signal)
    usleep(300_000)
    return try revive()
  }
}

/// A server's death: the leading side, the transport's state, and the signal.
public struct Death: Sendable, CustomStringConvertible {
  /// The leading side when the server dies.
  public enum Lead: String, Sendable, CaseIterable {
    /// The bridge owns the timebase.
    case link
    /// Another client does, and in mode auto Link follows it.
    case owner
    /// Another client does, and the bridge's user has pinned JACK.
    case pinned
  }

  /// The state of the transport.
  public enum Motion: String, Sendable, CaseIterable {
    /// It is stopped.
    case stopped
    /// It rolls.
    case rolling
    /// It is held until a start is in phase.
    case armed
  }

  /// The leading side when the server dies.
  public let lead: Lead
  /// The state of the transport when it dies.
  public let moment: Motion
  /// The signal that ends it: SIGTERM, or SIGKILL.
  public let signal: Int32

  /// A death.
  public init(lead: Lead, moment: Motion, signal: Int32) {
    self.lead = lead
    self.moment = moment
    self.signal = signal
  }

  /// All there are. With JACK pinned nothing is held.
  public static let all: [Death] = [SIGTERM, SIGKILL].flatMap { signal in
    Lead.allCases.flatMap { lead in
      Motion.allCases.filter { lead != .pinned || $0 != .armed }.map {
        Death(lead: lead, moment: $0, signal: signal)
      }
    }
  }

  /// In words.
  public var description: String {
    "\(signal == SIGKILL ? "KILL" : "TERM") while \(moment.rawValue), lead \(lead.rawValue)"
  }
}

/// The consequences of a server's death.
public struct Revival: Sendable {
  /// The death.
  public let death: Death
  /// How many milliseconds after the server's return the bridge was back on it and in the session.
  public internal(set) var milliseconds = Double.infinity
  /// The last tenth of a second that was looked at after the next start.
  public internal(set) var report: ProbeReport?
  /// The faults, in words.
  public internal(set) var faults: [String] = []

  /// Whether the bridge was back within a second, and all was as it should be.
  public var isHealed: Bool { milliseconds <= 1000 && faults.isEmpty }
}

extension Scene {
  /// Has the server die and come back, and then all start: at 240 beats per minute, in a session with the
  /// probe.
  ///
  /// - Parameters:
  ///   - death: How it dies.
  ///   - pause: How long it is away, in milliseconds.
  ///   - daw: A client of the server that is no Link peer, for when another client is to lead.
  ///   - limit: How far JACK's beat may be from Link's afterwards, in microseconds.
  /// - Returns: The consequences; the transport is stopped then, and the bridge owns the timebase unless it
  ///   is pinned.
  /// - Throws: ``StageError`` when the stage breaks: the bridge's faults are in the result.
  public func die(
    _ death: Death, for pause: UInt32, daw: LinkProbe, limit: Double = 100
  ) throws -> Revival {
    var revival = Revival(death: death)
    if death.lead != .link { try lead(daw, bpm: 240) }
    if death.lead == .pinned { try bridge.write("mode jack\n") }
    try bring(to: death.moment)
    let before = try probe.peers()
    try endServer(by: death.signal)
    usleep(pause * 1000)
    revival.milliseconds = try revive(line: death.lead == .pinned ? "connected to JACK" : "the bridge owns")
    for client in [probe, daw] { try client.send("reconnect 5") }
    if death.lead != .link { try lead(daw, bpm: 240) }

    // A server begins stopped, and joining a session does not start or stop anything.
    let after = try probe.peers()
    revival.expect(after["jack_state"] == 0 && after["rolls"] == before["rolls"], "JACK moves: \(after)")
    revival.expect(after["link_playing"] == before["link_playing"], "Link was pressed: \(after)")
    try startAgain(&revival, limit: limit)
    if !revival.faults.isEmpty { revival.faults += bridge.lines(of: .errors).suffix(12) }
    try rest()
    if death.lead != .link {
      _ = try awaitOwnership {
        try daw.send("release")
        try bridge.write("mode auto\n")
      }
    }
    return revival
  }

  private func bring(to moment: Death.Motion) throws(StageError) {
    switch moment {
    case .stopped: break
    case .rolling:
      try roll()
      guard try probe.awaitState("playing") else { throw .unusable("the session does not play") }
    case .armed:
      try probe.awaitBeat(0.2)
      try probe.send("playnow")
      guard try probe.awaitState("starting") else { throw .unusable("a start is not held") }
    }
  }

  /// Whether the next press makes both sides agree, in phase.
  private func startAgain(_ revival: inout Revival, limit: Double) throws(StageError) {
    try probe.send("stop")
    for state in ["idle", "stopped"] {
      revival.expect(try probe.awaitState(state), "not \(state) after a stop")
    }
    // A stop that is still on its way when JACK starts is the later press.
    try probe.send("wait 0.2")
    try probe.send("jackstart")
    for state in ["rolling", "playing"] {
      revival.expect(try probe.awaitState(state, seconds: 10), "not \(state) after a start")
    }
    let recovery = try recover(within: limit)
    revival.report = recovery.report
    revival.expect(
      recovery.isDone(within: 1000),
      "right only \(recovery.milliseconds) ms after it rolled: \(recovery.report)")
  }
}

extension Revival {
  fileprivate mutating func expect(_ isMet: Bool, _ fault: @autoclosure () -> String) {
    if !isMet { faults.append(fault()) }
  }
}
