import Foundation

/// How one run of the tests went, by its event stream.
struct TestRun: Sendable {
  /// A test that failed.
  struct Failure: Sendable {
    /// Module, suites, function and place, as `swift test --filter` takes it.
    let test: String
    /// The issues, each with its file and line.
    let issues: [String]
  }

  /// The tests that have ended, without suites.
  private(set) var ended: Set<String> = []
  /// The tests that have begun and not ended: with a run that broke off, those that were running.
  private(set) var running: [String] = []
  /// The tests that failed, in the order of their ends.
  private(set) var failures: [Failure] = []
  /// How many tests were left out.
  private(set) var skipped = 0
  /// The test library's own last line; nil when the run broke off.
  private(set) var summary: String?

  /// Whether it knew of no test, and left none out.
  var isEmpty: Bool { ended.isEmpty && running.isEmpty && skipped == 0 }

  /// Reads an event stream.
  ///
  /// - Parameter stream: One JSON object in each line; a last line that is not whole is left out.
  init(eventStream stream: Data) {
    var functions: Set<String> = []
    var issues: [String: [String]] = [:]
    for line in stream.split(separator: UInt8(ascii: "\n")) {
      guard let record = try? JSONDecoder().decode(EventRecord.self, from: line) else { continue }
      let payload = record.payload
      if record.kind == "test" {
        if payload.kind == "function", let id = payload.id { functions.insert(id) }
        continue
      }
      if payload.kind == "runEnded" { summary = payload.messages?.first?.line }
      guard let test = payload.testID, functions.contains(test) else { continue }
      switch payload.kind {
      case "testSkipped":
        skipped += 1
      case "testStarted":
        running.append(test)
      case "issueRecorded" where payload.issue?.isKnown != true:
        issues[test, default: []].append(payload.account)
      case "testEnded":
        running.removeAll { $0 == test }
        ended.insert(test)
        guard payload.messages?.first?.symbol == "fail" else { continue }
        failures.append(Failure(test: test, issues: issues[test] ?? []))
      default:
        continue
      }
    }
  }
}

extension EventRecord.Payload {
  /// The issue and its place, in one line for each message.
  fileprivate var account: String {
    let text = (messages ?? []).map(\.text).joined(separator: "\n")
    guard let place = issue?.sourceLocation else { return text }
    return "\(place.fileID):\(place.line): \(text)"
  }
}

extension EventRecord.Message {
  /// The line as the test library prints it.
  fileprivate var line: String { (symbol == "pass" ? "✔ " : symbol == "fail" ? "✘ " : "") + text }
}
