import Glibc
import Synchronization

/// Standard error, shared by log lines that stay and, in a terminal, one live line below them that is drawn anew.
///
/// Thread-safe.
final class Display: Sendable {
  /// Whether there is a live line.
  let isTerminal: Bool
  private let live = Mutex("")

  init(isTerminal: Bool) {
    self.isTerminal = isTerminal
  }

  /// Adds a line that stays.
  func print(_ line: String) {
    live.withLock { live in
      Self.write(isTerminal ? "\r\u{1B}[K\(line)\n\(live)" : "\(line)\n")
    }
  }

  /// Draws the live line anew; without a terminal, does nothing.
  func show(_ line: String) {
    guard isTerminal else { return }
    live.withLock { live in
      live = String(line.prefix(Terminal.columns - 1))
      Self.write("\r\u{1B}[K\(live)")
    }
  }

  // Not `print` or `FileHandle`: the first is buffered, the second ends the program when the reader has gone.
  private static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
