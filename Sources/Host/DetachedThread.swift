import Glibc

/// Threads for what may block for ever: the pool that tasks share has one for each processor, and what waits
/// there holds everything else.
public enum DetachedThread {
  /// Runs `body` on a thread of its own, which ends with it or with the process; false where the system has no
  /// thread left, as in a service with as many as it may have.
  ///
  /// Thread-safe. Realtime-safe: no. The corresponding C function is `pthread_create`.
  public static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
    var thread = pthread_t()
    let argument = Unmanaged.passRetained(Body(body)).toOpaque()
    let code = pthread_create(
      &thread, nil,
      { argument in
        guard let argument else { return nil }
        Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, argument)
    if code == 0 { pthread_detach(thread) } else { Unmanaged<Body>.fromOpaque(argument).release() }
    return code == 0
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
