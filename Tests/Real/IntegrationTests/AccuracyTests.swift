import Foundation
import Stage
import Testing

/// JACK clients read Link's beat to a few microseconds; the benchmark measures how few.
@Suite(.serialized, .alone, .measured) struct AccuracyTests {
  @Test(arguments: [256, 1024], [120, 137.53])
  func `A beat is published for when it is heard`(period: Int, bpm: Double) throws {
    let scene = try Scene(period: period, bpm: bpm, flags: ["--latency", "auto"])
    try scene.join()
    try scene.roll()
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    #expect(abs(try #require(report["bpm_err"])) < 0.001)
    #expect(report["link_jumps"] == 0)
  }

  @Test(arguments: [256, 1024])
  func `Without latency a beat is published for the start of its cycle`(period: Int) throws {
    let scene = try Scene(period: period, flags: ["--latency", "none"])
    try scene.join()
    try scene.roll()
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_med"))) < accuracy, "\(report)")
  }

  @Test func `A fixed latency is taken instead of JACK's`() throws {
    let scene = try Scene(flags: ["--latency", "12.5"], latency: 12_500)
    try scene.join()
    try scene.roll()
    #expect(scene.logged("output latency 12.5 ms").count == 1)
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
  }

  @Test func `An offset is come to without a step while JACK rolls, and JACK is as much later then`() throws {
    let scene = try Scene(flags: ["--latency", "12.5", "--offset=-4"], latency: 12_500)
    try scene.join()
    try scene.roll()
    var offset = -4_000.0
    for (line, wanted) in [("offset +16ms", 16_000.0), ("latency 2.5", 26_000), ("offset -10", 0)] {
      if let report = try scene.probe.judgeWindow() {
        expectSteady(report)
        // By wake-ups: JACK's own times may be off for long after a missed deadline.
        #expect(abs(try #require(report["heard_med"]) + offset) < 1_000, "\(report)")
      }
      // 20 ms in a second.
      let seconds = abs(wanted - offset) / 20_000 + 0.3
      let way = try scene.probe.measure("slew", seconds: seconds) {
        try scene.bridge.write("\(line)\n")
      }
      #expect(way["backward"] == 0 && way["no_bbt"] == 0 && way["bad_bbt"] == 0, "\(way)")
      // A cycle that was missed is a step forward, of its own length. So is, by JACK's own times, where those
      // have strayed, and for seconds after it; there it is a period at most.
      if try #require(way["strayed_ms"]) > seconds * 1000 + 3000 {
        #expect(
          try #require(way["jumps"]) <= 2 * (way["xruns"] ?? 0) + 2 * (way["late"] ?? 0)
            + (way["skipped_cycles"] ?? 0), "\(way)")
      } else if way.isUndisturbed {
        #expect(try #require(way["jump_max"]) < scene.periodLength, "\(way)")
      }
      offset = wanted
      // A published position may be read a little later.
      try scene.probe.send("wait 0.5")
    }
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    #expect(report["link_jumps"] == 0)
    #expect(scene.logged("offset -4.0 ms").count == 1 && scene.logged("offset -10.0 ms").count == 1)
  }

  @Test func `Frames keep their place at the command assert, and the session comes to them once`() throws {
    let scene = try Scene(flags: ["--latency", "auto"])
    try scene.join()
    try scene.bridge.write("assert\n")
    try scene.bridge.awaitLine(in: .errors) {
      $0.hasSuffix(
        "JACK does not roll, so it has no phase to give the session. Start JACK, and repeat the command.")
    }
    try scene.roll()
    try scene.probe.changeTempo(133)
    try scene.probe.send("wait 1.5")
    let first = scene.bridge.lines(of: .errors).count
    let missed = try scene.probe.missedDeadlines()
    try scene.bridge.write("assert\n")
    try scene.bridge.awaitLine(in: .errors, from: first) {
      $0.contains("the session has JACK's tempo and phase, as requested")
    }
    try scene.probe.send("wait 1.5")
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report["bpm_err"])) < 0.001)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    // Where it was disturbed meanwhile, frames are late by the lost time.
    let isUndisturbed = try scene.probe.missedDeadlines() == missed
    guard try scene.probe.canJudge("frames after a session has JACK's tempo and phase", if: isUndisturbed)
    else {
      return
    }
    #expect(abs(try #require(report.certain("frame_err_out_med"))) < 2_000, "\(report)")
  }

  @Test func `The latency of a port is taken, and that of the outputs as long as there is none`() throws {
    let scene = try Scene(flags: ["--latency", "effect:120_bpm"])
    let ofOutputs = try scene.bridge.awaitLine(in: .errors, "the latency of the outputs") {
      $0.contains("output latency ")
    }
    #expect(!ofOutputs.text.contains("ms 0.000"), "\(ofOutputs)")
    #expect(scene.logged("JACK has no port").count == 1)
    let effect = try Child(
      "jack_metro", ["-n", "effect", "-b", "120"], environment: scene.server.environment)
    defer { effect.terminate() }
    // A client whose ports are not connected counts as if it were at the output.
    let ofPort = try scene.bridge.awaitLine(in: .errors, from: ofOutputs.index + 1, "the port's") {
      $0.contains("output latency 0.0 ms")
    }
    effect.terminate()
    try scene.bridge.awaitLine(in: .errors, from: ofPort.index + 1, "that of the outputs again") {
      $0.withoutTime == ofOutputs.text.withoutTime
    }
    #expect(scene.logged("JACK has no port").count == 2)
  }

  @Test
  func
    `The latency is left to a workstation that compensates it, and is the bridge's again when that has gone`()
    throws
  {
    let scene = try Scene(latency: 0)
    try scene.join()
    try scene.roll()
    let workstation = try Child(
      "jack_metro", ["-n", "ardour", "-b", "120"], environment: scene.server.environment)
    defer { workstation.terminate() }
    try scene.bridge.awaitLine(in: .errors, "the latency being left to it") { line in
      line.contains("the output latency is left to ardour (see --compensating)")
    }
    let left = try scene.bridge.awaitLine(in: .errors, "no latency") {
      $0.contains("output latency 0.0 ms")
    }
    try scene.probe.send("wait 0.5")
    if let report = try scene.probe.judgeWindow() {
      expectSteady(report)
      #expect(abs(try #require(report.certain("err_med"))) < accuracy, "\(report)")
    }
    workstation.terminate()
    try scene.bridge.awaitLine(in: .errors, from: left.index + 1, "the latency of the outputs again") {
      $0.contains("output latency 10.7 ms")
    }
  }

  @Test(.enabled(if: Child.locate("jack_bufsize") != nil), arguments: [(256, 1024), (1024, 256)])
  func `The latency is followed when the buffer size changes`(old: Int, new: Int) throws {
    let scene = try Scene(period: old)
    try scene.join()
    try scene.roll()
    let resize = try Child("jack_bufsize", ["\(new)"], environment: scene.server.environment)
    #expect(try resize.wait().isSuccess)
    try scene.bridge.awaitLine(in: .errors, "the new latency") { line in
      line.contains("output latency \(new == 1024 ? "42.7" : "10.7") ms")
    }
    // The probe asks for its latency when it opens its client.
    try scene.probe.send("reconnect 5")
    try scene.probe.send("wait 0.5")
    let report = try scene.probe.judgeWindow()
    #expect(scene.logged("is gone").isEmpty)
    guard let report else { return }
    #expect(report["latency"].map { $0.rounded() } == (Double(2 * new) / 0.048).rounded())
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    #expect(report["link_jumps"] == 0)
  }

  @Test func `In six eighths JACK counts eighths, and its bar is three of Link's beats`() throws {
    let scene = try Scene(flags: ["--meter", "6/8"], quantum: 3)
    try scene.join()
    try scene.roll()
    // As JACK's clients see them: twice as many beats in a minute, six in a bar.
    #expect(try scene.probe.awaitPeers { $0["jack_bpm"] == 240 }["jack_bpm"] == 240)
    if let eighths = try scene.probe.judgeWindow("eighths") {
      #expect(eighths["beats_per_bar"] == 6)
      // It is counted in JACK's own time, which is fast or slow for seconds after a missed deadline.
      let isSettled = try #require(eighths["strayed_ms"]) > 3000
      #expect(abs(try #require(eighths["jack_bpm_effective"]) - 240) < (isSettled ? 2 : 24), "\(eighths)")
    }
    // Counted in Link's beats they are Link's.
    try scene.probe.send("unit 0.5")
    guard let report = try scene.probe.judgeWindow("eighths in Link's beats") else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy, "\(report)")
    #expect(report["jack_bpm"] == 120)
  }

  @Test func `Link's threads wake no sooner than those of other peers`() throws {
    // Peers measure each other by messages: one that is scheduled before the others is off by microseconds.
    let scene = try Scene()
    let tasks = "/proc/\(scene.bridge.pid)/task"
    let niceValues = try FileManager.default.contentsOfDirectory(atPath: tasks).compactMap {
      task -> String? in
      let stat = try String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
      guard stat.contains("(Link"), let end = stat.lastIndex(of: ")") else { return nil }
      // The 19th field; the name, the second one, may hold spaces.
      return String(stat[end...].split(separator: " ")[17])
    }
    #expect(niceValues.count >= 2)
    #expect(niceValues.allSatisfy { $0 == "0" }, "\(niceValues)")
  }
}
