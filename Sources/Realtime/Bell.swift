import Glibc

/// Calls a function, on a thread of its own, soon after another thread has rung.
///
/// Ringing never waits, so that a real-time thread can do it. Rings that come while the function runs are answered by
/// one more call. The ringing end is a plain value without reference counts, good for as long as the bell lives.
public final class Bell: Sendable {
  /// The end that rings. Realtime-safe.
  public let ringer: Ringer

  private nonisolated(unsafe) let semaphore: UnsafeMutablePointer<sem_t>
  private let thread: pthread_t?
  private let listener: Listener

  /// What the thread holds on to: not the bell, which ends it.
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
        // Of many rings one answer is enough.
        while sem_trywait(semaphore) == 0 {}
        if hasEnded.pointee { return }
        answer()
      }
    }

    /// Before the last ring, which publishes it.
    func end() { hasEnded.pointee = true }
  }

  /// A bell that has `answer` called, on a thread of its own.
  public init(_ answer: @escaping @Sendable () -> Void) {
    semaphore = .allocate(capacity: 1)
    sem_init(semaphore, 0, 0)
    ringer = Ringer(semaphore: semaphore)
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

  deinit {
    listener.end()
    ringer.ring()
    if let thread { pthread_join(thread, nil) }
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  /// The end of a ``Bell`` that rings.
  public struct Ringer: @unchecked Sendable {
    let semaphore: UnsafeMutablePointer<sem_t>

    /// Has the function called soon. Realtime-safe: it may wake a thread, and waits for none.
    @_noLocks
    public func ring() { post() }

    // The compiler cannot follow a call into C.
    @_semantics("no_performance_analysis")
    private func post() { sem_post(semaphore) }
  }
}
