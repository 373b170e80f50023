import Glibc

/// How a scene that rolled came right again after something was done to it.
public struct Recovery: Sendable {
  /// How many milliseconds after it the first tenth of a second began in which all was right; infinite when
  /// none did.
  public let milliseconds: Double
  /// The last tenth of a second that was looked at.
  public let report: ProbeReport
  /// How many deadlines JACK missed meanwhile: after each of them it may have to come right anew.
  public let missed: Int

  /// Whether it came right within a time, to which each missed deadline adds two seconds: in phase again a
  /// start waits for a quantum.
  public func isDone(within limit: Double) -> Bool { milliseconds <= limit + 2000 * Double(missed) }

  /// Whether JACK and Link both play in each cycle of a window, and JACK's beat is there and within `limit`
  /// microseconds of Link's, as it is heard.
  public static func isRight(_ report: ProbeReport, within limit: Double) -> Bool {
    let hasNoFault = ["no_bbt", "bad_bbt", "state_mismatch_cycles", "link_jumps"].allSatisfy {
      report[$0] == 0
    }
    // JACK's own times are wrong for seconds after a missed deadline; wake-ups are not, and come up to 0.1 ms
    // late.
    let isNear =
      (report["err_out_max"] ?? .infinity) <= limit || (report["heard_max"] ?? .infinity) <= limit + 100
    return hasNoFault && (report["rolling"] ?? 0) > 0 && report["rolling"] == report["cycles"] && isNear
  }
}

/// A series of ordeals for a scene, and its results.
public struct Ordeal: Sendable {
  /// How it came right again, each time.
  public let recoveries: [Recovery]
  /// The growth of the bridge's resources.
  public let growth: Footprint
  /// How often the session's grid moved.
  public let linkJumps: Double

  /// The longest it took to come right, in milliseconds.
  public var longest: Double { recoveries.map(\.milliseconds).max() ?? .infinity }
  /// The times after which not all was right within a second.
  public var unhealed: [Recovery] { recoveries.filter { $0.milliseconds > 1000 } }
}

extension Scene {
  /// Waits until JACK and Link play in phase again.
  ///
  /// - Parameters:
  ///   - limit: How far JACK's beat may be from Link's, in microseconds, as it is heard.
  ///   - windows: How many tenths of a second to look at, at most; each missed deadline adds two seconds,
  ///     up to a minute in all.
  /// - Returns: How it went.
  /// - Throws: ``StageError`` when the probe has ended.
  public func recover(within limit: Double = 100, windows: Int = 50) throws(StageError) -> Recovery {
    let start = ContinuousClock.now
    var last = start
    var report = try probe.measure("recovery", seconds: 0.1)
    var missed = report["late"] ?? 0
    var number = 1
    while number < min(windows + 20 * Int(missed), 600), !Recovery.isRight(report, within: limit) {
      last = .now
      report = try probe.measure("recovery", seconds: 0.1)
      missed += report["late"] ?? 0
      number += 1
    }
    let isRight = Recovery.isRight(report, within: limit)
    return Recovery(
      milliseconds: isRight ? (last - start) / .milliseconds(1) : .infinity, report: report,
      missed: Int(missed))
  }

  /// Does something to a scene that rolls in a session, again and again, and waits each time until it is
  /// right again.
  ///
  /// - Parameters:
  ///   - count: How often.
  ///   - limit: How far JACK's beat may be from Link's afterwards, in microseconds, as it is heard.
  ///   - ordeal: The ordeal, given how many were before.
  /// - Returns: The results.
  /// - Throws: The errors of `ordeal`, and ``StageError`` when the probe or the bridge has ended.
  public func torture(
    _ count: Int, limit: Double = 100, by ordeal: (Int) throws -> Void
  ) throws -> Ordeal {
    let before = try bridge.footprint()
    let jumps = try probe.peers()["link_jumps"] ?? .nan
    let recoveries = try (0..<count).map { number in
      try ordeal(number)
      return try recover(within: limit)
    }
    return Ordeal(
      recoveries: recoveries, growth: try bridge.growth(since: before),
      linkJumps: (try probe.peers()["link_jumps"] ?? .nan) - jumps)
  }
}

// MARK: Ordeals

extension Scene {
  /// Has the server stand still for some milliseconds.
  public func stall(milliseconds: UInt32) throws(StageError) {
    try server.suspend()
    usleep(milliseconds * 1000)
    server.resume()
  }

  /// Has the probe change the server's period, in frames.
  public func resize(to frames: Int) throws(StageError) {
    let reports = try probe.send("buffersize \(frames)")
    guard reports.contains(where: { $0["rc"] == 0 && $0["frames"] == Double(frames) }) else {
      throw .unusable("the server does not change its period to \(frames) frames: \(reports)")
    }
  }

  /// Has the server run as fast as it can for some seconds.
  public func freewheel(seconds: Double) throws(StageError) {
    for action in ["freewheel 1", "wait \(seconds)", "freewheel 0"] {
      let reports = try probe.send(action)
      guard reports.allSatisfy({ $0.word("event") != "freewheel" || $0["rc"] == 0 }) else {
        throw .unusable("the server does not \(action): \(reports)")
      }
    }
  }

  /// Has a program open, activate and close clients of the server, one after the other.
  ///
  /// - Parameters:
  ///   - count: How many.
  ///   - rate: How many of them in a second.
  /// - Returns: How many came and went in a second.
  /// - Throws: ``StageError`` when not all could be opened.
  public func crowd(count: Int, perSecond rate: Double) throws(StageError) -> Double {
    // With no client of its own: in libjack those of one process get into each other's way.
    let program = try Child(
      Products.path("linkprobe"), ["--no-jack", "--no-link", "-n", "crowd", "clients \(count) \(rate)"],
      environment: server.environment)
    _ = try program.wait(timeout: .seconds(10 + 4 * Double(count) / rate))
    guard
      let report = program.lines().compactMap(ProbeReport.init).first(where: { $0.word("event") == "clients" }
      ),
      report["opened"] == Double(count), let time = report["ms"]
    else {
      throw .unusable(
        "the server does not open \(count) clients: \(program.text())\(program.text(of: .errors))")
    }
    return Double(count) * 1000 / time
  }

  /// Has a program open and activate clients of the server, which stay until the program ends.
  ///
  /// - Parameter count: How many.
  /// - Returns: The program, and how many the server took in: fewer, where it has no room.
  /// - Throws: ``StageError`` when the program does not report it.
  public func seat(clients count: Int) throws(StageError) -> (program: LinkProbe, opened: Int) {
    let program = try LinkProbe.start(server: server, name: "crowd", joinsLink: false, joinsJACK: false)
    let reports = try program.send("openclients \(count)", timeout: .seconds(180))
    guard let opened = reports.last(where: { $0.word("event") == "openclients" })?["opened"] else {
      throw .unusable("no clients were opened: \(reports)")
    }
    return (program, Int(opened))
  }

  /// Waits until the probe is not alone in its session, for the half minute that Link may need to find a
  /// network that was away.
  ///
  /// - Returns: How many seconds it took.
  public func awaitPeer() throws(StageError) -> Double {
    let start = ContinuousClock.now
    guard try probe.awaitState("peers 1", seconds: 30) else {
      throw .unusable("the probe finds no peer again")
    }
    return (ContinuousClock.now - start) / .seconds(1)
  }

  /// Starts a second bridge on the server, waits until it stands by for the first, and ends it by a signal.
  public func visit(endingBy signal: Int32) throws(StageError) {
    let second = try Self.bridge(on: server, line: "another bridge")
    second.signal(signal)
    _ = try second.wait()
  }
}
