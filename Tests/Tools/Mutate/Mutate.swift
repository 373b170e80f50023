import Foundation
import Synchronization

/// Makes one-line changes to what the program decides, one at a time, and lists those that no check detects.
///
///     mutate N SEED HOURS JOBS [PART]
///
/// changes N places at random, of the files whose paths the expression PART matches. The changed sources are in
/// .build/mutants: all changes are in one build, and the environment variable MUTANT chooses one. The checks are the
/// kept histories, the suites of pure tests, and simulated hours. Each runs once without a change, which shows the
/// changes that it reaches: others it cannot detect. A change that passes all checks survives: either a test is missing,
/// or the code does not need what was changed, or ``Explanations/file`` says why it need not be detected. Where a
/// comparison of measurements takes equal sides otherwise, the checks themselves show that there are none.
@main
struct Mutate {
  /// How often a comparison has to be made for its sides to be measurements, which are equal by chance alone.
  private static let manyComparisons = 10_000
  /// The modules that decide and calculate, and use no server.
  private static let modules = ["MusicalTime", "Reconciliation"]

  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let numbers = arguments.prefix(4).compactMap { Int($0) }
    guard numbers.count == 4, numbers.allSatisfy({ $0 > 0 }), arguments.count <= 5 else {
      print("usage: mutate N SEED HOURS JOBS [PART]")
      exit(64)
    }
    let root = FileManager.default.currentDirectoryPath
    // Some do not compile.
    let possible = try mutations(in: arguments.dropFirst(4).first ?? "", root: root)
    let drawn = choose(numbers[0] * 11 / 10 + 1, of: possible, seed: UInt64(numbers[1]))
    let explanations = try Explanations(root: root)
    if arguments.count < 5 {
      for stale in explanations.stale(among: possible) { show("explained, but not in the sources: \(stale)") }
    }
    var tree = MutatedTree(drawn, root: root, modules: modules)
    guard try tree.build() else { exit(1) }
    let chosen = tree.built.prefix(numbers[0])
    show("\(possible.count) changes are possible, \(chosen.count) are judged")
    let checks = try Checks(tree, hours: numbers[2], jobs: numbers[3])
    let detected = judge(chosen, by: checks, in: tree, jobs: numbers[3])
    var survivors: [Int] = []
    var neverEqual: [Int] = []
    var explained: [(change: Int, reason: String)] = []
    for change in chosen where detected[change] == nil {
      if let reason = explanations.reason(for: tree.mutations[change]) {
        explained.append((change, reason))
      } else if tree.mutations[change].concernsEqual, !checks.reach(change),
        checks.asked(change) >= manyComparisons
      {
        neverEqual.append(change)
      } else {
        survivors.append(change)
      }
    }
    let kinds = Dictionary(detected.values.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    show(
      """

      \(detected.count) of \(chosen.count) changes detected (\(detected.count * 100 / chosen.count) %): \
      \(kinds.map { "\($0.value) by \($0.key)" }.joined(separator: ", ")). Of the others \
      \(explained.count) are explained, \(neverEqual.count) compare what was never equal, and \(survivors.count) survive:
      """)
    // As ``Explanations`` have them.
    for change in survivors { show(tree.mutations[change].name) }
    for (change, reason) in explained { show("\(tree.mutations[change].name)\n  \(reason)") }
    for change in neverEqual {
      show("\(tree.mutations[change].name)\n  Never equal in \(checks.asked(change)) comparisons.")
    }
  }

  /// All changes that are possible.
  private static func mutations(in part: String, root: String) throws -> [Mutation] {
    let pattern = try Regex(part)
    var all: [Mutation] = []
    for module in modules {
      let folder = "Sources/\(module)"
      for file in MutatedTree.files(in: "\(root)/\(folder)")
      where file.hasSuffix(".swift") && "\(folder)/\(file)".contains(pattern) {
        let source = try String(contentsOfFile: "\(root)/\(folder)/\(file)", encoding: .utf8)
        all += MutationFinder.mutations(in: source, of: "\(folder)/\(file)")
      }
    }
    return all
  }

  /// A number of them at random, of which none is within another.
  private static func choose(_ count: Int, of all: [Mutation], seed: UInt64) -> [Mutation] {
    var random = SplitMix64(state: seed)
    var chosen: [Mutation] = []
    for mutation in all.shuffled(using: &random) where chosen.count < count {
      let overlaps = chosen.contains { $0.file == mutation.file && $0.bytes.overlaps(mutation.bytes) }
      if !overlaps { chosen.append(mutation) }
    }
    return chosen
  }

  /// Judges each change, some at a time, and returns the kind of check that has detected it.
  private static func judge(
    _ chosen: ArraySlice<Int>, by checks: borrowing Checks, in tree: MutatedTree, jobs: Int
  ) -> [Int: String] {
    let left = Mutex(chosen)
    let detected = Mutex<[Int: String]>([:])
    DispatchQueue.concurrentPerform(iterations: jobs) { _ in
      while let index = left.withLock({ $0.popFirst() }) {
        let check = checks.firstToDetect(index)
        if let check { detected.withLock { $0[index] = check.kind } }
        show("\(check.map { "detected by \($0.name)" } ?? "SURVIVES"): \(describe(index, tree, checks))")
      }
    }
    return detected.withLock { $0 }
  }

  private static func describe(_ index: Int, _ tree: MutatedTree, _ checks: borrowing Checks) -> String {
    let reason =
      if checks.reach(index) {
        ""
      } else if checks.asked(index) > 0 {
        ", where it makes no difference"
      } else {
        ", which no check reaches"
      }
    return "\(index) \(tree.mutations[index])\(reason)"
  }

  /// Prints at once, also into a file.
  static func show(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
}

/// A source of random numbers that a seed determines.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
