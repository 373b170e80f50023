import Stage

extension Acceptance {
  /// A start of JACK's soon after a peer has come to a fresh server and a fresh bridge: the peer's beat has
  /// to go on.
  static func arrival() throws -> [Figure] {
    let rounds = 50
    var moved = 0
    var silent = 0
    var tempoErrors: [Double] = []
    for _ in 0..<rounds {
      let scene = try Scene()
      defer { scene.end() }
      try scene.probe.send("enable 1")
      guard try scene.probe.awaitState("peers 1") else { throw Failure("the probe found no peer") }
      // A bridge that joins a session takes its beat, once; the cycle in which that shows is the last one
      // that may.
      try scene.probe.send("wait 0.02")
      let before = try scene.probe.peers()
      try scene.probe.send("wait \(Double.random(in: 0...0.98))")
      try scene.probe.send("jackstart")
      if try scene.probe.awaitState("rolling") {
        let report = try scene.probe.measure("after", seconds: 1.5)
        let error = (report["link_bpm_effective"] ?? .nan) - (report["link_bpm"] ?? .nan)
        tempoErrors.append(error.isNaN ? .infinity : abs(error))
      } else {
        silent += 1
      }
      if try scene.probe.peers()["link_jumps"] != before["link_jumps"] { moved += 1 }
    }
    let start = "start 0 to 1 s after a peer has come to a fresh server"
    return [
      Figure(
        name: "\(start), Link's beat frozen or moved, of \(rounds)", value: Double(moved), limit: 0, unit: ""),
      Figure(name: "\(start), JACK does not roll, of \(rounds)", value: Double(silent), limit: 0, unit: ""),
      Figure(
        name: "\(start), the peer's beats per minute against its tempo, worst of \(tempoErrors.count)",
        value: tempoErrors.max(), limit: 0.05, unit: "bpm"),
    ]
  }
}
