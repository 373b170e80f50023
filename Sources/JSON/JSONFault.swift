/// A fault in bytes that were to be a flat JSON object.
public struct JSONFault: Error, Hashable, CustomStringConvertible {
  /// At which byte, counted from 1.
  public let position: Int
  /// The expected text there.
  public let expectation: String

  /// One line: the place and the expectation.
  public var description: String { "byte \(position): expected \(expectation)" }
}
