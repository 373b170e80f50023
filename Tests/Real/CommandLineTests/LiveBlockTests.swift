import Stage
import Testing

@testable import jackstay

@Suite struct LiveBlockTests {
  private let live = String(repeating: "live ", count: 14)

  /// A terminal on which the block, and a line of the log, are drawn again and again, while its width
  /// changes.
  private func screen(widths: [Int], typed: String) -> TerminalScreen {
    var block = LiveBlock()
    var screen = TerminalScreen(columns: widths.first ?? 80)
    for (number, columns) in widths.enumerated() {
      screen.resize(columns: columns)
      let text =
        block.erasing(columns: columns) + "log \(number)\r\n"
        + block.drawing(live: live, typed: typed, columns: columns).split(separator: "\n").joined(
          separator: "\r\n")
      screen.write(text.unicodeScalars)
    }
    return screen
  }

  @Test("There is one block below the log, whatever becomes of the width", arguments: ["", "> tempo 96"])
  func oneBlock(typed: String) {
    let widths = [80, 79, 40, 20, 21, 200, 7, 80, 35]
    for count in 1...widths.count {
      let now = Array(widths.prefix(count))
      let lines = screen(widths: now, typed: typed).lines
      let width = (now.last ?? 0) - 1
      let block = [String(live.prefix(width)), String(typed.suffix(width))].filter { !$0.isEmpty }
      #expect(lines == (0..<count).map { "log \($0)" } + block, "\(now)")
    }
  }

  @Test(arguments: [0, 1, 7, 40])
  func `The cursor stands where the next character goes, whatever becomes of the width`(afterCursor: Int) {
    let typed = "> " + String(repeating: "tempo 96 ", count: 6)
    for width in [80, 33, 12] {
      var block = LiveBlock()
      var screen = TerminalScreen(columns: 80)
      for columns in [80, width, width] {
        screen.resize(columns: columns)
        screen.write(
          (block.erasing(columns: columns) + "log\r\n"
            + block.drawing(live: "live", typed: typed, afterCursor: afterCursor, columns: columns)
            .split(separator: "\n").joined(separator: "\r\n")).unicodeScalars)
      }
      #expect(screen.lines.filter { $0 == "live" }.count == 1, "\(width)")
      #expect(screen.lines.filter { $0 == "log" }.count == 3, "\(width)")
      // The next character goes there.
      screen.write("|".unicodeScalars)
      let left = typed.dropLast(afterCursor).suffix(3)
      #expect(screen.lines.contains { $0.contains(left + "|") }, "\(width): \(screen.lines)")
    }
  }

  @Test func `Where nothing is drawn nothing is wiped`() {
    var block = LiveBlock()
    #expect(block.erasing(columns: 80).isEmpty)
    #expect(block.drawing(live: "", typed: "", columns: 80).isEmpty)
    #expect(block.erasing(columns: 80).isEmpty)
    _ = block.drawing(live: "x", typed: "", columns: 80)
    block.forget()
    #expect(block.erasing(columns: 80).isEmpty)
  }
}
