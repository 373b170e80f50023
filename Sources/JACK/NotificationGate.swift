import Synchronization

/// Keeps notifications out of a client that is about to be closed, for the reason that ``CallbackGate`` has:
/// the stream they go into has a lock.
///
/// More than one thread may be inside. When the server goes, JACK's real-time thread makes the call itself,
/// while the notification thread may be at something else; so those inside are counted.
struct NotificationGate: ~Copyable, Sendable {
  private static var shut: Int { 1 << 32 }
  /// How many threads are inside; and ``shut``, once it is.
  private let state = Atomic<Int>(0)

  /// Whether the notification may go on; it then has to ``leave()``.
  borrowing func enter() -> Bool {
    guard state.wrappingAdd(1, ordering: .acquiring).oldValue >= Self.shut else { return true }
    leave()
    return false
  }

  borrowing func leave() {
    state.wrappingSubtract(1, ordering: .releasing)
  }

  /// Lets no other thread in and waits for those inside, but not forever.
  borrowing func shut() {
    state.bitwiseOr(Self.shut, ordering: .acquiringAndReleasing)
    CallbackGate.wait { state.load(ordering: .acquiring) > Self.shut }
  }
}
