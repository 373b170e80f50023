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

    var summary: String { tests.allSatisfy { $0.passes == true } ? RunnerTests.passes : RunnerTests.fails }
    var isWhole: Bool { tests.allSatisfy { $0.passes != nil } }

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

  /// Has the runner run what is said to happen, one after the other.
  private func result(of runs: Run..., arguments: [String] = []) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "runner-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (index, run) in runs.enumerated() {
      try run.events.write(to: folder.appending(path: "events-\(index)"), atomically: true, encoding: .utf8)
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
      number=$(ls | grep -c '^words-')
      printf '%s\\n' "$@" > words-$number
      while [ "$1" != --event-stream-output-path ]; do shift; done
      cat events-$number > "$2"
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
    #expect(result.lines == [Self.passes])
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

  @Test func `A test on a real server that fails twice has failed`() throws {
    let failing = Run(tests: [(Self.onServer, false)], end: .exited(1))
    let result = try result(of: failing, failing)
    #expect(result.status == .exited(1))
    #expect(result.lines.contains("Failed again, alone:"))
    #expect(!result.lines.contains { $0.contains("passed alone") })
    #expect(result.lines.last == Self.fails)
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

  @Test func `Many failures at once are not the machine's`() throws {
    let tests = (0..<9).map { number in (id: Self.onServer + "\(number)", passes: false as Bool?) }
    let result = try result(of: Run(tests: tests, end: .exited(1)))
    #expect(result.status == .exited(1))
    #expect(result.calls.count == 1)
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
