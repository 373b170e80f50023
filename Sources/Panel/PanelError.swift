import Glibc

/// Why there is no panel, in one line: the fault, the expectation, the remedy.
public struct PanelError: Error, Hashable, CustomStringConvertible {
  /// The line.
  public let description: String

  init(_ description: String) { self.description = description }

  /// A call that the system has refused, and the reason. The corresponding C function is `strerror`.
  init(_ what: String, errno number: Int32, _ advice: String) {
    self.init("\(what): \(String(cString: strerror(number))); \(advice)")
  }
}
