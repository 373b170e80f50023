import Glibc
import Stage

extension Acceptance {
  /// Processor time against a program that does nothing in JACK and nothing in Link, in turns.
  static func processor() throws -> [Figure] {
    try [64, 1024].flatMap { period in
      let server = try JackServer.started(period: period)
      defer { server.terminate() }
      let roller = try LinkProbe.start(server: server)
      defer { roller.child.terminate() }
      try roller.send("enable 0")
      try roller.send("jackstart")
      var ours: [Double] = []
      var least: [Double] = []
      for _ in 0..<7 {
        let bridge = try Scene.bridge(on: server)
        ours.append(try load(of: bridge))
        bridge.terminate()
        let baseline = try Child(
          Products.path("baseline"), [], environment: server.environment, streams: .pipes)
        try baseline.awaitLine("ready") { $0 == "ready" }
        least.append(try load(of: baseline))
        baseline.terminate()
      }
      let (mine, floor) = (ours.median, least.median)
      return [
        Figure(
          name: "processor time, rolling, p = \(period), ours against the least (\(percent(mine)) against "
            + "\(percent(floor)) of a core)", value: mine.flatMap { mine in floor.map { mine / $0 } },
          limit: 1.3,
          unit: "times")
      ]
    }
  }

  /// The part of a core that a child uses over some seconds.
  private static func load(of child: Child) throws -> Double {
    // Starting, and looking for peers at first, is not what lasts.
    sleep(2)
    guard let before = child.cpuTime else { throw Failure("a child ended by itself") }
    let start = ContinuousClock.now
    sleep(6)
    guard let after = child.cpuTime else { throw Failure("a child ended by itself") }
    return (after - before) / (ContinuousClock.now - start)
  }

  private static func percent(_ load: Double?) -> String {
    load.map { "\(($0 * 10_000).rounded() / 100) %" } ?? "unknown"
  }
}
