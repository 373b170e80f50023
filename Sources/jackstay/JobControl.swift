import Dispatch
import Glibc
import Synchronization

/// Gives the terminal back before Ctrl-Z stops the program, and takes it again when the program goes on.
///
/// Only where the terminal's mode is changed: elsewhere there is nothing to give back.
final class JobControl: Sendable {
  private let sources: Mutex<[any DispatchSourceSignal]>

  /// Has `giveBack` called before the program stops, and `takeAgain` when it goes on.
  init(giveBack: @escaping @Sendable () -> Void, takeAgain: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "job-control", qos: .userInteractive)
    let actions: [(Int32, @Sendable () -> Void)] = [
      (
        SIGTSTP,
        {
          giveBack()
          JobControl.stop()
          takeAgain()
        }
      ),
      // It may have been stopped otherwise.
      (SIGCONT, takeAgain),
    ]
    sources = Mutex(
      actions.compactMap { number, action in
        guard !StopSignals.isIgnored(number) else { return nil }
        let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
        source.setEventHandler(handler: action)
        source.resume()
        return source
      })
  }

  /// Stops listening.
  func cancel() {
    sources.withLock { for source in $0 { source.cancel() } }
  }

  /// Stops the program as Ctrl-Z does where nobody listens, which is not at all where there is no shell to have it go
  /// on. Returns when it goes on.
  private static func stop() {
    var (action, listening) = (sigaction(), sigaction())
    var (set, mask) = (sigset_t(), sigset_t())
    action.__sigaction_handler.sa_handler = SIG_DFL
    sigemptyset(&set)
    sigaddset(&set, SIGTSTP)
    sigaction(SIGTSTP, &action, &listening)
    pthread_sigmask(SIG_UNBLOCK, &set, &mask)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
    sigaction(SIGTSTP, &listening, nil)
  }
}
