import Glibc
import Machine
import Testing

extension LinkProbe {
  /// Tries something until it comes off, for a bounded time, and enters into the account whether it did.
  ///
  /// - Parameters:
  ///   - check: The check to judge, for the account.
  ///   - limit: How long it may take to begin the last attempt.
  ///   - least: How many attempts there are at least.
  ///   - tell: Takes the entry.
  ///   - body: One attempt; nil when a disturbance made it useless.
  /// - Returns: The first result of an attempt; nil when it could not be judged.
  /// - Throws: The errors of `body`.
  public func attempt<Value>(
    _ check: String, for limit: Duration = .seconds(20), atLeast least: Int = 3,
    telling tell: (Judged) -> Void = { $0.tell() }, _ body: () throws -> Value?
  ) throws -> Value? {
    let deadline = Deadline.after(limit)
    let before = try Disturbance(self)
    var last = before
    var attempts = 0
    var disturbed = 0
    var value: Value?
    repeat {
      attempts += 1
      value = try body()
      let now = try Disturbance(self)
      if value == nil, now.canHaveSpoiled(since: last) { disturbed += 1 }
      last = now
    } while value == nil && (attempts < least || !deadline.hasPassed)
    let missed = last.missedDeadlines(since: before)
    tell(
      Judged(check, isJudged: value != nil, attempts: attempts, disturbed: disturbed, missed: missed))
    return value
  }

  /// Has something exact judged: does it until JACK missed no deadline from its beginning to its end.
  ///
  /// Check exactness after this has returned, and behaviour in `body`, in each attempt.
  ///
  /// - Parameters:
  ///   - check: The check to judge, for the account.
  ///   - countsFrames: Whether frames are to be judged against time. Then JACK's times must not have strayed
  ///     from its frames either, as they do for seconds when its driver wakes up late.
  ///   - limit: How long it may take to begin the last attempt.
  ///   - least: How many attempts there are at least.
  ///   - tell: Takes the entry.
  ///   - prepare: The preparation of each attempt, which bears missed deadlines.
  ///   - body: The attempt, to be undisturbed; nil when something else made it useless.
  /// - Returns: The result of the first undisturbed attempt; nil when there was none, and nothing can be
  ///   judged.
  /// - Throws: The errors of `prepare` and `body`.
  public func judge<Value>(
    _ check: String, countsFrames: Bool = false, for limit: Duration = .seconds(20), atLeast least: Int = 3,
    telling tell: (Judged) -> Void = { $0.tell() }, preparing prepare: () throws -> Void = {},
    _ body: () throws -> Value?
  ) throws -> Value? {
    try attempt(check, for: limit, atLeast: least, telling: tell) {
      try prepare()
      return try unlessDisturbed(countsFrames: countsFrames, body)
    }
  }

  /// Has a window judged in which JACK rolls and misses no deadline: a start that a missed one has put out of
  /// phase is held once more. That a roll is interrupted without one is an issue.
  public func judgeWindow(
    _ check: String = "a window while JACK rolls", seconds: Double = 0.5
  ) throws -> ProbeReport? {
    try judge(check) {
      let report = try measure(seconds: seconds)
      return report.isUndisturbed && Self.hasRolledThroughout(report) ? report : nil
    }
  }

  /// Whether JACK rolled in all of a window that was measured. That it did not is an issue unless a deadline had been missed
  /// shortly before: nothing else but the program interrupts a roll.
  public static func hasRolledThroughout(_ report: ProbeReport) -> Bool {
    if report["rolling"] == report["cycles"] { return true }
    if report.isUndisturbed, report.hasKeptTimes(for: redressed) {
      Issue.record("JACK's roll was interrupted though no deadline had been missed: \(report)")
    }
    return false
  }

  /// How long after a missed deadline a start may be held once more for it, in seconds, and some more.
  private static let redressed = 7.0

  /// Has a report judged that itself has the number of missed deadlines, as that of a roll does.
  public func judgeReport(
    _ check: String, for limit: Duration = .seconds(20), atLeast least: Int = 3,
    _ body: () throws -> ProbeReport
  ) throws -> ProbeReport? {
    try attempt(check, for: limit, atLeast: least) {
      let report = try body()
      return report.isUndisturbed ? report : nil
    }
  }

  /// Does something, and returns its result unless JACK missed a deadline meanwhile, the machine's host took
  /// the cores, or JACK's times strayed from its frames where that counts.
  public func unlessDisturbed<Value>(
    countsFrames: Bool = false, _ body: () throws -> Value?
  ) throws -> Value? {
    let before = try Disturbance(self)
    let value = try body()
    let after = try Disturbance(self)
    return after.hasOccurred(since: before, countsFrames: countsFrames) ? nil : value
  }

  /// Enters into the account whether something exact that happens only once can be judged.
  ///
  /// - Parameters:
  ///   - check: The check to judge.
  ///   - isUndisturbed: Whether no missed deadline can have disturbed it.
  /// - Returns: Whether no missed deadline can have disturbed it.
  /// - Throws: ``StageError`` when the probe does not answer.
  public func canJudge(_ check: String, if isUndisturbed: Bool) throws -> Bool {
    Judged(check, isJudged: isUndisturbed, missed: try missedDeadlines()).tell()
    return isUndisturbed
  }

  /// How many deadlines JACK has missed since the probe has watched it.
  public func missedDeadlines() throws -> Int { Int(try peers()["late"] ?? 0) }
}

/// The machine's effect on JACK's cycles so far.
private struct Disturbance {
  private let report: ProbeReport
  private let stolen = StolenTime()

  init(_ probe: LinkProbe) throws { report = try probe.peers() }

  /// Whether JACK has missed a deadline since then, the machine's host took the cores, or JACK's times strayed from its
  /// frames where that counts.
  func hasOccurred(since before: Disturbance, countsFrames: Bool = true) -> Bool {
    guard ["xruns", "late"].allSatisfy({ before.report[$0] == report[$0] }),
      stolen.share(since: before.stolen) ?? 0 < 0.03
    else { return true }
    guard countsFrames, let start = before.report["t"], let end = report["t"] else { return false }
    return hasStrayed(within: end - start + Self.settled)
  }

  /// Whether the machine can be why an attempt since then has failed. JACK's times are off, and the bridge
  /// corrects rolls, for seconds after a missed deadline; a wake-up that is late by less moves JACK's times a
  /// little.
  func canHaveSpoiled(since before: Disturbance) -> Bool {
    guard !hasOccurred(since: before), let start = before.report["t"], let end = report["t"] else {
      return true
    }
    return hasStrayed(within: end - start + Self.memory)
      || report["kept_ms"] ?? .infinity <= (end - start + Self.certain) * 1000
  }

  /// How many deadlines JACK has missed since then, by its cycles or by its own count.
  func missedDeadlines(since before: Disturbance) -> Int {
    ["xruns", "late"].map { Int((report[$0] ?? 0) - (before.report[$0] ?? 0)) }.max() ?? 0
  }

  private func hasStrayed(within seconds: Double) -> Bool {
    report["strayed_ms"] ?? .infinity <= seconds * 1000
  }

  /// For how many seconds before an attempt JACK's times have to have kept to its frames: where frames are judged, where
  /// anything is, and to some microseconds.
  private static let (settled, memory, certain) = (0.5, 15.0, 2.0)
}

extension Scene {
  /// Makes a scene and has something judged that happens only once in it: again, in another scene, until JACK
  /// missed no deadline meanwhile.
  ///
  /// - Parameters:
  ///   - check: The check to judge, for the account.
  ///   - countsFrames: Whether frames are to be judged against time.
  ///   - limit: How long it may take to begin the last attempt.
  ///   - make: Makes a scene, and bears missed deadlines.
  ///   - body: The attempt, to be undisturbed; nil when it came too late for its measurement.
  /// - Returns: The last scene, and the result of the first undisturbed attempt; nil when there was none.
  /// - Throws: The errors of `make` and `body`.
  public static func judge<Value>(
    _ check: String, countsFrames: Bool = false, for limit: Duration = .seconds(20),
    _ make: () throws -> Scene,
    _ body: (Scene) throws -> Value?
  ) throws -> (scene: Scene, value: Value?) {
    let deadline = Deadline.after(limit)
    var attempts = 0
    var disturbed = 0
    var missed = 0
    while true {
      let scene = try make()
      attempts += 1
      let before = try Disturbance(scene.probe)
      let value = try scene.probe.unlessDisturbed(countsFrames: countsFrames) { try body(scene) }
      let after = try Disturbance(scene.probe)
      missed += after.missedDeadlines(since: before)
      if value == nil, after.canHaveSpoiled(since: before) { disturbed += 1 }
      guard value != nil || (attempts >= 3 && deadline.hasPassed) else { continue }
      Judged(check, isJudged: value != nil, attempts: attempts, disturbed: disturbed, missed: missed).tell()
      return (scene, value)
    }
  }
}
