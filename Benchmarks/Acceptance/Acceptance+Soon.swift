import Stage

extension Acceptance {
  /// How fast JACK has what a peer does soon after the bridge has changed the session itself, and whether a tempo that is
  /// typed right after another is in the session.
  static func soon() throws -> [Figure] {
    let scene = try Scene(flags: ["--launch", "now"])
    defer { scene.end() }
    try scene.join()
    let figures = try [50, 200, 500, 900].flatMap { delay in try afterOwnChange(delay, in: scene) }
    return try figures + bothTyped(in: scene)
  }

  /// A peer's tempo, start and stop, so many milliseconds after a tempo that is typed.
  private static func afterOwnChange(_ delay: Int, in scene: Scene) throws -> [Figure] {
    let acts = [
      ("tempo", "link tempo -> jack bpm"), ("playnow", "link play -> jack answers"),
      ("stop", "link stop -> jack stopped"),
    ]
    return try acts.flatMap { act, watch in
      try Trials(20, "\(watch), \(delay) ms after a tempo was typed") { number in
        if act == "stop" {
          try scene.probe.send("playnow")
          guard try scene.probe.awaitState("rolling") else { return .wrong("JACK does not roll") }
        }
        let missed = try scene.probe.missedDeadlines()
        try scene.bridge.write("tempo \(100 + number % 2)\n")
        try scene.probe.send("wait \(Double(delay) / 1000)")
        let command = act == "tempo" ? "tempo \(120 + number % 2)" : act
        let time = try scene.probe.delay(from: command, to: watch)
        let isJudged = try scene.probe.missedDeadlines() == missed
        if act == "playnow" {
          try scene.probe.send("stop")
          guard try scene.probe.awaitState("stopped") else { return .wrong("JACK does not stop") }
        }
        return isJudged ? .right(milliseconds: time) : .untimed
      }.figures(limit: 60)
    }
  }

  /// Two tempos that are typed one right after the other. A Link peer sends at most once in 50 ms.
  private static func bothTyped(in scene: Scene) throws -> [Figure] {
    let name = "a tempo typed 50 ms after another is the session's 100 ms later"
    let right = try (0..<20).filter { number in
      try scene.bridge.write("tempo \(90 + number)\n")
      try scene.probe.send("wait 0.05")
      try scene.bridge.write("tempo \(140 + number)\n")
      try scene.probe.send("wait 0.1")
      let seen = try scene.probe.peers()["link_bpm"] ?? .nan
      if abs(seen - Double(140 + number)) < 0.01 { return true }
      remark("\(name), trial \(number): the session has \(seen) bpm")
      return false
    }
    return [Figure(name: name, met: right.count, of: 20)]
  }
}
