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

  /// Calls `stop` on the first signal, and `tidy` before the process ends at once.
  init(tidy: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void) {
    // Not the pool that tasks run on: it may be what hangs.
    let queue = DispatchQueue(label: "signals", qos: .userInteractive)
    let isStopping = Mutex(false)
    let endAtOnce: @Sendable () -> Void = {
      tidy()
      _exit(0)
    }
    let handler: @Sendable () -> Void = {
      let again = isStopping.withLock { stopping in
        defer { stopping = true }
        return stopping
      }
      if again { endAtOnce() }
      queue.asyncAfter(deadline: .now() + Self.deadline, execute: endAtOnce)
      stop()
    }
    // `nohup` has the program outlive its terminal by ignoring HUP before it begins.
    let numbers = Self.isIgnored(SIGHUP) ? [SIGINT, SIGTERM] : [SIGINT, SIGTERM, SIGHUP]
    sources = Mutex(
      numbers.map { number in
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

  /// Whether the program ignores a signal; from the start, when whoever started it wants that.
  static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
