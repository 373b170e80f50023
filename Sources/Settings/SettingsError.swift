/// A fault in the flags or in the configuration file, in one line that says what to do about it.
public struct SettingsError: Error, Hashable, CustomStringConvertible {
  /// The line: what is wrong, what was expected, what to do.
  public let description: String

  /// A fault described by `description`, a single line.
  public init(_ description: String) {
    self.description = description
  }
}
