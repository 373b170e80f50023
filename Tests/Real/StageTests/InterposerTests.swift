import Foundation
import Stage
import Testing

@Suite(.serialized, .alone) struct InterposerTests {
  private func run(_ mode: String) throws -> (report: RealtimeWitness.Report, dirtyCalls: Int?) {
    let server = try JackServer.started()
    let witness = try RealtimeWitness()
    let environment = server.environment.merging(witness.environment) { $1 }
    let client = try Child(try Interposer.program("Fixtures/callback.c"), [mode], environment: environment)
    #expect(try client.wait().isSuccess)
    return (try witness.report(), client.dirtyCalls)
  }

  @Test func `A callback that allocates and locks is caught with its caller`() throws {
    let (report, dirtyCalls) = try run("dirty")
    let calls = try #require(dirtyCalls)
    #expect(try calls > 0 && calls < #require(report.callbacks[.process]))
    #expect(report.calls == ["malloc": calls, "pthread_mutex_lock": calls, "free": calls])
    let first = try #require(report.offences.first)
    #expect(first.function == "malloc")
    #expect(first.frames.first?.hasPrefix("careless_callback") == true)
    #expect(report.offences.count == 16)
  }

  @Test func `A callback that does neither is clean, though the program does both elsewhere`() throws {
    let report = try run("clean").report
    for callback in RealtimeWitness.Callback.allCases {
      #expect(try #require(report.callbacks[callback]) > 0, "\(callback)")
    }
    #expect(report.calls.isEmpty, "\(report)")
    #expect(report.offences.isEmpty)
  }

  @Test func `A program that is not watched has no witness`() throws {
    let witness = try RealtimeWitness()
    #expect(throws: StageError.self) { try witness.report() }
  }

  @Test(arguments: [Stopwatch.Temperature.asItComes, .hot])
  func `A stopwatch measures the callbacks of a cycle together`(_ temperature: Stopwatch.Temperature)
    throws
  {
    let server = try JackServer.started(period: 1024)
    let stopwatch = try Stopwatch(temperature)
    let environment = server.environment.merging(stopwatch.environment) { $1 }
    let client = try Child(
      try Interposer.program("Fixtures/callback.c"), ["slow"], environment: environment)
    #expect(try client.wait().isSuccess)
    let times = try stopwatch.times().sorted()
    try #require(times.count > 5)
    // Process and timebase: 100 us each, but for a few cycles before the transport rolls. Once, also when
    // called twice.
    let middle = times[times.count / 2]
    #expect(middle > 199_000 && middle < 290_000)
  }

  @Test func `A program that is not timed has no times`() throws {
    let stopwatch = try Stopwatch()
    #expect(throws: StageError.self) { try stopwatch.times() }
  }

  @Test func `A source is compiled once`() throws {
    let first = try Interposer.drift()
    let date = try FileManager.default.attributesOfItem(atPath: first)[.modificationDate] as? Date
    #expect(try Interposer.drift() == first)
    #expect(try FileManager.default.attributesOfItem(atPath: first)[.modificationDate] as? Date == date)
  }

  /// By how many seconds the wall clock of a program goes on from reading to reading.
  private func wallClockSteps(_ environment: [String: String?]) throws -> [Int] {
    let child = try Child("bash", ["-c", "while sleep 0.02; do date +%s; done"], environment: environment)
    var count = 0
    try child.awaitLine(timeout: .seconds(20), "30 times of day") { _ in
      count += 1
      return count == 30
    }
    let times = child.lines().compactMap { Int($0) }
    return zip(times, times.dropFirst()).map { $1 - $0 }
  }

  @Test func `A wall clock steps by hours, to and fro`() throws {
    let steps = try wallClockSteps(["LD_PRELOAD": try Interposer.wallClock()])
    #expect(steps.contains { $0 > 3000 } && steps.contains { $0 < -3000 }, "\(steps)")
    #expect(try wallClockSteps([:]).allSatisfy { (0..<100).contains($0) })
  }

  /// The probe's own timebase counts frames, so its beat runs away from Link's as the sound card does.
  private func measuredDrift(_ drift: Double) throws -> Double? {
    let server = try JackServer.started(period: 2048, drift: drift)  // a late wake-up is no xrun
    let probe = try LinkProbe.start(server: server)
    try probe.send("master 120 4")
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    try probe.send("wait 0.5")
    let slopes = try (0..<5).compactMap { _ in
      try probe.judgeWindow("the drift of a sound card", seconds: 0.6)?["drift_ppm"]
    }.sorted()
    return slopes.isEmpty ? nil : slopes[slopes.count / 2]
  }

  @Test func `A sound card runs as fast as the test asks`() throws {
    if let steady = try measuredDrift(0) { #expect(abs(steady) < 500) }
    if let fast = try measuredDrift(2000) { #expect(fast > 1000 && fast < 3000) }
  }
}

/// The sanitizer and the witness together.
@Suite(.serialized, .alone) struct RealtimeSanitizerTests {
  private func run(_ mode: String) throws -> (
    sanitizer: RealtimeSanitizer.Report, witness: RealtimeWitness.Report, dirtyCalls: Int?
  ) {
    let server = try JackServer.started()
    let (sanitizer, witness) = (try RealtimeSanitizer(), try RealtimeWitness())
    let environment = server.environment.merging(sanitizer.with(witness)) { $1 }
    let client = try Child(try Interposer.program("Fixtures/callback.c"), [mode], environment: environment)
    #expect(try client.wait().isSuccess)
    return (try sanitizer.report(), try witness.report(), client.dirtyCalls)
  }

  @Test func `A callback that allocates and locks is reported by both with its caller`() throws {
    let (report, witness, dirtyCalls) = try run("dirty")
    let calls = try #require(dirtyCalls)
    #expect(report.violations > 4 && calls > 0)
    for function in ["malloc", "pthread_mutex_lock", "free"] {
      #expect(report.text.contains("real-time unsafe function `\(function)`"), "\(report.text)")
      // The sanitizer's reports lock, too.
      #expect(try #require(witness.calls[function]) >= calls, "\(witness)")
    }
    #expect(report.text.contains("careless_callback"), "\(report.text)")
  }

  @Test func `A callback that does neither is clean for both, though the program does both elsewhere`() throws
  {
    let (report, witness, _) = try run("clean")
    #expect(report.violations == 0, "\(report.text)")
    #expect(try witness.calls.isEmpty && #require(witness.callbacks[.process]) > 0, "\(witness)")
  }

  @Test func `A program that is not watched has no report`() throws {
    let sanitizer = try RealtimeSanitizer()
    #expect(throws: StageError.self) { try sanitizer.report() }
  }
}

extension Child {
  /// How many of the callbacks were dirty, as the fixture prints it.
  fileprivate var dirtyCalls: Int? { Int(text(of: .output).trimmingCharacters(in: .whitespacesAndNewlines)) }
}
