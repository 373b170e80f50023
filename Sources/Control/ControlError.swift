import Glibc

/// Why a running bridge cannot be controlled, or reached, in one line: the fault, the expectation, the
/// remedy.
public struct ControlError: Error, Hashable, CustomStringConvertible {
  /// The line.
  public let description: String
  /// The kind of the reason.
  public let reason: Reason

  /// The kinds of reasons that programs distinguish.
  public enum Reason: Sendable, Hashable {
    /// There is no such bridge.
    case noneRuns
    /// There are several, and none is named.
    case severalRun
    /// There is one, or that could not be found out.
    case other
  }

  init(_ description: String, reason: Reason = .other) {
    (self.description, self.reason) = (description, reason)
  }

  /// A call that the system has refused, and the reason. The corresponding C function is `strerror`.
  init(_ what: String, errno number: Int32, _ advice: String) {
    self.init("\(what): \(String(cString: strerror(number))); \(advice)")
  }

  /// A function that is not available because the system has no thread left.
  public static func noThread(_ what: String) -> ControlError {
    ControlError("\(what): the system has no thread left; end other programs, and try again")
  }
}
