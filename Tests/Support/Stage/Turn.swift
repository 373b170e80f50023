/// Lets the tests of a process have the network one after the other.
///
/// All that run in one process share one Link session; a serialized suite orders only its own tests. A test
/// target gives its suites a trait that takes a turn around each test.
public actor Turn {
  private static let only = Turn()
  private var isTaken = false
  private var queue: [CheckedContinuation<Void, Never>] = []

  /// Runs the body when all who asked before are done.
  public static func take(_ body: @Sendable () async throws -> Void) async throws {
    await only.begin()
    do {
      try await body()
    } catch {
      await only.end()
      throw error
    }
    await only.end()
  }

  private func begin() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withCheckedContinuation { queue.append($0) }
  }

  /// The turn is handed on, so no newcomer can be faster than those in the queue.
  private func end() {
    if queue.isEmpty { isTaken = false } else { queue.removeFirst().resume() }
  }
}
