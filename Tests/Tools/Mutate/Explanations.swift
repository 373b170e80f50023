import Foundation

/// The changes that no check can detect, or that none has to, each with its reason.
///
/// In the file a line that begins with the path of a source is a change, and a line before it that does not is the
/// reason of those that follow. Lines do not count, so that an explanation outlasts an edit elsewhere in its file.
struct Explanations {
  /// Below the root of the project.
  static let file = "Tests/Tools/Mutate/explained.txt"

  private var reasons: [String: String] = [:]

  init(root: String) throws {
    let text = try String(contentsOfFile: "\(root)/\(Self.file)", encoding: .utf8)
    var reason = ""
    var isReason = false
    for line in text.split(separator: "\n").map(String.init) {
      if line.hasPrefix("Sources/") {
        reasons[line] = reason
        isReason = false
      } else {
        reason = isReason ? "\(reason) \(line)" : line
        isReason = true
      }
    }
  }

  /// The reason of a change, if it has one.
  func reason(for mutation: Mutation) -> String? { reasons[mutation.name] }

  /// The explanations of what the sources do not have any more.
  func stale(among possible: [Mutation]) -> [String] {
    Set(reasons.keys).subtracting(possible.map(\.name)).sorted()
  }
}
