import Stage

/// How often something was tried, and what came of it.
///
/// Behaviour counts in each trial, whatever deadlines JACK missed. Durations are judged only where JACK
/// missed none, and more trials are made until there are enough of those, within reason.
struct Trials {
  /// The result of one trial.
  enum Outcome {
    /// All was as it should be, after so many milliseconds.
    case right(milliseconds: Double)
    /// All was as it should be, but JACK missed deadlines: how long it took is not judged.
    case untimed
    /// Something was not as it should be, in words.
    case wrong(String)
  }

  private let name: String
  private var times: [Double] = []
  private var untimed = 0
  private var wrong = 0

  /// Tries something.
  ///
  /// - Parameters:
  ///   - count: How many trials are to be judged; there are at most half as many more.
  ///   - name: The action, and its expected result.
  ///   - trial: One trial, given how many were before.
  init(_ count: Int, _ name: String, _ trial: (Int) throws -> Outcome) rethrows {
    self.name = name
    while times.count + wrong < count, runs < count + count / 2 {
      switch try trial(runs) {
      case .right(let milliseconds): times.append(milliseconds)
      case .untimed: untimed += 1
      case .wrong(let fault):
        Acceptance.remark("\(name), trial \(runs): \(fault)")
        wrong += 1
      }
    }
  }

  private var runs: Int { times.count + untimed + wrong }

  /// In how many trials all was as it should be, and the longest it took; in milliseconds, as the limit.
  func figures(limit: Double) -> [Figure] {
    [
      Figure(name: name, met: runs - wrong, of: runs),
      Figure(
        name: "the longest until then, of \(times.count)\(untimed > 0 ? ", \(untimed) more not judged" : "")",
        value: times.max(), limit: limit, unit: "ms"),
    ]
  }
}
