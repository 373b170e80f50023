import Foundation
import MusicalTime
import PropertyTesting
import Testing

@testable import Settings

@Suite struct ConfigurationFileTests {
  @Test func `A file sets every option, with integers or floats for numbers`() throws {
    let settings = try settings(
      file: """
        tempo = 96           # integer
        quantum = 8.0
        meter = '7/8'
        latency = 12.5
        "ticks-per-beat" = 1920
        name = "Link \\u00e9"
        server = "studio"
        start-stop-sync = false
        wait = false
        log-level = "debug"
        compensating='a#b,"c"'	# tab
        """)
    #expect(settings.compensatingClients == ["a#b", "\"c\""])
    #expect(settings.tempo?.beatsPerMinute == 96)
    #expect(settings.reconciler.choices.quantum?.doubleValue == 8)
    #expect(settings.reconciler.choices.meter == Meter(beatsPerBar: 7, beatType: 8))
    #expect(settings.latency == .fixed(HostInterval.milliseconds(12.5)))
    #expect(settings.reconciler.ticksPerBeat == TicksPerBeat(1920))
    #expect(settings.clientName == "Link é")
    #expect(settings.server == "studio")
    #expect(settings.reconciler.choices.startStopSync == .off)
    #expect(!settings.waitsForServer)
    #expect(settings.logLevel == .debug)
  }

  @Test func `Zeros are numbers, too`() throws {
    #expect(try settings(file: "quantum = 0.5").reconciler.choices.quantum?.doubleValue == 0.5)
    for zero in ["0", "-0", "+0", "0.0"] {
      #expect(try settings(file: "latency = \(zero)").latency == .fixed(.zero), "\(zero)")
    }
  }

  @Test(arguments: ["", "\n\n", "# x", "\u{FEFF}"])
  func `An empty file, a comment or a byte order mark sets nothing`(text: String) throws {
    #expect(try settings(file: text) == Settings())
  }

  static let faults: [(text: String, line: String)] = [
    ("tempp = 120", "c.toml:1:1: unknown option \"tempp\"; did you mean \"tempo\"?"),
    ("\n  log_level = 'info'", "c.toml:2:3: unknown option \"log_level\"; did you mean \"log-level\"?"),
    ("\u{FEFF}tempp = 1", "c.toml:1:1: unknown option \"tempp\"; did you mean \"tempo\"?"),
    ("# tempp = 1\r\nname = 'tempp = 2'\r\n'tempp' = 3", "c.toml:3:1: unknown option \"tempp\"; did you"),
    ("name = \"\"\"\na\nb = 1\"\"\"\n", "c.toml:1:10: expected the end of the line; write lines such as"),
    ("bpm = 120", "c.toml:1:1: unknown option \"bpm\"; the options are tempo, quantum, meter, latency"),
    ("[link]\ntempo = 120", "c.toml:1:1: there are no tables in this file; write lines such as tempo = 128"),
    ("tempo = 120\n\n [[ \"tempp\" ]]", "c.toml:3:2: there are no tables in this file; write lines such as"),
    ("tempo.max = 1", "c.toml:1:6: expected '='; write lines such as tempo = 128"),
    ("tempo = 1e9", "c.toml:1:9: tempo = 1e9: expected 20 to 999 beats per minute, for example tempo = 128"),
    ("tempo = 020", "c.toml:1:9: tempo = 020: expected 20 to 999"),
    ("latency = -00.5", "c.toml:1:11: latency = -00.5: expected auto"),
    ("tempo = nan # nan", "c.toml:1:9: tempo = nan: expected 20 to 999"),
    ("tempo = \"120\"", "c.toml:1:9: tempo = \"120\": expected 20 to 999"),
    ("tempo = [120]", "c.toml:1:9: tempo = [120]: expected 20 to 999"),
    ("tempo = {x = 1}", "c.toml:1:9: tempo = {x = 1}: expected 20 to 999"),
    ("tempo = 2020-01-01 10:00:00", "c.toml:1:9: tempo = 2020-01-01 10:00:00: expected 20 to 999"),
    ("wait = 1", "c.toml:1:8: wait = 1: expected true or false, as TOML has it: wait = true"),
    ("wait = \"false\"", "c.toml:1:8: wait = \"false\": expected true or false"),
    ("meter = 4", "c.toml:1:9: meter = 4: expected 1 to 64 beats over a note value"),
    ("latency = -1", "c.toml:1:11: latency = -1: expected auto, none, 0 to 10000 milliseconds, or a port"),
    ("latency = \"12.5\"", "c.toml:1:11: latency = \"12.5\": expected auto"),
    ("tempo = [\n120]", "c.toml:1:9: tempo = [: expected 20 to 999"),
    ("mode = link", "c.toml:1:8: mode = link: expected auto, link or jack, in quotes: mode = \"link\""),
    (
      "tempo = \"96\"",
      "c.toml:1:9: tempo = \"96\": expected 20 to 999 beats per minute, without quotes: tempo = 96"
    ),
    ("wait = 'false'", "c.toml:1:8: wait = 'false': expected true or false, without quotes: wait = false"),
    ("wait = Yes", "c.toml:1:8: wait = Yes: expected true or false, as TOML has it: wait = true"),
    (
      "tempo = 120,5",
      "c.toml:1:9: tempo = 120,5: expected 20 to 999 beats per minute, with a point: tempo = 120.5"
    ),
    (
      "tempo = '120,5'",
      "c.toml:1:9: tempo = '120,5': expected 20 to 999 beats per minute, with a point: tempo = 120.5"
    ),
    ("no-wait = true", "c.toml:1:1: unknown option \"no-wait\"; write wait = false"),
    ("--tempo = 96", "c.toml:1:1: unknown option \"--tempo\"; write tempo = 128"),
    ("tempo = 1__20", "c.toml:1:9: tempo = 1__20: expected 20 to 999"),
    ("tempo = _120", "c.toml:1:9: tempo = _120: expected 20 to 999"),
    ("tempo = 120_", "c.toml:1:9: tempo = 120_: expected 20 to 999"),
    ("tempo = 1_.2e2", "c.toml:1:9: tempo = 1_.2e2: expected 20 to 999"),
    ("tempo = 1.2e", "c.toml:1:9: tempo = 1.2e: expected 20 to 999"),
    ("tempo = 1.2e2.0", "c.toml:1:9: tempo = 1.2e2.0: expected 20 to 999"),
    ("tempo = 1.e2", "c.toml:1:9: tempo = 1.e2: expected 20 to 999"),
    ("name = \"a\\u0000b\"", "c.toml:1:8: name = \"a\\u0000b\": expected a name"),
    ("name = \"a\\nb\"", #"c.toml:1:10: expected \", \\, \uXXXX or \UXXXXXXXX; write lines"#),
    ("name = \"\\uD800\"", #"c.toml:1:9: expected \", \\, \uXXXX"#),
    ("name = \"\\u12\"", #"c.toml:1:9: expected \", \\, \uXXXX"#),
    ("name = \"\\U+0000041\"", #"c.toml:1:9: expected \", \\, \uXXXX"#),
    ("name = \"\\", #"c.toml:1:9: expected \", \\, \uXXXX"#),
    ("tempo = 120\ntempo = 121", "c.toml:2:1: tempo is set more than once, first in line 1; keep one line"),
    ("tempo = 120\n'tempo' = 120", "c.toml:2:1: tempo is set more than once, first in line 1; keep one line"),
    ("tempo = \n", "c.toml:1:9: expected a value; write lines such as tempo = 128"),
    ("tempo = # 120", "c.toml:1:9: expected a value; write lines such as tempo = 128"),
    ("tempo = 120 quantum = 4", "c.toml:1:9: tempo = 120 quantum = 4: expected 20 to 999"),
    ("name = \"x\" wait = false", "c.toml:1:12: expected the end of the line; write lines such as"),
    ("tempo 120", "c.toml:1:7: expected '='; write lines such as tempo = 128"),
    ("tempo = 120, quantum = 4", "c.toml:1:9: tempo = 120, quantum = 4: expected 20 to 999"),
    ("tempo = maybe\nquantum 4", "c.toml:1:9: tempo = maybe: expected 20 to 999"),
    ("tempp = 1\nquantum 4", "c.toml:1:1: unknown option"),
    ("x = {a = }", "c.toml:1:1: unknown option \"x\""),
    ("tempo = 2020-01-01 1#", "c.toml:1:9: tempo = 2020-01-01 1: expected 20 to 999"),
    ("a. é = 1", "c.toml:1:2: expected '='; write lines such as tempo = 128"),
    ("é = 1", "c.toml:1:1: expected the name of an option; write lines such as tempo = 128"),
    ("= 4", "c.toml:1:1: expected the name of an option; write lines such as tempo = 128"),
    ("name = \"x\nwait = false", "c.toml:1:8: expected a closing quote"),
    ("'name = x\nwait = false", "c.toml:1:1: expected a closing quote"),
    ("tempo = 99999999999999999999999", "c.toml:1:9: tempo = 99999999999999999999999: expected 20 to 999"),
    ("tempo = 120\n\u{0}", "c.toml:2:1: NUL byte; expected a text file in UTF-8"),
    ("wait = maybe\ntempp = 1", "c.toml:1:8: wait = maybe: expected true or false"),
    ("quantum = 4\nname = 1\ntempp = 1", "c.toml:2:8: name = 1: expected a name"),
  ]

  @Test("The first fault of a file is one line, at its position", arguments: faults)
  func fault(text: String, line: String) throws {
    let found = try #require(faultLine { try settings(file: text) }, "\(text)")
    #expect(found.hasPrefix(line), "\(found)")
    #expect(found.isOneLine, "\(found)")
    #expect(found.count < 400, "\(found)")
  }

  @Test func `Numbers are written as TOML has them`() throws {
    #expect(
      try settings(file: "ticks-per-beat = 1_920_000").reconciler.ticksPerBeat == TicksPerBeat(1_920_000))
    for tempo in ["1.2e2", "1.2E+2", "1200e-1", "12e01", "1_2_0.0", "+120"] {
      #expect(try settings(file: "tempo = \(tempo)").tempo?.beatsPerMinute == 120, "\(tempo)")
    }
  }

  @Test(
    "All faults of a file are reported, in the order of its lines, and in one line the first with their number"
  )
  func allFaults() throws {
    do {
      _ = try settings(file: "mode = link\n# x\ntempo = '96'\nwait = true\nwait = true\nx")
      Issue.record("It is taken.")
    } catch let error as SettingsError {
      #expect(
        error.lines.map { $0.prefix(12) } == ["c.toml:1:8: ", "c.toml:3:9: ", "c.toml:5:1: ", "c.toml:6:2: "])
      #expect(error.lines[2] == "c.toml:5:1: wait is set more than once, first in line 4; keep one line")
      #expect(error.description == "\(error.lines[0]); there are 3 more faults")
    }
  }

  @Test func `No length and no depth is too much, and the error is short`() {
    let deep = 500_000
    let dots = Array(repeating: "a", count: deep).joined(separator: ".")
    for text in [
      "\(dots) = 1", "[\(dots)]", "x = {\(dots) = 1}", "x = " + String(repeating: "[", count: deep),
      "x = " + String(repeating: "{a=", count: deep), "x = 1 ! \(dots)", "x ! \(dots) = 1",
      "x = {a=1 ! \(dots)=2}", "x = {b.c = 1, \(dots)=2}",
      Array(repeating: "'a'", count: deep).joined(separator: " . ") + "=1",
      Array(repeating: "a", count: 65).joined(separator: ".") + "=1",
      String(repeating: "\\", count: deep), String(repeating: "\"", count: deep),
      "tempo = " + String(repeating: "1", count: deep),
      "name = '" + String(repeating: "x", count: deep) + "'",
    ] {
      let line = faultLine { try settings(file: text) }
      #expect(line?.hasPrefix("c.toml:1:") == true, "\(text.prefix(20))")
      #expect((line?.count ?? 0) < 400)
    }
  }

  @Test func `Text that is not UTF-8 is refused where it begins`() {
    let line = faultLine {
      var settings = Settings()
      let contents = Array("wait = true\n# é".utf8) + [0xFF]
      try settings.apply(ConfigurationFile(path: "c.toml", contents: contents))
      return settings
    }
    #expect(line == "c.toml:2:4: not UTF-8 text; save the file in UTF-8")
  }

  @Test func `No text crashes, and every rejection is one line`() {
    let seeds = Self.faults.map(\.text) + Setting.all.map(\.fileExample)
    let characters = Array("\"'\\[]{}=.,#\n\r\t ax0-_é\u{0}\u{FEFF}").map(String.init)
    let pieces = characters + ["\"\"\"", "'''", "\\u0041"]
    var random = Seeded(seed: 0x1234_5678_9ABC_DEF1)
    for _ in 0..<5_000 {
      var text = Array(
        seeds[Int.random(in: 0..<seeds.count, using: &random)] + "\n"
          + seeds[Int.random(in: 0..<seeds.count, using: &random)])
      for _ in 0...Int.random(in: 0..<4, using: &random) {
        let place = Int.random(in: 0..<(text.count + 1), using: &random)
        if Int.random(in: 0..<3, using: &random) == 0, place < text.count {
          text.remove(at: place)
        } else {
          text.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
        }
      }
      let line = faultLine { try settings(file: String(text)) }
      if let line {
        #expect(line.hasPrefix("c.toml:") && line.isOneLine, "\(String(text))")
      }
    }
  }

  @Test func `The files' places follow the XDG Base Directory Specification, the weakest first`() {
    let system = "/etc/xdg/jackstay/config.toml"
    #expect(
      ConfigurationFile.places(environment: ["XDG_CONFIG_HOME": "/c", "HOME": "/h"])
        == [system, "/c/jackstay/config.toml"])
    for relative in ["", "c"] {
      #expect(
        ConfigurationFile.places(environment: ["XDG_CONFIG_HOME": relative, "HOME": "/h"])
          == [system, "/h/.config/jackstay/config.toml"])
    }
    #expect(ConfigurationFile.places(environment: [:]) == [system])
    #expect(
      ConfigurationFile.places(environment: ["XDG_CONFIG_DIRS": "/first:relative::/last", "HOME": "/h"])
        == ["/last/jackstay/config.toml", "/first/jackstay/config.toml", "/h/.config/jackstay/config.toml"])
  }

  @Test func `The file at the customary place may be missing, a named one may not`() throws {
    try withDirectory { directory in
      let places = ["HOME": directory, "XDG_CONFIG_DIRS": directory]
      let customary = try ConfigurationFile.customary(environment: places)
      #expect(customary.isEmpty)
      #expect(
        faultLine { try readSettings(at: "\(directory)/x") }
          == "\(directory)/x: no such file; correct the path, or leave out --config")
      #expect(faultLine { try readSettings(at: "") }?.hasPrefix("--config \"\": expected the path") == true)
    }
  }

  @Test func `A path that is no text file of a sensible size is rejected`() throws {
    try withDirectory { directory in
      #expect(
        faultLine { try readSettings(at: directory) }
          == "\(directory): a directory; expected a file such as jackstay.toml")
      #expect(
        faultLine { try readSettings(at: "/dev/zero") }
          == "/dev/zero: not a regular file; expected a file such as jackstay.toml")
      let pipe = "\(directory)/pipe"
      #expect(mkfifo(pipe, 0o600) == 0)
      #expect(faultLine { try readSettings(at: pipe) }?.contains("not a regular file") == true)
      let large = "\(directory)/large.toml"
      let limit = ConfigurationFile.sizeLimit
      try Data(repeating: UInt8(ascii: "#"), count: limit).write(to: URL(filePath: large))
      #expect(faultLine { try readSettings(at: large) } == nil)
      try Data(repeating: UInt8(ascii: "#"), count: limit + 1).write(to: URL(filePath: large))
      #expect(
        faultLine { try readSettings(at: large) }
          == "\(large): larger than 1 MiB; expected a file such as jackstay.toml")
      let long = String(repeating: "x", count: 100_000)
      #expect((faultLine { try readSettings(at: long) }?.count ?? 1000) < 400)
    }
  }

  private func readSettings(at path: String) throws -> Settings {
    var settings = Settings()
    try settings.apply(ConfigurationFile(named: path))
    return settings
  }

  private func withDirectory(_ body: (String) throws -> Void) throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "settings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try body(directory.path(percentEncoded: false))
  }
}
