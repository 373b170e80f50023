import Glibc

/// Wakes a thread that waits in `poll`, which has ``descriptor`` among what it waits for.
///
/// Thread-safe. Realtime-safe: no.
public final class PollWakeup: Sendable {
  /// What can be read from once the thread is called.
  public let descriptor: Int32
  private let sender: Int32

  /// One that nobody has called yet; `nil` when the system has no descriptor for it, and `errno` says why.
  ///
  /// The corresponding C function is `socketpair`.
  public init?() {
    var ends: [Int32] = [-1, -1]
    let kind =
      Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { return nil }
    (sender, descriptor) = (ends[0], ends[1])
  }

  deinit {
    close(sender)
    close(descriptor)
  }

  /// Wakes the thread, or has it not begin to wait.
  public func call() {
    // Where there is no room for it, the thread is going to wake up anyway.
    _ = send(sender, [0], 1, Int32(MSG_NOSIGNAL))
  }

  /// Forgets the calls so far: for the thread that was woken.
  public func clear() {
    var calls = [UInt8](repeating: 0, count: 256)
    _ = recv(descriptor, &calls, calls.count, 0)
  }
}
