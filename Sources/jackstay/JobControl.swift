import Glibc

/// Gives back the terminal, and what else others wait for, before Ctrl-Z stops the program, and takes it again when
/// the program goes on.
struct JobControl {
  /// Has `giveBack` called on the main thread before the program stops, and `takeAgain` when it goes on.
  init(giveBack: @escaping @Sendable () -> Void, takeAgain: @escaping @Sendable () -> Void) {
    Signals.answer(SIGTSTP) {
      giveBack()
      Signals.actByDefault(on: SIGTSTP)
      takeAgain()
    }
    // It may have been stopped otherwise.
    Signals.answer(SIGCONT, takeAgain)
  }

  /// Stops listening.
  func cancel() {
    for number in [SIGTSTP, SIGCONT] { Signals.answer(number, nil) }
  }
}
