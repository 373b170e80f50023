import Glibc

/// Why OSC is not available, in one line: the fault, the expectation, the remedy.
public struct OSCError: Error, Hashable, CustomStringConvertible {
  /// The line.
  public let description: String

  /// A call that the system has refused, and the reason. The corresponding C function is `strerror`.
  init(_ what: String, errno number: Int32, _ advice: String) {
    description = "\(what): \(String(cString: strerror(number))); \(advice)"
  }
}
