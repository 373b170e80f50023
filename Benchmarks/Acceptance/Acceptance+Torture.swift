import Glibc
import PropertyTesting
import Stage

extension Acceptance {
  /// Ordeals that no server and no network should cause, again and again, and how fast all is right after
  /// them.
  static let tortures: [(name: String, run: @Sendable () throws -> [Figure])] = [
    ("torture-deaths", deaths), ("torture-reconnects", reconnects), ("torture-stalls", stalls),
    ("torture-periods", periodChanges), ("torture-clients", clients), ("torture-freewheel", freewheeling),
    ("torture-visits", visits), ("torture-network", outages), ("torture-peers", gatherings),
    ("torture-clock", wallClock),
  ]

  /// Jackstay alone: the growth after a thousand lives of a server.
  fileprivate static func reconnects() throws -> [Figure] {
    let scene = try Scene()
    defer { scene.end() }
    // Memory that is allocated once, at the first use, is no growth.
    try scene.reconnect(50)
    let before = try scene.bridge.footprint()
    try scene.reconnect(1000)
    return footprint(try scene.bridge.growth(since: before), after: "1,000 reconnects")
  }

  /// A hundred deaths of the server.
  fileprivate static func deaths() throws -> [Figure] {
    let scene = try Scene(bpm: 240)
    defer { scene.end() }
    try scene.join()
    let daw = try scene.startDAW()
    let seed: UInt64 = 1
    var random = Seeded(seed: seed)
    let revivals = try (0..<100).map { number in
      let death = Death.all[number % Death.all.count]
      do {
        return try scene.die(death, for: .random(in: 0...500, using: &random), daw: daw)
      } catch {
        throw Failure("death \(number), \(death): \(error); \(scene.bridge.lines(of: .errors).suffix(20))")
      }
    }
    for (number, revival) in revivals.enumerated() where !revival.isHealed {
      remark("death \(number), \(revival.death): \(revival.milliseconds) ms, \(revival.faults)")
    }
    let times = revivals.map(\.milliseconds)
    return [
      Figure(
        name: "server deaths not healed within a second, of \(revivals.count), seed \(seed)",
        value: Double(revivals.count { !$0.isHealed }), limit: 0, unit: ""),
      Figure(
        name: "back after the server, worst of \(times.count)", value: times.max(), limit: 1000, unit: "ms"),
      Figure(name: "the same, median", value: times.median, limit: 1000, unit: "ms"),
    ]
  }

  /// The server stands still for 20 to 500 ms.
  fileprivate static func stalls() throws -> [Figure] {
    var random = Seeded(seed: 1)
    return try withRollingScene { scene in
      try ordeal("20 to 500 ms without a server", 50, in: scene) { _ in
        try scene.stall(milliseconds: .random(in: 20...500, using: &random))
      }
    }
  }

  /// The server's period changes.
  fileprivate static func periodChanges() throws -> [Figure] {
    var random = Seeded(seed: 1)
    var period = 256
    return try withRollingScene { scene in
      try ordeal("another period, 64 to 4096 frames", 50, in: scene) { _ in
        let others = [64, 128, 256, 512, 1024, 2048, 4096].filter { $0 != period }
        period = others[Int.random(in: 0..<others.count, using: &random)]
        try scene.resize(to: period)
      }
    }
  }

  /// Clients come and go, fifty in a second, and one after the other: in libjack, one that closes while
  /// another opens may hang. So the server has to be quick. Opening a client takes some of its cycles, which
  /// are short; and each client locks in memory all that the server shares, which is less where there can
  /// only be few ports.
  fileprivate static func clients() throws -> [Figure] {
    try withRollingScene(period: 64, ports: 128) { scene in
      var rates: [Double] = []
      let figures = try ordeal("50 clients in a second, for 5 s", 6, in: scene) { _ in
        rates.append(try scene.crowd(count: 250, perSecond: 50))
      }
      return figures + [
        Figure(
          name: "clients that came and went in a second, fewest, short of 50",
          value: rates.min().map { Swift.max(50 - $0, 0) }, limit: 2.5, unit: "")
      ]
    }
  }

  /// The server runs free.
  fileprivate static func freewheeling() throws -> [Figure] {
    var random = Seeded(seed: 1)
    return try withRollingScene { scene in
      try ordeal("a freewheel of 0.1 to 1 s", 20, in: scene) { _ in
        try scene.freewheel(seconds: .random(in: 0.1...1, using: &random))
      }
    }
  }

  /// A second bridge comes and goes.
  fileprivate static func visits() throws -> [Figure] {
    try withRollingScene { scene in
      try ordeal("a second bridge's visit", 21, in: scene) { number in
        try scene.visit(endingBy: [SIGTERM, SIGINT, SIGKILL][number % 3])
      }
    }
  }

  /// The network is away, for less and for more than peers put up with.
  fileprivate static func outages() throws -> [Figure] {
    try withRollingScene { scene in
      var returns: [Double] = []
      let figures = try ordeal("the network away for 0.2 to 12 s", 6, in: scene) { number in
        if number > 0 { returns.append(try scene.awaitPeer()) }
        try Loopback.withoutNetwork { _ = try scene.probe.send("wait \([0.2, 2, 12][number % 3])") }
      }
      returns.append(try scene.awaitPeer())
      // Link looks for networks every five seconds.
      return figures + [
        Figure(
          name: "peers again after the network was away, the longest of \(returns.count)",
          value: returns.max(),
          limit: 11, unit: "s")
      ]
    }
  }

  /// Sixty-four peers join and leave.
  fileprivate static func gatherings() throws -> [Figure] {
    try withRollingScene { scene in
      let crowd = try LinkProbe.start(server: nil, joinsLink: false, peers: 64)
      defer { crowd.child.terminate() }
      // Link measures its peers every half minute, and where they share few processors with 64 more it is
      // worse at it. The bound of LinkKit's test plan is enough then.
      return try ordeal("64 peers joining, or leaving", 20, within: 3000, in: scene) { number in
        let joins = number.isMultiple(of: 2)
        try crowd.send("enable \(joins ? 1 : 0)", timeout: .seconds(30))
        if joins, try !scene.probe.awaitState("peers 65", seconds: 30) {
          throw Failure("the 64 peers are not all seen")
        }
      }
    }
  }

  /// The bridge's wall clock steps by an hour, twenty times in a second.
  fileprivate static func wallClock() throws -> [Figure] {
    try withRollingScene(environment: ["LD_PRELOAD": try Interposer.wallClock()]) { scene in
      try ordeal("a second of steps of the wall clock", 10, in: scene) { _ in try scene.probe.send("wait 1") }
    }
  }

  private static func withRollingScene(
    period: Int = 256, ports: Int? = nil, environment: [String: String?] = [:],
    _ body: (Scene) throws -> [Figure]
  ) throws -> [Figure] {
    let scene = try Scene(period: period, environment: environment, ports: ports)
    defer { scene.end() }
    try scene.join()
    try scene.roll()
    return try body(scene)
  }

  private static func ordeal(
    _ name: String, _ count: Int, within limit: Double = 100, in scene: Scene, by ordeal: (Int) throws -> Void
  ) throws -> [Figure] {
    let result = try scene.torture(count, limit: limit, by: ordeal)
    for recovery in result.unhealed {
      remark("after \(name): \(recovery.milliseconds) ms, \(recovery.report)")
    }
    return [
      Figure(
        name: "right again after \(name), worst of \(count)", value: result.longest, limit: 1000, unit: "ms"),
      Figure(
        name: "err_out_max then, worst of \(count)",
        value: result.recoveries.map(\.report).magnitudes("err_out_max").max(), limit: limit, unit: "us"),
      Figure(name: "link_jumps, \(name), \(count) times", value: result.linkJumps, limit: 0, unit: ""),
    ] + footprint(result.growth, after: "\(name), \(count) times")
  }

  private static func footprint(_ growth: Footprint, after name: String) -> [Figure] {
    [
      Figure(name: "threads more after \(name)", value: Double(max(growth.threads, 0)), limit: 0, unit: ""),
      Figure(
        name: "descriptors more after \(name)", value: Double(max(growth.descriptors, 0)), limit: 0, unit: ""),
      Figure(
        name: "memory more after \(name)", value: Double(max(growth.kilobytes, 0)), limit: 1000, unit: "kB"),
    ]
  }
}
