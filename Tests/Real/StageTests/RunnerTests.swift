import Foundation
import Stage
import Testing
import Typechecking

import enum Stage.ExitStatus

@testable import testrunner

/// The verdict of `make test` on a run of the tests; a script plays the tests' program.
@Suite(.serialized, .alone) struct RunnerTests {
  private static let onServer = "IntegrationTests.LaunchTests/`It (really) starts`()/LaunchTests.swift:9:4"
  private static let pure = "MusicalTimeTests.MeterTests/roundTrip(text:)/MeterTests.swift:5:4"
  private static let passes = "✔ Test run with 2 tests in 2 suites passed after 1.000 seconds."
  private static let fails = "✘ Test run with 2 tests in 2 suites failed after 1.000 seconds with 1 issue."

  /// One run of the tests, in the events of their program.
  private struct Run {
    /// The tests of the run, and whether each passes; nil for one that does not end.
    var tests: [(id: String, passes: Bool?)]
    /// How the script ends: an exit code, or a signal it sends itself.
    var end = ExitStatus.exited(0)
    /// The first test's entries in the account: whether something exact could be judged.
    var judged: [Bool] = []
    /// How many deadlines the servers of each test have missed.
    var missed = 0
    /// How long a test took, unless it was two seconds.
    var seconds: [String: Double] = [:]

    var summary: String { tests.allSatisfy { $0.passes == true } ? RunnerTests.passes : RunnerTests.fails }
    var isWhole: Bool { tests.allSatisfy { $0.passes != nil } }

    var entries: String {
      (judged.enumerated().map { number, isJudged in
        #"{"test":"\#(tests[0].id)","check":"the \#(number)th","isJudged":\#(isJudged),"attempts":2,"#
          + #""disturbed":1,"missed":3}"#
      }
        + tests.map { id, _ in
          #"{"test":"\#(id)","start":10,"end":\#(10 + (seconds[id] ?? 2)),"missed":\#(missed),"processes":["#
            + #"{"command":"jackstay --tempo 120","end":"ended by signal 11","lines":["its last words"]}]}"#
        }).map { $0 + "\n" }.joined()
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

  /// The result of a run.
  private struct Result {
    let status: ExitStatus
    let lines: [String]
    /// The arguments of each call of the tests' program, but for its list.
    let calls: [[String]]
    /// How the kernel schedules the pure tests: 5 is SCHED_IDLE.
    let policy: String?
  }

  /// Has the runner run the given runs, one after the other, in one process each unless no arguments are
  /// given.
  private func result(of runs: Run..., arguments: [String] = ["--filter", "All"]) throws -> Result {
    try result(of: runs, arguments: arguments)
  }

  /// So many runs as a test that has failed needs to pass.
  private static func ten(_ run: Run) -> [Run] { [Run](repeating: run, count: SecondChance.times) }

  private func inFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "runner-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  private func result(of runs: [Run], arguments: [String], taken: Double = 0.05) throws -> Result {
    var result: Result?
    try inFolder { result = try self.result(of: runs, arguments: arguments, taken: taken, in: $0) }
    return try #require(result)
  }

  /// The same in a folder that may have a ledger already.
  private func result(
    of runs: [Run], arguments: [String], taken: Double = 0.05, in ledger: URL
  ) throws -> Result {
    let folder = ledger.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (index, run) in runs.enumerated() {
      try run.events.write(to: folder.appending(path: "events-\(index)"), atomically: true, encoding: .utf8)
      try run.entries.write(to: folder.appending(path: "judged-\(index)"), atomically: true, encoding: .utf8)
      let end =
        switch run.end {
        case .exited(let code): "exit \(code)"
        case .signalled(let signal): "kill -\(signal) $$"
        }
      let script = "\(run.isWhole ? "echo '\(run.summary)'" : "echo half a li")\n\(end)\n"
      try script.write(to: folder.appending(path: "end-\(index)"), atomically: true, encoding: .utf8)
    }
    try Self.listed.joined(separator: "\n").write(
      to: folder.appending(path: "list"), atomically: true, encoding: .utf8)
    let script = """
      #!/bin/sh
      cd '\(folder.path)'
      [ "$3" != --list-tests ] || exec cat list
      number=0
      while ! mkdir call-$number 2> /dev/null; do number=$((number + 1)); done
      printf '%s\\n' "$@" > words-$number
      case "$*" in *--skip*) sleep 0.2; cut -d ' ' -f 41 /proc/$$/stat > policy ;; esac
      while [ "$1" != --event-stream-output-path ]; do shift; done
      cat events-$number > "$2"
      cat judged-$number >> "$JACKSTAY_JUDGED"
      . ./end-$number
      """
    let program = folder.appending(path: "tests")
    try script.write(to: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    let child = try Child(
      Products.path("testrunner"), arguments,
      environment: [
        "JACKSTAY_TESTS": program.path, "JACKSTAY_TAKEN": "\(taken)",
        "JACKSTAY_LEDGER": ledger.appending(path: "flakes").path,
      ])
    let status = try child.wait()
    let calls = (0..<40).compactMap { number in
      try? String(contentsOf: folder.appending(path: "words-\(number)"), encoding: .utf8)
    }
    return Result(
      status: status, lines: child.lines(),
      calls: calls.map { $0.split(separator: "\n").map { String($0) } },
      policy: try? String(contentsOf: folder.appending(path: "policy"), encoding: .utf8))
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
    #expect(result.calls.first?.prefix(2) == ["--testing-library", "swift-testing"])
    #expect(result.calls.first?.suffix(2) == ["--filter", "Meter"])
  }

  @Test func `A test whose servers missed deadlines beside others passes ten times alone, and is forgiven`()
    throws
  {
    let first = Run(tests: [(Self.onServer, false), (Self.pure, true)], end: .exited(1), missed: 2)
    let result = try result(
      of: [first] + Self.ten(Run(tests: [(Self.onServer, true)])),
      arguments: ["--skip", "Slow", "--no-parallel", "--filter=All"])
    #expect(result.status.isSuccess, "\(result.lines)")
    #expect(result.lines.last == Self.passes)
    #expect(result.lines.contains("    A/B.swift:7: Expectation failed: \(Self.onServer.count)"))
    #expect(result.lines.contains("failed under load, passed 10 times alone: \(Self.onServer)"))
    #expect(result.calls.count == 11)
    for call in result.calls.dropFirst() {
      #expect(call.contains("--no-parallel"))
      #expect(!call.contains("--skip") && !call.contains("--filter=All"))
      let pattern = try Regex(#require(call.last))
      #expect(try pattern.wholeMatch(in: Self.onServer) != nil)
      #expect(try pattern.firstMatch(in: Self.onServer + "0") == nil)
      #expect(try pattern.firstMatch(in: "Other" + Self.onServer) == nil)
    }
  }

  @Test(arguments: [1, 5, 10]) func `A test that fails once of ten times alone has failed`(failing: Int)
    throws
  {
    let fails = Run(tests: [(Self.onServer, false)], end: .exited(1), missed: 2)
    let passes = [Run](repeating: Run(tests: [(Self.onServer, true)]), count: failing - 1)
    let result = try result(of: [fails] + passes + [fails], arguments: ["--filter", "All"])
    #expect(result.status == .exited(1))
    #expect(result.calls.count == 1 + failing)
    #expect(result.lines.contains("failed again, alone, the \(failing)th time: \(Self.onServer)"))
    #expect(result.lines.contains("Failed again, alone:"))
    #expect(result.lines.last == Self.fails)
  }

  @Test func `A failed test gets no second chance on a quiet machine, nor where no deadline was missed`()
    throws
  {
    for (taken, missed, reason) in [
      (0.0, 5, "the machine was quiet"), (0.1, 0, "its servers missed no deadline"),
    ] {
      let result = try result(
        of: [Run(tests: [(Self.onServer, false)], end: .exited(1), missed: missed)],
        arguments: ["--filter", "All"], taken: taken)
      #expect(result.status == .exited(1))
      #expect(result.calls.count == 1)
      #expect(result.lines.contains("no second chance, since \(reason): \(Self.onServer)"))
      #expect(result.lines.last == Self.fails)
    }
  }

  @Test func `A test whose second chance would take longer than there is time for has failed`() throws {
    // Beside it one that is quick has its ten runs.
    let other = Self.onServer + "0"
    let result = try result(
      of: [
        Run(
          tests: [(Self.onServer, false), (other, false)], end: .exited(1), missed: 2,
          seconds: [Self.onServer: 100])
      ] + Self.ten(Run(tests: [(other, true)])), arguments: ["--filter", "All"])
    #expect(result.status == .exited(1))
    #expect(result.calls.count == 11)
    #expect(result.lines.contains("takes too long to be shown to be well: \(Self.onServer)"))
    #expect(result.lines.contains("failed under load, passed 10 times alone: \(other)"))
  }

  @Test func `A pure test that fails gets no second chance, and none beside it does`() throws {
    let result = try result(
      of: Run(tests: [(Self.pure, false), (Self.onServer, false)], end: .exited(1), missed: 2))
    #expect(result.status == .exited(1))
    #expect(result.calls.count == 1)
    #expect(
      result.lines.filter { $0.hasPrefix("✘ ") } == [
        Self.fails, "✘ \(Self.pure)", "✘ \(Self.onServer)", "✘ \(Self.pure)", "✘ \(Self.onServer)",
        Self.fails,
      ])
    #expect(result.lines.last == Self.fails)
  }

  @Test func `The evidence of each failure is printed and kept, also of one that is forgiven`() throws {
    let first = Run(tests: [(Self.onServer, false)], end: .exited(1), missed: 2)
    try inFolder { folder in
      let result = try result(
        of: [first] + Self.ten(Run(tests: [(Self.onServer, true)])), arguments: ["--filter", "All"],
        in: folder)
      #expect(result.status.isSuccess)
      let evidence = folder.appending(path: "flakes/evidence")
      let files = try FileManager.default.contentsOfDirectory(atPath: evidence.path)
      #expect(files.count == 1)
      let text = try String(contentsOf: evidence.appending(path: files[0]), encoding: .utf8)
      for line in [
        Self.onServer, "A/B.swift:7: Expectation failed: \(Self.onServer.count)", "2.0 s, 2 missed deadlines",
        "jackstay --tempo 120: ended by signal 11", "    its last words",
      ] {
        #expect(text.split(separator: "\n").contains { $0 == line }, "\(line) in \(text)")
        #expect(result.lines.contains { $0.contains(line) }, "\(line)")
      }
    }
  }

  /// In how many of some runs in which a test has failed `make test` is red, where the test fails in a fifth of its runs.
  private func red(of runs: Int, taken: Double, missed: Int) throws -> Int {
    var coin = Coin(state: 1)
    var red = 0
    try inFolder { folder in
      for _ in 0..<runs {
        let first = Run(tests: [(Self.onServer, false)], end: .exited(1), missed: missed)
        let again = (0..<10).map { _ in
          coin.falls(0.2)
            ? Run(tests: [(Self.onServer, false)], end: .exited(1))
            : Run(tests: [(Self.onServer, true)])
        }
        let result = try result(
          of: [first] + again, arguments: ["--filter", "All"], taken: taken, in: folder)
        if !result.status.isSuccess { red += 1 }
      }
    }
    return red
  }

  private struct Coin {
    var state: UInt64
    mutating func falls(_ share: Double) -> Bool {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Double(state >> 11) / Double(1 << 53) < share
    }
  }

  @Test
  func `A fault that shows in a fifth of a test's runs is red in nine tenths of those in which it has shown`()
    throws
  {
    #expect(try red(of: 5, taken: 0, missed: 2) == 5)
    #expect(try red(of: 5, taken: 0.1, missed: 0) == 5)
    // Here the ten runs find it with 0.89, and the ledger the rest.
    #expect(try red(of: 50, taken: 0.1, missed: 2) >= 45)
  }

  @Test func `A test that is forgiven too often is red, and the ledger has all that is known of it`() throws {
    try inFolder { folder in
      let first = Run(tests: [(Self.onServer, false)], end: .exited(1), missed: 2)
      let forgiven = [first] + Self.ten(Run(tests: [(Self.onServer, true)]))
      #expect(try result(of: forgiven, arguments: ["--filter", "All"], in: folder).status.isSuccess)
      let second = try result(of: forgiven, arguments: ["--filter", "All"], in: folder)
      #expect(second.status == .exited(1))
      #expect(
        second.lines.contains(
          "forgiven too often, 2 times in 2 runs, which is a fault: \(Self.onServer)"))
      let rates = try result(of: [], arguments: ["--flakes"], in: folder)
      #expect(rates.status.isSuccess && rates.calls.isEmpty)
      #expect(
        rates.lines.first == "100.0 %: 2 of 2 runs failed, 2 forgiven, too many: \(Self.listed[0])")
      #expect(
        rates.lines.last?.hasSuffix(
          "5.0 % taken, 2 missed, again ✔✔✔✔✔✔✔✔✔✔: A/B.swift:7: Expectation failed: \(Self.onServer.count)")
          == true, "\(rates.lines)")
    }
  }

  @Test func `More than a fiftieth is distinguished from chance`() {
    for (flakes, runs, isTooMuch) in [
      (1, 1, false), (2, 2, true), (2, 26, true), (2, 27, false), (3, 50, true), (3, 60, false),
      (8, 200, true),
      (6, 200, false), (4, 200, false),
    ] {
      #expect(SecondChance.isTooMuch(flakes, in: runs) == isTooMuch, "\(flakes) of \(runs)")
    }
  }

  /// Tests on real servers, as the tests' program lists them.
  private static let listed = [
    "IntegrationTests.LaunchTests/`It (really) starts`()", "StageTests.ChildTests/a()",
    "IntegrationTests.ArmedTests/a()",
  ]
  /// How many processes run these: the pure tests and the thief's have one each.
  private static let processes = listed.count + 2

  @Test func `Without a choice each test on a real server has a process, and the last line is their sum`()
    throws
  {
    let count = Self.processes
    let run = Run(tests: [(Self.onServer, true), (Self.pure, true)], judged: [true])
    let first = [Run](repeating: run, count: count - 1)
    let all = try result(of: first + [run], arguments: [])
    #expect(all.calls.count == count)
    #expect(all.status.isSuccess, "\(all.lines)")
    #expect(all.lines.last == "\(2 * count) passed, 0 failed")
    // The pure ones have what the others leave.
    #expect(all.policy == "5\n")
    // Each test is chosen once.
    for test in [
      Self.onServer, Self.pure, "StageTests.ChildTests/a()/ChildTests.swift:1:1",
      "IntegrationTests.ArmedTests/a()/ArmedTests.swift:1:1",
      "StageTests.ThiefTests/a()/ThiefTests.swift:1:1",
    ] {
      let choosing = try all.calls.filter { try isChosen(test, by: $0) }
      #expect(choosing.count == 1, "\(test): \(choosing)")
    }

    let failing = Run(tests: [(Self.onServer, false), (Self.pure, true)], end: .exited(1), missed: 1)
    let forgiven = try result(
      of: first + [failing] + Self.ten(Run(tests: [(Self.onServer, true)])), arguments: [])
    #expect(forgiven.status.isSuccess)
    #expect(forgiven.lines.last == "\(2 * count) passed, 0 failed")
    let again = Run(tests: [(Self.onServer, false)], end: .exited(1))
    let failed = try result(of: first + [failing, again], arguments: [])
    #expect(failed.status == .exited(1))
    #expect(failed.lines.last == "\(2 * count - 1) passed, 1 failed")
    let broken = Run(tests: [(Self.onServer, nil)], end: .signalled(SIGSEGV))
    let lost = try result(of: first + [broken], arguments: [])
    #expect(lost.status == .exited(1) && lost.calls.count == count)
    #expect(lost.lines.last == "\(2 * count - 2) passed, 1 failed")
    // A process that finds none of its tests has not passed.
    let none = try result(of: first + [Run(tests: [])], arguments: [])
    #expect(none.status == .exited(1))
    #expect(none.lines.contains { $0.hasPrefix("was not run: ") })
    #expect(none.lines.last == "\(2 * count - 2) passed, 1 failed")
  }

  @Test func `The tests on real servers can be run without the others`() throws {
    let run = Run(tests: [(Self.onServer, true)])
    let count = Self.processes - 1
    let servers = try result(of: [Run](repeating: run, count: count), arguments: ["--servers"])
    #expect(servers.status.isSuccess && servers.calls.count == count)
    #expect(servers.lines.last == "\(count) passed, 0 failed")
    for (test, count) in [
      (Self.onServer, 1), ("IntegrationTests.ArmedTests/a()/ArmedTests.swift:1:1", 1), (Self.pure, 0),
    ] {
      #expect(try servers.calls.filter { try isChosen(test, by: $0) }.count == count, "\(test)")
    }
  }

  @Test func `A test that took long the last time begins first, and a new one begins last`() {
    let tests = Self.listed + [Self.pure, "StageTests.ThiefTests/a()"]
    let names = Batch.servers(of: tests, seconds: [Self.listed[1]: 9, Self.listed[2]: 40]).map(\.name)
    #expect(names == [Self.listed[2], Self.listed[1], Self.listed[0]])
    var ledger = Ledger()
    ledger.time(["a": 10])
    ledger.time(["a": 20, "b": 1])
    #expect(ledger.seconds == ["a": 15, "b": 1])
  }

  /// Whether the tests' program would run a test, by its filters.
  private func isChosen(_ test: String, by words: [String]) throws -> Bool {
    func matches(_ flag: String) throws -> Bool? {
      guard let place = words.firstIndex(of: flag) else { return nil }
      return try Regex(words[place + 1]).firstMatch(in: test) != nil
    }
    return try matches("--filter") ?? true && !(matches("--skip") ?? false)
  }

  @Test
  func
    `A check that could not be judged is reported, and a second run's account takes the first one's place`()
    throws
  {
    let first = Run(
      tests: [(Self.onServer, false)], end: .exited(1), judged: [Bool](repeating: true, count: 20) + [false],
      missed: 1)
    let second = Run(tests: [(Self.onServer, true)], judged: [Bool](repeating: true, count: 19) + [false])
    let result = try result(of: [first] + Self.ten(second), arguments: ["--filter", "All"])
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

    let count = Self.processes
    let all = try result(of: [Run](repeating: none, count: count) + [failing], arguments: [])
    #expect(all.status == .exited(1))
    #expect(all.lines.last == "\(count - 1) passed, 1 failed")
  }

  @Test func `On a quiet machine all has to be judged, on another as much as others leave time for`() throws {
    func complaint(judged: Int, not: Int, taken: Double, isExplained: Bool = false) throws -> String? {
      var account = Account()
      let entries = [Bool](repeating: true, count: judged) + [Bool](repeating: false, count: not)
      try Data(Run(tests: [(Self.onServer, true)], judged: entries).entries.utf8).write(to: account.file)
      account.read()
      #expect(account.unjudged.count == not)
      return account.complaint(taken: taken) { _ in isExplained }
    }
    #expect(try complaint(judged: 100, not: 0, taken: 0) == nil)
    #expect(try complaint(judged: 100, not: 1, taken: 0.001)?.contains("quiet machine") == true)
    #expect(try complaint(judged: 100, not: 1, taken: 0.001, isExplained: true) == nil)
    #expect(
      try complaint(judged: 85, not: 15, taken: 0.001, isExplained: true)?.contains("More than 11 %") == true)
    #expect(try complaint(judged: 90, not: 10, taken: 0.002) == nil)
    #expect(try complaint(judged: 88, not: 12, taken: 0.002)?.contains("More than 11 %") == true)
    #expect(try complaint(judged: 70, not: 30, taken: 0.05) == nil)
    #expect(try complaint(judged: 60, not: 40, taken: 0.05)?.contains("More than 35 %") == true)
    #expect(try complaint(judged: 1, not: 99, taken: 0.5)?.contains("More than 90 %") == true)
    #expect(try complaint(judged: 0, not: 0, taken: 0.002) == nil)
  }

  @Test
  func
    `A check that is tried again though no deadline was missed is a fault, also where it is right in the end`()
    throws
  {
    func complaint(attempts: Int, disturbed: Int, missed: Int, isJudged: Bool = true) throws -> String? {
      var account = Account()
      let entry =
        #"{"test":"\#(Self.onServer)","check":"a","isJudged":\#(isJudged),"attempts":\#(attempts),"#
        + #""disturbed":\#(disturbed),"missed":\#(missed)}"#
      try Data(entry.utf8).write(to: account.file)
      account.read()
      // A later run does not undo it.
      try Data(Run(tests: [(Self.onServer, true)], judged: [true]).entries.utf8).write(to: account.file)
      account.read()
      return account.complaint(taken: 0.1) { _ in true }
    }
    #expect(try complaint(attempts: 1, disturbed: 0, missed: 0) == nil)
    #expect(try complaint(attempts: 2, disturbed: 0, missed: 0)?.contains("tried again") == true)
    #expect(try complaint(attempts: 3, disturbed: 1, missed: 0)?.contains("tried again") == true)
    #expect(try complaint(attempts: 3, disturbed: 2, missed: 0) == nil)
    #expect(try complaint(attempts: 2, disturbed: 0, missed: 1) == nil)
    #expect(try complaint(attempts: 3, disturbed: 2, missed: 0, isJudged: false)?.contains("tried") == true)
    #expect(try complaint(attempts: 3, disturbed: 3, missed: 0, isJudged: false) == nil)
  }

  /// A folder in which one script plays the tests' program and another the thief, and what runs the runner there.
  private func roughRun(
    tests: String, _ body: (_ folder: URL, _ start: ([String]) throws -> Child) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "rough-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let thief = "#!/bin/sh\necho $$ \"$@\" > '\(folder.path)/thief-runs'\nexec sleep 600\n"
    for (name, script) in [("tests", "#!/bin/sh\n\(tests)\n"), ("thief", thief)] {
      let program = folder.appending(path: name)
      try script.write(to: program, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }
    try body(folder) { arguments in
      try Child(
        Products.path("testrunner"), arguments,
        environment: [
          "JACKSTAY_TESTS": folder.appending(path: "tests").path,
          "JACKSTAY_THIEF": folder.appending(path: "thief").path,
          "JACKSTAY_LEDGER": folder.appending(path: "flakes").path,
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
    try roughRun(tests: "while [ ! -s \"$(dirname \"$0\")/thief-runs\" ]; do sleep 0.01; done; exit 3") {
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
    try roughRun(tests: "echo $$ > \"$(dirname \"$0\")/tests-run\"; exec sleep 600") { folder, start in
      let runner = try start(["--rough", "--filter", "All"])
      func tests() -> Int32? {
        let text = try? String(contentsOf: folder.appending(path: "tests-run"), encoding: .utf8)
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
    // The process that adopted it may be slow to reap it.
    let stat = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ") Z"
    return !stat.contains(") Z")
  }

  @Test func `A run that breaks off has failed, and the test that was running is reported`() throws {
    for end in [ExitStatus.signalled(SIGSEGV), .exited(0)] {
      let result = try result(of: Run(tests: [(Self.pure, true), (Self.onServer, nil)], end: end))
      #expect(result.status == .exited(1))
      #expect(result.calls.count == 1)
      #expect(result.lines.contains("was running: \(Self.onServer)"))
      #expect(result.lines.last?.hasPrefix("The test run broke off before its end") == true)
    }
  }

  @Test func `A second run that breaks off, or leaves the test out, forgives nothing`() throws {
    let first = Run(tests: [(Self.onServer, false)], end: .exited(1), missed: 1)
    let passes = Run(tests: [(Self.onServer, true)])
    for second in [
      Run(tests: [(Self.pure, true)]), Run(tests: [(Self.onServer, nil)], end: .signalled(SIGABRT)),
      Run(tests: [(Self.onServer, true)], end: .exited(1)),
    ] {
      #expect(try result(of: first, passes, second).status == .exited(1))
    }
  }

  @Test func `A run without a failed test that ends with an error has failed`() throws {
    let result = try result(of: Run(tests: [(Self.pure, true)], end: .exited(3)))
    #expect(result.status == .exited(1))
    #expect(result.lines.contains("No test failed, but the tests' program exited with code 3."))
    #expect(result.lines.last == Self.passes)
  }

  @Test func `Those that get a second chance are the suites that run alone`() throws {
    let tests = Typechecking.packageRoot.appending(path: "Tests/Real")
    let files = try #require(FileManager.default.enumerator(atPath: tests.path)).compactMap { $0 as? String }
    var suites: Set<String> = []
    for file in files where file.hasSuffix(".swift") {
      let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
      for match in text.matches(of: /@Suite\([^\n]*\.alone\b[^\n]*\)\s*(?:struct|enum) (\w+)/) {
        suites.insert("\(file.split(separator: "/")[0]).\(match.output.1)/")
      }
    }
    #expect(suites.count > 20)
    for suite in suites { #expect(RealServer.isUsed(by: suite), "\(suite)") }
    for prefix in RealServer.prefixes {
      #expect(suites.contains { $0.hasPrefix(prefix) }, "\(prefix)")
    }
  }
}
