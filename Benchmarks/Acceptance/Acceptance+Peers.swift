import Stage

extension Acceptance {
  /// The time of the bridge's callbacks with 64 Link peers in the session against one, in turns on one
  /// bridge.
  static func peers() throws -> [Figure] {
    try [(Stopwatch.Temperature.hot, "hot"), (.asItComes, "as they come")].map { temperature, name in
      let server = try JackServer.started(period: 64)
      defer { server.terminate() }
      let stopwatch = try Stopwatch(temperature)
      let bridge = try Scene.bridge(on: server, environment: stopwatch.environment)
      defer { bridge.terminate() }
      let one = try LinkProbe.start(server: server)
      defer { one.child.terminate() }
      let others = try LinkProbe.start(server: nil, name: "others", joinsLink: false, peers: 63)
      defer { others.child.terminate() }
      guard try one.awaitState("peers 1") else { throw Failure("the bridge found no peer") }
      try one.send("jackstart")
      guard try one.awaitState("rolling") else { throw Failure("the transport does not roll") }
      var few: [Double] = []
      var many: [Double] = []
      for _ in 0..<3 {
        few.append(try callbackTime(stopwatch, one))
        try others.send("enable 1")
        // The bridge is one of those that the probe sees. A peer whose first measurement fails tries again in
        // 30 s.
        guard try one.awaitState("peers 64", seconds: 70) else { throw Failure("64 peers do not meet") }
        try one.send("wait 2")
        many.append(try callbackTime(stopwatch, one))
        try others.send("enable 0")
        try others.send("wait 1")
        guard try one.peers()["peers"] == 1 else { throw Failure("63 peers do not leave") }
      }
      let (before, after) = (few.median, many.median)
      return Figure(
        name: "callbacks of a cycle, rolling, p = 64, \(name), p50, 64 peers against 1 "
          + "(\(nanoseconds(after)) against \(nanoseconds(before)))",
        value: after.flatMap { after in before.map { after / $0 } }, limit: 1.1, unit: "times")
    }
  }

  /// The middle time of some seconds' cycles, in nanoseconds.
  private static func callbackTime(_ stopwatch: Stopwatch, _ probe: LinkProbe) throws -> Double {
    let first = try stopwatch.times().count
    try probe.send("wait 4")
    let times = try stopwatch.times().dropFirst(first)
    guard times.count > 2500 else { throw Failure("\(times.count) cycles in 4 s, not 3000") }
    return Array(times).quantile(0.5)
  }
}
