import Settings

/// What `jackstay run` does.
enum Program {
  /// Runs until a signal or a failure, and returns the exit code.
  static func run(_ settings: Settings) async -> Int32 {
    0
  }
}
