extension Settings {
  /// How severe a message must be to be logged, from all to the fewest.
  public enum LogLevel: String, Sendable, CaseIterable {
    /// Everything.
    case trace
    /// Details that help to find a fault.
    case debug
    /// Events that a user wants to follow.
    case info
    /// Events that a user should notice.
    case notice
    /// Probable faults.
    case warning
    /// Failures.
    case error
  }
}
