import Foundation

/// What the tests entered as exact: what could be judged, and what could not because JACK missed deadlines.
struct Account {
  /// One line of the file that `Tests/Stage` writes.
  struct Entry: Decodable {
    let test: String
    let check: String
    let isJudged: Bool
    let attempts: Int
    let missed: Int
  }

  /// Where the tests write.
  let file: URL
  private var entries: [Entry] = []

  init() {
    file = FileManager.default.temporaryDirectory.appending(path: "judged-\(UUID().uuidString).jsonl")
  }

  /// Takes what has been written since the last time; of a test that has entries already, these take their
  /// place.
  mutating func read() {
    let lines = ((try? Data(contentsOf: file)) ?? Data()).split(separator: UInt8(ascii: "\n"))
    try? FileManager.default.removeItem(at: file)
    let new = lines.compactMap { try? JSONDecoder().decode(Entry.self, from: $0) }
    let tests = Set(new.map(\.test))
    entries = entries.filter { !tests.contains($0.test) } + new
  }

  /// What could not be judged.
  var unjudged: [Entry] { entries.filter { !$0.isJudged } }

  /// The account in words, one line for the sum and one for each check that could not be judged.
  var lines: [String] {
    let missed = entries.reduce(0) { $0 + $1.missed }
    let judged = entries.count - unjudged.count
    return ["exact checks: \(judged) judged, \(unjudged.count) not judged (\(missed) missed deadlines)"]
      + unjudged.map {
        "not judged: \($0.check), in \($0.test) (attempts \($0.attempts), missed deadlines \($0.missed))"
      }
  }

  /// Looks whether too much was not judged.
  ///
  /// On a quiet machine nothing is forgiven. Else a tenth is, and five times what others took of the cores,
  /// since a stretch of a second is spoiled by a few slices; but never all of it.
  ///
  /// - Parameter taken: The share of the cores that others took.
  /// - Returns: What is wrong with it, in one line; nil when nothing is.
  func complaint(taken: Double) -> String? {
    if taken < MachineWatch.quiet {
      guard !unjudged.isEmpty else { return nil }
      return "On a quiet machine all that is exact has to be judged: see what is not judged above."
    }
    let most = min(0.1 + 5 * taken, 0.9)
    guard Double(unjudged.count) > most * Double(entries.count) else { return nil }
    return "More than \(Int((most * 100).rounded())) % of what is exact was not judged: "
      + "run it again on a machine that does less besides."
  }
}
