/// Lines on their way to a reader that may not read: some thousand are kept, then the oldest are dropped.
struct LineBacklog {
  /// How many lines are kept.
  static let capacity = 4096

  private var lines: [String] = []
  private var lost = 0

  /// Whether there is nothing to write.
  var isEmpty: Bool { lines.isEmpty }

  /// Adds a line.
  mutating func append(_ line: String) {
    lines.append(line)
    // In large steps: each moves all that is left.
    guard lines.count == 2 * LineBacklog.capacity else { return }
    lines.removeFirst(LineBacklog.capacity)
    lost += LineBacklog.capacity
  }

  /// Takes all lines, oldest first; the first says how many were lost before them.
  mutating func take() -> [String] {
    let surplus = max(0, lines.count - LineBacklog.capacity)
    lost += surplus
    defer { self = LineBacklog() }
    let kept = Array(lines.dropFirst(surplus))
    guard lost > 0 else { return kept }
    return ["jackstay: warning: \(lost) lines are left out here, because they were not read in time"] + kept
  }
}
