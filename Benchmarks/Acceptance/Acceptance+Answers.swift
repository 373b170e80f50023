import Stage

extension Acceptance {
  /// How fast JACK answers to a peer's press, alone and beside what may hold others up.
  static func answers() throws -> [Figure] {
    try [256, 1024].flatMap { period in
      try undisturbed(period) + besideHungClient(period) + inHeldTerminal(period) + amongClients(period)
    }
  }

  /// JACK's answer to a press is seen when it starts, and not when it rolls.
  private static let flags = ["--launch", "now"]

  private static func undisturbed(_ period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, flags: flags)
    defer { scene.end() }
    try scene.join()
    return try answers(in: scene, "alone")
  }

  private static func besideHungClient(_ period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, flags: flags)
    defer { scene.end() }
    try scene.join()
    var figures: [Figure] = []
    try scene.withHungClient(ownerAt: 120) {
      figures = try answers(in: scene, "a client hangs, another owns the timebase")
    }
    return figures
  }

  private static func inHeldTerminal(_ period: Int) throws -> [Figure] {
    let scene = try Scene.inHeldTerminal(period: period, flags: flags)
    defer { scene.end() }
    try scene.join()
    let figures = try answers(in: scene, "in a terminal that is held")
    guard !scene.bridge.text().contains("pressed") else { throw Failure("the terminal is not held") }
    return figures
  }

  private static func amongClients(_ period: Int) throws -> [Figure] {
    // Each client locks in memory all that the server shares, which is less where there can only be few
    // ports.
    let scene = try Scene(period: period, flags: flags, ports: 128)
    let (crowd, opened) = try scene.seat(clients: 250)
    // A client that ends before the server has it notify all others.
    defer {
      scene.end()
      crowd.child.kill()
    }
    try scene.join()
    return try answers(
      in: scene, "among \(opened) clients\(opened < 250 ? ", all that the server takes" : "")")
  }

  /// The times of 20 starts and stops of a peer's, in turns. Those during which JACK missed a deadline are
  /// not judged, and made once more, within reason: a client that hangs is one that misses all of its own,
  /// and not the server.
  private static func answers(in scene: Scene, _ situation: String) throws -> [Figure] {
    let count = 20
    let probe = scene.probe
    let presses = [("playnow", "link play -> jack answers"), ("stop", "link stop -> jack stopped")]
    var times = [[Double]](repeating: [], count: presses.count)
    var pairs = 0
    while pairs < 2 * count, times.contains(where: { $0.count < count }) {
      for (number, (press, watch)) in presses.enumerated() {
        try probe.send("wait \(Double.random(in: 0.1...0.25))")
        let missed = try probe.missedDeadlines()
        let time = try probe.delay(from: press, to: watch)
        if try probe.missedDeadlines() == missed, times[number].count < count { times[number].append(time) }
      }
      pairs += 1
    }
    return zip(presses, times).flatMap { press, times in
      delays(times, of: "\(press.1), \(situation)", period: scene.server.period)
    }
  }
}
