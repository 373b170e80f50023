import Testing

/// Runs a test twice: on jackd2, and on PipeWire with no other expectations.
///
/// For behaviour that a musician sees on both alike. Tests of their own are for things that PipeWire cannot
/// do, such as to take the timebase from its owner, or does by a clock of its own.
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
