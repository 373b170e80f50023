import Synchronization

/// Where the C library's own messages go: to standard error, unless told otherwise.
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

  /// Sends every message to `sink`, which is called on any thread except that of the cycle, and must not
  /// block or call JACK.
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

  static func write(_ level: Level, _ message: UnsafePointer<CChar>?) {
    guard let message, let sink = sink.withLock({ $0 }) else { return }
    sink.write(level, String(cString: message))
  }
}
