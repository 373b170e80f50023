import Testing

/// Lets tests of a suite fail in a program with a sanitizer: they measure how exact and how fast the bridge
/// is, and there it is neither.
///
/// They run there all the same, since a sanitizer's report fails the run by itself.
public struct Measured: SuiteTrait, TestTrait, TestScoping {
  /// Suites inside the suite measure, too.
  public let isRecursive = true

  /// Runs the test.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard Sanitizer.current != nil else { return try await function() }
    await withKnownIssue("a program with a sanitizer is late", isIntermittent: true) {
      try await function()
    }
  }
}

extension Trait where Self == Measured {
  /// The tests measure, which a sanitizer disturbs.
  public static var measured: Measured { Measured() }
}
