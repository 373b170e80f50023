import Glibc
import Stage

extension Acceptance {
  /// The time of the bridge's callbacks, sync, process and timebase together, against a program in C++ that
  /// makes the same calls and nothing of them but a position, `Benchmarks/PlainBridge`: in turns on one
  /// server, with a peer in the session, while JACK rolls.
  static func callback() throws -> [Figure] {
    try [64, 1024].flatMap { period in
      let server = try JackServer.started(period: period)
      defer { server.terminate() }
      let peer = try LinkProbe.start(server: server)
      defer { peer.child.terminate() }
      try peer.send("jackstart")
      guard try peer.awaitState("rolling") else { throw Failure("the transport does not roll") }
      // Of the few hundred long cycles the longest in a thousand is unknown.
      guard period == 64 else {
        return try ratios(period, server, peer, .hot, "hot", p50: 4.5)
          + ratios(period, server, peer, .asItComes, "as they come", p50: 4.5)
      }
      return try fairness(server, peer) + ratios(period, server, peer, .hot, "hot", p50: 3.2, p999: 4)
        + ratios(period, server, peer, .asItComes, "as they come", p50: 4.5, p999: 5.5)
    }
  }

  /// The bridge's times against those of the program in C++, in turns, and how many times as long they may be.
  private static func ratios(
    _ period: Int, _ server: JackServer, _ peer: LinkProbe, _ temperature: Stopwatch.Temperature,
    _ name: String, p50: Double, p999: Double? = nil
  ) throws -> [Figure] {
    var ours: [[Double]] = []
    var plain: [[Double]] = []
    for _ in 0..<turns {
      ours.append(
        try callbackTimes(period, peer, temperature) { try Scene.bridge(on: server, environment: $0) })
      plain.append(try callbackTimes(period, peer, temperature) { try plainBridge(server, $0) })
    }
    let limits = [(0.5, "p50", p50)] + (p999.map { [(0.999, "p99.9", $0)] } ?? [])
    return limits.map { part, quantile, limit in
      // The middle of the turns: one that something else disturbs does not count.
      let (mine, theirs) = (ours.map { $0.quantile(part) }.median, plain.map { $0.quantile(part) }.median)
      return Figure(
        name: "callbacks of a cycle, rolling, p = \(period), \(name), \(quantile), ours against C++ "
          + "(\(nanoseconds(mine)) against \(nanoseconds(theirs)))",
        of: mine, against: theirs, limit: limit)
    }
  }

  private static let turns = 7

  /// The program in C++, as the owner of the timebase.
  private static func plainBridge(_ server: JackServer, _ environment: [String: String?]) throws -> Child {
    let program = try Child(
      Products.path("plainbridge"), [], environment: server.environment.merging(environment) { $1 },
      streams: .pipes)
    try program.awaitLine("ready") { $0 == "ready" }
    return program
  }

  /// Whether the comparison is a fair one: a cycle of either program makes the same calls, and the position
  /// of the one in C++ is right.
  private static func fairness(_ server: JackServer, _ peer: LinkProbe) throws -> [Figure] {
    let ours = try calls(peer) { try Scene.bridge(on: server, environment: $0) }
    var window: ProbeReport?
    let theirs = try calls(peer) {
      try plainBridge(server, $0)
    } while: {
      window = try peer.judgeWindow(seconds: 2)
    }
    let difference = ours.map { name, count in abs(count - (theirs[name] ?? 0)) }.max()
    let sums = [ours, theirs].map { rounded($0.values.reduce(0, +)) }
    return [
      Figure(
        name: "calls of a cycle into JACK and the clocks, of each kind, ours less those of C++, the largest "
          + "difference (in all \(sums[0]) against \(sums[1]))",
        value: difference, limit: 0.02, unit: "calls"),
      Figure(
        name: "the position of C++ against Link, by JACK's times", value: window?["err_out_med"], limit: 5,
        unit: "us"),
      Figure(
        name: "cycles without a position, or with an impossible one",
        value: window.flatMap { $0["no_bbt"] }.flatMap { none in window?["bad_bbt"].map { none + $0 } },
        limit: 0, unit: "cycles"),
    ]
  }

  /// How often a program's callbacks call each function in a cycle, while the transport rolls.
  private static func calls(
    _ peer: LinkProbe, of start: ([String: String?]) throws -> Child, while body: () throws -> Void = {}
  ) throws -> [String: Double] {
    let calls = try CallbackCalls()
    let program = try join(peer) { try start(calls.environment) }
    defer { program.terminate() }
    try body()
    try peer.send("wait 10")
    program.terminate()
    return try calls.perCycle()
  }

  /// Starts a program while the transport rolls, and waits until it is in the session.
  private static func join(_ peer: LinkProbe, _ start: () throws -> Child) throws -> Child {
    // JACK starts once more when the last owner of the timebase leaves.
    try peer.send("wait 0.5")
    guard try peer.awaitState("rolling") else { throw Failure("the transport does not roll") }
    let program = try start()
    guard try peer.awaitState("peers 1") else { throw Failure("the program found no peer") }
    try peer.send("wait 2")
    return program
  }

  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

  /// The times of some thousand cycles while the transport rolls, in nanoseconds.
  private static func callbackTimes(
    _ period: Int, _ peer: LinkProbe, _ temperature: Stopwatch.Temperature,
    of start: ([String: String?]) throws -> Child
  ) throws -> [Double] {
    let stopwatch = try Stopwatch(temperature)
    let program = try join(peer) { try start(stopwatch.environment) }
    defer { program.terminate() }
    let first = try stopwatch.times().count
    try peer.send("wait 6")
    let times = try stopwatch.times().dropFirst(first)
    let expected = 6 * 48_000 / period
    guard times.count > expected * 9 / 10 else {
      throw Failure("\(times.count) cycles in 6 s, not \(expected): \(program.text(of: .errors))")
    }
    guard try peer.awaitState("rolling") else { throw Failure("the transport does not roll any more") }
    return Array(times)
  }

  static func nanoseconds(_ time: Double?) -> String { time.map { "\(Int($0)) ns" } ?? "unknown" }
}

extension [Double] {
  /// The value that the given part of all is below.
  func quantile(_ part: Double) -> Double {
    isEmpty ? .infinity : sorted()[Swift.min(count - 1, Int(part * Double(count)))]
  }
}
