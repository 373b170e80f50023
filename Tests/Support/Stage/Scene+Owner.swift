import Glibc

extension Scene {
  /// Starts a JACK client that is no Link peer, as a DAW is.
  public func startDAW(named name: String = "daw") throws(StageError) -> LinkProbe {
    try LinkProbe.start(server: server, name: name, joinsLink: false)
  }

  /// Has a client take the timebase, and waits until the bridge follows it.
  ///
  /// - Parameters:
  ///   - owner: The client.
  ///   - bpm: Its tempo, in its own beats.
  ///   - beats: How many of them are in its bar.
  /// - Throws: ``StageError`` when the bridge does not log that JACK leads.
  public func lead(_ owner: LinkProbe, bpm: Double, beats: Double = 4) throws(StageError) {
    let first = bridge.lines(of: .errors).count
    try owner.send("master \(bpm) \(beats)")
    try bridge.awaitLine(in: .errors, from: first, "the new leader") { $0.contains("JACK leads") }
  }

  /// Has the probe, which owns the timebase, change its tempo, and waits until the session has it.
  ///
  /// - Parameters:
  ///   - bpm: The tempo, in the owner's beats.
  ///   - action: The action that changes it: "masterbpm", or "master" to take the timebase with it.
  /// - Returns: The report on the first cycle in which it has.
  /// - Throws: ``StageError`` when the session does not come to have it.
  @discardableResult public func changeOwnersTempo(
    to bpm: Double, by action: String = "masterbpm"
  ) throws(StageError) -> ProbeReport {
    let first = probe.child.lines().count
    try probe.send(action == "master" ? "master \(bpm) 4" : "\(action) \(bpm)")
    return try probe.awaitReport("tempo \(bpm) in Link", from: first) {
      $0.word("watch") == "jack bpm -> link tempo"
    }
  }

  /// Waits until the bridge owns the timebase again, after another client has done with it.
  ///
  /// - Parameter end: The end of the other client's ownership, by itself or by the test.
  /// - Returns: How many milliseconds it took.
  /// - Throws: The errors of `end`, and ``StageError`` when it takes long.
  public func awaitOwnership(after end: () throws -> Void) throws -> Double {
    let first = bridge.lines(of: .errors).count
    let start = ContinuousClock.now
    try end()
    try bridge.awaitLine(in: .errors, from: first, "the return of the timebase") {
      $0.contains("the bridge owns the timebase")
    }
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// Waits until JACK's beat and Link's agree in a window without a missed deadline, and has that judged.
  ///
  /// Each missed deadline puts them apart again, as an owner that counts frames loses some. A loss that is
  /// too large to be steered stays, with other peers in the session: that is not judged.
  ///
  /// - Parameters:
  ///   - limit: How far they may be apart in the middle, in microseconds, as it is heard.
  ///   - windows: How many windows of half a second without a missed deadline in any it may take: an error
  ///     that is not aligned is steered, slowly.
  /// - Returns: The report on the last window, also when they did not come to agree though nothing was missed
  ///   for so long; nil when that could not be judged.
  /// - Throws: ``StageError`` when the probe has ended.
  public func awaitPhase(within limit: Double = 100, windows: Int = 40) throws -> ProbeReport? {
    var calm = 0
    return try probe.attempt("the phase to an owner", for: .seconds(45)) {
      while true {
        let report = try probe.measure("phase", seconds: 0.5)
        calm = report.isUndisturbed ? calm + 1 : 0
        guard calm > 0 else { return nil }
        if abs(report.certain("err_out_med") ?? .infinity) <= limit || calm >= windows { return report }
        if calm >= 8, report.isOfOwnerWithLosses { return nil }
      }
    }
  }

  /// Changes the bridge's mode at random, some 17 times a second, and leaves it at auto.
  public func switchModes(
    _ count: Int, using random: inout some RandomNumberGenerator
  ) throws(StageError) {
    var mode = "auto"
    for _ in 0..<max(count - 1, 0) {
      let others = ["auto", "link", "jack"].filter { $0 != mode }
      mode = others[Int.random(in: 0..<others.count, using: &random)]
      try bridge.write("mode \(mode)\n")
      usleep(UInt32.random(in: 10_000...110_000, using: &random))
    }
    try bridge.write("mode auto\n")
    usleep(100_000)
  }
}
