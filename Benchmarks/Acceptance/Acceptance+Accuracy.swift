import Stage

extension Acceptance {
  /// How far what JACK clients read is from Link, at every tempo and period, with both output conventions.
  static func accuracy() throws -> [Figure] {
    var figures: [Figure] = []
    for period in periods {
      for bpm in [120, 137.53, 20, 999] {
        for latency in ["auto", "none"] {
          let scene = try Scene(period: period, bpm: bpm, flags: ["--latency", latency])
          defer { scene.end() }
          try scene.roll()
          let alone = try scene.probe.measure("alone", seconds: 1)
          try scene.probe.send("enable 1")
          let joining = try scene.probe.measure("joining", seconds: 1.5)
          try scene.join()
          let together = try scene.probe.measure("together", seconds: 3)
          let at = "p = \(period), \(bpm) bpm, latency \(latency)"
          let key = latency == "auto" ? "err_out_med" : "err_med"
          figures.append(Figure(name: "\(key), \(at)", value: together[key], limit: 5, unit: "us"))
          if period >= 256 {
            figures.append(Figure(name: "dev_p99, \(at)", value: together["dev_p99"], limit: 5, unit: "us"))
          }
          let counts = ["no_bbt", "bad_bbt", "backward"]
          let faults = [alone, joining, together].map { report in
            counts.compactMap { report[$0] }.reduce(0, +)
          }
          figures.append(
            Figure(name: "no_bbt + bad_bbt + backward, \(at)", value: faults.reduce(0, +), limit: 0, unit: "")
          )
          // A missed deadline moves frames against time, and the beat with time: only a jump without one is
          // ours.
          let jumps = [alone, joining, together].map { report in
            (report["xruns"] ?? 0) + (report["skipped_cycles"] ?? 0) > 0 ? 0 : report["jumps"] ?? .nan
          }
          figures.append(
            Figure(
              name: "jumps without a missed deadline, \(at)", value: jumps.reduce(0, +), limit: 0, unit: ""))
          figures.append(
            Figure(name: "link_jumps, \(at)", value: together["link_jumps"], limit: 0, unit: ""))
        }
      }
    }
    return figures
  }
}
