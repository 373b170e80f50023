import Glibc

/// An instant of CLOCK_MONOTONIC that ends all waits.
struct Deadline: Sendable {
  private let nanoseconds: Int64

  static func now() -> Deadline {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Deadline(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func after(_ duration: Duration) -> Deadline {
    let (seconds, attoseconds) = duration.components
    return Deadline(
      nanoseconds: now().nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  var hasPassed: Bool { Deadline.now().nanoseconds >= nanoseconds }

  var time: timespec {
    timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
  }

  private init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }
}

/// A value behind a lock, on whose changes a thread can wait.
///
/// Waiting blocks the thread; it keeps tests of processes plain functions.
final class Monitor<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var value: Value

  init(_ value: Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  func read<Result>(_ body: (Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(value)
  }

  func change<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    pthread_mutex_lock(mutex)
    defer {
      pthread_cond_broadcast(changed)
      pthread_mutex_unlock(mutex)
    }
    return try body(&value)
  }

  /// Asks after every change until there is an answer; nil when there is none before the deadline.
  func wait<Result>(until deadline: Deadline? = nil, _ answer: (Value) throws -> Result?) rethrows -> Result?
  {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = try answer(value) { return result }
      guard let deadline else {
        pthread_cond_wait(changed, mutex)
        continue
      }
      if deadline.hasPassed { return nil }
      var time = deadline.time
      pthread_cond_timedwait(changed, mutex, &time)
    }
  }
}
