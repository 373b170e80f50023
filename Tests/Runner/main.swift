// Runs the tests that have been built, and those that failed on a real server once more, alone: see CONTRIBUTING.md.
//
// usage: testrunner [ARGUMENT...]     arguments of `swift test`, as --filter PATTERN
//
// The last line is the test library's own summary of the last run; before it is what failed, once more.
import Foundation
import Glibc

/// More failures than these are not the machine's.
let mostForgiven = 8

func say(_ lines: String...) {
  print(lines.joined(separator: "\n"))
  fflush(nil)  // what we print and what our children print is in order
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

/// Ends with the summary of a run, and a code that says whether all is well.
func end(_ run: SwiftTest, isWell: Bool) -> Never {
  if run.run.summary == nil {
    say("")
    for test in run.run.running { say("was running: \(test)") }
    say("The test run broke off before its end: swift test \(run.fault ?? "reported nothing").")
  } else if run.run.failures.isEmpty, let fault = run.fault {
    say("", "No test failed, but swift test \(fault).")
  }
  if let summary = run.run.summary { say(summary) }
  exit(isWell ? 0 : 1)
}

/// A pattern that fits these tests and no others.
func pattern(_ failures: [TestRun.Failure]) -> String {
  let tests = failures.map { failure in
    failure.test.map { $0.isLetter || $0.isNumber || $0.isWhitespace ? "\($0)" : "\\\($0)" }.joined()
  }
  return "^(\(tests.joined(separator: "|")))$"
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

let arguments = Array(CommandLine.arguments.dropFirst())
let first = SwiftTest(arguments)
let failed = first.run.failures
if first.run.summary != nil, first.fault == nil { exit(0) }
tell(failed, "Failed")
guard first.run.summary != nil, !failed.isEmpty, failed.count <= mostForgiven,
  failed.allSatisfy({ RealServer.isUsed(by: $0.test) })
else { end(first, isWell: false) }

say("", "A machine that is busy with other things makes JACK miss deadlines: these once more, alone.")
let second = SwiftTest(withoutFilters(arguments) + ["--filter", pattern(failed)])
let failedAgain = Set(second.run.failures.map(\.test))
let passed = failed.filter { second.run.ended.contains($0.test) && !failedAgain.contains($0.test) }
tell(second.run.failures, "Failed again, alone")
say("")
for test in passed { say("failed under load, passed alone: \(test.test)") }
end(second, isWell: second.fault == nil && second.run.summary != nil && passed.count == failed.count)
