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

  @Test("Where nothing is drawn nothing is wiped")
  func nothing() {
    var block = LiveBlock()
    #expect(block.erasing(columns: 80).isEmpty)
    #expect(block.drawing(live: "", typed: "", columns: 80).isEmpty)
    #expect(block.erasing(columns: 80).isEmpty)
    _ = block.drawing(live: "x", typed: "", columns: 80)
    block.forget()
    #expect(block.erasing(columns: 80).isEmpty)
  }
}
