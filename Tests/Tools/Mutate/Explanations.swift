import Foundation

/// The changes that no check can detect, or that none has to, each with its reason.
///
/// The file is of paragraphs: a reason, and then its changes, whose lines begin with the path of a source. Numbers of
/// lines do not count, so that an explanation outlasts an edit elsewhere in its file.
struct Explanations {
  /// Below the root of the project.
  static let file = "Tests/Tools/Mutate/explained.txt"

  private var reasons: [String: String] = [:]

  init(root: String) throws {
    let text = try String(contentsOfFile: "\(root)/\(Self.file)", encoding: .utf8)
    for paragraph in text.components(separatedBy: "\n\n") {
      let lines = paragraph.split(separator: "\n").map(String.init)
      let reason = lines.prefix { !$0.hasPrefix("Sources/") }
      for change in lines.dropFirst(reason.count) { reasons[change] = reason.joined(separator: " ") }
    }
  }

  /// The reason of a change, if it has one.
  func reason(for mutation: Mutation) -> String? { reasons[mutation.name] }

  /// The explanations of what the sources do not have any more.
  func stale(among possible: [Mutation]) -> [String] {
    Set(reasons.keys).subtracting(possible.map(\.name)).sorted()
  }
}
