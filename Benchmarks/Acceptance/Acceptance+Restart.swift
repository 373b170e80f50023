import Glibc
import Stage

extension Acceptance {
  /// The server ended and started again.
  static func restart() throws -> [Figure] {
    let scene = try Scene(period: 256)
    defer { scene.end() }
    try scene.join()
    var times: [Double] = []
    for round in 0..<20 {
      let before = scene.bridge.lines(of: .errors).count
      if round.isMultiple(of: 2) { scene.server.terminate() } else { scene.server.kill() }
      try scene.bridge.awaitLine(in: .errors, from: before, "the loss") {
        $0.contains("server is gone")
      }
      usleep(300_000)
      let first = scene.bridge.lines(of: .errors).count
      try scene.server.start()
      let start = ContinuousClock.now
      try scene.bridge.awaitLine(in: .errors, from: first, "the return") {
        $0.contains("we own the timebase")
      }
      guard try scene.probe.awaitState("peers 1") else { throw Failure("no peer after restart \(round)") }
      times.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return [
      Figure(
        name: "back after the server, with timebase and peer, worst of \(times.count)", value: times.max(),
        limit: 1000, unit: "ms"),
      Figure(name: "the same, median", value: times.median, limit: 1000, unit: "ms"),
    ]
  }
}
