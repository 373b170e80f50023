import Testing

@testable import jackstay

@Suite struct LogLinesTests {
  /// Reasons and names come from servers and other clients.
  @Test(
    arguments: [
      ("gone (reason a\r\nb)", "gone (reason a b)"), ("a\u{2028}b\u{85}c", "a b c"),
      ("\u{1B}[2Jx\u{7}", "\\u{1B}[2Jx\\u{7}"), ("a\0b\u{202E}c", "a\\u{0}b\\u{202E}c"),
      ("é 名前 +0.1 us", "é 名前 +0.1 us"),
    ])
  func `A log line is one line that moves no cursor, whatever is in it`(text: String, line: String) {
    #expect(LogLines.shown(text) == line)
  }
}
