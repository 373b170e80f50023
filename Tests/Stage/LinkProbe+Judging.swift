import Glibc
import Machine

extension LinkProbe {
  /// Tries something until it comes off, for a bounded time, and enters into the account whether it did.
  ///
  /// - Parameters:
  ///   - check: What is to be judged by it, for the account.
  ///   - limit: How long it may take to begin the last attempt.
  ///   - least: How many attempts there are at least.
  ///   - tell: Takes the entry.
  ///   - body: One attempt; nil when something spoiled it.
  /// - Returns: What the first attempt gave that gave anything; nil when it could not be judged.
  /// - Throws: What `body` throws.
  public func attempt<Value>(
    _ check: String, for limit: Duration = .seconds(20), atLeast least: Int = 3,
    telling tell: (Judged) -> Void = { $0.tell() }, _ body: () throws -> Value?
  ) throws -> Value? {
    let deadline = Deadline.after(limit)
    let before = try missedDeadlines()
    var attempts = 0
    var value: Value?
    repeat {
      attempts += 1
      value = try body()
    } while value == nil && (attempts < least || !deadline.hasPassed)
    let missed = try missedDeadlines() - before
    tell(Judged(check, isJudged: value != nil, attempts: attempts, missed: missed))
    return value
  }

  /// Has something exact judged: does it until JACK missed no deadline from its beginning to its end.
  ///
  /// What is exact is to be checked after this has returned, and what is behaviour in `body`, in each
  /// attempt.
  ///
  /// - Parameters:
  ///   - check: What is to be judged, for the account.
  ///   - countsFrames: Whether frames are to be judged against time. Then JACK's times must not have strayed
  ///     from its frames either, as they do for seconds when its driver wakes up late.
  ///   - limit: How long it may take to begin the last attempt.
  ///   - least: How many attempts there are at least.
  ///   - tell: Takes the entry.
  ///   - prepare: What comes before each attempt, and bears missed deadlines.
  ///   - body: What is to be undisturbed; nil when something else spoiled it.
  /// - Returns: What the first undisturbed attempt gave; nil when there was none, and nothing can be judged.
  /// - Throws: What `prepare` and `body` throw.
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
  /// phase is held once more.
  public func judgeWindow(
    _ check: String = "a window while JACK rolls", seconds: Double = 0.5
  ) throws -> ProbeReport? {
    try judge(check) {
      let report = try measure(seconds: seconds)
      return report.isUndisturbed && report["rolling"] == report["cycles"] ? report : nil
    }
  }

  /// Has a report judged that tells itself whether a deadline was missed, as that of a roll does.
  public func judgeReport(
    _ check: String, for limit: Duration = .seconds(20), atLeast least: Int = 3,
    _ body: () throws -> ProbeReport
  ) throws -> ProbeReport? {
    try attempt(check, for: limit, atLeast: least) {
      let report = try body()
      return report.isUndisturbed ? report : nil
    }
  }

  /// Does something, and gives what it gave unless JACK missed a deadline meanwhile, the machine's host took
  /// the cores, or JACK's times strayed from its frames where that counts.
  public func unlessDisturbed<Value>(
    countsFrames: Bool = false, _ body: () throws -> Value?
  ) throws -> Value? {
    let (before, stolenBefore) = (try peers(), StolenTime())
    let value = try body()
    let after = try peers()
    guard ["xruns", "late"].allSatisfy({ before[$0] == after[$0] }),
      StolenTime().share(since: stolenBefore) ?? 0 < 0.03
    else { return nil }
    guard countsFrames, let start = before["t"], let end = after["t"] else { return value }
    let settled = 0.5
    return after["strayed_ms"] ?? .infinity > (end - start + settled) * 1000 ? value : nil
  }

  /// How many deadlines JACK has missed since the probe has watched it.
  public func missedDeadlines() throws -> Int { Int(try peers()["late"] ?? 0) }
}

extension Scene {
  /// Makes a scene and has something judged that happens only once in it: again, in another scene, until JACK
  /// missed no deadline meanwhile.
  ///
  /// - Parameters:
  ///   - check: What is to be judged, for the account.
  ///   - countsFrames: Whether frames are to be judged against time.
  ///   - limit: How long it may take to begin the last attempt.
  ///   - make: Makes a scene, and bears missed deadlines.
  ///   - body: What is to be undisturbed; nil when it came too late for what it was to measure.
  /// - Returns: The last scene, and what the first undisturbed attempt gave; nil when there was none.
  /// - Throws: What `make` and `body` throw.
  public static func judge<Value>(
    _ check: String, countsFrames: Bool = false, for limit: Duration = .seconds(20),
    _ make: () throws -> Scene,
    _ body: (Scene) throws -> Value?
  ) throws -> (scene: Scene, value: Value?) {
    let deadline = Deadline.after(limit)
    var attempts = 0
    var missed = 0
    while true {
      let scene = try make()
      attempts += 1
      let before = try scene.probe.missedDeadlines()
      let value = try scene.probe.unlessDisturbed(countsFrames: countsFrames) { try body(scene) }
      missed += try scene.probe.missedDeadlines() - before
      guard value != nil || (attempts >= 3 && deadline.hasPassed) else { continue }
      Judged(check, isJudged: value != nil, attempts: attempts, missed: missed).tell()
      return (scene, value)
    }
  }
}
