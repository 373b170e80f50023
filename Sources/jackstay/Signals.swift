import Glibc
import Synchronization

/// The signals that the program answers itself.
///
/// They are blocked before the first thread begins, which every thread inherits, and waited for on the main
/// thread, which does nothing else. So none is lost, however long an answer takes, and answers run as
/// ordinary code. A signal without an answer has its default action.
///
/// The corresponding C functions are `pthread_sigmask` and `sigwait`.
enum Signals {
  /// The signals that the program may answer, unless its parent has them ignored: `nohup` has a program
  /// outlive its terminal by ignoring HUP. Not INT, QUIT and TERM: a shell without job control ignores the
  /// first two for programs that it runs in the background, where nothing else ends them in order.
  private static let numbers =
    [SIGINT, SIGQUIT, SIGTERM] + [SIGHUP, SIGTSTP].filter { !isIgnored($0) } + [SIGCONT]

  private static let answers = Mutex<[Int32: @Sendable () -> Void]>([:])

  /// Has them wait until ``wait()``. To be called on the main thread, before there is another.
  static func hold() {
    var set = signalSet(of: numbers)
    pthread_sigmask(SIG_BLOCK, &set, nil)
    // A reader of the log that goes away is no reason to end.
    signal(SIGPIPE, SIG_IGN)
    CrashSignals.endAtOnce()
  }

  /// Waits for them on the main thread, one after the other, and has them answered there.
  static func wait() -> Never {
    var set = signalSet(of: numbers)
    while true {
      var number: Int32 = 0
      guard sigwait(&set, &number) == 0 else { continue }
      if let answer = answers.withLock({ $0[number] }) { answer() } else { actByDefault(on: number) }
    }
  }

  /// Has `action` called on the main thread whenever a signal comes; with `nil`, the signal does what it does
  /// by default.
  ///
  /// Thread-safe. Takes effect with the next signal.
  static func answer(_ number: Int32, _ action: (@Sendable () -> Void)?) {
    answers.withLock { $0[number] = action }
  }

  /// Has a signal take its default action. Returns if that does not end the program; where it stops, when it
  /// goes on.
  static func actByDefault(on number: Int32) {
    var (action, before) = (sigaction(), sigaction())
    action.__sigaction_handler.sa_handler = SIG_DFL
    var (set, mask) = (signalSet(of: [number]), sigset_t())
    sigaction(number, &action, &before)
    raise(number)
    // A signal that was raised comes now.
    pthread_sigmask(SIG_UNBLOCK, &set, &mask)
    pthread_sigmask(SIG_SETMASK, &mask, nil)
    sigaction(number, &before, nil)
  }

  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  private static func signalSet(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    sigemptyset(&set)
    for number in numbers { sigaddset(&set, number) }
    return set
  }
}
