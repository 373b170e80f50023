import Foundation
import Glibc
import Testing

/// The evidence of a test, so that a failure can be understood afterwards: the last lines and the end of each
/// program that it started, and how many deadlines its servers missed.
///
/// `Tests/Tools/Runner` takes it from the account's file, and keeps that of tests that fail.
public struct Evidence: Codable, Sendable {
  /// A program that the test has started.
  public struct Process: Codable, Sendable {
    /// Its name and its arguments.
    public let command: String
    /// How it ended.
    public let end: String
    /// Its last lines; a probe's are its reports.
    public let lines: [String]
  }

  /// The test, as the runner knows it.
  public let test: String
  /// When it began, by CLOCK_MONOTONIC in seconds.
  public let start: Double
  /// When it ended.
  public let end: Double
  /// How many deadlines its servers missed, as its probes and its servers count them.
  public let missed: Int
  /// The programs, in the order in which they were started.
  public let processes: [Process]

  /// How many lines of each stream are kept.
  private static let most = 40
  /// The programs that the test that has the turn has started.
  private static let started = Monitor<[Witness]?>(nil)

  /// Keeps the evidence of a test that runs while no other of its kind does.
  static func gather(_ test: Test, _ body: () async throws -> Void) async throws {
    started.change { $0 = [] }
    let start = Deadline.now().seconds
    defer {
      Judged.tell(soFar(of: test, since: start))
      started.change { $0 = nil }
    }
    try await body()
  }

  /// The evidence of the test that has the turn, up to now.
  static func soFar(of test: Test, since start: Double) -> Evidence {
    let witnesses = started.read { $0 ?? [] }
    return Evidence(
      test: "\(test.id)", start: start, end: Deadline.now().seconds,
      missed: witnesses.reduce(0) { $0 + $1.missed }, processes: witnesses.map(\.process))
  }

  /// Notes a program that has been started.
  static func add(_ program: String, _ arguments: [[UInt8]], _ record: Monitor<ChildRecord>) {
    let name = program.split(separator: "/").last.map(String.init) ?? program
    let words = [name] + arguments.map { String(decoding: $0, as: UTF8.self) }
    started.change { $0?.append(Witness(command: words.joined(separator: " "), record: record)) }
  }

  /// A program that a test has started.
  struct Witness: Sendable {
    let command: String
    let record: Monitor<ChildRecord>

    var process: Process {
      record.read { record in
        Process(
          command: "\(command.prefix(200))",
          end: record.status.map { "\($0)" } ?? "ran to the end of the test",
          lines: record.output.lines.suffix(most) + record.errors.lines.suffix(most))
      }
    }

    /// A probe's last reports have the number that it has counted, and jackd logs each at which its driver
    /// was late. Of a client that was not finished jackd logs also when that client has been ended.
    var missed: Int {
      record.read { record in
        let (output, errors) = (record.output.lines, record.errors.lines)
        if command.hasPrefix("linkprobe ") {
          return output.lazy.filter { $0.contains("\"late\"") }.compactMap(ProbeReport.init)
            .map { Int(max($0["late"] ?? 0, $0["xruns"] ?? 0)) }.max() ?? 0
        }
        guard command.hasPrefix("jackd ") else { return 0 }
        return (output + errors).count { $0.contains("XRun = ") }
      }
    }
  }
}

extension Deadline {
  /// The instant in seconds.
  fileprivate var seconds: Double { Double(time.tv_sec) + Double(time.tv_nsec) / 1e9 }
}
