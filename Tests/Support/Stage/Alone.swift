import Testing

/// Runs each test of a suite while no other such test of the process runs.
///
/// For every suite that uses the network, JACK or the limits of the process: all tests of a package run in
/// one.
public struct Alone: SuiteTrait, TestTrait, TestScoping {
  /// Suites inside the suite wait for their turns, too.
  public let isRecursive = true

  /// Takes a turn around the test, and keeps the evidence of it.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Turn.take { try await Evidence.gather(test, function) }
  }
}

extension Trait where Self == Alone {
  /// Runs each test of the suite while no other such test of the process runs.
  public static var alone: Alone { Alone() }
}
