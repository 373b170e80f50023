import Glibc
import Host
import Synchronization

/// A terminal's whole screen, which is drawn on until it is given back as it was.
///
/// Thread-safe.
final class FullScreen: Sendable {
  private let mode = TypingMode()
  private let state: Mutex<State>

  private struct State {
    var painter: ScreenPainter
    /// Whether the terminal shows the screen that is drawn on, and not the one before.
    var isShown = false
    /// Whether nothing is to be drawn.
    var isPaused = false
  }

  init(_ look: TerminalLook) { state = Mutex(State(painter: ScreenPainter(look))) }

  /// How many columns and rows there are; 80 by 24 where the terminal does not say. The corresponding C function
  /// is `ioctl` with `TIOCGWINSZ`.
  static var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
      return (80, 24)
    }
    // However large a terminal says it is, a dashboard has no use for more.
    return (min(Int(size.ws_col), 500), min(Int(size.ws_row), 200))
  }

  /// Draws lines, if it is the program's turn, and tells whether the terminal is still there.
  func draw(_ lines: (_ columns: Int, _ rows: Int) -> [StyledLine]) -> Bool {
    state.withLock { state in
      guard !state.isPaused else { return true }
      mode.enter()
      guard mode.isEntered else { return true }
      let (columns, rows) = Self.size
      var text = ""
      if !state.isShown {
        text = Self.opening
        state.painter.forget()
        state.isShown = true
        CrashSignals.leaveScreen(true)
      }
      text += state.painter.painting(lines(columns, rows), columns: columns)
      return text.isEmpty || Self.write(text)
    }
  }

  /// Waits for keys, no longer than so many milliseconds, and returns what has come; `nil` when the terminal has
  /// gone.
  func read(milliseconds: Int32) -> [UInt8]? {
    guard mode.isEntered else {
      usleep(useconds_t(milliseconds) * 1000)
      return []
    }
    var wish = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    guard poll(&wish, 1, milliseconds) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && (errno == EINTR || errno == EAGAIN) ? [] : nil }
    return Array(bytes[..<count])
  }

  /// Gives the terminal back until ``takeAgain()``.
  func giveBack() {
    state.withLock { state in
      state.isPaused = true
      if state.isShown, !Terminal.isInBackground(STDIN_FILENO) { _ = Self.write(Self.closing) }
      state.isShown = false
      CrashSignals.leaveScreen(false)
    }
    mode.leave()
  }

  /// Has it drawn on again.
  func takeAgain() { state.withLock { $0.isPaused = false } }

  /// Gives the terminal back for good.
  func end() {
    giveBack()
    mode.end()
  }

  /// The same, at once and without waiting for who may be drawing and wait for the terminal.
  func abandon() {
    var wish = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    if mode.isEntered, poll(&wish, 1, 0) > 0 { _ = Self.write(Self.closing) }
    mode.end()
  }

  /// To the terminal's other screen, without a cursor, and without lines that go on in the next row.
  private static let opening = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l"
  private static let closing = "\u{1B}[0m\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"

  private static func write(_ text: String) -> Bool { Descriptor.writeAll(text.utf8, to: STDOUT_FILENO) }
}
