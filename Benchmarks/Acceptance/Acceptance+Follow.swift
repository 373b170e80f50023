import Foundation
import PropertyTesting
import Stage

extension Acceptance {
  /// JACK leads: how fast and how well Link follows another client's timebase, who owns the timebase after
  /// that client, and the session's view of changes of the mode.
  static func follow() throws -> [Figure] {
    var figures = try periods.flatMap { try ownersTempo(period: $0) }
    figures += try periods.flatMap { try ownersPhase(period: $0) }
    for ppm in [100.0, -100] { figures += try ownersDrift(ppm) }
    figures += try periods.flatMap { try ownersEnd(period: $0) }
    return figures + (try modes())
  }

  /// A DAW changes its tempo, in a session and rolling.
  private static func ownersTempo(period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, bpm: 100)
    defer { scene.end() }
    try scene.join()
    try scene.lead(scene.probe, bpm: 100)
    try scene.roll()
    var figures: [Figure] = []
    for bpm in [110.0, 95] {
      // At any place of the bar, and not while Link's thread ignores changes after the one before.
      try scene.probe.send("wait \(Double.random(in: 2...3))")
      let change = try scene.changeOwnersTempo(to: bpm)
      figures.append(
        Figure(
          name: "an owner's tempo \(bpm) in Link, p = \(period)", value: change["ms"], limit: 150, unit: "ms")
      )
    }
    let after = try scene.probe.measure("after", seconds: 2)
    return figures + [
      Figure(
        name: "the tempo after it, p = \(period)", value: after["link_bpm"].map { $0 - 95 }, limit: 0.05,
        unit: "bpm off"),
      try stolen(from: scene, period: period),
    ]
  }

  /// A minute of a DAW that plays on.
  private static func ownersPhase(period: Int) throws -> [Figure] {
    let scene = try Scene(period: period, bpm: 133.7)
    defer { scene.end() }
    try scene.join()
    try scene.lead(scene.probe, bpm: 133.7)
    try scene.roll()
    _ = try scene.awaitPhase()
    let report = try scene.probe.measure("steady", seconds: 60)
    let name = "60 s of an owner at 133.7 bpm, p = \(period), \(disturbance(report))"
    return phase(report, limit: 100, heard: (100, 300), name) + [
      Figure(name: "changes of Link's tempo, \(name)", value: report["tempo_changes"], limit: 6, unit: ""),
      Figure(name: "link_jumps, \(name)", value: report["link_jumps"], limit: 0, unit: ""),
      try stolen(from: scene, period: period),
    ]
  }

  /// A DAW on a sound card that is off, for a minute, or for the seconds in `ACCEPTANCE_SKEW_SECONDS`.
  private static func ownersDrift(_ ppm: Double) throws -> [Figure] {
    let wanted = ProcessInfo.processInfo.environment["ACCEPTANCE_SKEW_SECONDS"].flatMap { Double($0) }
    let seconds = wanted ?? 60
    let scene = try Scene(period: 1024, drift: ppm)
    defer { scene.end() }
    try scene.join()
    try scene.lead(scene.probe, bpm: 120)
    try scene.roll()
    _ = try scene.awaitPhase()
    let report = try scene.probe.measure("skewed", seconds: seconds)
    let name = "\(seconds) s of an owner, sound card at \(ppm) ppm, \(disturbance(report))"
    let perMinute = report["tempo_changes"].map { $0 * 60 / seconds }
    return [
      Figure(name: "heard_p99, \(name)", value: report["heard_p99"], limit: 300, unit: "us"),
      Figure(name: "changes of Link's tempo, \(name)", value: perMinute, limit: 6, unit: "a minute"),
    ]
  }

  /// A DAW gives the timebase up, or is killed, while JACK rolls.
  private static func ownersEnd(period: Int) throws -> [Figure] {
    try ["release", "kill"].flatMap { end in
      var times: [Double] = []
      var stops = 0
      for _ in 0..<5 {
        let scene = try Scene(period: period, bpm: 240)
        defer { scene.end() }
        try scene.join()
        let daw = try scene.startDAW()
        try scene.lead(daw, bpm: 240)
        try scene.roll()
        try scene.probe.send("wait \(Double.random(in: 1...2))")
        let before = try scene.probe.peers()
        times.append(
          try scene.awaitOwnership { if end == "kill" { daw.child.kill() } else { try daw.send("release") } })
        if try !scene.probe.awaitState("rolling") { stops += 1 }
        try scene.probe.send("wait 1.2")
        let after = try scene.probe.peers()
        if after["transport_changes"] != before["transport_changes"] || after["jack_state"] != 1 {
          stops += 1
        }
      }
      let name = "an owner's \(end) while rolling, p = \(period)"
      return [
        Figure(
          name: "ours again after \(name), worst of \(times.count)", value: times.max(), limit: 1000,
          unit: "ms"),
        Figure(
          name: "the transport does not roll on after \(name)", value: Double(stops), limit: 0, unit: ""),
      ]
    }
  }

  /// The mode changed 200 times while JACK rolls, on the bridge's timebase and on a DAW's; and the timebase
  /// changing hands.
  private static func modes() throws -> [Figure] {
    let count = 200
    var figures: [Figure] = []
    for owner in ["our timebase", "a DAW's timebase"] {
      let scene = try Scene()
      defer { scene.end() }
      try scene.join()
      if owner != "our timebase" { try scene.lead(scene.probe, bpm: 120) }
      try scene.roll()
      _ = try scene.awaitPhase()
      var random = Seeded(seed: 1)
      let report = try scene.probe.measure("switching", seconds: Double(count) * 0.06 + 1) {
        try scene.switchModes(count, using: &random)
      }
      let name = "mode changed \(count) times on \(owner), \(disturbance(report))"
      figures += [
        Figure(
          name: "largest step of JACK's beat, \(name)", value: report["step_max"], limit: 100, unit: "us"),
        Figure(
          name: "largest step of Link's beat, \(name)", value: report["link_step_max"], limit: 100, unit: "us"
        ),
        Figure(name: "no_bbt, \(name)", value: report["no_bbt"], limit: 0, unit: ""),
        try agreement(of: scene, name),
      ]
      if owner != "our timebase" { figures.append(try stolen(from: scene, period: 256)) }
    }
    return figures + (try hands(40))
  }

  /// The timebase goes from a DAW to the bridge and back, in a session and rolling.
  private static func hands(_ count: Int) throws -> [Figure] {
    let scene = try Scene(bpm: 240)
    defer { scene.end() }
    try scene.join()
    try scene.lead(scene.probe, bpm: 240)
    try scene.roll()
    _ = try scene.awaitPhase()
    let before = try scene.probe.peers()
    var steps: [Double] = []
    for _ in 0..<(count / 2) {
      _ = try scene.awaitOwnership { try scene.probe.send("release") }
      // JACK starts again when its owner goes, and that start waits for the phase, a second at most.
      steps.append(try scene.probe.measure("ours", seconds: 1.2)["link_step_max"] ?? .infinity)
      try scene.lead(scene.probe, bpm: 240)
      steps.append(try scene.probe.measure("others", seconds: 0.3)["link_step_max"] ?? .infinity)
    }
    // Each time frames were lost, and an owner that counts them is off by so much.
    _ = try scene.awaitOwnership { try scene.probe.send("release") }
    try scene.probe.send("wait 1.2")
    let after = try scene.probe.peers()
    let changes = ["link_jumps", "transport_changes"].map { (after[$0] ?? .nan) - (before[$0] ?? .nan) }
    let name = "the timebase changed hands \(count) times"
    return [
      Figure(name: "largest step of Link's beat, \(name)", value: steps.max(), limit: 100, unit: "us"),
      Figure(name: "link_jumps, \(name)", value: changes[0], limit: 0, unit: ""),
      Figure(name: "stops of JACK's, \(name)", value: changes[1], limit: 0, unit: ""),
      try agreement(of: scene, name),
    ]
  }

  /// Whether the bridge still runs, both sides play, and they are in phase: the error at the end.
  private static func agreement(of scene: Scene, _ name: String) throws -> Figure {
    let report = try scene.awaitPhase()
    let isAgreed = scene.bridge.isRunning && report?["state_mismatch_cycles"] == 0
    return Figure(
      name: "err_out_med at the end, \(name)", value: isAgreed ? report?.certain("err_out_med") : nil,
      limit: 100, unit: "us")
  }

  private static func stolen(from scene: Scene, period: Int) throws -> Figure {
    Figure(
      name: "cycles with another position than the owner's, p = \(period)",
      value: try scene.probe.peers()["stolen"], limit: 0, unit: "")
  }
}
