import Dispatch
import Glibc
import Host
import Synchronization

/// Standard error, shared by log lines that stay and, in a terminal, a live block below them.
///
/// No caller waits for the reader: a thread of its own writes. Lines that it cannot write yet are kept, up to
/// a bound.
///
/// Thread-safe.
final class Display: Sendable {
  /// Whether there is a live line.
  let isTerminal: Bool
  /// The mode in which the block is drawn, where something is typed below it.
  private let mode: TypingMode?
  private let state = Mutex(State())
  private let work = DispatchSemaphore(value: 0)

  private struct State {
    var backlog = LineBacklog()
    var live = ""
    var typed = ""
    var columnsAfterCursor = 0
    /// Whether the block has to be drawn anew.
    var isStale = false
    /// Whether the thread has been woken.
    var isAwake = false
    /// Whether the block is not to be seen.
    var isHidden = false
    /// Whether nothing is written any more.
    var hasEnded = false
    /// Those who wait until what they have said is written.
    var waiting: [DispatchSemaphore] = []
  }

  init(isTerminal: Bool, _ mode: TypingMode?) {
    self.isTerminal = isTerminal
    self.mode = mode
    guard DetachedThread.start({ [self] in write() }) else {
      Descriptor.writeAll(
        "jackstay: error: the system has no thread left; end other programs, and start again\n".utf8,
        to: STDERR_FILENO)
      exit(1)
    }
  }

  /// Adds a line that stays.
  func print(_ line: String) { change { $0.backlog.append(line) } }

  /// Shows another live line; without a terminal, does nothing.
  func show(_ line: String) {
    guard isTerminal else { return }
    change {
      $0.live = line
      $0.isStale = true
    }
  }

  /// Shows what is being typed, below the live line, with the cursor so many columns left of its end; without a
  /// terminal, does nothing.
  func showTyped(_ line: String, columnsAfterCursor: Int) {
    guard isTerminal else { return }
    change {
      $0.typed = line
      $0.columnsAfterCursor = columnsAfterCursor
      $0.isStale = true
    }
  }

  /// Takes the live block away, and waits until that and all lines are written, but no longer than `timeout`:
  /// the reader may have gone.
  func hide(within timeout: DispatchTimeInterval) { hide(within: timeout, forGood: false) }

  /// Shows the live block again.
  func reveal() { change { $0.isHidden = false } }

  /// Takes the live block away at the end, as ``hide(within:)`` does: nothing is written any more.
  func finish(within timeout: DispatchTimeInterval) { hide(within: timeout, forGood: true) }

  private func hide(within timeout: DispatchTimeInterval, forGood: Bool) {
    let done = DispatchSemaphore(value: 0)
    change {
      $0.isHidden = true
      $0.isStale = true
      $0.hasEnded = forGood
      $0.waiting.append(done)
    }
    _ = done.wait(timeout: .now() + timeout)
  }

  private func change(_ body: (inout sending State) -> Void) {
    let wasAwake = state.withLock { state in
      guard !state.hasEnded else { return true }
      body(&state)
      defer { state.isAwake = true }
      return state.isAwake
    }
    if !wasAwake { work.signal() }
  }

  /// Writes what there is to write, for ever.
  private func write() {
    var block = LiveBlock()
    while true {
      work.wait()
      let state = state.withLock { state in
        defer {
          state.backlog = LineBacklog()
          state.isStale = false
          state.isAwake = false
          state.waiting = []
        }
        return state
      }
      var backlog = state.backlog
      let text = backlog.take().map { $0 + "\n" }.joined()
      Descriptor.writeAll((isTerminal ? framed(text, state, &block) : text).utf8, to: STDERR_FILENO)
      for done in state.waiting { done.signal() }
    }
  }

  /// The text with what takes the live block away before it, and draws it anew below.
  private func framed(_ text: String, _ state: State, _ block: inout LiveBlock) -> String {
    // In the background the terminal is another program's, as a shell's: there only the lines that stay are
    // written.
    guard mode?.isEntered ?? !Terminal.isInBackground(STDERR_FILENO) else {
      block.forget()
      return text
    }
    guard !text.isEmpty || state.isStale else { return "" }
    let columns = Terminal.columns
    return block.erasing(columns: columns) + text
      + (state.isHidden
        ? ""
        : block.drawing(
          live: state.live, typed: state.typed, afterCursor: state.columnsAfterCursor, columns: columns))
  }
}
