import Stage

extension Acceptance {
  /// The promises for PipeWire's JACK: that clients read Link's beat to half of the ticks they are shown, and
  /// that starts from either side are on the quantum, also on one further away than PipeWire holds a start
  /// for.
  static func pipewire() throws -> [Figure] {
    try [256, 1024].flatMap { period in try readings(period: period) + quantisedStarts(period: period) }
  }

  private static func readings(period: Int) throws -> [Figure] {
    let bpm = 120.0
    let scene = try Scene(on: .pipewire, period: period, bpm: bpm)
    defer { scene.end() }
    try scene.join()
    try scene.roll()
    try scene.probe.send("wait 3")
    let report = try scene.probe.measure("rolling", seconds: 20)
    let halfTick = 60e6 / bpm / 1920 / 2
    let at = "PipeWire, p = \(period), \(report["xruns"] ?? .nan) missed deadlines"
    return [
      Figure(name: "err_out_med, \(at)", value: report["err_out_med"].map(abs), limit: 20, unit: "us"),
      Figure(name: "err_out_p99, \(at)", value: report["err_out_p99"], limit: halfTick + 20, unit: "us"),
      Figure(
        name: "no_bbt + bad_bbt + backward + link_jumps, \(at)",
        value: ["no_bbt", "bad_bbt", "backward", "link_jumps"].map { report[$0] ?? .nan }.reduce(0, +),
        limit: 0,
        unit: ""),
    ]
  }

  /// 50 starts from each side, at two tempos and three quanta, the playhead on a quantum.
  private static func quantisedStarts(period: Int) throws -> [Figure] {
    var distances: [String: [Double]] = [:]
    var disturbed: [String: Int] = [:]
    for (index, condition) in LaunchCondition.all(at: [120, 40]).enumerated() {
      let scene = try Scene(
        on: .pipewire, period: period, bpm: condition.bpm, flags: condition.flags, quantum: condition.quantum)
      defer { scene.end() }
      try scene.join()
      for number in 0..<(index < 2 ? 9 : 8) {
        for (side, press) in [("Link", "playnow"), ("JACK", "jackstart")] {
          try scene.rest(atBeat: number.isMultiple(of: 2) ? 0 : condition.quantum, bpm: condition.bpm)
          let launch = try scene.probe.launch(by: press, timeout: .seconds(30))
          distances[side, default: []].append(abs(launch["to_quantum_out"] ?? .infinity))
          disturbed[side, default: 0] += launch["xruns"] == 0 ? 0 : 1
        }
      }
    }
    let limit = Double(period + 1) / 0.048
    return distances.sorted { $0.key < $1.key }.map { side, distances in
      Figure(
        name: "starts from \(side) within a period of the quantum, PipeWire, p = \(period), "
          + "\(disturbed[side] ?? 0) with a missed deadline, worst \(Int(distances.max() ?? .nan)) us",
        met: distances.count { $0 <= limit }, of: distances.count)
    }
  }
}
