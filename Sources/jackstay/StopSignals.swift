import Glibc
import Host
import Synchronization

/// Ends the program on INT, on TERM, on QUIT, and on HUP where the terminal has gone: in order if that is quick, at once if
/// not. Any other HUP asks for the configuration to be read again.
///
/// Leaving in order means calls to JACK and Link, and a server that hangs answers none. A user who pressed
/// Ctrl-C must not wait for it: after ``deadline``, or on a second signal, the process ends and the kernel
/// closes its connections.
final class StopSignals: Sendable {
  /// How long leaving in order may take.
  static let deadline = Duration.milliseconds(120)

  private static let numbers = [SIGINT, SIGTERM, SIGQUIT]
  private let reloads: Bool
  private let terminal = ControllingTerminal()
  private let state = Mutex(State())
  private let tidy: @Sendable () -> Void
  /// The threads for ending, from the start: by then the system may have no thread left.
  private let threads: (deadline: ReservedThread, stop: ReservedThread)?

  private struct State {
    var hasCome = false
    var stop: (@Sendable () -> Void)?
    var reload: (@Sendable () -> Void)?
    /// Whether the configuration is to be read again as soon as a reader of it is there.
    var isReloadDue = false
  }

  /// Listens from now on. Calls `tidy` before the process ends at once. A program with nothing to read again
  /// ends on any HUP: it does not `reload`.
  init(reloads: Bool, tidy: @escaping @Sendable () -> Void) {
    self.reloads = reloads
    self.tidy = tidy
    threads = ReservedThread().flatMap { deadline in ReservedThread().map { (deadline, $0) } }
    for number in Self.numbers { Signals.answer(number) { self.come() } }
    Signals.answer(SIGHUP) { self.hangUp() }
  }

  /// Has `reload` called, on a thread of its own, when the configuration is to be read again; if a signal has asked
  /// for that already, now.
  func onReload(_ reload: @escaping @Sendable () -> Void) {
    let isDue = state.withLock { state in
      state.reload = reload
      defer { state.isReloadDue = false }
      return state.isReloadDue
    }
    if isDue { reload() }
  }

  /// Has the first signal call `stop`, on a thread of its own; if it has come already, now.
  func onFirst(_ stop: @escaping @Sendable () -> Void) {
    let hasCome = state.withLock { state in
      state.stop = stop
      return state.hasCome
    }
    if hasCome { stop() }
  }

  /// Has signals ignored from now on: the program ends by itself.
  func cancel() {
    for number in Self.numbers + [SIGHUP] { Signals.answer(number) {} }
  }

  private func hangUp() {
    if !reloads || terminal.hasGone() { return come() }
    let reload = state.withLock { state in
      state.isReloadDue = state.reload == nil
      return state.reload
    }
    if let reload, !DetachedThread.start(reload) { reload() }
  }

  private func come() {
    let (isAgain, stop) = state.withLock { state in
      defer { state.hasCome = true }
      return (state.hasCome, state.stop)
    }
    guard !isAgain, let threads else { endAtOnce() }
    // Not on the pool that tasks run on: it may be what hangs.
    threads.deadline.run {
      usleep(UInt32(Self.deadline / .microseconds(1)))
      self.endAtOnce()
    }
    if let stop { threads.stop.run(stop) }
  }

  private func endAtOnce() -> Never {
    tidy()
    _exit(0)
  }
}
