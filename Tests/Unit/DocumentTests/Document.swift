import Foundation
import Testing
import Typechecking

/// A document of the project.
struct Document: Sendable, CustomTestStringConvertible {
  /// The place below the repository's root.
  let path: String

  var testDescription: String { path }

  var url: URL { Typechecking.packageRoot.appending(path: path) }

  // Without the file, every test that reads it fails.
  var text: String { (try? String(contentsOf: url, encoding: .utf8)) ?? "" }

  static let readme = Self(path: "README.md")
  static let changelog = Self(path: "CHANGELOG.md")
  static let contributing = Self(path: "CONTRIBUTING.md")

  /// The pages of the user's guide.
  static let guide = pages(of: "Sources/jackstay/jackstay.docc")

  /// All that explain the program to its users.
  static let forUsers = [readme, changelog] + guide

  /// All that are written by hand, and have links.
  static let all =
    forUsers + [contributing]
    + ["Tests", "Tests/Support/Simulation", "Benchmarks"].map { Self(path: "\($0)/README.md") }
    + ["AbletonLink", "Control", "JACK", "MusicalTime", "OSC", "Reconciliation"].flatMap {
      pages(of: "Sources/\($0)/\($0).docc")
    }

  private static func pages(of folder: String) -> [Self] {
    let files =
      (try? FileManager.default.contentsOfDirectory(
        atPath: Typechecking.packageRoot.appending(path: folder).path)) ?? []
    return files.filter { $0.hasSuffix(".md") }.sorted().map { Self(path: "\(folder)/\($0)") }
  }
}
