import Glibc
import Synchronization

/// The mode that a terminal is in while commands are typed there and the live line is drawn on it, too: what
/// is typed is neither shown nor edited by the terminal, but by the program, which draws it anew below the
/// live line.
///
/// Ctrl-C, Ctrl-Z and Ctrl-S are the terminal's as ever. The mode has to be left before the program ends or
/// stops.
///
/// Thread-safe.
final class TypingMode: Sendable {
  private let state = Mutex(State())

  private struct State {
    /// The terminal's mode before, while it is not that.
    var before: termios?
    var hasEnded = false
  }

  /// Whether the terminal is in this mode, and the program may draw on it.
  var isEntered: Bool { state.withLock { $0.before != nil } && !Terminal.isInBackground(STDIN_FILENO) }

  /// Changes the terminal's mode, unless it is another program's turn. Calling it again does no harm.
  func enter() {
    state.withLock { state in
      var mode = termios()
      guard !state.hasEnded, !Terminal.isInBackground(STDIN_FILENO), tcgetattr(STDIN_FILENO, &mode) == 0
      else { return }
      // Already so; unless a shell has changed it while the program was stopped.
      guard mode.c_lflag & TypingMode.terminals != 0 else { return }
      state.before = mode
      CrashSignals.restore(mode)
      mode.c_lflag &= ~TypingMode.terminals
      tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }
  }

  /// Puts the terminal back into the mode it was in.
  func leave() { state.withLock { TypingMode.leave(&$0) } }

  /// The same, at the end: the mode is not entered any more.
  func end() {
    state.withLock { state in
      TypingMode.leave(&state)
      state.hasEnded = true
    }
  }

  private static func leave(_ state: inout sending State) {
    guard var mode = state.before, !Terminal.isInBackground(STDIN_FILENO) else { return }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    CrashSignals.restore(nil)
    state.before = nil
  }

  /// The terminal's other mode: hand over whole lines, and show them as they are typed.
  private static let terminals = tcflag_t(ICANON | ECHO)
}
