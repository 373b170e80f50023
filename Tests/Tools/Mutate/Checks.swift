import Foundation
import Synchronization

/// A command that fails when the program does something wrong.
struct Check: Sendable {
  let kind: String
  let name: String
  let command: [String]
  /// The changes that it reaches: in it they make a difference where they are.
  var reached: Set<Int> = []
  /// How often it runs the place of each change.
  var asked: [Int] = []
  /// How long it takes without a change.
  var duration = Duration.zero

  static let transcripts = "transcripts"
  var isTranscript: Bool { kind == Check.transcripts }

  /// How much of a processor's time it may take: a change that has it take longer is detected.
  var seconds: Int { 10 + 10 * Int(duration.components.seconds) }
}

/// All checks: those that detect many changes in little time come first. Transcripts come last, which have no opinion:
/// what they detect nothing else does.
struct Checks: ~Copyable {
  private let tree: MutatedTree
  private let all: [Check]
  /// How many changes each has detected.
  private let detected: Mutex<[Int]>

  /// Runs all checks without a change.
  init(_ tree: MutatedTree, hours: Int, jobs: Int) throws {
    self.tree = tree
    let left = Mutex(ArraySlice(try Checks.histories(tree) + Checks.suites(tree) + Checks.hours(hours, tree)))
    let passed = Mutex<[Check]>([])
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while var check = left.withLock({ $0.popFirst() }) {
        let began = ContinuousClock.now
        let passes: Bool
        (passes, check.reached, check.asked) = tree.reached(by: check.command)
        check.duration = ContinuousClock.now - began
        if passes {
          passed.withLock { $0.append(check) }
        } else {
          Mutate.show("\(check.name) fails without any change, and is left out")
        }
      }
    }
    all = passed.withLock { $0 }
    detected = Mutex(all.map { _ in 0 })
    for (kind, checks) in Dictionary(grouping: all, by: \.kind).sorted(by: { $0.key < $1.key }) {
      let duration = checks.reduce(Duration.zero) { $0 + $1.duration }
      Mutate.show("\(kind): \(checks.count) checks, which take \(duration) without any change")
    }
  }

  /// Whether any check reaches a change.
  func reach(_ change: Int) -> Bool { all.contains { $0.reached.contains(change) } }

  /// How often all checks together run the place of a change.
  func asked(_ change: Int) -> Int { all.reduce(0) { $0 + ($1.asked.count > change ? $1.asked[change] : 0) } }

  /// The first check that detects a change.
  func firstToDetect(_ change: Int) -> Check? {
    let counts = detected.withLock { $0 }
    let order = all.indices.filter { all[$0].reached.contains(change) }.sorted {
      guard all[$0].isTranscript == all[$1].isTranscript else { return all[$1].isTranscript }
      return all[$0].duration / (counts[$0] + 1) < all[$1].duration / (counts[$1] + 1)
    }
    let found = order.first { !tree.run(all[$0].command, mutant: change, seconds: all[$0].seconds) }
    if let found { detected.withLock { $0[found] += 1 } }
    return found.map { all[$0] }
  }

  // MARK: The kinds

  private static func histories(_ tree: MutatedTree) throws -> [Check] {
    try ["Histories", "Scenes"].flatMap { name in
      let folder = "\(tree.root)/Tests/Unit/SimulationTests/\(name)"
      return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().flatMap { name in
        let command = [tree.simulate, "\(folder)/\(name)"]
        return [
          Check(kind: "histories", name: name, command: command),
          Check(
            kind: Check.transcripts, name: "the transcript of \(name)", command: command + ["--transcripts"]),
        ]
      }
    }
  }

  /// The suites but for those of histories, which run by themselves, and of the laws.
  private static func suites(_ tree: MutatedTree) -> [Check] {
    let command = [tree.tests, "--testing-library", "swift-testing", "--no-parallel"]
    let ids = tree.output(of: command + ["--list-tests"]).split(separator: "\n")
    return Set(ids.compactMap { $0.split(separator: "/").first }).sorted().filter {
      !$0.hasSuffix(".HistoryTests")
    }.map {
      let filter = ["--filter", "^\($0)/", "--skip", "A deliberate mistake is noticed"]
      return Check(kind: "tests", name: String($0), command: command + filter)
    }
  }

  private static func hours(_ count: Int, _ tree: MutatedTree) -> [Check] {
    (0..<count).map {
      let seed = ["--seed", "\($0 * 6 + 1)", "--hours", "1", "--jobs", "1", "--unshrunken"]
      return Check(kind: "simulated hours", name: "hour \($0 + 1)", command: [tree.simulate] + seed)
    }
  }
}
