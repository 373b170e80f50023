import Glibc
import Stage

extension Acceptance {
  /// Processor time against a program that does nothing in JACK and nothing in Link, `Benchmarks/Baseline`,
  /// and one that makes the bridge's calls and nothing of them but a position, `Benchmarks/PlainBridge`: in
  /// turns on one server, while JACK rolls.
  static func processor() throws -> [Figure] {
    try [64, 1024].flatMap { period in
      let server = try JackServer.started(period: period)
      defer { server.terminate() }
      let roller = try LinkProbe.start(server: server)
      defer { roller.child.terminate() }
      try roller.send("enable 0")
      try roller.send("jackstart")
      var (ours, plain, least): ([Double], [Double], [Double]) = ([], [], [])
      for _ in 0..<7 {
        let bridge = try Scene.bridge(on: server)
        ours.append(try load(of: bridge, "the bridge"))
        bridge.terminate()
        plain.append(try load(of: "plainbridge", on: server))
        least.append(try load(of: "baseline", on: server))
      }
      return [
        ("the least", least, 1.3), ("the same calls in C++", plain, 1.8),
      ].map { name, others, limit in
        let (mine, theirs) = (ours.median, others.median)
        return Figure(
          name: "processor time, rolling, p = \(period), ours against \(name) (\(percent(mine)) against "
            + "\(percent(theirs)) of a core)",
          of: mine, against: theirs, limit: limit)
      }
    }
  }

  /// The part of a core that a program uses, from when it reports that it is ready.
  private static func load(of program: String, on server: JackServer) throws -> Double {
    let child = try Child(Products.path(program), [], environment: server.environment, streams: .pipes)
    defer { child.terminate() }
    try child.awaitLine("ready") { $0 == "ready" }
    return try load(of: child, program)
  }

  /// The part of a core that a child uses over some seconds.
  static func load(of child: Child, _ name: String) throws -> Double {
    // Starting, and looking for peers at first, is not what lasts.
    sleep(2)
    guard let before = child.cpuTime else { throw Failure("\(name) ended by itself") }
    let start = ContinuousClock.now
    sleep(6)
    guard let after = child.cpuTime else { throw Failure("\(name) ended by itself") }
    return (after - before) / (ContinuousClock.now - start)
  }

  static func percent(_ load: Double?) -> String {
    load.map { "\(($0 * 10_000).rounded() / 100) %" } ?? "unknown"
  }
}
