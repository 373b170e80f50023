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
      times.append(try scene.restartServer(by: round.isMultiple(of: 2) ? SIGTERM : SIGKILL))
    }
    return [
      Figure(
        name: "back after the server, with timebase and peer, worst of \(times.count)", value: times.max(),
        limit: 1000, unit: "ms"),
      Figure(name: "the same, median", value: times.median, limit: 1000, unit: "ms"),
    ]
  }
}
