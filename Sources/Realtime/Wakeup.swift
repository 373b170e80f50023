import Glibc

/// Calls a function, on a thread of its own, soon after another thread has asked for it.
///
/// To ask never waits, so that a real-time thread can do it. Requests while the function runs lead to one
/// more call. The asking end is a plain value without reference counts, good for as long as the wakeup lives.
public final class Wakeup: Sendable {
  /// The end that asks. Realtime-safe.
  public let sender: Sender

  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>
  private let thread: pthread_t?
  private let listener: Listener

  /// The state that the thread keeps alive: not the wakeup, which ends it.
  private final class Listener: Sendable {
    private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>
    private nonisolated(unsafe) let hasEnded: UnsafeMutablePointer<Bool>
    private let answer: @Sendable () -> Void

    init(_ semaphore: UnsafeMutablePointer<sem_t>, _ answer: @escaping @Sendable () -> Void) {
      self.semaphore = semaphore
      self.answer = answer
      hasEnded = .allocate(capacity: 1)
      hasEnded.initialize(to: false)
    }

    deinit { hasEnded.deallocate() }

    func listen() {
      while true {
        while sem_wait(semaphore) != 0 {}
        // However often it was asked, one answer is enough.
        while sem_trywait(semaphore) == 0 {}
        if hasEnded.pointee { return }
        answer()
      }
    }

    /// Before the last wake-up, which publishes it.
    func end() { hasEnded.pointee = true }
  }

  /// A wake-up that has `answer` called, on a thread of its own.
  public init(_ answer: @escaping @Sendable () -> Void) {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    sender = Sender(semaphore: semaphore)
    listener = Listener(semaphore, answer)
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(listener).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Listener>.fromOpaque(argument).takeRetainedValue().listen()
        return nil
      }, argument)
    if code != 0 { Unmanaged<Listener>.fromOpaque(argument).release() }
    self.thread = code == 0 ? thread : nil
  }

  /// Runs the thread in real time, by the rule `SCHED_FIFO` at `priority`. Where the system does not allow that, it
  /// stays an ordinary thread. Thread-safe. Realtime-safe: no.
  public func setRealTimePriority(_ priority: Int32) {
    guard let thread else { return }
    var parameters = sched_param()
    parameters.sched_priority = priority
    _ = pthread_setschedparam(thread, SCHED_FIFO, &parameters)
  }

  deinit {
    listener.end()
    sender.send()
    if let thread { pthread_join(thread, nil) }
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// The end of a ``Wakeup`` that asks.
  public struct Sender: @unchecked Sendable {
    let semaphore: UnsafeMutablePointer<sem_t>

    /// Has the function called soon. Realtime-safe: it may wake a thread, and waits for none.
    @_noLocks
    public func send() { post() }

    // The compiler cannot follow a call into C.
    @_semantics("no_performance_analysis")
    private func post() { sem_post(semaphore) }
  }
}
