import Glibc
import Stage
import Testing

/// `jackstay top`, seen by a terminal that shares nothing with it.
@Suite(.serialized, .alone) struct DashboardTests {
  private let folder: RuntimeFolder

  init() throws { folder = try RuntimeFolder() }

  private var nowhere: [String: String?] {
    [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "XDG_RUNTIME_DIR": folder.path,
      "JACK_DEFAULT_SERVER": "jackstay-nobody", "JACK_NO_START_SERVER": "1",
      "NO_COLOR": nil,
    ]
  }

  /// A bridge that waits for a server.
  private func bridge() throws -> Child {
    let bridge = try Child(Products.path("jackstay"), environment: nowhere, streams: .pipes)
    try bridge.awaitLine(in: .errors, "the wait") { $0.contains("waiting for a JACK server") }
    return bridge
  }

  @Test func `It shows what the bridge does, at any size, and keys control it`() throws {
    let scene = try Scene(environment: folder.environment)
    let screen = try TmuxScreen(
      "exec \(Products.path("jackstay")) top", environment: nowhere)
    let first = try screen.awaitLines("the dashboard") { lines in
      lines.count == 24 && lines[2].hasSuffix("STOPPED")
        && lines[12].hasPrefix("  timebase  owned by the bridge")
        && !lines[3].hasSuffix("-.-.--")
    }
    #expect(first[0].hasPrefix(" jackstay  jackstay") && first[11].contains("because no other program owns"))
    #expect(first[2].contains("██") && first[8].contains("░") && first[3].hasSuffix("1.1.00"))
    #expect(first[23].hasSuffix("? help"))
    #expect(try screen.colouredText().contains(/\x1B\[[0-9;]*32m/))
    #expect(try screen.state() == (true, false))
    try scene.join()
    _ = try screen.awaitLines("the peer") { $0[13].hasPrefix("  peers     1: 127.0.0.1") }
    try screen.press("Space")
    let rolling = try screen.awaitLines("the roll") {
      $0[2].hasSuffix("ROLLING") && $0[12].contains("us, p95")
    }
    #expect(try scene.probe.awaitState("rolling"))
    _ = try screen.awaitLines("movement") { $0[3] != rolling[3] && $0[8] != rolling[8] }
    #expect(rolling.contains { $0.hasPrefix("  start waits to be in phase") })
    try screen.press("+", "+", "+")
    #expect(
      try scene.probe.awaitPeers { $0["link_bpm"].map { abs($0 - 123) < 0.01 } == true }["link_bpm"] != nil)
    try screen.press("Q")
    _ = try screen.awaitLines("the cell of the fifth beat") {
      $0.contains { $0.hasPrefix("  1 ") && $0.hasSuffix("  5") }
    }
    for (columns, rows) in [(40, 10), (20, 3), (120, 40)] {
      try screen.resize(columns: columns, rows: rows)
      _ = try screen.awaitLines("\(columns) by \(rows)") { lines in
        lines.count == rows && lines[0].hasPrefix(" jackstay") && lines.allSatisfy { $0.count <= columns }
          && lines.contains { rows < 15 ? $0.contains("123.00 bpm") : $0.contains("leader    Link") }
      }
    }
    try screen.press("?")
    _ = try screen.awaitLines("the help") { $0.contains { $0.hasPrefix("  Esc, Ctrl-C  leave") } }
    try screen.press("Escape")
    _ = try screen.awaitLines("the dashboard") { $0[2].hasSuffix("ROLLING") }
    try screen.press("Space")
    #expect(try scene.probe.awaitState("stopped"))
  }

  @Test func `It is the same on PipeWire`() throws {
    let scene = try Scene(on: .pipewire, period: 256, environment: folder.environment)
    let screen = try TmuxScreen("exec \(Products.path("jackstay")) top", environment: nowhere)
    _ = try screen.awaitLines("the dashboard") { lines in
      lines[2].hasSuffix("STOPPED") && lines[12].hasPrefix("  timebase  owned by the bridge")
    }
    try screen.press("Space")
    _ = try screen.awaitLines("the roll") { $0[2].hasSuffix("ROLLING") && $0[12].contains("us, p95") }
    #expect(try scene.probe.awaitState("rolling"))
    try screen.press("Space")
    #expect(try scene.probe.awaitState("stopped"))
  }

  @Test func `It waits for a bridge that has gone, and gives the terminal back however it ends`() throws {
    var bridge = try self.bridge()
    let program = Products.path("jackstay")
    let screen = try TmuxScreen(
      "PS1='ready ' exec bash --noprofile --norc -i",
      environment: nowhere.merging(["NO_COLOR": "1", "HISTFILE": nil]) { $1 })
    _ = try screen.awaitLines("the prompt") { $0[0] == "ready" }
    try screen.press("\(program) top", "Enter")
    _ = try screen.awaitLines("the dashboard") { $0[0].hasSuffix("waits for JACK") }
    #expect(try !screen.colouredText().contains(/\x1B\[[0-9;]*3[1-7]m/))
    bridge.kill()
    _ = try screen.awaitLines("the end") { $0.contains { $0.hasPrefix(" the bridge has ended; top waits") } }
    bridge = try self.bridge()
    _ = try screen.awaitLines("the bridge") { $0[0].hasSuffix("waits for JACK") }
    bridge.signal(SIGSTOP)
    _ = try screen.awaitLines("silence") { $0.contains { $0.hasPrefix(" the bridge has not answered") } }
    bridge.signal(SIGCONT)
    _ = try screen.awaitLines("an answer") { !$0.contains { $0.hasPrefix(" the bridge has not") } }

    try screen.press("C-z")
    _ = try screen.awaitLines("the stop") { $0.contains { $0.contains("Stopped") } }
    try expectGivenBack(screen, "C-z")
    try screen.press("fg", "Enter")
    _ = try screen.awaitLines("the dashboard again") { $0[0].hasSuffix("waits for JACK") }

    try screen.press("C-c")
    try expectGivenBack(screen, "C-c")
    for signal in [nil, SIGTERM, SIGHUP] {
      try screen.press("\(program) top", "Enter")
      _ = try screen.awaitLines("the dashboard") { $0[0].hasSuffix("waits for JACK") }
      if let signal {
        #expect(kill(try #require(try screen.programOfShell()), signal) == 0)
      } else {
        try screen.press("Escape")
      }
      try expectGivenBack(screen, signal.map { "signal \($0)" } ?? "Escape")
    }
  }

  /// Checks that the shell has the terminal as it was, and goes on.
  private func expectGivenBack(_ screen: TmuxScreen, _ end: String) throws {
    _ = try screen.awaitLines("the prompt after \(end)") { lines in
      lines.last { !$0.isEmpty } == "ready"
    }
    #expect(try screen.state() == (false, true), "\(end)")
    try screen.press("clear; stty -a", "Enter")
    let mode = try screen.awaitLines("the mode") { lines in
      lines.contains { $0.contains("icanon") } && lines.last { !$0.isEmpty } == "ready"
    }.joined(separator: " ")
    #expect(!mode.contains("-icanon") && !mode.contains("-echo "), "\(end): \(mode)")
    try screen.press("clear", "Enter")
    _ = try screen.awaitLines("an empty screen") { $0[0] == "ready" && $0[1].isEmpty }
  }
}
