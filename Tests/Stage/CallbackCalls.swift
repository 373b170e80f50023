import Foundation

/// What a JACK client's callbacks call of libjack's and of the clocks, and whether it says the same as
/// another.
///
/// Start the client with ``environment``, end it, and read ``counts()``.
public final class CallbackCalls: Sendable {
  private let file = ReportFile("callback-calls")
  private let isShadow: Bool
  private let library: String

  /// Compiles what has to be preloaded, when it is not yet.
  ///
  /// - Parameter isShadow: Whether the client is only to believe that it owns the timebase: what it says
  ///   about each cycle is then compared with what the owner says.
  /// - Throws: ``StageError`` when it does not compile.
  public init(isShadow: Bool = false) throws(StageError) {
    self.isShadow = isShadow
    library = try Interposer.twin()
  }

  /// What the client needs in its environment, besides its server's.
  public var environment: [String: String?] {
    ["LD_PRELOAD": library, "CALLBACK_CALLS": file.path, "CALLBACK_SHADOW": isShadow ? "1" : "0"]
  }

  /// The counts of a client that has ended, by the names that are explained in `Tests/Interposers/twin.c`.
  ///
  /// - Throws: ``StageError`` when there are none, because it has not ended by itself.
  public func counts() throws(StageError) -> [String: Double] {
    guard let text = try? String(contentsOfFile: file.path, encoding: .utf8) else {
      throw .unusable("the program has not written what it called")
    }
    var counts: [String: Double] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2 { counts[String(words[0])] = Double(words[1]) }
    }
    return counts
  }
}
