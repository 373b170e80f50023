import Testing

/// Waits until `condition` holds, and fails the test when it does not within `limit`.
func eventually(
  within limit: Duration = .seconds(30), sourceLocation: SourceLocation = #_sourceLocation,
  _ condition: () -> Bool
) async throws {
  let clock = ContinuousClock()
  let deadline = clock.now + limit
  while !condition() {
    try #require(clock.now < deadline, "not within \(limit)", sourceLocation: sourceLocation)
    try await Task.sleep(for: .milliseconds(1))
  }
}

/// The next value of `stream`, or `nil` when it ends or none comes within `limit`.
func next<Value: Sendable>(
  of stream: AsyncStream<Value>, within limit: Duration = .seconds(30)
) async -> Value? {
  await withTaskGroup(of: Value?.self) { group in
    group.addTask {
      var iterator = stream.makeAsyncIterator()
      return await iterator.next()
    }
    group.addTask {
      // Many short ones: where tests beside this one keep the process busy, the time is not the stream's
      // fault.
      for _ in 0..<100 { try? await Task.sleep(for: limit / 100) }
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
}
