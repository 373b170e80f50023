import Foundation
import Stage
import Testing
import Typechecking

import enum Stage.ExitStatus

@testable import testrunner

/// What `make test` makes of a run of the tests; a script plays `swift`.
@Suite(.serialized, .alone) struct RunnerTests {
  private static let onServer = "IntegrationTests.LaunchTests/`It (really) starts`()/LaunchTests.swift:9:4"
  private static let pure = "MusicalTimeTests.MeterTests/roundTrip(text:)/MeterTests.swift:5:4"
  private static let passes = "✔ Test run with 2 tests in 2 suites passed after 1.000 seconds."
  private static let fails = "✘ Test run with 2 tests in 2 suites failed after 1.000 seconds with 1 issue."

  /// One run of the tests, as `swift test` tells it.
  private struct Run {
    /// The tests of the run, and whether each passes; nil for one that does not end.
    var tests: [(id: String, passes: Bool?)]
    /// How the script ends: an exit code, or a signal it sends itself.
    var end = ExitStatus.exited(0)
    /// What the first test enters into the account: whether something exact could be judged.
    var judged: [Bool] = []

    var summary: String { tests.allSatisfy { $0.passes == true } ? RunnerTests.passes : RunnerTests.fails }
    var isWhole: Bool { tests.allSatisfy { $0.passes != nil } }

    var entries: String {
      judged.enumerated().map { number, isJudged in
        #"{"test":"\#(tests[0].id)","check":"the \#(number)th","isJudged":\#(isJudged),"attempts":2,"missed":3}"#
      }.joined(separator: "\n")
    }

    var events: String {
      var lines: [String] = []
      for (id, passes) in tests {
        lines.append(#"{"kind":"test","payload":{"id":"\#(id)","kind":"function"},"version":0}"#)
        lines.append(event("testStarted", of: id, "default", "Test started."))
        if passes == false {
          let place = #""issue":{"isKnown":false,"sourceLocation":{"fileID":"A/B.swift","line":7}},"#
          lines.append(event("issueRecorded", of: id, "fail", "Expectation failed: \(id.count)", place))
        }
        if let passes { lines.append(event("testEnded", of: id, passes ? "pass" : "fail", "Test ended.")) }
      }
      if isWhole {
        lines.append(event("runEnded", of: nil, String(summary.first == "✔" ? "pass" : "fail"), summary))
      }
      return lines.joined(separator: "\n")
    }

    private func event(
      _ kind: String, of id: String?, _ symbol: String, _ text: String, _ more: String = ""
    ) -> String {
      let test = id.map { #""testID":"\#($0)","# } ?? ""
      let said = text.drop { "✔✘ ".contains($0) }
      return #"{"kind":"event","payload":{\#(test)\#(more)"kind":"\#(kind)","#
        + #""messages":[{"symbol":"\#(symbol)","text":"\#(said)"}]},"version":0}"#
    }
  }

  /// What came of it.
  private struct Result {
    let status: ExitStatus
    let lines: [String]
    /// The words of each call of `swift`.
    let calls: [[String]]
  }

  /// Has the runner run what is said to happen, one after the other, in one process each unless no arguments
  /// are given.
  private func result(of runs: Run..., arguments: [String] = ["--filter", "All"]) throws -> Result {
    try result(of: runs, arguments: arguments)
  }

  private func result(of runs: [Run], arguments: [String]) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "runner-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (index, run) in runs.enumerated() {
      try run.events.write(to: folder.appending(path: "events-\(index)"), atomically: true, encoding: .utf8)
      let entries = run.judged.isEmpty ? "" : run.entries + "\n"
      try entries.write(to: folder.appending(path: "judged-\(index)"), atomically: true, encoding: .utf8)
      let end =
        switch run.end {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "kill -\(signal) $$"
        }
      let script = "\(run.isWhole ? "echo '\(run.summary)'" : "echo half a li")\n\(end)\n"
      try script.write(to: folder.appending(path: "end-\(index)"), atomically: true, encoding: .utf8)
    }
    let swift = """
      #!/bin/sh
      cd '\(folder.path)'
      number=0
      while ! mkdir call-$number 2> /dev/null; do number=$((number + 1)); done
      printf '%s\\n' "$@" > words-$number
      while [ "$1" != --event-stream-output-path ]; do shift; done
      cat events-$number > "$2"
      cat judged-$number >> "$JACKSTAY_JUDGED"
      . ./end-$number
      """
    let program = folder.appending(path: "swift")
    try swift.write(to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let child = try Child(
      Products.path("testrunner"), arguments, environment: ["PATH": "\(folder.path):\(path)"])
    let status = try child.wait()
    let calls = (0..<9).compactMap { number in
      try? String(contentsOf: folder.appending(path: "words-\(number)"), encoding: .utf8)
    }
    return Result(
      status: status, lines: child.lines(),
      calls: calls.map { $0.split(separator: "\n").map { String($0) } })
  }

  @Test func `When all tests pass there is nothing to add`() throws {
    let run = Run(tests: [(Self.onServer, true), (Self.pure, true)])
    let result = try result(of: run, arguments: ["--filter", "Meter"])
    #expect(result.status.isSuccess)
    #expect(result.lines.first == Self.passes && result.lines.last == Self.passes)
    #expect(
      result.lines.dropFirst().prefix(2) == ["", "exact checks: 0 judged, 0 not judged (0 missed deadlines)"])
    #expect(result.lines.count == 5 && result.lines[3].hasPrefix("the machine: "), "\(result.lines)")
    #expect(result.calls.count == 1)
    #expect(result.calls.first?.prefix(2) == ["test", "--skip-build"])
    #expect(result.calls.first?.suffix(2) == ["--filter", "Meter"])
  }

  @Test func `A test on a real server that fails and then passes alone is told, and forgiven`() throws {
    let result = try result(
      of: Run(tests: [(Self.onServer, false), (Self.pure, true)], end: .exited(1)),
      Run(tests: [(Self.onServer, true)]), arguments: ["--skip", "Slow", "--sanitize=thread", "--filter=All"])
    #expect(result.status.isSuccess)
    #expect(result.lines.last == Self.passes)
    #expect(result.lines.contains("    A/B.swift:7: Expectation failed: \(Self.onServer.count)"))
    #expect(result.lines.contains("failed under load, passed alone: \(Self.onServer)"))
    #expect(result.calls.count == 2)
    let second = try #require(result.calls.last)
    #expect(second.contains("--sanitize=thread"))
    #expect(!second.contains("--skip") && !second.contains("--filter=All"))
    let pattern = try Regex(#require(second.last))
    #expect(try pattern.wholeMatch(in: Self.onServer) != nil)
    #expect(try pattern.firstMatch(in: Self.onServer + "0") == nil)
    #expect(try pattern.firstMatch(in: "Other" + Self.onServer) == nil)
  }

  @Test func `A test on a real server that fails alone, too, has to pass twice alone`() throws {
    let failing = Run(tests: [(Self.onServer, false)], end: .exited(1))
    let passing = Run(tests: [(Self.onServer, true)])
    for end in [[failing], [passing, failing]] {
      let result = try result(of: [failing, failing] + end, arguments: ["--filter", "All"])
      #expect(result.status == .exited(1))
      #expect(result.calls.count == 2 + end.count)
      #expect(result.lines.contains("Failed again, alone:"))
      #expect(!result.lines.contains { $0.contains("passed") && $0.contains("alone") })
      #expect(result.lines.last == Self.fails)
    }
    let result = try result(of: failing, failing, passing, passing)
    #expect(result.status.isSuccess)
    #expect(result.calls.count == 4)
    #expect(
      result.lines.contains("failed under load and once alone, passed twice alone: \(Self.onServer)"))
    #expect(result.lines.last == Self.passes)
  }

  @Test func `More than three that fail alone, too, have failed`() throws {
    let tests = (0..<4).map { number in (id: Self.onServer + "\(number)", passes: false as Bool?) }
    let failing = Run(tests: tests, end: .exited(1))
    let result = try result(of: failing, failing)
    #expect(result.status == .exited(1))
    #expect(result.calls.count == 2)
  }

  @Test func `A pure test that fails gets no second chance, and none beside it does`() throws {
    let result = try result(of: Run(tests: [(Self.pure, false), (Self.onServer, false)], end: .exited(1)))
    #expect(result.status == .exited(1))
    #expect(result.calls.count == 1)
    #expect(
      result.lines.filter { $0.hasPrefix("✘ ") } == [
        Self.fails, "✘ \(Self.pure)", "✘ \(Self.onServer)", Self.fails,
      ])
    #expect(result.lines.last == Self.fails)
  }

  @Test func `However many fail on a real server, all of them get the second chance`() throws {
    let tests = (0..<30).map { number in (id: Self.onServer + "\(number)", passes: false as Bool?) }
    let again = tests.map { (id: $0.id, passes: true as Bool?) }
    let result = try result(of: Run(tests: tests, end: .exited(1)), Run(tests: again))
    #expect(result.status.isSuccess)
    #expect(result.calls.count == 2)
    #expect(result.lines.filter { $0.hasPrefix("failed under load, passed alone: ") }.count == 30)
  }

  @Test func `Without a choice there are several processes, and the last line is their sum`() throws {
    let lanes = Lane.stages.joined().count
    let run = Run(tests: [(Self.onServer, true), (Self.pure, true)], judged: [true])
    let first = [Run](repeating: run, count: lanes - 1)
    let all = try result(of: first + [run], arguments: [])
    #expect(lanes > 2 && all.calls.count == lanes)
    #expect(all.status.isSuccess)
    #expect(all.lines.last == "\(2 * lanes) passed, 0 failed")
    #expect(all.lines.contains("1| \(Self.passes)"), "\(all.lines)")
    // Each test is chosen once.
    for test in [Self.onServer, Self.pure, "StageTests.ChildTests/a()", "IntegrationTests.ArmedTests/a()"] {
      let choosing = try all.calls.filter { try isChosen(test, by: $0) }
      #expect(choosing.count == 1, "\(test): \(choosing)")
    }

    let failing = Run(tests: [(Self.onServer, false), (Self.pure, true)], end: .exited(1))
    let forgiven = try result(of: first + [failing, Run(tests: [(Self.onServer, true)])], arguments: [])
    #expect(forgiven.status.isSuccess)
    #expect(forgiven.lines.last == "\(2 * lanes) passed, 0 failed")
    let again = Run(tests: [(Self.onServer, false)], end: .exited(1))
    let failed = try result(of: first + [failing, again, again], arguments: [])
    #expect(failed.status == .exited(1))
    #expect(failed.lines.last == "\(2 * lanes - 1) passed, 1 failed")
    let broken = Run(tests: [(Self.onServer, nil)], end: .signalled(SIGSEGV))
    let lost = try result(of: first + [broken], arguments: [])
    #expect(lost.status == .exited(1) && lost.calls.count == lanes)
    #expect(lost.lines.last == "\(2 * lanes - 2) passed, 1 failed")
  }

  @Test func `The tests on real servers can be run alone, in as many processes as with all`() throws {
    let run = Run(tests: [(Self.onServer, true)])
    let lanes = Lane.servers.count
    let servers = try result(of: [Run](repeating: run, count: lanes), arguments: ["--servers"])
    #expect(servers.status.isSuccess && servers.calls.count == lanes)
    #expect(servers.lines.last == "\(lanes) passed, 0 failed")
    for (test, count) in [(Self.onServer, 1), ("IntegrationTests.ArmedTests/a()", 1), (Self.pure, 0)] {
      #expect(try servers.calls.filter { try isChosen(test, by: $0) }.count == count, "\(test)")
    }
  }

  /// Whether `swift test` would run a test, by its filters.
  private func isChosen(_ test: String, by words: [String]) throws -> Bool {
    func matches(_ flag: String) throws -> Bool? {
      guard let place = words.firstIndex(of: flag) else { return nil }
      return try Regex(words[place + 1]).firstMatch(in: test) != nil
    }
    return try matches("--filter") ?? true && !(matches("--skip") ?? false)
  }

  @Test func `What could not be judged is told, and a second run's account takes the first one's place`()
    throws
  {
    let first = Run(
      tests: [(Self.onServer, false)], end: .exited(1), judged: [Bool](repeating: true, count: 20) + [false])
    let second = Run(tests: [(Self.onServer, true)], judged: [Bool](repeating: true, count: 19) + [false])
    // On a quiet machine there is a third.
    let result = try result(of: first, second, second)
    let place = try #require(result.lines.firstIndex { $0.hasPrefix("exact checks: ") })
    #expect(result.lines[place] == "exact checks: 19 judged, 1 not judged (60 missed deadlines)")
    #expect(
      result.lines[place + 1]
        == "not judged: the 19th, in \(Self.onServer) (attempts 2, missed deadlines 3)")
    #expect(result.lines.last == Self.passes)
  }

  @Test func `Where too much could not be judged, few tests are run once more, alone`() throws {
    let none = Run(tests: [(Self.onServer, true)], judged: [false, false])
    let judged = try result(of: none, Run(tests: [(Self.onServer, true)], judged: [true, true]))
    #expect(judged.status.isSuccess)
    #expect(judged.calls.count == 2)
    let pattern = try Regex(#require(judged.calls.last?.last))
    #expect(try pattern.wholeMatch(in: Self.onServer) != nil)
    #expect(judged.lines.contains("exact checks: 0 judged, 2 not judged (6 missed deadlines)"))
    #expect(judged.lines.contains("exact checks: 2 judged, 0 not judged (6 missed deadlines)"))
    #expect(judged.lines.last == Self.passes)

    let tooMuch = try result(of: none, none)
    #expect(tooMuch.status == .exited(1))
    #expect(tooMuch.calls.count == 2)
    #expect(tooMuch.lines.last == Self.passes)

    let failing = Run(tests: [(Self.onServer, false)], end: .exited(1), judged: [true, true])
    let failed = try result(of: none, failing)
    #expect(failed.status == .exited(1))
    #expect(failed.lines.contains("✘ \(Self.onServer)"))
    #expect(failed.lines.last == Self.fails)

    let lanes = Lane.stages.joined().count
    let all = try result(of: [Run](repeating: none, count: lanes) + [failing], arguments: [])
    #expect(all.status == .exited(1))
    #expect(all.lines.last == "\(lanes - 1) passed, 1 failed")
  }

  @Test func `On a quiet machine all has to be judged, on another what others leave time for`() throws {
    func complaint(judged: Int, not: Int, taken: Double) throws -> String? {
      var account = Account()
      let entries = [Bool](repeating: true, count: judged) + [Bool](repeating: false, count: not)
      try Data(Run(tests: [(Self.onServer, true)], judged: entries).entries.utf8).write(to: account.file)
      account.read()
      #expect(account.unjudged.count == not)
      return account.complaint(taken: taken)
    }
    #expect(try complaint(judged: 100, not: 0, taken: 0) == nil)
    #expect(try complaint(judged: 100, not: 1, taken: 0.001)?.contains("quiet machine") == true)
    #expect(try complaint(judged: 90, not: 10, taken: 0.002) == nil)
    #expect(try complaint(judged: 88, not: 12, taken: 0.002)?.contains("More than 11 %") == true)
    #expect(try complaint(judged: 70, not: 30, taken: 0.05) == nil)
    #expect(try complaint(judged: 60, not: 40, taken: 0.05)?.contains("More than 35 %") == true)
    #expect(try complaint(judged: 1, not: 99, taken: 0.5)?.contains("More than 90 %") == true)
    #expect(try complaint(judged: 0, not: 0, taken: 0.002) == nil)
  }

  /// A folder in which a script plays `swift` and another plays the thief, and what runs the runner there.
  private func roughRun(
    swift: String, _ body: (_ folder: URL, _ start: ([String]) throws -> Child) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rough-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let thief = "#!/bin/sh\necho $$ \"$@\" > '\(folder.path)/thief-runs'\nexec sleep 600\n"
    for (name, script) in [("swift", "#!/bin/sh\n\(swift)\n"), ("thief", thief)] {
      let program = folder.appending(path: name)
      try script.write(to: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    try body(folder) { arguments in
      try Child(
        Products.path("testrunner"), arguments,
        environment: [
          "PATH": "\(folder.path):\(path)", "JACKSTAY_THIEF": folder.appending(path: "thief").path,
        ])
    }
  }

  /// The words that the thief was started with, its process first.
  private func thief(in folder: URL) -> [String] {
    let text = try? String(contentsOf: folder.appending(path: "thief-runs"), encoding: .utf8)
    return (text ?? "").split(whereSeparator: \.isWhitespace).map { String($0) }
  }

  @Test(arguments: [(["--rough"], []), (["--rough=7"], ["--seed", "7"])])
  func `Beside a rough run is a thief, which ends with it`(flags: [String], seed: [String]) throws {
    try roughRun(swift: "while [ ! -s \"$(dirname \"$0\")/thief-runs\" ]; do sleep 0.01; done; exit 3") {
      folder, start in
      let runner = try start(flags + ["--filter", "All"])
      #expect(try runner.wait() == .exited(1))
      let words = thief(in: folder)
      #expect(Array(words.dropFirst()) == seed)
      #expect(kill(try #require(Int32(words[0])), 0) != 0)
    }
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func `A signal that ends the runner ends the thief and the tests`(signal: Int32) throws {
    try roughRun(swift: "echo $$ > \"$(dirname \"$0\")/swift-runs\"; exec sleep 600") { folder, start in
      let runner = try start(["--rough", "--filter", "All"])
      func tests() -> Int32? {
        let text = try? String(contentsOf: folder.appending(path: "swift-runs"), encoding: .utf8)
        return Int32((text ?? "").split(separator: "\n").first ?? "")
      }
      for _ in 0..<4000 where tests() == nil || thief(in: folder).isEmpty { usleep(5000) }
      let processes = [try #require(tests()), try #require(Int32(thief(in: folder)[0]))]
      runner.signal(signal)
      #expect(try runner.wait() == .exited(128 + signal))
      for process in processes {
        for _ in 0..<2000 where isAlive(process) { usleep(5000) }
        #expect(!isAlive(process))
      }
    }
  }

  private func isAlive(_ process: Int32) -> Bool {
    // Whoever adopted it may be slow to reap it.
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z"
    return !stat.contains(") Z")
  }

  @Test func `A run that breaks off has failed, and who was running is told`() throws {
    for end in [ExitStatus.signalled(SIGSEGV), .exited(0)] {
      let result = try result(of: Run(tests: [(Self.pure, true), (Self.onServer, nil)], end: end))
      #expect(result.status == .exited(1))
      #expect(result.calls.count == 1)
      #expect(result.lines.contains("was running: \(Self.onServer)"))
      #expect(result.lines.last?.hasPrefix("The test run broke off before its end") == true)
    }
  }

  @Test func `A second run that breaks off, or leaves a test out, forgives nothing`() throws {
    let first = Run(tests: [(Self.onServer, false), (Self.onServer + "0", false)], end: .exited(1))
    for second in [
      Run(tests: [(Self.onServer, true)]),
      Run(tests: [(Self.onServer, true), (Self.onServer + "0", nil)], end: .signalled(SIGABRT)),
    ] {
      #expect(try result(of: first, second).status == .exited(1))
    }
  }

  @Test func `A run without a failed test that ends with an error has failed`() throws {
    let result = try result(of: Run(tests: [(Self.pure, true)], end: .exited(3)))
    #expect(result.status == .exited(1))
    #expect(result.lines.contains("No test failed, but swift test exited with code 3."))
    #expect(result.lines.last == Self.passes)
  }

  @Test func `Those that get a second chance are the suites that run alone`() throws {
    let tests = Typechecking.packageRoot.appending(path: "Tests")
    let files = try #require(FileManager.default.enumerator(atPath: tests.path)).compactMap { $0 as? String }
    var suites: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /@Suite\([^\n]*\.alone\b[^\n]*\)\s*(?:struct|enum) (\w+)/) {
        suites.insert("\(file.prefix { $0 != "/" }).\(match.output.1)/")
      }
    }
    #expect(suites.count > 20)
    for suite in suites { #expect(RealServer.isUsed(by: suite), "\(suite)") }
    for prefix in RealServer.prefixes {
      #expect(suites.contains { $0.hasPrefix(prefix) }, "\(prefix)")
    }
  }
}
