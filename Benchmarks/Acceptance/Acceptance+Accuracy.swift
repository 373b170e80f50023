import Stage

extension Acceptance {
  /// How far what JACK clients read is from Link, at every tempo and period, with both output conventions.
  static func accuracy() throws -> [Figure] {
    try periods.flatMap { period in
      try [120, 137.53, 20, 999].flatMap { bpm in
        try ["auto", "none"].flatMap { try accuracy(period: period, bpm: bpm, latency: $0) }
      }
    }
  }

  private static func accuracy(period: Int, bpm: Double, latency: String) throws -> [Figure] {
    // A position that is published without a latency is Link's at the beginning of the cycle.
    let scene = try Scene(
      period: period, bpm: bpm, flags: ["--latency", latency], latency: latency == "none" ? 0 : nil)
    defer { scene.end() }
    try scene.roll()
    // Until the bridge's session is the older one: of two that are as old chance has one begin anew.
    let alone = try scene.probe.measure("alone", seconds: 2)
    try scene.probe.send("enable 1")
    let joining = try scene.probe.measure("joining", seconds: 1.5)
    try scene.join()
    let together = try scene.probe.measure("together", seconds: 3)
    let at = "p = \(period), \(bpm) bpm, latency \(latency), \(disturbance(together))"
    var figures = phase(together, limit: 5, heard: period == 256 ? (20, 100) : (100, 200), at)
    if period >= 256 { figures += scatter(together, seconds: 3, at) }
    let reports = [alone, joining, together]
    let faults = reports.flatMap { report in ["no_bbt", "bad_bbt", "backward"].map { report[$0] ?? .nan } }
    // A missed deadline moves frames against time, and the beat with time: only a jump without one is the
    // bridge's.
    let jumps = reports.map { $0.missedDeadlines > 0 ? 0 : $0["jumps"] ?? .nan }
    return figures + [
      Figure(name: "no_bbt + bad_bbt + backward, \(at)", value: faults.reduce(0, +), limit: 0, unit: ""),
      Figure(
        name: "jumps without a missed deadline, \(at)", value: jumps.reduce(0, +), limit: 0, unit: ""),
      Figure(name: "link_jumps, \(at)", value: together["link_jumps"], limit: 0, unit: ""),
    ]
  }

  /// How far the position was from Link over a while: by JACK's own times as far as wake-ups bear them out,
  /// and by wake-ups alone, which are some tens of microseconds late.
  ///
  /// - Parameters:
  ///   - report: The probe's measurement.
  ///   - limit: How far the median may be off, in microseconds.
  ///   - heard: How far the median and the 99th percentile may be by wake-ups, in microseconds.
  ///   - name: Under which conditions.
  /// - Returns: The figures.
  static func phase(
    _ report: ProbeReport, limit: Double, heard: (median: Double, most: Double), _ name: String
  ) -> [Figure] {
    [
      Figure(name: "err_out_med, \(name)", value: report.certain("err_out_med"), limit: limit, unit: "us"),
      Figure(name: "heard_med, \(name)", value: report["heard_med"], limit: heard.median, unit: "us"),
      Figure(name: "heard_p99, \(name)", value: report["heard_p99"], limit: heard.most, unit: "us"),
    ]
  }

  /// How many deadlines were missed meanwhile: one moves what counts frames against time, and JACK's times for seconds.
  static func disturbance(_ report: ProbeReport) -> String {
    "\(Int(report.missedDeadlines)) missed deadlines"
  }

  /// How smooth the position is, which shows against JACK's times where those have kept to their frames.
  private static func scatter(_ report: ProbeReport, seconds: Double, _ name: String) -> [Figure] {
    guard report.hasKeptTimes(for: seconds) else {
      remark("JACK's times have strayed, so dev_p99 says nothing: \(name)")
      return []
    }
    return [Figure(name: "dev_p99, \(name)", value: report["dev_p99"], limit: 5, unit: "us")]
  }
}
