import Foundation

/// The evidence that `Tests/Support/Stage` has kept of one test on real servers, or of one case of it.
struct Evidence: Codable, Sendable {
  /// A program that the test has started.
  struct Process: Codable, Sendable {
    /// Its name and its arguments.
    let command: String
    /// How it ended, or that it ran.
    let end: String
    /// Its last lines; a probe's are its reports.
    let lines: [String]
  }

  let test: String
  /// When it began and ended, by CLOCK_MONOTONIC in seconds.
  let start: Double
  let end: Double
  /// How many deadlines its servers missed.
  let missed: Int
  let processes: [Process]

  /// In words, with so many lines of each program.
  func lines(atMost most: Int = .max) -> [String] {
    [String(format: "%.1f s, \(missed) missed deadlines", end - start)]
      + processes.flatMap { process in
        ["\(process.command): \(process.end)"] + process.lines.suffix(most).map { "    \($0)" }
      }
  }
}
