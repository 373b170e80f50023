import Foundation
import Glibc

/// The data that outlasts a run of the tests, in a file in the build's folder: how often each test on a real
/// server has run, which failed and were run again, and how long each took.
struct Ledger: Codable {
  /// A test that failed at first.
  struct Flake: Codable {
    let test: String
    /// The revision of the source, with a "+" where it was changed.
    let commit: String
    /// When, as the calendar has it.
    let date: String
    /// Which of the test's runs it was.
    let run: Int
    /// The share of a core that others took meanwhile.
    let taken: Double
    /// How many deadlines its servers missed.
    let missed: Int
    /// The first line of the issue.
    let line: String
    /// How it went again, alone: nothing where it got no second chance.
    let outcomes: [Bool]

    /// Whether it passed often enough.
    var isForgiven: Bool { SecondChance.isTaken(outcomes) }
  }

  /// How many of a test's runs count.
  static let window = 200
  /// The share of each test's last time in the expectation of the next.
  private static let newest = 0.5

  private(set) var runs: [String: Int] = [:]
  private(set) var flakes: [Flake] = []
  private(set) var seconds: [String: Double] = [:]

  /// Where it is kept, with the evidence beside it: in the build's folder, two above the programs of a configuration.
  static let folder: URL = {
    if let other = ProcessInfo.processInfo.environment["JACKSTAY_LEDGER"] { return URL(filePath: other) }
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "/tmp/a/b/c"
    return URL(filePath: own).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "flakes")
  }()
  private static var file: URL { folder.appending(path: "ledger.json") }

  /// As it is in the file; an empty one where there is none that can be read.
  static func read() -> Ledger {
    (try? JSONDecoder().decode(Ledger.self, from: Data(contentsOf: file))) ?? Ledger()
  }

  /// Adds something to the one in the file, which others may do at the same time.
  static func change(_ body: (inout Ledger) -> Void) -> Ledger {
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let lock = open(folder.appending(path: "lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    if lock >= 0 { flock(lock, LOCK_EX) }
    defer { if lock >= 0 { close(lock) } }
    var ledger = read()
    body(&ledger)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try? encoder.encode(ledger).write(to: file, options: .atomic)
    return ledger
  }

  /// A test's identifier without its place in the source, which changes with the code before it.
  static func name(of test: String) -> String { test.replacing(/\/[^\/]+\.swift:\d+:\d+$/, with: "") }

  /// Enters that tests have run.
  mutating func count(_ tests: some Sequence<String>) {
    for test in tests { runs[Self.name(of: test), default: 0] += 1 }
  }

  /// Enters how long batches took.
  mutating func time(_ batches: [String: Double]) {
    seconds.merge(batches) { $0 + ($1 - $0) * Self.newest }
  }

  /// Enters a failure of a test's last run.
  mutating func enter(_ trial: Trial, commit: String, date: String) {
    flakes.append(
      Flake(
        test: Self.name(of: trial.test), commit: commit, date: date,
        run: runs[Self.name(of: trial.test)] ?? 0, taken: trial.taken,
        missed: trial.missed, line: trial.line.split(separator: "\n").first.map(String.init) ?? "",
        outcomes: trial.outcomes))
  }

  /// Keeps the evidence of a failure in a file, and returns its path. Of all files that are kept so the
  /// newest stay.
  static func keep(_ text: String, as name: String) -> String {
    let evidence = folder.appending(path: "evidence")
    let files = FileManager.default
    try? files.createDirectory(at: evidence, withIntermediateDirectories: true)
    let old = ((try? files.contentsOfDirectory(atPath: evidence.path)) ?? []).sorted().dropLast(most - 1)
    for file in old { try? files.removeItem(at: evidence.appending(path: file)) }
    let file = evidence.appending(path: "\(Revision.date)-\(getpid())-\(name).txt".replacing(" ", with: "-"))
    let descriptor = open(file.path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return "no file: \(String(cString: strerror(errno)))" }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    try? handle.write(contentsOf: Data(text.utf8))
    return file.path
  }
  private static let most = 200

  /// How many failures of a test were forgiven in those of its runs that count, and how many these are.
  func forgiven(_ test: String) -> (flakes: Int, runs: Int) {
    let test = Self.name(of: test)
    let all = runs[test] ?? 0
    let flakes = flakes.filter { $0.test == test && $0.isForgiven && $0.run > all - Self.window }
    return (flakes.count, min(all, Self.window))
  }

  /// A line for each test that has failed, the worst first, and of each what happened last.
  var lines: [String] {
    let tests = Dictionary(grouping: flakes, by: \.test).map { test, flakes in
      (test: test, flakes: flakes, share: Double(flakes.count) / Double(max(runs[test] ?? 0, 1)))
    }.sorted { ($0.share, $1.test) > ($1.share, $0.test) }
    guard !tests.isEmpty else { return ["No test on a real server has failed in \(Self.file.path)."] }
    return tests.flatMap { test, flakes, share in
      let (forgiven, counted) = forgiven(test)
      let mark = SecondChance.isTooMuch(forgiven, in: counted) ? ", too many" : ""
      return [
        "\(MachineWatch.percent(share)): \(flakes.count) of \(runs[test] ?? 0) runs failed, "
          + "\(flakes.count { $0.isForgiven }) forgiven\(mark): \(test)"
      ]
        + flakes.suffix(5).map { flake in
          let again = flake.outcomes.map { $0 ? "✔" : "✘" }.joined()
          return "    \(flake.date) at \(flake.commit), \(MachineWatch.percent(flake.taken)) taken, "
            + "\(flake.missed) missed\(again.isEmpty ? "" : ", again \(again)"): \(flake.line)"
        }
    }
  }
}

/// The version that is tested.
enum Revision {
  /// The commit, with a "+" where files differ from it.
  static var current: String {
    guard let commit = Offspring.output(of: ["git", "rev-parse", "--short", "HEAD"]) else { return "unknown" }
    let changes = Offspring.output(of: ["git", "status", "--porcelain", "--untracked-files=no"]) ?? ""
    return commit.trimmingCharacters(in: .whitespacesAndNewlines) + (changes.isEmpty ? "" : "+")
  }

  /// The date and the time of day, in UTC.
  static var date: String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    return String(
      format: "%04d-%02d-%02d %02d:%02d:%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
      parts.tm_hour, parts.tm_min, parts.tm_sec)
  }
}
