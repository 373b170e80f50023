import Testing

@testable import jackstay

@Suite struct LineEditorTests {
  /// The lines that keys end, and what is shown of the one that is left.
  private func type(_ keys: String) -> (lines: [String], shown: String) {
    var editor = LineEditor()
    let lines = keys.utf8.compactMap { editor.take($0) }
    return (lines.map { String(decoding: $0, as: UTF8.self) }, editor.shown)
  }

  @Test(
    "Keys make the line that they make in any terminal",
    arguments: [
      ("tempo 97\n", ["tempo 97"], ""), ("sta", [], "> sta"), ("stoo\u{7F}p\r", ["stop"], ""),
      ("tempo 9\u{15}start\nx", ["start"], "> x"), ("tempo 90  \u{17}96\n", ["tempo 96"], ""),
      ("\u{7F}\u{17}\u{15}a", [], "> a"), ("\n\n", ["", ""], ""),
      // Left twice, and a 1: not tempo 991.
      ("tempo 99\u{1B}[D\u{1B}[D1\n", ["tempo 199"], ""),
      ("tempo 99\u{1B}OD\u{7F}\u{1B}[C1\n", ["tempo 91"], ""),
      ("tempo 96\u{1B}[Hx\u{1B}[F7", [], "> xtempo 967"),
      ("top\u{1}s\u{5}!\u{2}\u{4}\n", ["stop"], ""), ("xstop\u{1B}[1~\u{1B}[3~\n", ["stop"], ""),
      ("start now\u{1B}[D\u{1B}[D\u{1B}[D\u{2}\u{B}\n", ["start"], ""),
      ("é名\u{1B}[D\u{1B}[Dx\n", ["xé名"], ""),
      // The lines before, and what was typed before they were looked at.
      ("start\nstop\n\u{1B}[A\u{1B}[A\n", ["start", "stop", "start"], ""),
      ("stop\nte\u{1B}[A\u{1B}[A\u{1B}[B", ["stop"], "> te"),
      ("stop\nstop\n\u{1B}[A\u{1B}[A", ["stop", "stop"], "> stop"),
      ("\u{1B}[B\u{1B}[Ax\n", ["x"], ""),
      // Completion, as far as it is clear.
      ("stat\t\n", ["status"], ""), ("disc\tt\t\n", ["discipline tempo"], ""), ("l\to\t", [], "> locate "),
      ("mode \t", [], "> mode "), ("sta\t", [], "> sta"), ("link o\tn\n", ["link on"], ""),
      ("xyz\t\n", ["xyz"], ""),
    ])
  func editing(keys: String, lines: [String], shown: String) {
    let typed = type(keys)
    #expect(typed.lines == lines)
    #expect(typed.shown == shown)
  }

  @Test(
    "Keys that are no characters do nothing",
    arguments: [
      "st\u{1B}[Aop\n", "\u{1B}[1;5Cstop\n", "sto\u{1B}[24~p\n", "stop\u{1B}\n", "\u{1}\u{4}\tstop\n",
      "st\u{1B}[15~\u{1B}[2~\u{1B}OP\u{1B}[Zop\n",
      "s\u{1B}btop\n",
    ])
  func others(keys: String) { #expect(type(keys).lines == ["stop"]) }

  @Test func `A character of several bytes goes as one, and is shown in one column`() {
    #expect(type("é名\u{7F}x\n").lines == ["éx"])
    #expect(type("é名x").shown == "> ??x")
  }

  @Test("A line without an end does not fill the memory")
  func long() { #expect(type(String(repeating: "x", count: 100_000)).shown.count == 2 + LineEditor.longest) }
}
