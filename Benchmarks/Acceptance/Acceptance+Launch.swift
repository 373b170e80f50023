import Stage

extension Acceptance {
  /// 50 plays of a Link peer's for each period, the playhead on a quantum, at two tempos and three quanta;
  /// and the durations of the stops after them.
  static func launch() throws -> [Figure] {
    try periods.flatMap { period in
      var launches: [ProbeReport] = []
      var stops: [String: [Double]] = [:]
      for (index, condition) in LaunchCondition.all(at: [120, 97.3]).enumerated() {
        let (bpm, quantum) = (condition.bpm, condition.quantum)
        let scene = try Scene(period: period, bpm: bpm, flags: condition.flags, quantum: quantum)
        defer { scene.end() }
        try scene.join()
        for number in 0..<(index < 2 ? 9 : 8) {
          try scene.rest(atBeat: number.isMultiple(of: 2) ? 0 : quantum, bpm: bpm)
          launches.append(try scene.probe.launch(by: "playnow", timeout: .seconds(20)))
          // Link peers send every 250 ms, and nothing for 50 ms after that: two such times, so that none counts double.
          try scene.probe.send("wait \(Double.random(in: 0.3...0.8))")
          let (stop, watch) =
            number.isMultiple(of: 2)
            ? ("stop", "link stop -> jack stopped") : ("jackstop", "jack stop -> link stopped")
          stops[watch, default: []].append(try scene.probe.delay(from: stop, to: watch))
        }
      }
      let disturbed = launches.count { !$0.isUndisturbed }
      let among = "p = \(period), worst of \(launches.count), \(disturbed) of them with a missed deadline"
      let errors = launches.certainMagnitudes("err_out")
      return [
        // Most playheads are on the quantum but for the rest of a frame.
        Figure(
          name: "a Link play's first rolling cycle to the quantum, \(among)",
          value: launches.certainMagnitudes("to_quantum_out").max(), limit: Double(period + 1) / 0.048,
          unit: "us"),
        Figure(name: "its err_out, \(among)", value: errors.max(), limit: 10, unit: "us"),
        Figure(name: "its err_out, p = \(period), median", value: errors.median, limit: 10, unit: "us"),
        Figure(
          name: "the same as heard, \(among)", value: launches.magnitudes("heard_err").max(), limit: 1000,
          unit: "us"),
      ] + stops.sorted { $0.key < $1.key }.flatMap { delays($0.value, of: $0.key, period: period) }
    }
  }

  /// Figures on how long a press takes to reach the other side.
  ///
  /// Two periods are promised beyond the network's time, which is Link's: its message usually arrives after a
  /// millisecond or two, but it sends at most once in 50 ms.
  static func delays(_ times: [Double], of press: String, period: Int) -> [Figure] {
    let twoPeriods = 2 * Double(period) / 48
    return [
      Figure(
        name: "\(press), p = \(period), median of \(times.count)", value: times.median, limit: twoPeriods + 2,
        unit: "ms"),
      Figure(
        name: "\(press), p = \(period), worst of \(times.count)", value: times.max(), limit: twoPeriods + 52,
        unit: "ms"),
    ]
  }
}

/// The conditions under which a start is measured whose playhead is on a quantum.
struct LaunchCondition {
  let bpm, quantum: Double
  private let meter: String

  /// Three quanta, at each of these tempos.
  static func all(at tempos: [Double]) -> [LaunchCondition] {
    tempos.flatMap { bpm in
      [(4.0, "4/4"), (3, "3/4"), (8, "4/4")].map { LaunchCondition(bpm: bpm, quantum: $0, meter: $1) }
    }
  }

  /// The bridge's flags, besides the tempo.
  var flags: [String] { ["--quantum", "\(quantum)", "--meter", meter, "--frame-align", "exact"] }
}

extension Scene {
  /// Stops both sides, puts the playhead where frames and tempo are at `beat`, and lets some time pass.
  func rest(atBeat beat: Double, bpm: Double) throws(StageError) {
    try rest()
    try probe.send("locate \(Int((beat * 60 / bpm * 48000).rounded()))")
    try probe.send("wait \(Double.random(in: 0.1...0.6))")
  }
}

extension LinkProbe {
  /// Has one action done, and returns after how many milliseconds the other side shows it.
  func delay(from action: String, to watch: String) throws(StageError) -> Double {
    let first = child.lines().count
    try send(action)
    let report = try awaitReport("watch \"\(watch)\"", from: first) { $0.word("watch") == watch }
    return report["ms"] ?? .infinity
  }
}
