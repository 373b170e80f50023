import Dispatch
import MusicalTime

/// A queue that a part of a bridge's slow half runs on.
///
/// Calls to JACK block, without end when the server hangs: on the pool that all tasks share, two of them
/// would stop a machine with two cores. And what runs here after a while makes no detour over that pool,
/// which would cost more processor time than all the rest of the bridge.
final class ControlQueue: SerialExecutor {
  private let queue: DispatchQueue

  /// A queue that debuggers show as `label`.
  init(label: String) { queue = DispatchQueue(label: label) }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() {
    dispatchPrecondition(condition: .onQueue(queue))
  }

  /// Runs `action` on this queue soon.
  func run(_ action: @escaping @Sendable () -> Void) { queue.async(execute: action) }

  /// Runs `action` on this queue after roughly `interval`.
  func run(after interval: HostInterval, _ action: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .nanoseconds(Int(interval.nanoseconds)), execute: action)
  }
}
