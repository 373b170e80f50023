import Foundation

/// The calls of libjack's functions and of the clocks in a JACK client's process and timebase callbacks.
///
/// Start the client with ``environment``, end it, and read ``perCycle()``.
public final class CallbackCalls: Sendable {
  private let file = ReportFile("callback-calls")
  private let library: String

  /// Compiles the library to preload, when it is not yet.
  ///
  /// - Throws: ``StageError`` when it does not compile.
  public init() throws(StageError) { library = try Interposer.calls() }

  /// The variables that the client needs in its environment, besides its server's.
  public var environment: [String: String?] { ["LD_PRELOAD": library, "CALLBACK_CALLS": file.path] }

  /// How often each function was called in a cycle, on average, by a client that has ended.
  ///
  /// - Throws: ``StageError`` when it has not ended by itself, or ran for only some cycles.
  public func perCycle() throws(StageError) -> [String: Double] {
    guard let text = try? String(contentsOfFile: file.path, encoding: .utf8) else {
      throw .unusable("the program has not written what it called")
    }
    var counts: [String: Double] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 { counts[String(words[0])] = Double(words[1]) }
    }
    guard let cycles = counts.removeValue(forKey: "cycles"), cycles > 3000 else {
      throw .unusable("too few cycles to count what was called:\n\(text)")
    }
    return counts.mapValues { $0 / cycles }
  }
}
