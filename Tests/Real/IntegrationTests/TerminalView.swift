import Stage

/// A child's terminal as a user sees it.
final class TerminalView {
  private let child: Child
  private var screen: TerminalScreen
  private var seen = 0

  /// A view of a terminal that has that many columns.
  init(_ child: Child, columns: Int = 120) {
    self.child = child
    screen = TerminalScreen(columns: columns)
  }

  /// The lines on the screen, from the top.
  var lines: [String] {
    let text = child.text().unicodeScalars
    screen.write(text.dropFirst(seen))
    seen = text.count
    return screen.lines
  }

  /// The live lines: there should be one.
  var liveLines: [String] { lines.filter { $0.contains(" bpm ") || $0 == "no JACK server" } }

  /// Waits for the live line of a bridge that has found its server, below the log, which may tell the same.
  func awaitsLiveLine() -> Bool {
    awaits { $0.last.map { $0.contains(" bpm ") && $0.contains("Link leads") } == true }
  }

  /// Makes the terminal wider or narrower.
  func resize(columns: Int) throws {
    _ = lines
    try child.resize(columns: columns)
    screen.resize(columns: columns)
  }

  /// Waits until the lines meet a condition, and returns whether they did.
  func awaits(_ condition: ([String]) -> Bool) -> Bool { eventually { condition(lines) } }
}
