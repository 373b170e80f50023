import Glibc
import Synchronization

/// Keeps callbacks of the real-time thread out of a client that is about to be closed.
///
/// jackd2 ends a client's threads by asynchronous cancellation, wherever they are: in the middle of pushing
/// into a ring, or holding the lock of a stream. So a client is closed only when no callback is inside.
///
/// The thread is one, and its callbacks come one at a time: whether one is inside is a flag, and only raising
/// it has to be seen in one order with the shutting by both threads.
struct CallbackGate: ~Copyable, Sendable {
  private let isInside = Atomic<Bool>(false)
  private let isShut = Atomic<Bool>(false)

  /// Whether the callback may go on; it then has to ``leave()``.
  @_noLocks
  borrowing func enter() -> Bool {
    isInside.store(true, ordering: .sequentiallyConsistent)
    guard isShut.load(ordering: .sequentiallyConsistent) else { return true }
    leave()
    return false
  }

  @_noLocks
  borrowing func leave() {
    isInside.store(false, ordering: .releasing)
  }

  /// Lets no further callback in and waits for those inside, but not forever: one that hangs must not keep
  /// the client open.
  borrowing func shut() {
    isShut.store(true, ordering: .sequentiallyConsistent)
    Self.wait { isInside.load(ordering: .sequentiallyConsistent) }
  }

  /// Waits while a callback is running: a second at most.
  static func wait(while isInside: () -> Bool) {
    var triesLeft = 10_000
    while isInside(), triesLeft > 0 {
      usleep(100)
      triesLeft -= 1
    }
  }
}
