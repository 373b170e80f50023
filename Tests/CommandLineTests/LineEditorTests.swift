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
    ])
  func editing(keys: String, lines: [String], shown: String) {
    let typed = type(keys)
    #expect(typed.lines == lines)
    #expect(typed.shown == shown)
  }

  @Test(
    "Keys that are no characters do nothing",
    arguments: [
      "st\u{1B}[Aop\n", "\u{1B}[1;5Cstop\n", "sto\u{1B}OHp\n", "stop\u{1B}\n", "\u{1}\u{4}\tstop\n",
      "s\u{1B}btop\n",
    ])
  func others(keys: String) { #expect(type(keys).lines == ["stop"]) }

  @Test("A character of several bytes goes as one, and is shown in one column")
  func characters() {
    #expect(type("é名\u{7F}x\n").lines == ["éx"])
    #expect(type("é名x").shown == "> ??x")
  }

  @Test("A line without an end does not fill the memory")
  func long() { #expect(type(String(repeating: "x", count: 100_000)).shown.count == 2 + LineEditor.longest) }
}
