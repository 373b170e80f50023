import Glibc
import Stage

extension Acceptance {
  /// Presses in situations in which JACK and the session do not do the same, 20 times each. The laws of these
  /// hold whatever else the machine does, so they may run side by side.
  static let situations: [(name: String, run: @Sendable () throws -> [Figure])] = [256, 1024].flatMap {
    period -> [(name: String, run: @Sendable () throws -> [Figure])] in
    let both = BothSides(jackRolls: true, sessionPlays: true)
    let session = BothSides(jackRolls: false, sessionPlays: true)
    let jack = BothSides(jackRolls: true, sessionPlays: false)
    return [
      ("joins-owner-\(period)", { try joinBeforeOwnersStart(period) }),
      (
        "joins-peer-stop-\(period)",
        { try join(period, finding: both, "a peer presses stop") { _ in [.peersStop] } }
      ),
      (
        "joins-jack-stop-\(period)",
        { try join(period, finding: both, "JACK stops") { _ in [.jackStop] } }
      ),
      (
        "joins-peer-play-\(period)",
        { try join(period, finding: session, "a peer presses play") { _ in [.peersPlay] } }
      ),
      (
        "joins-typed-stop-\(period)",
        {
          try join(period, finding: session, "stop is typed, then somebody starts") {
            [.typedStop, Press.starts[$0 % Press.starts.count]]
          }
        }
      ),
      (
        "joins-typed-start-\(period)",
        {
          try join(period, finding: jack, "start is typed, then somebody stops") {
            [.typedStart, Press.stops[$0 % Press.stops.count]]
          }
        }
      ),
      ("returns-\(period)", { try returns(period) }),
      ("stamps-\(period)", { try stamps(period) }),
    ]
  }

  private static let count = 20
  /// How long it may take until both sides agree: at 240 beats per minute a start waits for a second at most.
  private static let patience = 2000.0

  /// A bridge joins, and then a user presses once or more, which may depend on how many trials were before.
  private static func join(
    _ period: Int, finding sides: BothSides, _ words: String, then presses: (Int) -> [Press]
  ) throws -> [Figure] {
    let server = try JackServer.started(period: period)
    defer { server.terminate() }
    let probe = try LinkProbe.start(server: server, bpm: 240)
    defer { probe.child.terminate() }
    let name = "\(sides), a bridge joins, \(words): all agree, p = \(period)"
    return try Trials(count, name) { number in
      try probe.arrange(sides)
      let before = try probe.peers()
      let scene = try Scene(joining: probe, on: server)
      defer { scene.bridge.terminate() }
      try probe.send("wait \(Double.random(in: 0.3...1))")
      let pressed = try scene.pressed(since: before)
      guard pressed.isEmpty else { return .wrong("the join changed \(pressed)") }
      return try agreement(after: presses(number), in: scene)
    }.figures(limit: patience)
  }

  /// The bridge's server dies while both sides play, the peer stops meanwhile, and then a user starts.
  private static func returns(_ period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, bpm: 240)
    defer { scene.end() }
    try scene.join()
    let name = "a peer stops while the server is away, then the peer or JACK starts: all agree, p = \(period)"
    return try Trials(count, name) { number in
      try scene.missStop(whileEndedBy: number % 4 < 2 ? SIGKILL : SIGTERM)
      try scene.probe.send("wait \(Double.random(in: 0.3...1))")
      let found = try scene.probe.peers()
      guard found["jack_state"] == 0, found["link_playing"] == 0 else {
        return .wrong("the return pressed something: \(found)")
      }
      return try agreement(after: [[.peersPlay, .jackStart][number % 2], .peersStop], in: scene)
    }.figures(limit: patience)
  }

  /// Presses, one after the other, and waits each time until both sides agree.
  private static func agreement(after presses: [Press], in scene: Scene) throws -> Trials.Outcome {
    var longest = 0.0
    var missed = 0
    for press in presses {
      let agreement = try scene.agreement(after: press)
      guard agreement.isReached else {
        let told = scene.bridge.lines(of: .errors).suffix(12).joined(separator: "; ")
        return .wrong("\(press): \(agreement.state); \(told)")
      }
      longest = max(longest, agreement.milliseconds)
      missed += agreement.missed
    }
    return missed > 0 ? .untimed : .right(milliseconds: longest)
  }

  /// A bridge joins a session at another tempo than that of a timebase owner that is stopped, and JACK
  /// starts.
  private static func joinBeforeOwnersStart(_ period: Int) throws -> [Figure] {
    let server = try JackServer.started(period: period)
    defer { server.terminate() }
    let probe = try LinkProbe.start(server: server, bpm: 126)
    defer { probe.child.terminate() }
    try probe.send("master 100 4")
    let name =
      "an owner at 100 bpm rests, a bridge joins a session at 126, JACK starts: 126 stays, and the "
      + "difference is told, p = \(period)"
    return try Trials(count, name) { _ in
      try probe.arrange(BothSides(jackRolls: false, sessionPlays: false))
      let (scene, start) = try Scene.joinBeforeOwnersStart(probe, on: server, rollingFor: 1)
      defer { scene.bridge.terminate() }
      let isKept = start.after["tempo_changes"] == start.before["tempo_changes"]
      guard isKept, start.after.isTempo(126) else { return .wrong("another tempo: \(start.after)") }
      guard let told = start.told, told.contains("100"), told.contains("126") else {
        return .wrong("not told: \(scene.bridge.lines(of: .errors))")
      }
      return .right(milliseconds: start.milliseconds)
    }.figures(limit: patience)
  }

  /// A peer's start is stamped with the quantum's own time.
  private static func stamps(_ period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, bpm: 240)
    defer { scene.end() }
    try scene.join()
    var attempts = 0
    let launches = try (0..<count).compactMap { _ in
      try scene.stampedStart { attempts += $0.attempts }
    }
    for launch in launches where !scene.isOnItsStamp(launch) { remark("not on its stamp: \(launch)") }
    let spoilt = attempts - launches.count
    let name = "a start that a peer stamps with the quantum's own time rolls on that quantum, p = \(period)"
    return [
      Figure(
        name: "\(name)\(spoilt > 0 ? ", \(spoilt) more not judged" : "")",
        met: launches.count(where: scene.isOnItsStamp), of: max(launches.count, count)),
      Figure(
        name: "its first rolling cycle to the stamp, worst of \(launches.count)",
        value: launches.magnitudes("play_time_us").max(), limit: 1.5 * scene.periodLength, unit: "us"),
    ]
  }
}

extension ProbeReport {
  /// Whether the session's tempo is that one, as in Link's protocol: by whole microseconds per beat.
  fileprivate func isTempo(_ bpm: Double) -> Bool {
    self["link_bpm"].map { abs(60e6 / $0 - 60e6 / bpm) < 1 } ?? false
  }
}
