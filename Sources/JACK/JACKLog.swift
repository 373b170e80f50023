import Synchronization

/// Where the C library's own messages go: by default to standard error.
///
/// The choice is one for the whole process and best made before the first client opens. Thread-safe.
///
/// The corresponding C functions are `jack_set_error_function` and `jack_set_info_function`.
public enum JACKLog {
  /// How the library itself ranks a message.
  public enum Level: Sendable, Hashable {
    /// Something failed, though often only from the library's point of view.
    case error
    /// Something happened.
    case info
  }

  /// A function in a box: one that is kept in a generic place by itself is wrapped anew at every access, and
  /// each call then goes through all of the wrappings.
  private struct Sink: Sendable {
    let write: @Sendable (Level, String) -> Void
  }

  private static let sink = Mutex<Sink?>(nil)
  /// How many threads are logging.
  private static let speakers = Atomic<Int>(0)
  /// The number of clients that are being closed; no thread may begin to log while it is above zero.
  private static let silences = Atomic<Int>(0)

  /// Sends every message to `sink`, which is called on any thread except that of the cycle, and must not
  /// block or call JACK.
  ///
  /// The library's messages while a client is being closed are dropped: it cancels its threads then, wherever
  /// they are.
  public static func route(to sink: @escaping @Sendable (Level, String) -> Void) {
    self.sink.withLock { $0 = Sink(write: sink) }
    LibJACK.routeLog(
      errors: { JACKLog.write(.error, $0) },
      messages: { JACKLog.write(.info, $0) })
  }

  /// Drops every message.
  public static func silence() {
    LibJACK.routeLog(errors: { _ in }, messages: { _ in })
    sink.withLock { $0 = nil }
  }

  /// Runs `body`, which has the library cancel threads of its own, when none of them is logging, and none
  /// begins: a lock that it held then, the log's or the allocator's, would stay locked.
  ///
  /// A sink that hangs is waited for for a second.
  static func whileSilent(_ body: () -> Void) {
    silences.wrappingAdd(1, ordering: .sequentiallyConsistent)
    CallbackGate.wait { speakers.load(ordering: .sequentiallyConsistent) > 0 }
    body()
    silences.wrappingSubtract(1, ordering: .sequentiallyConsistent)
  }

  static func write(_ level: Level, _ message: UnsafePointer<CChar>?) {
    // Not even counted: a thread that is cancelled in there would be counted for ever.
    guard silences.load(ordering: .sequentiallyConsistent) == 0 else { return }
    speakers.wrappingAdd(1, ordering: .sequentiallyConsistent)
    defer { speakers.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
    guard silences.load(ordering: .sequentiallyConsistent) == 0 else { return }
    guard let message, let sink = sink.withLock({ $0 }) else { return }
    sink.write(level, String(cString: message))
  }
}
