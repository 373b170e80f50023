import Foundation

/// The tests' entries: the exact checks that could be judged, and those that could not because JACK missed
/// deadlines; and the events of each test.
struct Account {
  /// One exact check, as `Tests/Support/Stage` writes it.
  struct Entry: Decodable {
    let test: String
    let check: String
    let isJudged: Bool
    let attempts: Int
    /// How many of the attempts the machine has disturbed, by missed deadlines or otherwise.
    let disturbed: Int
    let missed: Int

    /// Whether the program has disturbed an attempt, and not the machine.
    var isSpoiled: Bool { attempts > 1 && missed == 0 && attempts - (isJudged ? 1 : 0) > disturbed }
  }

  /// Where the tests write.
  let file: URL
  private var entries: [Entry] = []
  private var evidence: [String: [Evidence]] = [:]
  /// The checks that the program disturbed in any of the runs: no later one takes their place.
  private var spoiled: [Entry] = []

  init() {
    file = FileManager.default.temporaryDirectory.appending(path: "judged-\(UUID().uuidString).jsonl")
  }

  /// Takes the entries since the last time; of a test that has entries already, these take their place.
  mutating func read() {
    let lines = ((try? Data(contentsOf: file)) ?? Data()).split(separator: UInt8(ascii: "\n"))
    try? FileManager.default.removeItem(at: file)
    let decoder = JSONDecoder()
    let new = lines.compactMap { try? decoder.decode(Entry.self, from: $0) }
    let tests = Set(new.map(\.test))
    entries = entries.filter { !tests.contains($0.test) } + new
    spoiled += new.filter(\.isSpoiled)
    let told = Dictionary(
      grouping: lines.compactMap { try? decoder.decode(Evidence.self, from: $0) }, by: \.test)
    evidence.merge(told) { $1 }
  }

  /// The evidence of a test's last run, one for each case.
  func evidence(of test: String) -> [Evidence] { evidence[test] ?? [] }

  /// The checks that could not be judged.
  var unjudged: [Entry] { entries.filter { !$0.isJudged } }

  /// The account in words, one line for the sum and one for each check that could not be judged, or that needed more
  /// than one attempt though the machine was not at fault.
  var lines: [String] {
    let missed = entries.reduce(0) { $0 + $1.missed }
    let judged = entries.count - unjudged.count
    func line(_ entry: Entry) -> String {
      "\(entry.check), in \(entry.test) (attempts \(entry.attempts), missed deadlines \(entry.missed))"
    }
    return ["exact checks: \(judged) judged, \(unjudged.count) not judged (\(missed) missed deadlines)"]
      + unjudged.map { "not judged: " + line($0) }
      + spoiled.map { "tried again though no deadline was missed: " + line($0) }
  }

  /// Looks whether too much was not judged, or not at once without the machine's fault.
  ///
  /// On a quiet machine only what others were seen to disturb is forgiven. At most a tenth is, and five times what
  /// others took of the cores, since a few slices make a stretch of a second useless; but never all of it.
  ///
  /// - Parameters:
  ///   - taken: The share of the cores that others took.
  ///   - isExplained: Whether others took a core while a check could not be judged.
  /// - Returns: The fault, in one line; nil for none.
  func complaint(taken: Double, _ isExplained: (Entry) -> Bool) -> String? {
    if !spoiled.isEmpty {
      return
        "What is exact has to be right at once where no deadline is missed: see what was tried again above."
    }
    if taken < MachineWatch.quiet, let entry = unjudged.first(where: { !isExplained($0) }) {
      return "On a quiet machine all that is exact has to be judged, unless others disturbed it. "
        + "This was not disturbed: \(entry.check)"
    }
    let most = min(0.1 + 5 * taken, 0.9)
    guard Double(unjudged.count) > most * Double(entries.count) else { return nil }
    return "More than \(Int((most * 100).rounded())) % of what is exact was not judged: "
      + "run it again on a machine that does less besides."
  }
}
