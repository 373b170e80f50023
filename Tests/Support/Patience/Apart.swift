import Dispatch

/// A thread for what must not wait for the tests, which block those of the shared pool.
public final class Apart: TaskExecutor {
  private let queue = DispatchQueue(label: "apart")

  /// One of its own.
  public init() {}

  /// Runs a job on it.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
