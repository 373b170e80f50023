import ArgumentParser
import MusicalTime
import Testing
import Words

@testable import Settings

@Suite struct FlagTests {
  /// Texts that are no value of any option that takes a number or a word of its own.
  static let nonsense = [
    "", " ", "\t", "nan", "inf", "-inf", "infinity", "1e9", "1e2", "0x78", "1_000", "１２０", "12,5", ".5", "5.",
    "+", "-", "--5", "1 2", " 120", "120 ", "true", "text", "\u{0}", "a\nb",
    String(repeating: "9", count: 100_000), String(repeating: "x", count: 100_000),
  ]

  /// The edges of every range, inside and outside.
  static let edges: [(key: String, good: [String], bad: [String])] = [
    ("tempo", ["20", "999", "120.5", "+20", "020"], ["0", "-120", "19.999999", "999.000001", "auto"]),
    ("quantum", ["0.125", "1024", "4"], ["0", "-4", "0.124999", "1024.000001"]),
    (
      "meter", ["1/1", "64/64", "7/8"],
      ["0/4", "4/0", "65/4", "4/3", "4", "4/4/4", "-4/4", "4 / 4", "0", "-4"]
    ),
    (
      "latency", ["auto", "none", "0", "-0", "10000", "12.5", "system:playback_3", "My synth:in: left"],
      ["-1", "-0.001", "10000.001", "Auto", "system", ":playback_1", "system:", "system:\u{7}"]
    ),
    ("ticks-per-beat", ["1", "10000000", "1920.0"], ["0", "-1", "10000001", "1920.5"]),
    ("midi-clock", ["off", "rolling", "always"], ["0", "on", "Rolling"]),
    ("midi-clock-position", ["auto", "always", "never"], ["0", "on", "Never"]),
    ("midi-clock-offset", ["0", "-0", "-500", "500", "+7.25"], ["-500.001", "500.001", "auto"]),
    ("click", ["off", "rolling"], ["0", "on", "always", "Rolling"]),
    ("click-level", ["0", "-0", "-60", "-12.5"], ["0.001", "-60.001", "6", "auto"]),
    (
      "osc", ["off", "1", "65535", "9000", "0.0.0.0:9000", "127.0.0.1:1", "[::1]:9000", "[::]:65535"],
      [
        "0", "-1", "65536", "9000.5", "on", ":9000", "127.0.0.1:", "127.0.0.1:0",
        "1.2.3:9000",
        "::1:9000", "[::1]", "[::1]9000", "[127.0.0.1]:9000", "[]:9000", "1.2.3.4:9000:9000", "+9000",
      ]
    ),
    (
      "panel",
      ["off", "1", "65535", "127.0.0.1:8090", "0.0.0.0:8090", "localhost:80", "[::1]:8090", "[::]:1"],
      [
        "0", "65536", "08090", "-1", "+80", "8090.0", "on", "Off", "127.0.0.1", "127.0.0.1:", ":8090",
        "::1:8090",
        "[::1]", "[127.0.0.1]:80", "::", "256.0.0.1:80", "1.2.3:80", "studio:80", "127.0.0.1:80:80",
        "[fe80::1%lo]:80",
        "127.0.0.1:8090 ", "http://127.0.0.1:8090",
      ]
    ),
    (
      "ardour", ["auto", "off", "3818", "127.0.0.1:3818", "[::1]:3818", "192.168.1.5:1"],
      ["0", "65536", "on", "Auto", "ardour:3818", ":3818", "127.0.0.1:", "127.0.0.1"]
    ),
    ("metadata", ["auto", "on", "off"], ["0", "1", "yes", "On"]),
    ("log-level", ["trace", "debug", "info", "notice", "warning", "error"], ["0", "-1", "INFO", "warn"]),
  ]

  @Test("A text that is no value at all is none of any option", arguments: edges.map(\.key))
  func nonsense(key: String) throws {
    var settings = Settings()
    for value in Self.nonsense {
      #expect(try !option(key).assign(.argument(value), &settings), "--\(key) \(value.echoed())")
    }
    #expect(settings == Settings())
  }

  @Test("A value within the range of its option is taken", arguments: edges)
  func good(key: String, good: [String], bad: [String]) {
    for value in good {
      #expect(faultLine { try settings(flags: "--\(key)", value) } == nil, "--\(key) \(value)")
    }
  }

  @Test(
    "Any other value is answered by one line: what was wrong, what was expected, what to do",
    arguments: edges)
  func bad(key: String, good: [String], bad: [String]) throws {
    let option = try option(key)
    for value in bad + ["", " ", "--5", "a\nb", String(repeating: "x", count: 100_000)] {
      let line = faultLine { try settings(flags: "--\(key)", value) }
      try expectOneLine(line, about: "--\(key)", "--\(key) \(value.echoed())")
      #expect(line?.contains("expected \(option.expectation), for example \(option.flagExample[1])") == true)
    }
  }

  @Test("A name is 1 to 63 bytes, without what JACK cannot carry", arguments: ["name", "server"])
  func names(key: String) throws {
    for value in ["a", "0", "-1", "nan", "Link 2", "ピアノ", "👩‍👩‍👧", String(repeating: "x", count: 63)] {
      #expect(faultLine { try settings(flags: "--\(key)", value) } == nil, "\(value)")
    }
    for value in [
      "", " ", "a:b", "a/b", "a\nb", "\u{7F}", "a\u{202E}b", "\u{2028}", String(repeating: "x", count: 64),
      String(repeating: "é", count: 32), String(repeating: "x", count: 100_000),
    ] {
      try expectOneLine(
        faultLine { try settings(flags: "--\(key)", value) }, about: "--\(key)", value.echoed())
    }
  }

  @Test func `A list of names is separated by commas, or none`() throws {
    for (value, names) in [
      ("none", []), ("ardour", ["ardour"]), (" ardour ,My DAW", ["ardour", "My DAW"]),
      ("-1,ピアノ", ["-1", "ピアノ"]),
    ] {
      #expect(try settings(flags: "--compensating", value).compensatingClients == names, "\(value)")
    }
    for value in [
      "", " ", ",", "a,", ",a", "a,,b", "a:b", "a,b/c", "a\nb", "a,\u{7F}", String(repeating: "x", count: 64),
    ] {
      try expectOneLine(
        faultLine { try settings(flags: "--compensating", value) }, about: "--compensating", value.echoed())
    }
  }

  @Test func `Flags arrive as typed values`() throws {
    #expect(try settings(flags: "--tempo", "96.5").tempo == Tempo(beatsPerMinute: 96.5))
    #expect(try settings(flags: "--latency", "12.5").latency == .fixed(HostInterval.milliseconds(12.5)))
    #expect(try settings(flags: "--latency", "none").latency == .none)
    #expect(try settings(flags: "--latency", "system:playback_3").latency == .port("system:playback_3"))
    #expect(try settings(flags: "--server", "studio").server == "studio")
    #expect(try settings(flags: "--log-level", "debug").logLevel == .debug)
  }

  @Test func `A switch can be turned off and on, and a flag wins over the file`() throws {
    var settings = try settings(file: "wait = false\nstart-stop-sync = true\ntempo = 100\nname = \"file\"")
    settings.apply(try Options.parse(["--wait", "--no-start-stop-sync", "--tempo", "90"]))
    #expect(settings.waitsForServer)
    #expect(settings.reconciler.choices.startStopSync == .off)
    #expect(settings.tempo?.beatsPerMinute == 90)
    #expect(settings.clientName == "file")
  }

  @Test func `A switch that is turned on and off is refused`() throws {
    let line = faultLine { try settings(flags: "--wait", "--no-wait") }
    #expect(line?.contains("'--no-wait' had already been set with flag '--wait'") == true)
    try expectOneLine(line, about: "--wait", "")
  }

  @Test func `A flag where a value should be means that the value is missing`() {
    for flag in ["--quantum", "--no-wait", "--help", "--tempo=3"] {
      let line = faultLine { try settings(flags: "--name", flag) }
      #expect(line?.hasPrefix("The value '\(flag)' is invalid for '--name <NAME>': expected a name") == true)
    }
    #expect(
      faultLine { try settings(flags: "--name") } == "Missing value for '--name <NAME>'. See jackstay --help."
    )
  }

  private func expectOneLine(_ line: String?, about flag: String, _ comment: String) throws {
    let line = try #require(line, "\(comment)")
    #expect(line.contains("'\(flag)"), "\(comment)")
    #expect(line.count < 350, "\(comment)")
    #expect(line.isOneLine, "\(comment)")
  }
}
