// Runs the tests that have been built, and those again, alone, that failed on a real server that missed deadlines, or could
// not judge all that is exact: see Tests/README.md.
//
// usage: testrunner [--rough[=SEED]] [--servers] [ARGUMENT...]
//        testrunner --flakes
//   --rough[=SEED]   beside the thief, which makes this a bad machine
//   --servers        the tests on real servers alone, as many side by side as with all
//   --flakes         print how often which test has failed
//   ARGUMENT         arguments of the tests' program, as --filter PATTERN; with any, all tests run in one process
//
// The last line is the test library's own summary of the last run when there was one process, and otherwise
// "N passed, N failed". Before it are the checks that were not judged, the machine's load, and the failures,
// with all issues.
import Foundation
import Glibc
import Host
import Synchronization

let voice = Mutex(())

/// Prints whole lines, also from several threads.
func say(_ lines: String...) {
  // Without a buffer: this program's output and its children's are in order.
  voice.withLock { _ in
    _ = Descriptor.writeAll((lines.joined(separator: "\n") + "\n").utf8, to: STDOUT_FILENO)
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

/// Reports each run that broke off, or that ended with an error though no test failed.
func tellFaults(_ runs: [TestProcess]) {
  for run in runs {
    if run.run.summary == nil {
      say("")
      for test in run.run.running { say("was running: \(test)") }
      say("The test run broke off before its end: the tests' program \(run.fault ?? "reported nothing").")
    } else if run.run.failures.isEmpty, let fault = run.fault {
      say("", "No test failed, but the tests' program \(fault).")
    }
  }
}

/// The arguments of the tests, without those that chose them.
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

/// The batches that are still to be run, and those that have been.
private final class Queue: Sendable {
  private let state: Mutex<(waiting: ArraySlice<Batch>, done: [(Batch, TestProcess)])>
  private let ended = DispatchSemaphore(value: 0)
  private let places: Int

  /// Begins to run them all, each as soon as one of so many places is free.
  init(_ batches: [Batch], places: Int, account: URL) {
    state = Mutex((batches[...], []))
    self.places = places
    for place in 1...places {
      Thread.detachNewThread { [self] in
        while let batch = state.withLock({ $0.waiting.popFirst() }) {
          let process = TestProcess(
            batch.arguments, account: account, label: "\(batch.label ?? "\(place)")| ", isIdle: batch.isIdle)
          state.withLock { $0.done.append((batch, process)) }
        }
        ended.signal()
      }
    }
  }

  /// Waits for the end of all.
  func wait() -> [(batch: Batch, process: TestProcess)] {
    for _ in 1...places { ended.wait() }
    return state.withLock { $0.done }
  }
}

/// Runs all tests, or those on real servers: the pure ones in the time that the others leave, and those that disturb
/// all others before these.
func runAll(isOnServersAlone: Bool, account: URL) -> [(batch: Batch, process: TestProcess)] {
  guard let tests = TestProcess.list(), tests.contains(where: RealServer.isUsed) else {
    say("testrunner: \(TestProcess.program) lists no tests: build it with swift build --build-tests")
    exit(1)
  }
  let batches = Batch.servers(of: tests, seconds: Ledger.read().seconds)
  let pure = Queue(isOnServersAlone ? [] : [.pure], places: 1, account: account)
  let thief = Queue([.thief], places: 1, account: account).wait()
  return thief + Queue(batches, places: Batch.places, account: account).wait() + pure.wait()
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
if arguments == ["--flakes"] {
  for line in Ledger.read().lines { say(line) }
  exit(0)
}
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

let batches =
  arguments.isEmpty ? runAll(isOnServersAlone: isOnServersAlone, account: account.file) : []
let runs = arguments.isEmpty ? batches.map(\.process) : [TestProcess(arguments, account: account.file)]
account.read()
let failed = runs.flatMap(\.run.failures)
/// Batches of which nothing ran: the program knows no such test, though it has listed it.
let unknown = batches.filter { $0.process.run.isEmpty }.map(\.batch.name)
let brokeOff = !unknown.isEmpty || runs.contains { $0.run.summary == nil }

/// The last line, when so many of the tests that failed passed in the end; for a single process the summary
/// of the last of these runs.
@MainActor func summary(forgiven: Int, after last: [TestProcess]) -> String? {
  guard runs.count > 1 else { return last.last?.run.summary }
  let ended = runs.reduce(0) { $0 + $1.run.ended.count }
  let skipped = runs.reduce(0) { $0 + $1.run.skipped }
  let lost = runs.reduce(unknown.count) { $0 + $1.run.running.count }
  let failures = failed.count + lost - forgiven
  return "\(ended - failed.count + forgiven) passed, \(failures) failed"
    + (skipped > 0 ? ", \(skipped) skipped" : "")
}

/// How many tests may be judged alone in the end.
let mostAlone = 3

/// Runs tests with nothing beside them, and returns those that passed.
@MainActor func runAlone(_ tests: [String]) -> (run: TestProcess, passed: [String]) {
  let choice = ["--filter", Batch.choice(ofWhole: tests)]
  let again = TestProcess(withoutFilters(arguments) + choice, account: account.file)
  account.read()
  let failedAgain = Set(again.run.failures.map(\.test))
  return (again, tests.filter { again.run.ended.contains($0) && !failedAgain.contains($0) })
}

/// When a test began and ended in its last run, all of its cases; nil where it has left no evidence.
@MainActor func span(of test: String) -> (start: Double, end: Double)? {
  let cases = account.evidence(of: test)
  guard let start = cases.map(\.start).min(), let end = cases.map(\.end).max() else { return nil }
  return (start, end)
}

/// Whether too little that is exact was judged, or not at once, in one line; nil if not.
@MainActor func complaint() -> String? {
  account.complaint(taken: machine.taken) { entry in
    span(of: entry.test).map { machine.explains(missed: entry.missed, from: $0.start, to: $0.end) } ?? false
  }
}

/// Runs those tests once more that could not judge all that is exact, where that is too much, and they are few.
///
/// - Returns: The run, and how many of them did not pass; nil when there was none.
@MainActor func judgeAgain() -> (run: TestProcess, lost: Int)? {
  let tests = Set(account.unjudged.map(\.test)).sorted()
  guard complaint() != nil, tests.count <= mostAlone else { return nil }
  say("")
  for line in account.lines { say(line) }
  say("So little may be the machine's fault: these once more, alone.")
  let (run, passed) = runAlone(tests)
  return (run, tests.count - passed.count)
}

/// Ends with the report at the end of each run, and a code for whether all is well.
///
/// Failures come last, right before the summary: where only the end of all that is printed is kept, they are
/// there.
///
/// - Parameters:
///   - isWell: Whether all passed in the end.
///   - forgiven: How many of the tests that failed passed in the end.
///   - last: The last runs.
///   - heading: The heading of those that failed in them.
@MainActor func end(
  _ isWell: Bool, forgiven: Int, after last: [TestProcess], _ heading: String
) -> Never {
  let again = isWell ? judgeAgain() : nil
  if let thief { Offspring.end(thief) }
  let isTooMuch = keepLedger()
  let last = last + (again.map { [$0.run] } ?? [])
  let complaint = complaint()
  say("")
  for line in account.lines { say(line) }
  say(machine.account)
  if let complaint { say(complaint) }
  tellFaults(last)
  for test in unknown { say("", "was not run: \(test)") }
  for line in isTooMuch { say(line) }
  tell(last.flatMap(\.run.failures), heading)
  if let summary = summary(forgiven: forgiven - (again?.lost ?? 0), after: last) { say(summary) }
  exit(
    isWell && again?.lost ?? 0 == 0 && again?.run.fault == nil && complaint == nil
      && isTooMuch.isEmpty ? 0 : 1)
}

/// The facts about a test that failed at first, before it is run again.
@MainActor func trial(of failure: TestRun.Failure) -> Trial {
  let cases = account.evidence(of: failure.test)
  let (start, end) = span(of: failure.test) ?? (0, MachineWatch.now())
  let missed = cases.reduce(0) { $0 + $1.missed }
  return Trial(
    test: failure.test, line: failure.issues.first ?? "", taken: machine.taken(from: start, to: end),
    isExplained: machine.explains(missed: missed, from: start, to: end), missed: missed,
    seconds: cases.reduce(0) { $0 + $1.end - $1.start })
}

/// Keeps the last output of a test's processes, and prints it.
@MainActor func keepEvidence(of failure: TestRun.Failure, _ name: String) {
  let lines = account.evidence(of: failure.test).flatMap { $0.lines() }
  let file = Ledger.keep(([failure.test] + failure.issues + lines).joined(separator: "\n") + "\n", as: name)
  say("", "\(failure.test): kept in \(file)")
  for line in account.evidence(of: failure.test).flatMap({ $0.lines(atMost: 15) }) {
    say("    \(line.prefix(400))")
  }
}

/// Enters into the ledger what ran and what failed.
///
/// - Returns: A line for each test that has been forgiven too often.
@MainActor func keepLedger() -> [String] {
  let ran = runs.flatMap { $0.run.ended }.filter(RealServer.isUsed)
  let commit = Revision.current
  let ledger = Ledger.change { ledger in
    ledger.count(ran)
    ledger.time(Dictionary(batches.map { ($0.batch.name, $0.process.seconds) }) { $1 })
    for trial in trials where RealServer.isUsed(by: trial.test) {
      ledger.enter(trial, commit: commit, date: Revision.date)
    }
  }
  return trials.filter(\.isForgiven).compactMap { trial in
    let (flakes, runs) = ledger.forgiven(trial.test)
    guard SecondChance.isTooMuch(flakes, in: runs) else { return nil }
    return "forgiven too often, \(flakes) times in \(runs) runs, which is a fault: \(trial.test)"
  }
}

var trials = failed.map(trial)
tell(failed, "Failed")
for (number, failure) in failed.enumerated() { keepEvidence(of: failure, "\(number)") }
if !failed.isEmpty { say("") }
for trial in trials {
  guard let refusal = trial.refusal else { continue }
  say("no second chance, since \(refusal): \(trial.test)")
}
if brokeOff || failed.isEmpty || trials.contains(where: { $0.refusal != nil }) {
  end(
    !brokeOff && failed.isEmpty && runs.allSatisfy { $0.fault == nil }, forgiven: 0, after: runs, "Failed")
}

say("The machine was not quiet, and JACK missed deadlines: each of these \(SecondChance.times) times, alone.")
var left = SecondChance.budget
var last: [TestProcess] = []
for index in trials.indices.sorted(by: { trials[$0].seconds < trials[$1].seconds }) {
  let test = trials[index].test
  guard trials[index].seconds * Double(SecondChance.times) <= left else {
    say("takes too long to be shown to be well: \(test)")
    continue
  }
  while trials[index].outcomes.count < SecondChance.times {
    let (again, passed) = runAlone([test])
    left -= again.seconds
    trials[index].outcomes.append(!passed.isEmpty && again.fault == nil && again.run.summary != nil)
    guard trials[index].outcomes.last == false || trials[index].isForgiven else { continue }
    last.append(again)
    for failure in again.run.failures { keepEvidence(of: failure, "\(index)-again") }
    break
  }
  let (times, isForgiven) = (trials[index].outcomes.count, trials[index].isForgiven)
  say(
    isForgiven
      ? "failed under load, passed \(times) times alone: \(test)"
      : "failed again, alone, the \(times)th time: \(test)")
}
let forgiven = trials.count { $0.isForgiven }
end(forgiven == trials.count, forgiven: forgiven, after: last, "Failed again, alone")
