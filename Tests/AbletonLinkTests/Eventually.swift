import Testing

/// Waits until `condition` holds, and fails the test when it does not within `limit`.
func eventually(
  within limit: Duration = .seconds(8), sourceLocation: SourceLocation = #_sourceLocation,
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
  of stream: AsyncStream<Value>, within limit: Duration = .seconds(8)
) async -> Value? {
  await withTaskGroup(of: Value?.self) { group in
    group.addTask {
      var iterator = stream.makeAsyncIterator()
      return await iterator.next()
    }
    group.addTask {
      try? await Task.sleep(for: limit)
      return nil
    }
    defer { group.cancelAll() }
    return await group.next() ?? nil
  }
}
