import Dispatch
import Glibc
import Host
import Synchronization

/// Whether the system lets this user have threads that run in real time: tried, because limits, capabilities
/// and containers all have a say.
enum RealtimeTrial {
  /// The reason why not; `nil` where it does. The corresponding C function is `pthread_setschedparam`.
  static func refusal() -> String? {
    let code = Code()
    let done = DispatchSemaphore(value: 0)
    let isStarted = DetachedThread.start {
      var parameter = sched_param(sched_priority: sched_get_priority_min(SCHED_FIFO))
      code.value.store(pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameter), ordering: .relaxed)
      done.signal()
    }
    guard isStarted else { return String(cString: strerror(EAGAIN)).lowercased() }
    done.wait()
    let number = code.value.load(ordering: .relaxed)
    return number == 0 ? nil : String(cString: strerror(number)).lowercased()
  }

  private final class Code: Sendable {
    let value = Atomic<Int32>(0)
  }
}
