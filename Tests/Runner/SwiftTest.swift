import Foundation
import Glibc

/// A call of `swift test`, which leaves an account of what happened.
struct SwiftTest: Sendable {
  /// How the program ended: nil for success, otherwise in words.
  let fault: String?
  /// What its test library told.
  let run: TestRun

  /// Runs tests that have been built, and waits for the end.
  ///
  /// - Parameters:
  ///   - arguments: What `swift test` is to be given besides, as a filter.
  ///   - account: The file in which the tests enter what was judged.
  ///   - label: What each line that it prints begins with; without one, what is printed goes where ours goes.
  init(_ arguments: [String], account: URL, label: String? = nil) {
    let events = FileManager.default.temporaryDirectory.appending(path: "tests-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: events) }
    // Those that run side by side would wait for each other's lock on the build, which none of them changes.
    let words =
      ["swift", "test", "--skip-build", "--ignore-lock", "--disable-xctest", "--event-stream-version", "0"]
      + ["--event-stream-output-path", events.path] + arguments
    fault = Self.call(words, account: account, label: label)
    run = TestRun(eventStream: (try? Data(contentsOf: events)) ?? Data())
  }

  private static func call(_ words: [String], account: URL, label: String?) -> String? {
    var ends: [Int32] = [-1, -1]
    if label != nil, !Offspring.pipe(&ends) {
      return "cannot be started: \(String(cString: strerror(errno)))"
    }
    let child = Offspring.spawn(words, environment: ["JACKSTAY_JUDGED": account.path], output: ends[1])
    if ends[1] >= 0 { close(ends[1]) }
    guard case .success(let process) = child else {
      if ends[0] >= 0 { close(ends[0]) }
      guard case .failure(let error) = child else { return nil }
      return "cannot be started: \(error.reason)"
    }
    if let label, let output = fdopen(ends[0], "r") {
      var line: UnsafeMutablePointer<CChar>?
      var capacity = 0
      while getline(&line, &capacity, output) > 0 {
        if let line { say(label + String(cString: line).trimmingCharacters(in: .newlines)) }
      }
      free(line)
      fclose(output)
    }
    return Offspring.wait(for: process)
  }
}
