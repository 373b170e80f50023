import Stage
import Verdicts

/// Hears programs play beside LinkHut, and judges how near they are.
struct Hearing {
  /// The programs.
  let ensemble: Ensemble
  /// The server that they play on.
  let server: Verdict.Server
  /// The programs, each with the port that it is heard from.
  let programs: [(program: Program, port: String)]

  /// How often one thing is tried: a deadline that JACK misses puts LinkHut off for seconds.
  private static let attempts = 4

  /// Has something happen, and listens.
  ///
  /// - Parameters:
  ///   - situation: The event that is judged.
  ///   - leader: The leading side.
  ///   - seconds: How long to listen.
  ///   - skipped: How many of them to skip after the event; with 0 it listens from before, and JACK is
  ///     stopped then.
  ///   - body: Has it happen.
  /// - Throws: The errors of `body`, and ``StageError`` when a program has ended.
  func judge(
    _ situation: Situation, _ leader: Verdict.Leader, seconds: Double = 4, skipping skipped: Double = 0,
    _ body: () throws -> Void
  ) throws {
    var sound: [Verdict] = []
    var faults: [String] = []
    var undisturbed = 0
    for attempt in 1...Self.attempts {
      if attempt > 1 { try ensemble.awaitQuiet(seconds: 15) }
      if skipped > 0 {
        try body()
        try ensemble.scene.probe.send("wait \(skipped)")
      } else {
        try rest()
      }
      let heard = try ensemble.hear(programs.map(\.port), seconds: seconds) {
        if skipped == 0 { try body() }
      }
      (sound, faults) = verdicts(on: heard, situation, leader)
      if faults.isEmpty { break }
      // A program that is near in spite of missed deadlines is near; one that is not has to be heard without.
      if !heard.isDisturbed, !heard.isInterrupted { undisturbed += 1 }
      if undisturbed > 1 { break }
    }
    for verdict in sound { Judge.add(verdict) }
    for fault in faults {
      let doubt = undisturbed > 0 ? "" : " (JACK missed deadlines: once more, on a quiet machine)"
      Judge.complain("\(server.rawValue), \(leader.rawValue) leads, \(situation.rawValue): \(fault)\(doubt)")
    }
  }

  /// Has JACK rest, if it does not.
  func rest() throws {
    if try ensemble.scene.probe.awaitState("rolling", seconds: 0) {
      try ensemble.scene.rest()
      try ensemble.scene.probe.send("wait 0.5")
    }
  }

  /// The number of sounds that are right, and the faults of the others.
  private func verdicts(
    on heard: Ensemble.Heard, _ situation: Situation, _ leader: Verdict.Leader
  ) -> ([Verdict], faults: [String]) {
    var verdicts: [Verdict] = []
    var faults: [String] = []
    for (program, port) in programs {
      guard let apart = heard.aparts[port], let median = apart.median else {
        let count = heard.aparts[port]?.lonely ?? 0
        if count > 0, program.mayBeAnywhere(situation, leader, on: server) {
          print("\(program.name), \(situation.rawValue): more than 0.1 s off, as is known of it")
          continue
        }
        faults.append(
          count > 0
            ? "none of \(count) sounds of \(program.name) is near a click of LinkHut's"
            : "\(program.name) is not heard")
        continue
      }
      let spread = apart.errors.map { abs($0.error - median) }.max() ?? 0
      let verdict = Verdict(
        system: .current ?? .debian12, program: program.name, server: server, leader: leader,
        situation: situation, sounds: apart.errors.count, median: median / 1000, worst: apart.worst() / 1000,
        spread: spread / 1000)
      let wrong = self.faults(of: program, verdict, apart, beats: heard.beats)
      if wrong.isEmpty { verdicts.append(verdict) }
      faults += wrong.map { "\(program.name): \($0)" }
    }
    return (verdicts, faults)
  }

  private func faults(of program: Program, _ verdict: Verdict, _ apart: Apart, beats: Int) -> [String] {
    var faults: [String] = []
    if let fault = program.fault(of: verdict) { faults.append(fault) }
    guard !program.isExempt(verdict) else { return faults }
    let missing = (beats - 2) * (apart.isOfClocks ? 24 : 1) - apart.errors.count
    if missing > 0 { faults.append("\(missing) sounds are missing") }
    if apart.lonely > 0, !program.countsIn { faults.append("\(apart.lonely) have no click of LinkHut's") }
    return faults
  }
}
