import Dispatch
import Synchronization

/// A thread that is there before it is needed, for actions that have to run also when the system has none
/// left.
///
/// Thread-safe. Realtime-safe: no.
public final class ReservedThread: Sendable {
  private let isDue = DispatchSemaphore(value: 0)
  private let work = Mutex<(@Sendable () -> Void)?>(nil)

  /// A thread that waits; `nil` where the system has none.
  public init?() {
    guard
      DetachedThread.start({ [isDue, self] in
        isDue.wait()
        work.withLock { $0.take() }?()
      })
    else { return nil }
  }

  /// Runs `body` on the thread, which ends with it. To be called once.
  public func run(_ body: @escaping @Sendable () -> Void) {
    work.withLock { $0 = body }
    isDue.signal()
  }
}
