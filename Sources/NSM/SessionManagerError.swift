/// Why there is no session to be had, in one line: what is wrong, what was expected, what to do.
public struct SessionManagerError: Error, Hashable, CustomStringConvertible {
  /// The line.
  public let description: String

  init(_ description: String) { self.description = description }
}
