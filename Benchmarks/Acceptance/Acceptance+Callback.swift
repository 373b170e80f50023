import Glibc
import Stage

extension Acceptance {
  /// The time of the bridge's callbacks, sync, process and timebase together, against the same work written
  /// in C++, in turns on one server with a peer in the session, while JACK rolls; and whether it is the same
  /// work.
  static func callback() throws -> [Figure] {
    try [64, 1024].flatMap { period in
      let server = try JackServer.started(period: period)
      defer { server.terminate() }
      let peer = try LinkProbe.start(server: server)
      defer { peer.child.terminate() }
      try peer.send("jackstart")
      guard try peer.awaitState("rolling") else { throw Failure("the transport does not roll") }
      let first = period == 64 ? try sameness(server, peer) : []
      return try first + ratios(period, server, peer, .hot, "hot")
        + ratios(period, server, peer, .asItComes, "as they come")
    }
  }

  /// The bridge's times against those of the same work in C++, in turns.
  private static func ratios(
    _ period: Int, _ server: JackServer, _ peer: LinkProbe, _ temperature: Stopwatch.Temperature,
    _ name: String
  ) throws -> [Figure] {
    var ours: [[Double]] = []
    var plain: [[Double]] = []
    for _ in 0..<turns {
      ours.append(
        try callbackTimes(period, peer, temperature) { try Scene.bridge(on: server, environment: $0) })
      plain.append(try callbackTimes(period, peer, temperature) { try plainBridge(server, $0) })
    }
    // Of the few hundred long cycles the longest in a thousand cannot be told.
    let quantiles = period == 64 ? [(0.5, "p50"), (0.999, "p99.9")] : [(0.5, "p50")]
    return quantiles.map { part, quantile in
      // The middle of the turns: one that something else disturbs does not count.
      let (mine, theirs) = (ours.map { $0.quantile(part) }.median, plain.map { $0.quantile(part) }.median)
      return Figure(
        name: "callbacks of a cycle, rolling, p = \(period), \(name), \(quantile), ours against C++ "
          + "(\(nanoseconds(mine)) against \(nanoseconds(theirs)))",
        value: mine.flatMap { mine in theirs.map { mine / $0 } }, limit: 1.15, unit: "times")
    }
  }

  private static let turns = 7

  /// The same callbacks in C++, which own the timebase of a server that rolls.
  private static func plainBridge(_ server: JackServer, _ environment: [String: String?]) throws -> Child {
    let program = try Child(
      Products.path("plainbridge"), [], environment: server.environment.merging(environment) { $1 },
      streams: .pipes)
    try program.awaitLine("ready") { $0 == "ready" }
    return program
  }

  /// Whether the bridge and the program that it is compared with do the same: with both on one server, what
  /// they say of the same frames, and what a cycle calls. Each pairs the clocks by its own readings, in whole
  /// microseconds.
  private static func sameness(_ server: JackServer, _ peer: LinkProbe) throws -> [Figure] {
    let (calls, shadow) = (try CallbackCalls(), try CallbackCalls(isShadow: true))
    let bridge = try Scene.bridge(on: server, environment: calls.environment)
    defer { bridge.terminate() }
    guard try peer.awaitState("peers 1") else { throw Failure("the bridge found no peer") }
    let plain = try plainBridge(server, shadow.environment)
    defer { plain.terminate() }
    try peer.send("wait 10")
    plain.terminate()
    bridge.terminate()
    let (ours, theirs) = (try calls.counts(), try shadow.counts())
    guard let compared = theirs["compared"], compared > 3000, let cycles = ours["cycles"],
      let otherCycles = theirs["cycles"]
    else { throw Failure("too few cycles to compare") }
    let names = ours.keys.filter { $0.hasPrefix("jack_") || $0.hasPrefix("clock_") }
    let mine = names.reduce(0) { $0 + (ours[$1] ?? 0) } / cycles
    let others = names.reduce(0) { $0 + (theirs[$1] ?? 0) } / otherCycles
    return [
      Figure(
        name: "bar, beat and tick of \(Int(compared)) cycles, ours against C++, largest difference",
        value: (theirs["furthest_ns"] ?? .infinity) / 1000, limit: 20, unit: "us"),
      Figure(
        name: "cycles of these with another tempo", value: theirs["other_tempos"] ?? .infinity, limit: 0,
        unit: "cycles"),
      Figure(
        name: "calls of a cycle into JACK and the system, ours against C++ "
          + "(\(rounded(mine)) against \(rounded(others)))",
        value: mine / others, limit: 1.05, unit: "times"),
    ]
  }

  private static func rounded(_ number: Double) -> Double { (number * 1000).rounded() / 1000 }

  /// The times of some thousand cycles while the transport rolls, in nanoseconds.
  private static func callbackTimes(
    _ period: Int, _ peer: LinkProbe, _ temperature: Stopwatch.Temperature,
    of start: ([String: String?]) throws -> Child
  ) throws -> [Double] {
    // JACK starts once more when the last owner of the timebase leaves.
    try peer.send("wait 0.5")
    guard try peer.awaitState("rolling") else { throw Failure("the transport does not roll") }
    let stopwatch = try Stopwatch(temperature)
    let program = try start(stopwatch.environment)
    defer { program.terminate() }
    guard try peer.awaitState("peers 1") else { throw Failure("the program found no peer") }
    try peer.send("wait 2")
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
