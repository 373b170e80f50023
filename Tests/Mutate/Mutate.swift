import Foundation
import Synchronization

/// Makes one-line changes to what the program decides, one at a time, and lists those that no judge detects.
///
///     mutate N SEED HOURS
///
/// changes N places at random. The changed sources are in .build/mutants: all changes are in one build, and the
/// environment variable MUTANT chooses one. A change is judged by the kept histories, then by simulated hours, then by
/// the pure tests, until a judge fails. A change that passes all three survives: either a test is missing, or the code
/// does not need what was changed.
@main
struct Mutate {
  /// A command that fails when the program does something wrong.
  struct Judge {
    let name: String
    let command: [String]
    /// How long the command may take: a change that has it take longer is detected.
    let seconds: Int
  }

  /// The modules that decide and calculate, and use no server.
  private static let modules = ["MusicalTime", "Reconciliation"]

  static func main() throws {
    let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
    guard numbers.count == 3, numbers.allSatisfy({ $0 > 0 }) else {
      print("usage: mutate N SEED HOURS")
      exit(64)
    }
    let root = FileManager.default.currentDirectoryPath
    let (possible, chosen) = try choose(numbers[0], seed: UInt64(numbers[1]), root: root)
    show("\(possible) changes are possible, \(chosen.count) are tried")
    var tree = MutatedTree(chosen, root: root, modules: modules)
    guard try tree.build() else { exit(1) }
    let judges = try judges(tree, hours: numbers[2])
    for judge in judges {
      let began = ContinuousClock.now
      guard tree.run(judge.command, seconds: judge.seconds) else {
        show("\(judge.name): fail without any change: \(judge.command.prefix(4).joined(separator: " "))")
        exit(1)
      }
      show("\(judge.name): pass without any change, in \(ContinuousClock.now - began)")
    }
    judgeAll(tree, judges)
  }

  /// A number of all possible changes at random, of which none is within another.
  private static func choose(
    _ count: Int, seed: UInt64, root: String
  ) throws -> (possible: Int, chosen: [Mutation]) {
    var all: [Mutation] = []
    for module in modules {
      let folder = "Sources/\(module)"
      for file in MutatedTree.files(in: "\(root)/\(folder)") where file.hasSuffix(".swift") {
        let source = try String(contentsOfFile: "\(root)/\(folder)/\(file)", encoding: .utf8)
        all += MutationFinder.mutations(in: source, of: "\(folder)/\(file)")
      }
    }
    var random = SplitMix64(state: seed)
    var chosen: [Mutation] = []
    for mutation in all.shuffled(using: &random) where chosen.count < count {
      let overlaps = chosen.contains { $0.file == mutation.file && $0.bytes.overlaps(mutation.bytes) }
      if !overlaps { chosen.append(mutation) }
    }
    return (all.count, chosen)
  }

  private static func judges(_ tree: MutatedTree, hours: Int) throws -> [Judge] {
    let histories = "\(tree.root)/Tests/SimulationTests/Histories"
    let files = try FileManager.default.contentsOfDirectory(atPath: histories).sorted()
    let simulate = "\(tree.products)/simulate"
    return [
      Judge(name: "histories", command: [simulate] + files.map { "\(histories)/\($0)" }, seconds: 900),
      Judge(
        name: "hours", command: [simulate, "--hours", "\(hours)", "--jobs", "1", "--unshrunken"],
        seconds: 900 + hours * 60),
      Judge(
        name: "tests",
        command: ["\(tree.products)/JackstayPackageTests.xctest", "--testing-library", "swift-testing"],
        seconds: 900),
    ]
  }

  /// Judges each change, one on each processor at a time, and prints what has detected it.
  private static func judgeAll(_ tree: MutatedTree, _ judges: [Judge]) {
    let left = Mutex(tree.built)
    let killers = Mutex<[Int: String?]>([:])
    DispatchQueue.concurrentPerform(iterations: ProcessInfo.processInfo.activeProcessorCount) { _ in
      while let index = left.withLock({ $0.popFirst() }) {
        let killer = judges.first { !tree.run($0.command, mutant: index, seconds: $0.seconds) }
        killers.withLock { $0[index] = .some(killer?.name) }
        show("\(killer.map { "detected by \($0.name)" } ?? "SURVIVES"): \(tree.mutations[index])")
      }
    }
    let verdicts = killers.withLock { $0 }
    let survivors = verdicts.filter { $0.value == nil }.keys.map { tree.mutations[$0].description }
    let detected = verdicts.count - survivors.count
    let shares = judges.map { judge in "\(verdicts.values.count { $0 == judge.name }) by \(judge.name)" }
    show(
      """

      \(detected) of \(verdicts.count) changes detected (\(detected * 100 / max(1, verdicts.count)) %), \
      \(shares.joined(separator: ", ")); \(tree.mutations.count - verdicts.count) more do not compile. \
      \(survivors.count) survive:
      \(survivors.sorted().joined(separator: "\n"))
      """)
  }

  /// Prints at once, also into a file.
  private static func show(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }
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
