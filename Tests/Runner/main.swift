// Runs the tests that have been built, and those again, alone, that failed on a real server or could not judge all
// that is exact: see CONTRIBUTING.md.
//
// usage: testrunner [--rough[=SEED]] [--servers] [ARGUMENT...]
//   --rough[=SEED]   beside the thief, which makes this a bad machine
//   --servers        the tests on real servers alone, in as many processes as with all
//   ARGUMENT         arguments of `swift test`, as --filter PATTERN; with any, all tests run in one process
//
// The last line is the test library's own summary of the last run when there was one process, and otherwise
// "N passed, N failed". Before it is what was not judged, how quiet the machine was, and what failed, with
// all that was recorded of it.
import Foundation
import Glibc
import Synchronization

let voice = Mutex(())

/// Prints whole lines, also from several threads.
func say(_ lines: String...) {
  // Without a buffer: what we print and what our children print is in order.
  let bytes = Array((lines.joined(separator: "\n") + "\n").utf8)
  voice.withLock { _ in
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      rest = rest.dropFirst(max(count, 0))
    }
  }
}

/// Prints the failed tests with all that was recorded of them.
func tell(_ failures: [TestRun.Failure], _ heading: String) {
  guard !failures.isEmpty else { return }
  say("", "\(heading):")
  for failure in failures {
    say("✘ \(failure.test)")
    for issue in failure.issues { say("    " + issue.split(separator: "\n").joined(separator: "\n      ")) }
  }
}

/// Tells of each run that broke off, or that ended with an error though no test failed.
func tellFaults(_ runs: [SwiftTest]) {
  for run in runs {
    if run.run.summary == nil {
      say("")
      for test in run.run.running { say("was running: \(test)") }
      say("The test run broke off before its end: swift test \(run.fault ?? "reported nothing").")
    } else if run.run.failures.isEmpty, let fault = run.fault {
      say("", "No test failed, but swift test \(fault).")
    }
  }
}

/// A pattern that fits these tests and no others.
func pattern(_ tests: [String]) -> String {
  let patterns = tests.map { test in
    test.map { $0.isLetter || $0.isNumber || $0.isWhitespace ? "\($0)" : "\\\($0)" }.joined()
  }
  return "^(\(patterns.joined(separator: "|")))$"
}

/// What the tests were to be run with, without what chose them.
func withoutFilters(_ arguments: [String]) -> [String] {
  var rest: [String] = []
  var words = arguments[...]
  while let word = words.popFirst() {
    if ["--filter", "--skip"].contains(word) {
      _ = words.popFirst()
    } else if !word.hasPrefix("--filter=") && !word.hasPrefix("--skip=") {
      rest.append(word)
    }
  }
  return rest
}

/// What the lanes of one stage gave so far.
final class Runs: Sendable {
  let all = Mutex<[Int: SwiftTest]>([:])
  let ended = DispatchSemaphore(value: 0)
}

/// Runs the tests of some stages, lane by lane.
func run(_ stages: [[Lane]], account: URL) -> [SwiftTest] {
  stages.flatMap { lanes in
    let runs = Runs()
    for (index, lane) in lanes.enumerated() {
      Thread.detachNewThread {
        let run = SwiftTest(lane.arguments, account: account, label: "\(lane.name)| ")
        runs.all.withLock { $0[index] = run }
        runs.ended.signal()
      }
    }
    for _ in lanes { runs.ended.wait() }
    return runs.all.withLock { all in lanes.indices.compactMap { all[$0] } }
  }
}

/// Starts the thief beside this program, as its child.
func startThief(seed: String?) -> pid_t {
  let folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
  let program = ProcessInfo.processInfo.environment["JACKSTAY_THIEF"] ?? folder.appending(path: "thief").path
  switch Offspring.spawn([program] + (seed.map { ["--seed", $0] } ?? [])) {
  case .success(let thief): return thief
  case .failure(let refusal):
    say("testrunner: cannot start \(program) (\(refusal.reason)): build it with swift build --build-tests")
    exit(1)
  }
}

var arguments = Array(CommandLine.arguments.dropFirst())
var thief: pid_t?
Offspring.dieWithUs()
if let rough = arguments.first(where: { $0 == "--rough" || $0.hasPrefix("--rough=") }) {
  arguments.removeAll { $0 == rough }
  thief = startThief(seed: rough.contains("=") ? String(rough.drop { $0 != "=" }.dropFirst()) : nil)
}
let isOnServersAlone = arguments.contains("--servers")
arguments.removeAll { $0 == "--servers" }
let machine = MachineWatch()
var account = Account()

let runs =
  arguments.isEmpty
  ? run(isOnServersAlone ? [Lane.servers] : Lane.stages, account: account.file)
  : [SwiftTest(arguments, account: account.file)]
account.read()
let failed = runs.flatMap(\.run.failures)
let brokeOff = runs.contains { $0.run.summary == nil }

/// The last line, when so many of the tests that failed passed in the end; for a single process what the last of
/// these runs said.
@MainActor func summary(forgiven: Int, after last: [SwiftTest]) -> String? {
  guard runs.count > 1 else { return last.last?.run.summary }
  let ended = runs.reduce(0) { $0 + $1.run.ended.count }
  let skipped = runs.reduce(0) { $0 + $1.run.skipped }
  let lost = runs.reduce(0) { $0 + $1.run.running.count }
  let failures = failed.count + lost - forgiven
  return "\(ended - failed.count + forgiven) passed, \(failures) failed"
    + (skipped > 0 ? ", \(skipped) skipped" : "")
}

/// How many tests may fail alone, too, and pass in the end; and how many may be judged alone in the end.
let mostAlone = 3

/// Runs tests with nothing beside them, and tells which of them passed.
@MainActor func runAlone(_ tests: [String]) -> (run: SwiftTest, passed: [String]) {
  let again = SwiftTest(withoutFilters(arguments) + ["--filter", pattern(tests)], account: account.file)
  account.read()
  let failedAgain = Set(again.run.failures.map(\.test))
  return (again, tests.filter { again.run.ended.contains($0) && !failedAgain.contains($0) })
}

/// Runs those tests once more that could not judge all that is exact, where that is too much, and they are few.
///
/// - Returns: The run, and how many of them did not pass; nil when there was none.
@MainActor func judgeAgain() -> (run: SwiftTest, lost: Int)? {
  let tests = Set(account.unjudged.map(\.test)).sorted()
  guard account.complaint(taken: machine.taken) != nil, tests.count <= mostAlone else { return nil }
  say("")
  for line in account.lines { say(line) }
  say("So little may be the machine's fault: these once more, alone.")
  let (run, passed) = runAlone(tests)
  return (run, tests.count - passed.count)
}

/// Ends with what is to be told at the end of each run, and a code that says whether all is well.
///
/// What failed comes last, right before the summary: where only the end of all that is printed is kept, it is
/// there.
///
/// - Parameters:
///   - isWell: Whether all passed in the end.
///   - forgiven: How many of the tests that failed passed in the end.
///   - last: The last runs.
///   - heading: What is said of those that failed in them.
@MainActor func end(
  _ isWell: Bool, forgiven: Int, after last: [SwiftTest], _ heading: String
) -> Never {
  let again = isWell ? judgeAgain() : nil
  if let thief { Offspring.end(thief) }
  let last = last + (again.map { [$0.run] } ?? [])
  let complaint = account.complaint(taken: machine.taken)
  say("")
  for line in account.lines { say(line) }
  say(machine.account)
  if let complaint { say(complaint) }
  tellFaults(last)
  tell(last.flatMap(\.run.failures), heading)
  if let summary = summary(forgiven: forgiven - (again?.lost ?? 0), after: last) { say(summary) }
  exit(isWell && again?.lost ?? 0 == 0 && again?.run.fault == nil && complaint == nil ? 0 : 1)
}

if brokeOff || failed.isEmpty || !failed.allSatisfy({ RealServer.isUsed(by: $0.test) }) {
  end(!brokeOff && runs.allSatisfy { $0.fault == nil }, forgiven: 0, after: runs, "Failed")
}

tell(failed, "Failed")
say("", "A machine that is busy with other things makes JACK miss deadlines: these once more, alone.")
var (alone, passed) = runAlone(failed.map(\.test))
var forgiven = passed.count
say("")
for test in passed { say("failed under load, passed alone: \(test)") }
let failedAlone = alone.run.failures
if alone.run.summary != nil, passed.count + failedAlone.count == failed.count,
  1...mostAlone ~= failedAlone.count
{
  tell(failedAlone, "Failed again, alone")
  say("", "So few may be the machine's fault, too: these twice more, and they have to pass both times.")
  var times = 0
  repeat {
    (alone, passed) = runAlone(failedAlone.map(\.test))
    times += 1
  } while times < 2 && passed.count == failedAlone.count && alone.fault == nil
  if passed.count == failedAlone.count && alone.fault == nil {
    forgiven += passed.count
    say("")
    for test in passed { say("failed under load and once alone, passed twice alone: \(test)") }
  }
}
end(
  alone.fault == nil && alone.run.summary != nil && forgiven == failed.count, forgiven: forgiven,
  after: [alone], "Failed again, alone")
