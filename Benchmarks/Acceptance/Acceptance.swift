@preconcurrency import Foundation
import Stage

/// Measures what the project promises, on a real JACK server, against an independent Link peer, and prints it as a
/// Markdown table. Arguments name the groups to run; without any, all run.
///
/// Exit code 0 when all was measured and met, 1 otherwise.
@main
enum Acceptance {
  static let groups: [(name: String, run: @Sendable () throws -> [Figure])] = [
    ("accuracy", accuracy), ("stall", stall), ("drift", drift), ("tempo", tempo), ("restart", restart),
    ("processor", processor),
  ]

  static func main() {
    let wanted = CommandLine.arguments.dropFirst()
    if let unknown = wanted.first(where: { name in !groups.contains { $0.name == name } }) {
      let names = groups.map(\.name).joined(separator: ", ")
      FileHandle.standardError.write(Data("acceptance: no group \"\(unknown)\"; there are \(names)\n".utf8))
      exit(2)
    }
    // Rows appear as they are measured, also in a pipe.
    setvbuf(stdout, nil, _IOLBF, 0)
    print("| figure | measured | target | met |\n|---|---|---|---|")
    var isAllMet = true
    for group in groups where wanted.isEmpty || wanted.contains(group.name) {
      do {
        for figure in try group.run() {
          print(figure.row)
          isAllMet = isAllMet && figure.isMet
        }
      } catch {
        print("| \(group.name) | failed: \(error) | | **no** |")
        isAllMet = false
      }
    }
    exit(isAllMet ? 0 : 1)
  }

  static let periods = [64, 256, 1024]

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
          // A missed deadline moves frames against time, and the beat with time: only a jump without one is ours.
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

  /// The first cycle after the server stood still for 100 ms.
  static func stall() throws -> [Figure] {
    try periods.flatMap { period in
      let scene = try Scene(period: period)
      defer { scene.end() }
      try scene.join()
      try scene.roll()
      var errors: [Double] = []
      var later: [Double] = []
      for _ in 0..<10 {
        let server = scene.server
        let stopper = Thread {
          usleep(500_000)
          try? server.suspend()
          usleep(100_000)
          server.resume()
        }
        stopper.start()
        let report = try scene.probe.measure("stall", seconds: 1.5)
        if let error = report["stall_err_out"] { errors.append(error) }
        if let error = report["stall_next_err_out"] { later.append(error) }
      }
      return [
        Figure(
          name: "first cycle after 100 ms without any, published before them, p = \(period), worst of "
            + "\(errors.count)",
          value: errors.max(), limit: 20, unit: "us"),
        Figure(
          name: "the cycle after that, p = \(period), worst of \(later.count)", value: later.max(), limit: 20,
          unit: "us"),
      ]
    }
  }

  /// A sound card that is 100 ppm off, for a minute.
  static func drift() throws -> [Figure] {
    try [100.0, -100].map { ppm in
      let scene = try Scene(period: 1024, drift: ppm)
      defer { scene.end() }
      try scene.join()
      try scene.roll()
      let report = try scene.probe.measure("drift", seconds: 60)
      return Figure(
        name: "drift, sound card at \(ppm) ppm", value: report["drift_ppm"], limit: 0.5, unit: "ppm")
    }
  }

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

  /// The server ended and started again.
  static func restart() throws -> [Figure] {
    let scene = try Scene(period: 256)
    defer { scene.end() }
    try scene.join()
    var times: [Double] = []
    for round in 0..<20 {
      let before = scene.bridge.lines(of: .errors).count
      if round.isMultiple(of: 2) { scene.server.terminate() } else { scene.server.kill() }
      try scene.bridge.awaitLine(in: .errors, from: before, "the loss") {
        $0.contains("server is gone")
      }
      usleep(300_000)
      let first = scene.bridge.lines(of: .errors).count
      try scene.server.start()
      let start = ContinuousClock.now
      try scene.bridge.awaitLine(in: .errors, from: first, "the return") {
        $0.contains("we own the timebase")
      }
      guard try scene.probe.awaitState("peers 1") else { throw Failure("no peer after restart \(round)") }
      times.append((ContinuousClock.now - start) / .milliseconds(1))
    }
    return [
      Figure(
        name: "back after the server, with timebase and peer, worst of \(times.count)", value: times.max(),
        limit: 1000, unit: "ms"),
      Figure(name: "the same, median", value: times.median, limit: 1000, unit: "ms"),
    ]
  }

  /// Processor time against a program that does nothing in JACK and nothing in Link, in turns.
  static func processor() throws -> [Figure] {
    try [64, 1024].flatMap { period in
      let server = try JackServer.started(period: period)
      defer { server.terminate() }
      let roller = try LinkProbe.start(server: server)
      defer { roller.child.terminate() }
      try roller.send("enable 0")
      try roller.send("jackstart")
      var ours: [Double] = []
      var least: [Double] = []
      for _ in 0..<7 {
        let bridge = try Scene.bridge(on: server)
        ours.append(try load(of: bridge))
        bridge.terminate()
        let baseline = try Child(
          Products.path("baseline"), [], environment: server.environment, streams: .pipes)
        try baseline.awaitLine("ready") { $0 == "ready" }
        least.append(try load(of: baseline))
        baseline.terminate()
      }
      let (mine, floor) = (ours.median, least.median)
      return [
        Figure(
          name: "processor time, rolling, p = \(period), ours against the least (\(percent(mine)) against "
            + "\(percent(floor)) of a core)", value: mine.flatMap { mine in floor.map { mine / $0 } },
          limit: 1.3,
          unit: "times")
      ]
    }
  }

  /// The part of a core that a child uses over some seconds.
  private static func load(of child: Child) throws -> Double {
    // Starting, and looking for peers at first, is not what lasts.
    sleep(2)
    guard let before = child.cpuTime else { throw Failure("a child ended by itself") }
    let start = ContinuousClock.now
    sleep(6)
    guard let after = child.cpuTime else { throw Failure("a child ended by itself") }
    return (after - before) / (ContinuousClock.now - start)
  }

  private static func percent(_ load: Double?) -> String {
    load.map { "\(($0 * 10_000).rounded() / 100) %" } ?? "unknown"
  }
}

extension [Double] {
  /// The middle value.
  var median: Double? { isEmpty ? nil : sorted()[count / 2] }
}

extension ProbeReport {
  /// The bar JACK shows, 0 for none.
  var bar: Double { word("bbt").flatMap { Double($0.prefix { $0 != "|" }) } ?? 0 }
}
