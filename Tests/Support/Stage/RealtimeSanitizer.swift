import Foundation
import Glibc

/// The toolchain's RealtimeSanitizer for a JACK client's process, timebase and sync callbacks.
///
/// Start the client with ``environment``, and take the ``report()`` after its end: the client is the program
/// as it ships, only slower when there is something to report.
public final class RealtimeSanitizer: Sendable {
  /// The sanitizer's findings.
  public struct Report: Sendable {
    /// All reports, as they are for people.
    public let text: String
    /// How often a function that may block or allocate was called in a callback.
    public let violations: Int
  }

  private let library: String
  private let options: String
  /// The client's process id is added to its name.
  private let file = ReportFile("realtime-sanitizer")

  /// Compiles the library to preload, when it is not yet.
  ///
  /// - Throws: ``StageError`` when the toolchain lacks a library for it.
  public init() throws(StageError) {
    library = try Interposer.sanitizer()
    guard let symbolizer = Toolchain.locate("llvm-symbolizer") else {
      throw .unusable("no llvm-symbolizer in PATH, without which a report names no function")
    }
    options = [
      "halt_on_error=false", "print_stats_on_exit=true",
      "external_symbolizer_path=\(symbolizer)",
    ].joined(separator: ":")
  }

  deinit { for file in logs { unlink(file) } }

  /// The variables that the client needs in its environment, besides its server's.
  public var environment: [String: String?] {
    ["LD_PRELOAD": library, "REALTIME_SANITIZER": file.path, "RTSAN_OPTIONS": options]
  }

  /// The variables for a client that `witness` watches as well.
  public func with(_ witness: RealtimeWitness) -> [String: String?] {
    // The sanitizer comes first: the witness calls the C library's own functions, and no others that are loaded after it.
    environment.merging(witness.environment) { "\($0 ?? ""):\($1 ?? "")" }
  }

  /// The findings of the client's life, which has to be over.
  public func report() throws(StageError) -> Report {
    guard !logs.isEmpty else { throw .unusable("the program has not loaded RealtimeSanitizer") }
    let text = logs.compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.joined()
    // Each kind is reported as it happens. A program that ends at once, on a busy machine, does not count them.
    let kinds = text.ranges(of: "ERROR: RealtimeSanitizer").count
    let violations = number(after: "Total error count:", in: text) ?? kinds
    return Report(text: text, violations: violations)
  }

  private var logs: [String] {
    let folder = (file.path as NSString).deletingLastPathComponent
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return files.map { "\(folder)/\($0)" }.filter { $0.hasPrefix("\(file.path).") }
  }

  private func number(after title: String, in text: String) -> Int? {
    let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    return lines.last { $0.hasPrefix(title) }.flatMap {
      Int($0.dropFirst(title.count).trimmingCharacters(in: .whitespaces))
    }
  }
}
