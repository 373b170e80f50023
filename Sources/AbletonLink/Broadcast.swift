import Synchronization

/// Gives every value sent to any number of streams.
final class Broadcast<Value: Sendable>: Sendable {
  private struct State {
    var continuations: [UInt64: AsyncStream<Value>.Continuation] = [:]
    var nextID: UInt64 = 0
    var isFinished = false
  }

  /// How many values wait for a listener that is slow, before it loses the oldest.
  private static var capacity: Int { 16 }

  private let state = Mutex(State())

  var numberOfListeners: Int { state.withLock { $0.continuations.count } }

  func stream() -> AsyncStream<Value> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(Self.capacity))
    let id: UInt64? = state.withLock { state in
      guard !state.isFinished else { return nil }
      defer { state.nextID += 1 }
      state.continuations[state.nextID] = continuation
      return state.nextID
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in
      self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
    }
    return stream
  }

  func send(_ value: Value) {
    // Within the lock, so that all listeners see values in the order they were sent.
    state.withLock { state in
      for continuation in state.continuations.values { continuation.yield(value) }
    }
  }

  func finish() {
    let continuations = state.withLock { state in
      state.isFinished = true
      return state.continuations.values
    }
    // Outside the lock: finishing calls the termination handler, which takes it.
    for continuation in continuations { continuation.finish() }
  }
}
