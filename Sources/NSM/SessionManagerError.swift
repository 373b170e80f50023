/// Why there is no session, in one line: the fault, the expectation, the remedy.
public struct SessionManagerError: Error, Hashable, CustomStringConvertible {
  /// The line.
  public let description: String

  init(_ description: String) { self.description = description }

  /// No program listens there.
  static func nobody(at address: SessionManagerAddress) -> SessionManagerError {
    SessionManagerError(
      "no session manager listens at \(address); start jackstay from one, or unset NSM_URL")
  }
}
