import Foundation
import Glibc

/// A run of the tests' program, which leaves an account of what happened.
struct TestProcess: Sendable {
  /// How the program ended: nil for success, otherwise in words.
  let fault: String?
  /// The test library's report.
  let run: TestRun
  /// How long it took, in seconds.
  let seconds: Double

  /// The program with all tests that have been built; it lies beside this one.
  static let program: String = {
    if let other = ProcessInfo.processInfo.environment["JACKSTAY_TESTS"] { return other }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: own).deletingLastPathComponent()
      .appending(path: "JackstayPackageTests.xctest").path
  }()

  private static let words = [program, "--testing-library", "swift-testing"]

  /// The identifiers of all tests, without their places in the source; nil when the program does not list
  /// them.
  static func list() -> [String]? {
    Offspring.output(of: words + ["--list-tests"])?.split(separator: "\n").map(String.init)
  }

  /// Runs tests, and waits for the end.
  ///
  /// - Parameters:
  ///   - arguments: Further arguments of the program, as a filter.
  ///   - account: The file in which the tests enter their judgements and evidence.
  ///   - label: The beginning of each line that it prints; nil where all of it is printed as it comes.
  ///   - isIdle: Whether it runs only while no other program wants the core.
  init(_ arguments: [String], account: URL, label: String? = nil, isIdle: Bool = false) {
    let events = FileManager.default.temporaryDirectory.appending(path: "tests-\(UUID().uuidString).jsonl")
    defer { try? FileManager.default.removeItem(at: events) }
    let words =
      Self.words + ["--event-stream-version", "0", "--event-stream-output-path", events.path] + arguments
    let start = MachineWatch.now()
    fault = Self.call(words, account: account, label: label, isIdle: isIdle)
    seconds = MachineWatch.now() - start
    run = TestRun(eventStream: (try? Data(contentsOf: events)) ?? Data())
  }

  private static func call(_ words: [String], account: URL, label: String?, isIdle: Bool) -> String? {
    let isPiped = label != nil || isatty(STDOUT_FILENO) == 0
    var ends: [Int32] = [-1, -1]
    if isPiped, !Offspring.pipe(&ends) { return "cannot be started: \(String(cString: strerror(errno)))" }
    let child = Offspring.spawn(
      words, environment: ["JACKSTAY_JUDGED": account.path], output: ends[1], isIdle: isIdle)
    if ends[1] >= 0 { close(ends[1]) }
    switch child {
    case .failure(let refusal):
      if ends[0] >= 0 { close(ends[0]) }
      return "cannot be started: \(refusal.reason)"
    case .success(let process):
      if isPiped { echo(ends[0], label) }
      return Offspring.wait(for: process)
    }
  }

  /// Prints output as it comes, without colours; of a labelled process, without the lines around each of its
  /// tests.
  private static func echo(_ descriptor: Int32, _ label: String?) {
    guard let output = fdopen(descriptor, "r") else { return }
    var line: UnsafeMutablePointer<CChar>?
    var capacity = 0
    while getline(&line, &capacity, output) > 0 {
      guard let line else { continue }
      let text = String(cString: line).trimmingCharacters(in: .newlines)
        .replacing(/\u{1B}\[[0-9;]*m/, with: "")
      if label == nil || !frame.contains(where: text.hasPrefix) { say((label ?? "") + text) }
    }
    free(line)
    fclose(output)
  }

  /// How lines begin that each process prints alike.
  private static let frame = ["◇ Test run", "↳ ", "◇ Suite", "✔ Suite", "✔ Test run", "◇ Test case"]
}
