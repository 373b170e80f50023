import Glibc
import Stage

extension Acceptance {
  /// The time of the bridge's callbacks, sync, process and timebase together, against the same work written in C++, in
  /// turns on one server with a peer in the session.
  static func callback() throws -> [Figure] {
    let server = try JackServer.started(period: 64)
    defer { server.terminate() }
    let peer = try LinkProbe.start(server: server)
    defer { peer.child.terminate() }
    return try [(Stopwatch.Temperature.hot, "hot"), (.asItComes, "as they come")].flatMap {
      temperature, name in
      var ours: [[Double]] = []
      var plain: [[Double]] = []
      for _ in 0..<turns {
        ours.append(
          try callbackTimes(server, peer, temperature) { environment in
            try Scene.bridge(on: server, environment: environment)
          })
        plain.append(
          try callbackTimes(server, peer, temperature) { environment in
            let program = try Child(
              Products.path("plainbridge"), [], environment: server.environment.merging(environment) { $1 },
              streams: .pipes)
            try program.awaitLine("ready") { $0 == "ready" }
            return program
          })
      }
      return [(0.5, "p50"), (0.999, "p99.9")].map { part, quantile in
        // The middle of the turns: one that something else disturbs does not count.
        let (mine, theirs) = (ours.map { $0.quantile(part) }.median, plain.map { $0.quantile(part) }.median)
        return Figure(
          name: "callbacks of a cycle, rolling, p = 64, \(name), \(quantile), ours against C++ "
            + "(\(nanoseconds(mine)) against \(nanoseconds(theirs)))",
          value: mine.flatMap { mine in theirs.map { mine / $0 } }, limit: 1.15, unit: "times")
      }
    }
  }

  private static let turns = 7

  /// The times of some thousand cycles while the transport rolls, in nanoseconds.
  private static func callbackTimes(
    _ server: JackServer, _ peer: LinkProbe, _ temperature: Stopwatch.Temperature,
    of start: ([String: String?]) throws -> Child
  ) throws -> [Double] {
    let stopwatch = try Stopwatch(temperature)
    let program = try start(stopwatch.environment)
    defer { program.terminate() }
    guard try peer.awaitState("peers 1") else { throw Failure("the program found no peer") }
    try peer.send("jackstart")
    guard try peer.awaitState("rolling") else { throw Failure("the transport does not roll") }
    try peer.send("wait 1")
    let first = try stopwatch.times().count
    try peer.send("wait 6")
    let times = try stopwatch.times().dropFirst(first)
    guard times.count > 4000 else { throw Failure("\(times.count) cycles in 6 s, not 4500") }
    try peer.send("jackstop")
    guard try peer.awaitState("stopped") else { throw Failure("the transport does not stop") }
    return Array(times)
  }

  static func nanoseconds(_ time: Double?) -> String { time.map { "\(Int($0)) ns" } ?? "unknown" }
}

extension [Double] {
  /// The value that the given part of all is below.
  func quantile(_ part: Double) -> Double {
    isEmpty ? .infinity : sorted()[Swift.min(count - 1, Int(part * Double(count)))]
  }
}
