import Testing

/// Runs a test twice: on jackd2 and on PipeWire, where it says nothing else.
///
/// For what a musician sees of both alike. What PipeWire cannot do, such as to take the timebase from who has it, or
/// does by a clock of its own, has tests of its own.
public struct OnEveryServer: SuiteTrait, TestTrait, TestScoping {
  /// Suites inside the suite run on both, too.
  public let isRecursive = true

  /// Runs the test on one server, then on the other.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    for kind in JackServer.Kind.allCases {
      print("\(test.name) on \(kind)")
      try await JackServer.$usual.withValue(kind) { try await function() }
    }
  }
}

extension Trait where Self == OnEveryServer {
  /// The test runs on jackd2 and on PipeWire.
  public static var onEveryServer: OnEveryServer { OnEveryServer() }
}
