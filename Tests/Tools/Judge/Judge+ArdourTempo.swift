import Stage

extension Judge {
  /// Ardour over its WebSockets: it has the session's tempo by itself, and the session has Ardour's.
  static func ardourByWebSockets() throws {
    var made: Ardour?
    let ensemble = try Ensemble { server throws(StageError) in
      let ardour = try Ardour(hasWebSockets: true, on: server)
      made = ardour
      return [ardour]
    }
    defer { ensemble.end() }
    guard let ardour = made else { return }
    let words = "connected with Ardour"
    try ensemble.scene.bridge.awaitLine(in: .errors, words) { $0.contains(words) }
    try ensemble.scene.join()
    let partners = Partners(ensemble: ensemble, ardour: ardour)
    try partners.judgeAtRest()
    try partners.judgeEdits()
    try partners.judgeRolling()
    try partners.judgeQuiet(seconds: 180)
  }
}

/// Ardour and a session that have one tempo.
private struct Partners {
  let ensemble: Ensemble
  let ardour: Ardour

  /// Tempos that Link has to round, and some that it has not.
  private static let tempos = [126.37, 97.25, 133.7, 88, 141.91, 120.5, 64.33, 180.12, 99.99, 120]
  /// How far two tempos may be apart, in beats per minute.
  private static let exact = 0.01

  /// The session's tempo, as the probe has it.
  private var session: Double {
    get throws { try ensemble.scene.probe.peers()["link_bpm"] ?? 0 }
  }

  /// Has the session have a tempo, and returns how far Ardour's is from it a second later.
  private func change(to tempo: Double) throws -> Double {
    try ensemble.scene.probe.send("tempo \(tempo)")
    try ensemble.scene.probe.send("wait 1")
    let (own, others) = (try ardour.state().tempo, try session)
    if abs(others - tempo) > 0.02 { Judge.complain("the session has \(others) bpm instead of \(tempo)") }
    return own - others
  }

  func judgeAtRest() throws {
    let before = try frame()
    let errors = try Self.tempos.map { try change(to: $0) }
    report(errors, "at rest")
    if try frame() != before { Judge.complain("a tempo at rest has moved the transport") }
  }

  /// How often a tempo is tried: a deadline that JACK misses puts LinkHut off for seconds, and Ardour until it is
  /// relocated.
  private static let attempts = 4

  /// The tempo and the click of it, from the second bar after a change on.
  func judgeRolling() throws {
    try ensemble.start()
    var (errors, worst) = ([Double](), [Double]())
    // The first is not the last that was set in Ardour.
    for tempo in Self.tempos.reversed() {
      for attempt in 1...Self.attempts {
        if attempt > 1 {
          try ensemble.awaitQuiet(seconds: 15)
          errors.append(try change(to: tempo + 5))
          try ensemble.scene.probe.send("wait 6")
        }
        guard let (error, off) = try changeRolling(to: tempo) else { continue }
        errors.append(error)
        worst.append(off)
        break
      }
    }
    report(errors, "rolling")
    let near = worst.count { $0.magnitude < 1 }
    print("click: \(near) of \(Self.tempos.count) within 1 ms, \(worst.count) could be judged")
    if near < Self.tempos.count {
      Judge.complain("Ardour's click is off after a change of the tempo, or could not be judged: \(worst) ms")
    }
    try ensemble.scene.rest()
  }

  /// How far tempo and click are from the session's after a change; nil where LinkHut was disturbed.
  private func changeRolling(to tempo: Double) throws -> (error: Double, click: Double)? {
    let line = ensemble.scene.bridge.lines(of: .errors).count
    let error = try change(to: tempo)
    try ensemble.scene.probe.send("wait \(2 * 240 / tempo)")
    let heard = try ensemble.hear([Ardour.click], seconds: 4)
    let relocations = ensemble.scene.bridge.lines(of: .errors).dropFirst(line).count {
      $0.contains("at the bar line")
    }
    let apart = heard.aparts[Ardour.click]
    let off = (apart?.worst() ?? .infinity) / 1000
    let isDisturbed = heard.isDisturbed || heard.isInterrupted
    print(
      "\(tempo) bpm while rolling: \(apart?.errors.count ?? 0) clicks, worst \(off) ms, \(relocations) relocations"
        + (isDisturbed ? ", disturbed" : ""))
    if relocations != 1 { Judge.complain("\(relocations) relocations after a change to \(tempo) bpm") }
    return isDisturbed ? nil : (error, off)
  }

  private func report(_ errors: [Double], _ when: String) {
    let worst = errors.map(\.magnitude).max() ?? .infinity
    print(
      "\(errors.count) tempos \(when): Ardour's is at most \(worst) bpm from the session's a second later")
    if worst > Self.exact { Judge.complain("Ardour's tempo \(when): off by \(errors) bpm") }
  }

  /// Tempos that a user sets in Ardour.
  func judgeEdits() throws {
    var times: [Double] = []
    for tempo in Self.tempos.reversed() where abs(try session - tempo) > 1 {
      let start = Recorder.now
      try ardour.setTempo(tempo)
      while abs(try session - tempo) > 0.02, Recorder.now - start < 2e6 {
        try ensemble.scene.probe.send("wait 0.02")
      }
      times.append((Recorder.now - start) / 1e6)
      try ensemble.scene.probe.send("wait 1.5")
      let (own, others) = (try ardour.state().tempo, try session)
      if abs(own - others) > Self.exact { Judge.complain("after Ardour's \(tempo): \(own), and \(others)") }
    }
    print("\(times.count) tempos of Ardour's were in the session after at most \(times.max() ?? .infinity) s")
    if (times.max() ?? .infinity) > 0.5 { Judge.complain("tempos of Ardour's come late: \(times) s") }
  }

  /// Nothing is sent to and fro.
  func judgeQuiet(seconds: Double) throws {
    try ensemble.scene.probe.send("wait 2")
    let before = try changes
    try ensemble.scene.probe.send("wait \(seconds)")
    let after = try changes
    print("\(after - before) changes of the session's tempo in \(seconds) s in which nothing was changed")
    if after != before { Judge.complain("the tempo goes to and fro") }
  }

  private func frame() throws -> Double { try ensemble.scene.probe.peers()["frame"] ?? 0 }

  /// How often the session's tempo has changed.
  private var changes: Double {
    get throws { try ensemble.scene.probe.peers()["tempo_changes"] ?? 0 }
  }
}
