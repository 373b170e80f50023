import Stage

extension Acceptance {
  /// A sequencer's loops with other peers in the session, of whole quanta and of others, 20 times each.
  static func loops() throws -> [Figure] {
    try [256, 1024].flatMap { period in
      let scene = try Scene(period: period, bpm: loopTempo)
      defer { scene.end() }
      try scene.join()
      let whole = try [1.0, 2, 4].flatMap { try loop(bars: $0, in: scene, .goesOn) }
      return try whole + loop(bars: 1.5, in: scene, .waits) + rollingLoop(period)
    }
  }

  /// Short bars, so that many fit into a minute: a quantum is half a second.
  private static let loopTempo = 480.0

  /// The end of a loop.
  private enum End: String {
    /// Nothing is waited for: the time since the end of the loop is left out.
    case goesOn = "goes on without a wait, in phase"
    /// The beginning of the loop waits for its phase.
    case waits = "waits for its phase"
    /// Nothing is waited for, and nothing left out: only bar, beat and tick are the session's.
    case rollsOn = "rolls on from where it was put, as --on-locate roll has it"
  }

  private static func rollingLoop(_ period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, bpm: loopTempo, flags: ["--on-locate", "roll"])
    defer { scene.end() }
    try scene.join()
    return try loop(bars: 1.5, in: scene, .rollsOn)
  }

  private static func loop(bars: Double, in scene: Scene, _ end: End) throws -> [Figure] {
    try scene.rest()
    let before = try scene.probe.peers()
    let all = try scene.loop(
      bars: bars, bpm: loopTempo, 20, atMost: 20 + Int(40 / bars), settling: 2)
    let after = try scene.probe.peers()
    let seams = all.exact
    let cycle = Double(scene.server.period)
    let quantum = 4 * 60 / loopTempo * Double(scene.server.sampleRate)
    let isRight = { (seam: Seam) in
      switch end {
      // The shortest time from a locate to the roll is some cycles.
      case .goesOn: seam.way > 2 * cycle && seam.way < quantum / 2
      case .waits: abs(seam.way) < cycle
      case .rollsOn: seam.way >= 0 && seam.way < quantum / 2
      }
    }
    for seam in seams where !isRight(seam) { remark("a loop of \(bars) bars, p = \(Int(cycle)): \(seam)") }
    let spoilt = all.count - seams.count
    let jumps = (after["link_jumps"] ?? .nan) - (before["link_jumps"] ?? .nan)
    return [
      Figure(
        name: "a loop of \(bars) bars \(end.rawValue), p = \(Int(cycle))"
          + (spoilt > 0 ? ", \(spoilt) more not judged" : ""),
        met: seams.count(where: isRight), of: max(seams.count, 20))
    ] + errors("bar, beat and tick", "err_out", all.settled, limit: 10)
      + (end == .rollsOn ? [] : errors("frames", "frame_err_out", all.settled, limit: 1e6 / 48_000))
      + [Figure(name: "link_jumps in it", value: jumps, limit: 0, unit: "")]
  }

  private static func errors(_ what: String, _ key: String, _ seams: [Seam], limit: Double) -> [Figure] {
    let errors = seams.map { $0.report.certain(key).map(abs) ?? .infinity }
    return [
      Figure(
        name: "its \(what) off Link where it goes on, worst of \(errors.count)", value: errors.max(),
        limit: limit, unit: "us"),
      Figure(name: "the same, median", value: errors.median, limit: limit, unit: "us"),
    ]
  }
}
