import JSON
import PropertyTesting
import Testing

@testable import jackstay

@Suite struct DashboardTests {
  private static let blocks = TerminalLook(environment: ["LC_ALL": "C.UTF-8"])
  private static let ascii = TerminalLook(environment: ["LANG": "C"])
  private static let rolling: JSONObject = [
    "answer": "status", "name": "studio", "state": "bridging", "mode": "auto", "meter": "4/4", "quantum": 4,
    "launch": "bar", "start_stop_sync": true, "link": true, "latency_ms": 10.667,
    "leaves_latency_to_programs": true, "tempo": 120, "transport": "rolling", "leader": "link",
    "timebase": "bridge", "bar": 17, "beat": 2, "tick": 960_000, "ticks_per_beat": 1_920_000, "phase": 1.5,
    "time_us": 5_000_000, "phase_error_us": 0.42, "clock_offset_us": -12.34, "clock_drift_ppm": 0.126,
    "peers": 2, "rendering": false, "commits": 4, "xruns": 1,
  ]

  private func dashboard(_ change: (inout JSONObject) -> Void = { _ in }) -> Dashboard {
    var dashboard = Dashboard(name: "studio")
    var status = Self.rolling
    change(&status)
    dashboard.take(status: status)
    return dashboard
  }

  private func text(
    _ dashboard: Dashboard, at time: Double = 5_000_000, columns: Int = 80, rows: Int = 24,
    _ look: TerminalLook = Self.ascii
  ) -> [String] {
    DashboardView(dashboard, at: time, columns: columns, rows: rows, look).lines.map { line in
      String(line.text.reversed().drop { $0 == " " }.reversed())
    }
  }

  @Test func `At 80 by 24 it shows all there is to know`() {
    var dashboard = dashboard()
    dashboard.take(event: "2 peers")
    dashboard.take(event: "transport started")
    #expect(
      text(dashboard) == [
        " jackstay  studio                                      mode auto  JACK and Link",
        "",
        "    ##   ###### ######    ###### ######   ROLLING",
        "  ####       ## ##  ##    ##  ## ##  ##   17.2.50",
        "    ##   ###### ##  ##    ##  ## ##  ##",
        "    ##   ##     ##  ##    ##  ## ##  ##   bpm, meter 4/4",
        "  ###### ###### ###### ## ###### ######   starts wait for the bar",
        "",
        "  ################## #########......... .................. ..................",
        "  1                  2                  3                  4",
        "",
        "  leader    Link, because no other program owns JACK's timebase",
        "  timebase  owned by the bridge           phase     +0.4 us, p95 0.4",
        "  peers     2",
        "  latency   10.7 ms, left to programs     clocks    -12.3 us, drift +0.13 ppm",
        "                                          counts    commits 4, xruns 1",
        "",
        "  2 peers",
        "  transport started",
        "", "", "", "",
        " space start/stop  +- tempo  t tap  <> offset  qQ quantum  d one  m mode  ? help",
      ])
  }

  @Test func `The addresses of peers are beside their number, as many as there is room for`() {
    for (addresses, line) in [
      ([], "2"), (["127.0.0.1"], "2: 127.0.0.1"), (["10.0.0.2", "10.0.0.31"], "2: 10.0.0.2, 10.0.0.31"),
      (["192.168.100.200", "192.168.100.201"], "2: 192.168.100.200, +1"),
      (["10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5"], "2: 10.0.0.2, 10.0.0.3, +2"),
      (["fe80::1234:5678:9abc:def0:1"], "2"),
    ] {
      var dashboard = dashboard()
      dashboard.peerAddresses = addresses
      #expect(text(dashboard)[13] == "  peers     \(line)")
      dashboard.contact = .gone
      #expect(text(dashboard)[13] == "  peers     -")
    }
    var alone = dashboard { $0["peers"] = 0 }
    alone.peerAddresses = ["127.0.0.1"]
    #expect(text(alone)[13] == "  peers     0")
  }

  @Test func `Between two reports the phase and the bridge's position go on by the tempo`() {
    let dashboard = dashboard()
    // A beat and a quarter later.
    #expect(dashboard.phase(at: 5_625_000) == 2.75)
    #expect(dashboard.position(at: 5_625_000).map { [$0.bar, $0.beat, $0.fraction] } == [17, 3, 0.75])
    #expect(dashboard.phase(at: 6_500_000) == 0.5)
    #expect(dashboard.position(at: 6_500_000).map { [$0.bar, $0.beat, $0.fraction] } == [18, 1, 0.5])
    // A bridge that says nothing stands still.
    #expect(dashboard.phase(at: 50_000_000) == dashboard.phase(at: 7_000_000))
    let others = self.dashboard { $0["timebase"] = "other" }
    #expect(others.position(at: 5_625_000).map { [$0.bar, $0.beat, $0.fraction] } == [17, 2, 0.5])
    let eighths = self.dashboard { $0["meter"] = "6/8" }
    #expect(eighths.position(at: 5_250_000).map { [$0.bar, $0.beat, $0.fraction] } == [17, 3, 0.5])
    let stopped = self.dashboard { $0["transport"] = "stopped" }
    #expect(stopped.position(at: 5_625_000).map { [$0.bar, $0.beat, $0.fraction] } == [17, 2, 0.5])
  }

  @Test func `The tempo is Link's, with JACK's beside it where that differs`() {
    let common = dashboard { $0["jack_bpm"] = $0["tempo"] }
    #expect(!text(common).contains { $0.contains("(JACK") })
    let eighths = dashboard {
      $0["meter"] = "6/8"
      $0["jack_bpm"] = $0["tempo"]?.number.map { .number($0 * 2) }
    }
    #expect(text(eighths).contains { $0.hasSuffix("bpm (JACK 240.00), meter 6/8") })
    #expect(text(eighths)[2...6].map { $0.prefix(30) } == text(common)[2...6].map { $0.prefix(30) })
  }

  @Test func `A start that is held is counted in`() {
    let held = dashboard {
      $0["transport"] = "starting"
      $0["count_in"] = -2.5
    }
    #expect(text(held)[2].hasSuffix("STARTING") && text(held)[3].hasSuffix("in 2.5 beats"))
    #expect(text(held, at: 5_500_000)[3].hasSuffix("in 1.5 beats"))
    #expect(text(held, at: 9_000_000)[3].hasSuffix("in 0.0 beats"))
  }

  @Test(
    arguments: zip(
      [
        ["mode": "link"], ["leader": "jack", "timebase": "other", "jack_tempo": 63],
        ["leader": "jack", "timebase": "other", "mode": "jack"],
        ["leader": "neither", "timebase": "other", "mode": "link"],
        ["leader": "neither", "timebase": "none", "mode": "jack"],
      ] as [JSONObject],
      [
        "Link, because of mode link", "JACK, because another program owns JACK's timebase, at 63.00 bpm",
        "JACK, because of mode jack",
        "neither: another program owns JACK's timebase, but the mode is link",
        "neither: the mode is jack, but no program publishes a tempo",
      ]))
  func `It says who leads, and why`(members: JSONObject, expected: String) {
    let lines = text(dashboard { $0 = $0.adding(members) })
    #expect(lines[11] == "  leader    \(expected)".prefix(80))
  }

  @Test func `Without a server, off Link, gone or silent, it says so`() {
    let waiting = dashboard {
      $0 = ["name": "studio", "state": "waiting", "mode": "jack", "link": false, "quantum": 4]
    }
    #expect(text(waiting)[0].hasSuffix("Link off  mode jack  waits for JACK"))
    #expect(text(waiting).contains { $0.contains("..................") })
    var gone = dashboard()
    gone.contact = .gone
    #expect(text(gone)[22] == " the bridge has ended; top waits until it is back. Esc leaves")
    gone.contact = .silent(3.2)
    #expect(text(gone)[22].hasPrefix(" the bridge has not answered for 3 s"))
  }

  @Test func `Of a bridge that has gone or hangs nothing is shown as if it went on`() {
    for contact in [Dashboard.Contact.gone, .silent(3)] {
      var dashboard = dashboard()
      dashboard.take(event: "transport started")
      dashboard.contact = contact
      let lines = DashboardView(dashboard, at: 5_000_000, columns: 80, rows: 24, Self.blocks).lines
      let styles = Set(lines.dropLast(2).dropFirst().flatMap(\.cells).map(\.style))
      #expect(styles.isSubset(of: [.faint, .plain]))
      let text = text(dashboard)
      #expect(text[2].hasSuffix(" -") && text[3].hasSuffix("-.-.--"))
      #expect(text[11] == "  leader    -" && text[12].contains("phase     -"))
      #expect(!text.contains { $0.contains("ROLLING") || $0.contains("us") && $0.contains("p95") })
      #expect(text.contains { $0.contains("transport started") })
      dashboard.contact = .answers
      #expect(self.text(dashboard)[2].hasSuffix("ROLLING"))
    }
  }

  @Test(arguments: [
    (0.4, "+0.4 us, p95 0.4", TextStyle.good), (-999.9, "-999.9 us, p95 999.9", .good),
    (999.96, "+1.00 ms, p95 1.00", .good), (-1500, "-1.50 ms, p95 1.50", .warning),
    (430_331.2, "+430.33 ms, p95 430.33", .bad), (-2_500_000, "-2.500 s, p95 2.500", .bad),
  ])
  func `A phase error has a unit and a colour by its size`(error: Double, text: String, style: TextStyle)
    throws
  {
    let dashboard = dashboard { $0["phase_error_us"] = .number(error) }
    let lines = DashboardView(dashboard, at: 5_000_000, columns: 80, rows: 24, Self.blocks).lines
    let line = try #require(lines.first { $0.text.contains("phase     ") })
    #expect(line.text.contains("phase     \(text) "), "\(line.text)")
    let start = try #require(line.text.firstRange(of: text)?.lowerBound)
    #expect(line.cells[line.text.distance(from: line.text.startIndex, to: start)].style == style)
  }

  @Test func `The cells have colours only while JACK rolls or waits`() {
    for (transport, style) in [("rolling", TextStyle.good), ("starting", .warning), ("stopped", .faint)] {
      let dashboard = dashboard { $0["transport"] = .string(transport) }
      let cells = DashboardView(dashboard, at: 5_000_000, columns: 80, rows: 24, Self.blocks).lines[8].cells
      #expect(cells[30].style == style, "\(transport)")
    }
  }

  @Test func `An offset is shown where there is one`() {
    #expect(!text(dashboard()).contains { $0.contains("offset  ") && !$0.contains("space") })
    #expect(text(dashboard { $0["offset_ms"] = -3.5 }).contains { $0.hasPrefix("  offset    -3.50 ms") })
  }

  @Test func `A smaller screen loses what matters least, and no line is too long`() {
    var dashboard = dashboard { $0["server"] = "a\u{1B}[2J\nb" }
    for number in 0..<60 { dashboard.take(event: "event \(number)") }
    dashboard.reply =
      "quantum 5: the quantum cannot be changed while the bridge runs; end it, and start it again"
    for rows in 1...60 {
      for columns in [1, 7, 20, 40, 59, 60, 75, 76, 80, 132, 500] {
        let view = DashboardView(dashboard, at: 5e6, columns: columns, rows: rows, Self.ascii)
        #expect(view.lines.count == rows && view.lines.allSatisfy { $0.cells.count == columns })
        #expect(view.lines.allSatisfy { $0.text.allSatisfy { $0.isASCII && $0 >= " " } })
        guard columns >= 20 else { continue }
        #expect(view.lines.contains { $0.text.contains(rows >= 15 && columns >= 60 ? "######" : "120.00") })
        if rows >= 3 { #expect(view.lines.contains { $0.text.contains("##") }, "\(columns) x \(rows)") }
      }
    }
    #expect(text(dashboard, rows: 2).map { $0.prefix(12) } == [" jackstay  s", " 120.00 bpm "])
    let high = text(dashboard, rows: 40)
    #expect(high.contains("  event 59") && !high.contains("  event 20"))
    #expect(high.contains(" quantum 5: the quantum cannot be changed while the bridge runs; end it, and"))
  }

  @Test func `Any status can be shown`() {
    forAll(200) { seed, random in
      var status = JSONObject()
      let odd: [JSONValue] = [
        -1, 0, 1e300, -1e300, 0.1, 4, "", "4/4", "0/0", "-1/1e300", true, .null, "rolling", "ours", 5e6, 1e18,
      ]
      for member in Self.rolling.members where Bool.random(using: &random) {
        status[member.name] = Bool.random(using: &random) ? odd.randomElement(using: &random) : member.value
      }
      var dashboard = Dashboard(name: "x")
      dashboard.take(status: status)
      for (columns, rows) in [(80, 24), (20, 5)] {
        let view = DashboardView(dashboard, at: 6e6, columns: columns, rows: rows, Self.blocks)
        #expect(view.lines.allSatisfy { $0.cells.count == columns }, "seed \(seed): \(status.line)")
      }
    }
  }

  @Test func `In a large quantum there is one long cell, and a part of a beat is a short one`() {
    let long = dashboard { $0["quantum"] = 64 }
    #expect(text(long)[9].contains("64 beats"))
    let odd = dashboard { $0["quantum"] = 2.5 }
    let widths = text(odd, Self.blocks)[8].split(separator: " ").map(\.count)
    #expect(widths.count == 3 && widths[0] == widths[1] && abs(widths[2] * 2 - widths[0]) <= 1)
  }

  @Test func `The keys tell the bridge what it understands`() {
    let status = Self.rolling
    let expected: [(Key, String)] = [
      (.character(" "), "stop"), (.character("+"), "tempo +1"), (.character("-"), "tempo -1"),
      (.up, "tempo +1"), (.down, "tempo -1"), (.character("t"), "tempo tap"),
      (.character("<"), "offset -1ms"),
      (.character(">"), "offset +1ms"), (.character("q"), "quantum 3"), (.character("Q"), "quantum 5"),
      (.character("m"), "mode link"), (.character("0"), "rewind"),
    ]
    for (key, command) in expected { #expect(DashboardAction(key, status) == .tell(command)) }
    #expect(DashboardAction(.character("?"), status) == .toggleHelp)
    #expect(DashboardAction(.escape, status) == .leave)
    #expect(DashboardAction(.character("x"), status) == nil)
    #expect(DashboardAction(.character(" "), ["transport": "stopped"]) == .tell("start"))
    #expect(DashboardAction(.character("m"), ["mode": "jack"]) == .tell("mode auto"))
    #expect(DashboardAction(.character("<"), ["offset_ms": 3.5]) == .tell("offset +2.5ms"))
    #expect(DashboardAction(.character("q"), ["quantum": 1]) == .tell("quantum 1"))
    var help = dashboard()
    help.showsHelp = true
    for (key, _) in DashboardAction.keys { #expect(text(help).contains { $0.hasPrefix("  \(key)  ") }) }
  }

  @Test func `Keys are read however they arrive`() {
    var reader = KeyReader()
    #expect(reader.take("a\u{1B}[A\u{1B}OB ".utf8) == [.character("a"), .up, .down, .character(" ")])
    #expect(reader.take("\u{1B}".utf8) == [] && reader.pause() == .escape)
    #expect(reader.take("\u{1B}".utf8) == [] && reader.take("[".utf8) == [] && reader.take("A".utf8) == [.up])
    #expect(reader.take("\u{1B}[1;5~x\u{1B}x".utf8) == [.character("x")] && reader.pause() == nil)
    #expect(reader.take("\u{1B}\u{1B}".utf8) == [.escape])
    #expect(reader.take([0, 3, 0xC3, 0xA4, 0x7F]) == [])
  }

  @Test func `The history knows what 95 of 100 errors do not exceed, and the last bars`() {
    var history = PhaseErrorHistory()
    #expect(history.p95 == nil && history.sparkline(columns: 5, levels: ["a", "b"]).isEmpty)
    for number in 1...100 { history.take(Double(number % 2 == 0 ? number : -number)) }
    #expect(history.p95 == 95)
    #expect(history.bars == [10, 20, 30, 40, 50, 60, 70, 80, 90, 100])
    #expect(history.sparkline(columns: 4, levels: ["a", "b", "c"]) == "bccc")
    history.take(.nan)
    #expect(history.p95 == 95)
    for _ in 0..<PhaseErrorHistory.longest { history.take(2) }
    #expect(history.p95 == 2)
  }

  @Test func `The same report seen twice is one sample`() {
    var dashboard = dashboard()
    for _ in 0..<20 { dashboard.take(status: Self.rolling) }
    #expect(dashboard.errors.bars.isEmpty)
    for number in 0..<20 {
      dashboard.take(status: Self.rolling.adding(["time_us": .count(number)]))
    }
    #expect(dashboard.errors.bars.count == 2)
  }

  @Test func `Colours go where they are not wanted, and blocks where the locale has none`() {
    let plain = TerminalLook(environment: ["NO_COLOR": "1", "LANG": "de_DE.UTF-8"])
    for style in [TextStyle.plain, .strong, .faint, .good, .warning, .bad, .bar] {
      #expect(plain.code(of: style).wholeMatch(of: /\x1B\[0(;[127])*m/) != nil)
    }
    #expect(plain.hasBlocks && TerminalLook(environment: ["NO_COLOR": ""]).hasColours)
    #expect(!TerminalLook(environment: ["LC_ALL": "C", "LANG": "de_DE.UTF-8"]).hasBlocks)
    #expect(Self.blocks.code(of: .good).contains("32"))
  }

  @Test func `Painting makes any screen the one that is meant, and the same again costs nothing`() {
    forAll(50) { seed, random in
      var painter = ScreenPainter(Self.blocks)
      var screen = PaintedScreen()
      var columns = 30
      for _ in 0..<12 {
        if Int.random(in: 0..<4, using: &random) == 0 { columns = Int.random(in: 1...40, using: &random) }
        let lines = (0..<5).map { _ in
          StyledLine(
            (0..<30).map { _ in "ab  ".randomElement(using: &random).map(String.init) ?? "" }.joined()
          )
          .fitted(to: columns)
        }
        screen.write(painter.painting(lines, columns: columns))
        #expect(screen.lines(rows: 5, columns: columns) == lines.map(\.text), "seed \(seed)")
        #expect(painter.painting(lines, columns: columns).isEmpty)
        var changed = lines
        changed[2].cells[0].character = "z"
        let text = painter.painting(changed, columns: columns)
        screen.write(text)
        #expect(text.utf8.count < 20 && screen.lines(rows: 5, columns: columns) == changed.map(\.text))
      }
    }
  }
}

/// A screen as the painter's few sequences make it.
private struct PaintedScreen {
  private var cells: [Int: [Int: Character]] = [:]
  private var (row, column) = (0, 0)

  mutating func write(_ text: String) {
    var rest = text[...]
    while let character = rest.popFirst() {
      guard character == "\u{1B}", rest.popFirst() == "[" else {
        cells[row, default: [:]][column] = character
        column += 1
        continue
      }
      let parameters = rest.prefix { !$0.isLetter }
      rest = rest.dropFirst(parameters.count)
      switch rest.popFirst() {
      case "H":
        let place = parameters.split(separator: ";").compactMap { Int($0) }
        (row, column) = (place[0] - 1, place[1] - 1)
      case "J": cells = [:]
      default: break
      }
    }
  }

  func lines(rows: Int, columns: Int) -> [String] {
    (0..<rows).map { row in String((0..<columns).map { cells[row]?[$0] ?? " " }) }
  }
}
