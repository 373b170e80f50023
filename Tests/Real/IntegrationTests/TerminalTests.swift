import Glibc
import Stage
import Testing

/// The view of a user who runs the bridge in a terminal.
@Suite(.serialized, .alone) struct TerminalTests {
  private func bridge(on server: JackServer) throws -> Child {
    try Child(Products.path("jackstay"), environment: server.environment, streams: .terminalWithErrors)
  }

  @Test func `The live line shows everything, and the log stays above it`() throws {
    let server = try JackServer.started()
    let bridge = try bridge(on: server)
    let view = TerminalView(bridge)
    #expect(view.awaitsLiveLine())
    let probe = try LinkProbe.start(server: server, bpm: 120)
    #expect(try probe.awaitState("peers 1"))
    #expect(view.awaits { $0.last?.contains("stopped  1 peer ") == true })
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    try probe.changeTempo(90)
    let pattern = try Regex(
      #" 90\.00 bpm +\d+\.[1-4]\.\d{2} \[#+\.*\] rolling  1 peer Link leads [+-]\d+\.\d us"#)
    #expect(view.awaits { $0.last?.wholeMatch(of: pattern) != nil }, "\(view.lines.last ?? "")")
    let line = view.lines.last
    #expect(view.awaits { $0.last != line }, "it moves")
    #expect(view.liveLines.count == 1)

    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
    // Nothing of the live line is left at the end.
    #expect(view.lines.allSatisfy { $0.hasPrefix("jackstay: ") }, "\(view.lines)")
    for text in ["connected to JACK", "the bridge owns the timebase", "1 peer", "transport started"] {
      #expect(view.lines.contains { $0.contains(text) }, "\(text)")
    }
  }

  @Test func `However wide the terminal is made, there is one live line, and the log is whole`() throws {
    let server = try JackServer.started()
    let bridge = try bridge(on: server)
    let view = TerminalView(bridge)
    #expect(view.awaitsLiveLine())
    let (log, line) = (view.lines.dropLast(), try #require(view.lines.last))
    for columns in [80, 40, 20, 60, 120] {
      try view.resize(columns: columns)
      #expect(view.awaits { $0.last?.count == min(columns - 1, line.count) }, "\(columns): \(view.lines)")
      #expect(view.liveLines.count == 1, "\(columns): \(view.lines)")
      #expect(Array(view.lines.prefix(log.count)) == Array(log))
    }
    bridge.signal(SIGINT)
    #expect(try bridge.wait().isSuccess)
  }

  @Test func `A typed command is kept below the live line, can be edited, and is obeyed`() throws {
    let server = try JackServer.started()
    let bridge = try bridge(on: server)
    let view = TerminalView(bridge)
    #expect(view.awaitsLiveLine())
    try bridge.write("tem")
    #expect(view.awaits { $0.last == "> tem" })
    // The live line is drawn again and again, and a line of the log comes.
    let probe = try LinkProbe.start(server: server, bpm: 120)
    #expect(view.awaits { $0.contains("jackstay: 1 peer") && $0.last == "> tem" })
    usleep(500_000)
    #expect(view.lines.last == "> tem")
    #expect(view.lines.dropLast().last?.contains(" 1 peer ") == true)
    try bridge.write("po 977\u{7F}\u{1B}[D\n")
    #expect(try probe.awaitPeers { $0["link_bpm"].map { abs($0 - 97) < 0.01 } == true }["link_bpm"] != nil)
    #expect(view.awaits { $0.contains("> tempo 97") && $0.last?.contains(" 97.00 bpm ") == true })
    try bridge.write("nonsense\n")
    #expect(view.awaits { $0.contains { $0.contains("unknown command \"nonsense\"") } })
    #expect(view.liveLines.count == 1, "\(view.lines)")
  }

  @Test(arguments: [false, true])
  func `Ctrl-C ends it, and leaves the terminal as it was`(serverHangs: Bool) throws {
    let server = try JackServer.started()
    let shell = try Child(
      "bash", ["-c", "\"$0\"; echo ended with $?; stty -a", Products.path("jackstay")],
      environment: server.environment, streams: .terminalWithErrors)
    try shell.awaitText("the live line") { $0.contains("Link leads") }
    if serverHangs { try server.suspend() }
    try shell.write("\u{3}")
    #expect(try shell.wait().isSuccess)
    server.resume()
    let text = shell.text()
    #expect(text.contains("ended with 0"))
    #expect(text.contains(" icanon") && text.contains(" echo "), "\(text.suffix(700))")
  }

  @Test func `Ctrl-C in the terminal ends it, with and without a server`() throws {
    for hasServer in [true, false] {
      let server = JackServer()
      if hasServer { try server.start() }
      let bridge = try bridge(on: server)
      try bridge.awaitText("the live line") { $0.contains(hasServer ? "Link leads" : "no JACK server") }
      try bridge.write("\u{3}")
      #expect(try bridge.wait().isSuccess)
    }
  }
}
