import Dispatch
import Glibc
import Synchronization

/// A thread that waits in `poll`, until it is woken or ended, and otherwise does only what does not block.
///
/// Thread-safe. Realtime-safe: no.
public final class PollThread: Sendable {
  /// The descriptor that becomes readable when the thread is called.
  private let receiver: Int32
  private let sender: Int32
  private let isEnding = Atomic<Bool>(false)
  private let hasEnded = DispatchSemaphore(value: 0)

  /// One that has not begun; `nil` when the system has no descriptor to wake it by, and `errno` has the
  /// reason.
  ///
  /// The corresponding C function is `socketpair`.
  public init?() {
    var ends: [Int32] = [-1, -1]
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    (sender, receiver) = (ends[0], ends[1])
  }

  deinit {
    close(sender)
    close(receiver)
  }

  /// Begins with `body`, which goes on as long as ``wait(for:atMost:)`` returns true; false where the system
  /// has no thread left. To be called once.
  public func begin(_ body: @escaping @Sendable () -> Void) -> Bool {
    DetachedThread.start { [self] in
      body()
      hasEnded.signal()
    }
  }

  /// Waits until one of `wishes` comes true, another thread calls, or the time is over. For the thread
  /// itself.
  ///
  /// - Parameters:
  ///   - wishes: The descriptors and events to wait for, with the results.
  ///   - time: The longest wait; `nil` for any.
  /// - Returns: Whether to go on: false once the thread is to end.
  public func wait(for wishes: inout [pollfd], atMost time: Duration? = nil) -> Bool {
    wishes.append(pollfd(fd: receiver, events: Int16(POLLIN), revents: 0))
    // Rounded up: a time that is not over yet is not looked at again and again.
    let milliseconds = time.map { Int32(max(0, min(60_000, $0 / .milliseconds(1))).rounded(.up)) }
    poll(&wishes, nfds_t(wishes.count), milliseconds ?? -1)
    wishes.removeLast()
    var calls = [UInt8](repeating: 0, count: 256)
    _ = recv(receiver, &calls, calls.count, 0)
    return !isEnding.load(ordering: .acquiring)
  }

  /// Wakes the thread, or has it not begin to wait.
  public func call() {
    // Where there is no room for it, the thread is going to wake up anyway.
    _ = send(sender, [0], 1, Int32(MSG_NOSIGNAL))
  }

  /// Has the thread end; it may still be doing something.
  public func end() {
    isEnding.store(true, ordering: .releasing)
    call()
  }

  /// Has the thread end, and waits for that, but no longer than `timeout`.
  public func end(within timeout: DispatchTimeInterval) {
    end()
    _ = hasEnded.wait(timeout: .now() + timeout)
  }
}
