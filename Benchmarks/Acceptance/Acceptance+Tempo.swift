import Stage

extension Acceptance {
  /// A peer halves the tempo, rolling and stopped.
  static func tempo() throws -> [Figure] {
    try periods.flatMap { period in
      let scene = try Scene(period: period)
      defer { scene.end() }
      try scene.join()
      var figures: [Figure] = []
      for rolls in [false, true] {
        if rolls {
          try scene.roll()
          try scene.probe.send("wait 4.2")
        }
        let state = rolls ? "rolling" : "stopped"
        for bpm in [60.0, 120] {
          let before = try scene.probe.peers()
          let line = scene.probe.child.lines().count
          try scene.probe.send("tempo \(bpm)")
          let change = try scene.probe.awaitReport("the new tempo", from: line) {
            $0.word("watch") == "link tempo -> jack bpm"
          }
          let after = try scene.probe.peers()
          figures.append(
            Figure(
              name: "a peer's tempo \(bpm) read by JACK clients, \(state), p = \(period)",
              value: change["ms"],
              limit: 250, unit: "ms"))
          if bpm == 60 {
            figures.append(
              Figure(
                name: "bars skipped by it", value: after.bar - before.bar > 1 ? after.bar - before.bar : 0,
                limit: 0, unit: ""))
          }
          let report = try scene.probe.measure("after", seconds: 1.5)
          figures.append(
            Figure(name: "link_jumps after it", value: report["link_jumps"], limit: 0, unit: ""))
        }
      }
      return figures
    }
  }
}
