import Stage
import Testing

/// Runs each test of a suite while no other such test of the process runs.
struct Alone: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Turn.take(function)
  }
}

extension Trait where Self == Alone {
  static var alone: Alone { Alone() }
}
