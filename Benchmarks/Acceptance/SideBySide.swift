import Foundation
import Stage

/// Groups that run side by side, each in a process of its own: so with a network, a session and servers of
/// its own.
enum SideBySide {
  /// How many at a time: they mostly wait.
  private static let lanes = 4

  /// Runs groups, and prints the rows of each in their order.
  ///
  /// - Parameter groups: Their names.
  /// - Returns: Whether all was measured and met.
  static func run(_ groups: [String]) -> Bool {
    var isAllMet = true
    var started: [(group: String, run: Run)] = []
    var told = 0
    while told < groups.count {
      while started.count < groups.count, started.count(where: { !$0.run.hasEnded }) < lanes {
        let group = groups[started.count]
        started.append((group, Run(group)))
      }
      while told < started.count, started[told].run.hasEnded {
        isAllMet = started[told].run.tell(as: started[told].group) && isAllMet
        told += 1
      }
      usleep(50_000)
    }
    return isAllMet
  }

  private enum Run {
    case begun(Child)
    case refused(String)

    init(_ group: String) {
      do {
        self = .begun(try Child(Products.path("acceptance"), [group]))
      } catch {
        self = .refused("\(error)")
      }
    }

    var hasEnded: Bool {
      switch self {
      case .begun(let child): !child.isRunning
      case .refused: true
      }
    }

    /// Prints its output, but for the table's head, and returns whether all targets were met.
    func tell(as group: String) -> Bool {
      switch self {
      case .begun(let child):
        for line in child.lines(of: .errors) { Acceptance.remark(line) }
        let rows = child.lines().dropFirst(Acceptance.head.count)
        for row in rows { print(row) }
        guard let status = child.status, !status.isSuccess, rows.isEmpty else {
          return child.status?.isSuccess ?? false
        }
        print(Acceptance.failure(of: group, "\(status)"))
        return false
      case .refused(let reason):
        print(Acceptance.failure(of: group, reason))
        return false
      }
    }
  }
}
