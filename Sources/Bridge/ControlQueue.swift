import Glibc
import Host
import MusicalTime

/// A queue that a part of a bridge's slow half runs on, with a thread of its own.
///
/// Calls to JACK block, without end when the server hangs: on the pool that all tasks share, two of them
/// would stop a machine with two cores. And that thread itself waits for later actions: a detour over another
/// one, which would have to find a third to run it, costs more processor time than the rest of a bridge in a
/// session in which nothing happens.
///
/// Thread-safe. Realtime-safe: no.
final class ControlQueue: SerialExecutor {
  private let worker = Worker()

  /// An empty queue.
  init() {
    // A bridge without it does nothing, and has no other thread to report that on.
    precondition(DetachedThread.start { [worker] in worker.work() }, "the system has no thread left")
  }

  deinit { worker.end() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    run { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  func checkIsolated() { precondition(worker.isCurrent, "not on the queue of that actor") }

  /// Runs `action` on this queue soon.
  func run(_ action: @escaping @Sendable () -> Void) { worker.add(action) }

  /// Runs `action` on this queue after `interval`, and not before; never if the queue has gone by then.
  func run(after interval: HostInterval, _ action: @escaping @Sendable () -> Void) {
    worker.add(action, after: interval)
  }
}

/// The state that the thread of a queue keeps alive: not the queue, which ends it.
private final class Worker: @unchecked Sendable {
  typealias Action = @Sendable () -> Void

  // All that follows is looked at with the lock held.
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let news = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var due: [Action] = []
  /// Actions that are to run later, the next one last.
  private var appointments: [(time: HostInterval, action: Action)] = []
  private var hasEnded = false
  private var thread: pthread_t?

  init() {
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(news, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(news)
    news.deallocate()
    pthread_mutex_destroy(lock)
    lock.deallocate()
  }

  /// Whether the caller runs on this thread.
  var isCurrent: Bool {
    withLock { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
  }

  func add(_ action: @escaping Action) {
    withLock {
      due.append(action)
      pthread_cond_signal(news)
    }
  }

  func add(_ action: @escaping Action, after interval: HostInterval) {
    let time = Self.now + interval
    withLock {
      // Of two for the same time the one that came first runs first.
      let place = appointments.firstIndex { $0.time <= time } ?? appointments.endIndex
      appointments.insert((time, action), at: place)
      pthread_cond_signal(news)
    }
  }

  /// Actions that are due still run.
  func end() {
    withLock {
      hasEnded = true
      appointments = []
      pthread_cond_signal(news)
    }
  }

  /// The thread's work, until the queue has gone.
  func work() {
    withLock { thread = pthread_self() }
    while let actions = next() {
      for action in actions { action() }
    }
  }

  /// Waits for something to do; `nil` when there is never going to be anything.
  private func next() -> [Action]? {
    withLock {
      while true {
        let now = Self.now
        while let appointment = appointments.last, appointment.time <= now {
          due.append(appointment.action)
          appointments.removeLast()
        }
        if !due.isEmpty {
          defer { due = [] }
          return due
        }
        if hasEnded { return nil }
        guard let appointment = appointments.last else {
          pthread_cond_wait(news, lock)
          continue
        }
        let (seconds, nanoseconds) = appointment.time.nanoseconds.quotientAndRemainder(
          dividingBy: 1_000_000_000)
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
        pthread_cond_timedwait(news, lock, &time)
      }
    }
  }

  private func withLock<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }

  /// The system's clock, from when the system was started.
  private static var now: HostInterval { HostInterval(on: CLOCK_MONOTONIC) ?? .zero }
}
