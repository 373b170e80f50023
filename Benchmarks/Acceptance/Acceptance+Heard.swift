import Glibc
import Stage

// The position as it is heard, by when cycles really woke up, and never by JACK's own clock.

extension Acceptance {
  /// How far the output is from Link, from the third cycle after the server stood still, and half a second
  /// after it.
  static func heard() throws -> [Figure] {
    try periods.flatMap { period in
      let scene = try Scene(period: period)
      defer { scene.end() }
      try scene.join()
      try scene.roll()
      let quiet = try scene.probe.measure("quiet", seconds: 10)
      return [
        Figure(
          name: "heard in the quiet, p = \(period), median", value: quiet["heard_med"].map(abs), limit: 20,
          unit: "us"),
        Figure(
          name: "the same, p99, \(Int(quiet["late"] ?? .nan)) deadlines missed", value: quiet["heard_p99"],
          limit: 100, unit: "us"),
      ] + (try [20, 100, 500].flatMap { try heard(scene, stall: $0) })
    }
  }

  private static func heard(_ scene: Scene, stall: UInt32) throws -> [Figure] {
    // A stall that the machine causes meanwhile is one like any other.
    try scene.probe.send("stallgap \(scene.periodLength / 1000 + 2)")
    var third: [Double] = []
    var half: [Double] = []
    var (backward, jumps) = (0.0, 0.0)
    // One that begins just before a wake-up is too short a gap to be seen.
    for _ in 0..<20 where third.count < 10 {
      let report = try scene.probe.measure("stall", seconds: 2.5 + Double(stall) / 1000) {
        usleep(500_000)
        try scene.stall(milliseconds: stall)
      }
      if let error = report["heard_third_max"] { third.append(error) }
      if let error = report["heard_half_p99"] { half.append(error) }
      backward += report["backward"] ?? .nan
      jumps += report["link_jumps"] ?? .nan
    }
    let name = "a stall of \(stall) ms, p = \(scene.server.period), worst of \(third.count)"
    let isWhole = third.count == 10
    return [
      Figure(
        name: "heard from the third cycle after \(name)", value: isWhole ? third.max() : nil, limit: 1000,
        unit: "us"),
      Figure(
        name: "heard half a second after \(name)", value: isWhole ? half.max() : nil, limit: 100, unit: "us"),
      Figure(name: "steps back, \(name)", value: backward, limit: 0, unit: ""),
      Figure(name: "link_jumps, \(name)", value: jumps, limit: 0, unit: ""),
    ]
  }

  /// Starts from frame 0 with a peer there: whether the first beat is read, and how far from Link's it is
  /// heard.
  static func downbeat() throws -> [Figure] {
    try periods.flatMap { period in
      let scene = try Scene(period: period)
      defer { scene.end() }
      try scene.join()
      var (errors, later): ([Double], [Double]) = ([], [])
      var whole = 0
      for number in 0..<50 {
        try scene.rest()
        try scene.probe.send("locate 0")
        try scene.probe.send("wait 0.1")
        let launch = try scene.probe.launch(by: number.isMultiple(of: 2) ? "jackstart" : "playnow")
        if launch["frame"] == 0, launch.word("bbt") == "1|1|0" { whole += 1 }
        errors.append(launch["heard_err"].map(abs) ?? .infinity)
        let report = try scene.probe.measure("later", seconds: 0.4)
        if report["late"] == 0 { later.append(report["heard_p99"] ?? .infinity) }
      }
      let half = Double(period) / 0.096
      return [
        Figure(
          name: "starts from frame 0 that begin with 1|1|0 there, p = \(period), of 50 missing",
          value: Double(50 - whole), limit: 0, unit: ""),
        Figure(
          name: "the first beat against Link's, heard, p = \(period), worst", value: errors.max(),
          limit: half + 500, unit: "us"),
        Figure(
          name: "from then on, heard, p = \(period), worst of \(later.count) in which no deadline was missed",
          value: later.count < 40 ? nil : later.max(), limit: 500, unit: "us"),
      ]
    }
  }

  /// Starts of which some are disturbed while they are held: whether each rolls on the first bar that it can.
  static func bars() throws -> [Figure] {
    try [256, 1024].flatMap { period in
      let scene = try Scene(period: period)
      defer { scene.end() }
      try scene.join()
      var (missed, worst) = (0, 0.0)
      for number in 0..<50 {
        try scene.rest()
        try scene.probe.send("locate \(Int.random(in: 1...20) * 96_000)")
        try scene.probe.send("wait \(Double.random(in: 0.1...2))")
        let action = number.isMultiple(of: 2) ? "jackstart" : "playnow"
        let first = scene.probe.child.lines().count
        try scene.probe.send(action)
        let isStalled = number.isMultiple(of: 5)
        if isStalled, try scene.probe.awaitState("starting", seconds: 1) {
          try scene.stall(milliseconds: 30)
        }
        let launch = try scene.probe.awaitRoll(after: action, from: first)
        // A bar lasts two seconds. One was missed if another was to come that left the time that a start
        // takes: four cycles, the longest delay of a message of Link's, and the stall.
        let needed = Double(period) / 48 * 5 + (action == "playnow" ? 60 : 0) + (isStalled ? 60 : 0)
        if (launch["ms"] ?? .infinity) - 2000 > needed { missed += 1 }
        worst = max(worst, launch["heard_err"].map(abs) ?? .infinity)
      }
      return [
        Figure(
          name: "bars missed, 50 starts, 10 with a stall of 30 ms, p = \(period)", value: Double(missed),
          limit: 0, unit: ""),
        Figure(name: "their first cycle, heard, p = \(period), worst", value: worst, limit: 3000, unit: "us"),
      ]
    }
  }

  /// Exports of ten minutes of music, with a peer in the session.
  static func render() throws -> [Figure] {
    let scene = try Scene(bpm: 133.7)
    defer { scene.end() }
    try scene.join()
    let before = try scene.probe.peers()
    var worst = 0.0
    for _ in 0..<3 {
      let report = try scene.probe.render(from: 0, seconds: 600)
      guard (report["seconds"] ?? 0) >= 600, report["unread"] == 0 else {
        throw Failure("not rendered: \(report)")
      }
      worst = max(worst, report["beat_err_max"] ?? .infinity)
    }
    let after = try scene.probe.peers()
    let touched = ["start_stop_changes", "link_jumps", "tempo_changes", "link_playing"].count {
      before[$0] != after[$0]
    }
    return [
      Figure(
        name: "three exports of 10 minutes: bar, beat and tick against frames, worst", value: worst, limit: 1,
        unit: "us"),
      Figure(
        name: "what of the session they have touched", value: Double(touched), limit: 0, unit: ""),
    ]
  }
}
