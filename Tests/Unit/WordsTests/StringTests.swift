import Testing

@testable import Words

@Suite struct StringTests {
  @Test func `An echo is one line, without control characters, cut to 40 characters`() {
    #expect("a\n\t\u{1B}[31m\u{202E}".echoed() == "a\\n\\t\\u{1B}[31m\\u{202E}")
    #expect(String(repeating: "x", count: 40).echoed() == String(repeating: "x", count: 40))
    #expect(String(repeating: "x", count: 41).echoed() == String(repeating: "x", count: 40) + "…")
  }

  @Test(
    "A misspelt key finds the one that was meant, a strange one finds none",
    arguments: [
      ("tempp", "tempo"), ("tmepo", "tempo"), ("TEMPO", "tempo"), ("log_level", "log-level"),
      ("loglevel", "log-level"),
      ("ticks-per-beats", "ticks-per-beat"), ("nmae", "name"), ("bpm", nil), ("x", nil), ("", nil),
      (String(repeating: "tempo", count: 20_000), nil),
    ] as [(String, String?)])
  func nearest(typed: String, meant: String?) {
    let keys = ["tempo", "log-level", "ticks-per-beat", "name", "mode", "meter", "link", "server", "state"]
    #expect(typed.nearest(of: keys) == meant)
  }
}
