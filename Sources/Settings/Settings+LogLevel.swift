extension Settings {
  /// How severe a message must be to be logged, from all to the fewest.
  public enum LogLevel: String, Sendable, CaseIterable {
    /// Everything.
    case trace
    /// What helps to find a fault.
    case debug
    /// What a user wants to follow.
    case info
    /// What a user should notice.
    case notice
    /// What is probably wrong.
    case warning
    /// What has failed.
    case error
  }
}
