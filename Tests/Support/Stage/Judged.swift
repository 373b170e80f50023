import Foundation
import Glibc
import Testing

/// One entry of the account of exact checks: one that could be judged, or could not because JACK missed
/// deadlines all the time.
///
/// Behaviour is asserted in each run. Exactness, in frames and microseconds, is asserted only of stretches
/// without a missed deadline, and where there was none it has not failed: it was not judged. `Tests/Tools/Runner`
/// adds up the entries and reports how many there may be.
public struct Judged: Codable, Sendable, Equatable {
  /// The test that asked for it.
  public let test: String
  /// The check that was to be judged.
  public let check: String
  /// Whether there was something to be judged.
  public let isJudged: Bool
  /// How often it was tried.
  public let attempts: Int
  /// How many of the attempts the machine has disturbed, by missed deadlines or otherwise.
  public let disturbed: Int
  /// How many deadlines JACK missed in all of it.
  public let missed: Int

  /// An entry for the test that runs now.
  public init(_ check: String, isJudged: Bool, attempts: Int = 1, disturbed: Int = 0, missed: Int) {
    test = Test.current.map { "\($0.id)" } ?? "no test"
    self.check = check
    self.isJudged = isJudged
    self.attempts = attempts
    self.disturbed = disturbed
    self.missed = missed
  }

  /// The variable of the environment that names the file of the account; without it a test's are printed.
  public static let variable = "JACKSTAY_JUDGED"

  /// Adds the entry to the account, as one line of JSON.
  public func tell() {
    guard !Self.tell(self), Test.current != nil else { return }
    let outcome = isJudged ? "judged" : "NOT JUDGED"
    print("\(outcome): \(check) (attempts \(attempts), missed deadlines \(missed))")
  }

  /// Adds something to the file of the account, as one line of JSON. Returns whether there is such a file.
  @discardableResult static func tell(_ entry: some Encodable) -> Bool {
    guard let file = ProcessInfo.processInfo.environment[variable] else { return false }
    guard let line = try? JSONEncoder().encode(entry) + Data("\n".utf8) else { return true }
    let descriptor = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return true }
    // In one call: other processes write to the same file.
    _ = line.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    close(descriptor)
    return true
  }
}
