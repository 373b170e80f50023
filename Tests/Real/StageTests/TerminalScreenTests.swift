import Stage
import Testing

@Suite struct TerminalScreenTests {
  private func lines(_ columns: Int = 10, _ pieces: String...) -> [String] {
    var screen = TerminalScreen(columns: columns)
    for piece in pieces { screen.write(piece.unicodeScalars) }
    return screen.lines
  }

  @Test func `Text that is written over is gone, and so is erased text`() {
    #expect(lines(10, "one\r\ntwo\r\nthree") == ["one", "two", "three"])
    #expect(lines(10, "one\rtw") == ["twe"])
    #expect(lines(10, "one\r\u{1B}[K", "two") == ["two"])
    #expect(lines(10, "one\r\ntwo\r\nthree\r\u{1B}[", "2A\u{1B}[Jfour") == ["four"])
    #expect(lines(10, "one\r\ntwo\u{1B}[A\r\u{1B}[Kx") == ["x", "two"])
    #expect(lines(10, "a\u{1B}[?2004hb\u{1B}[1;31mc\u{8}d") == ["abd"])
  }

  @Test func `A line that is too long goes on in the next row, and the cursor with it`() {
    // Up one row of two is still the same line.
    #expect(lines(10, "0123456789abc\u{1B}[A\rx") == ["x123456789abc"])
    #expect(lines(10, "0123456789abc\rx") == ["0123456789xbc"])
    // A row that is just full is not left before something comes after it.
    #expect(lines(10, "0123456789\rx") == ["x123456789"])
    #expect(lines(10, "0123456789\r\nx") == ["0123456789", "x"])
    #expect(lines(10, "0123456789abc\r\u{1B}[A\u{1B}[Jx") == ["x"])
  }

  @Test func `In another width the lines are wrapped anew`() {
    var screen = TerminalScreen(columns: 20)
    screen.write("0123456789abc".unicodeScalars)
    screen.resize(columns: 5)
    screen.write("\u{1B}[2A\r\u{1B}[Jx".unicodeScalars)
    #expect(screen.lines == ["x"])
  }
}
