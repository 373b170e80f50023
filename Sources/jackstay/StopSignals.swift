import Dispatch
import Glibc
import Synchronization

/// Ends the program on INT, TERM or HUP: in order if that is quick, at once if not.
///
/// Leaving in order means calls to JACK and Link, and a server that hangs answers none. Whoever pressed Ctrl-C must
/// not wait for it: after ``deadline``, or on a second signal, the process ends and the kernel tells the server.
final class StopSignals: Sendable {
  /// How long leaving in order may take.
  static let deadline = DispatchTimeInterval.milliseconds(120)

  private let sources: Mutex<[any DispatchSourceSignal]>

  /// Calls `stop` on the first signal.
  init(stop: @escaping @Sendable () -> Void) {
    // Not the pool that tasks run on: it may be what hangs.
    let queue = DispatchQueue(label: "signals", qos: .userInteractive)
    let isStopping = Mutex(false)
    let handler: @Sendable () -> Void = {
      let again = isStopping.withLock { stopping in
        defer { stopping = true }
        return stopping
      }
      if again { _exit(0) }
      queue.asyncAfter(deadline: .now() + Self.deadline) { _exit(0) }
      stop()
    }
    sources = Mutex(
      [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: handler)
        source.resume()
        return source
      })
    // A reader of our log that goes away is no reason to end.
    signal(SIGPIPE, SIG_IGN)
  }

  /// Stops listening.
  func cancel() {
    sources.withLock { for source in $0 { source.cancel() } }
  }
}
