import Glibc
import Stage
import Testing

/// What people see who run the bridge in a terminal.
@Suite(.serialized, .alone) struct TerminalTests {
  private static let redraw = "\r\u{1B}[K"

  /// The live lines that were drawn, oldest first.
  private func liveLines(_ bridge: Child) -> [String] {
    bridge.text().components(separatedBy: Self.redraw).filter { !$0.contains("\n") && !$0.isEmpty }
  }

  @Test func `The live line shows everything, and the log stays above it`() throws {
    let server = try JackServer.started()
    let bridge = try Child(
      Products.path("jackstay"), environment: server.environment, streams: .terminalWithErrors)
    try bridge.awaitText("the live line") { $0.contains(" bpm ") && $0.contains("timebase ours") }
    let probe = try LinkProbe.start(server: server, bpm: 120)
    #expect(try probe.awaitState("peers 1"))
    try bridge.awaitText("a peer") { $0.contains("stopped  1 peer ") }
    try probe.send("jackstart")
    #expect(try probe.awaitState("rolling"))
    try probe.changeTempo(90)
    let pattern = try Regex(
      #" 90\.00 bpm +\d+\|[1-4]\|\d{7} \[#+\.*\] rolling  1 peer timebase ours [+-]\d+\.\d us"#)
    #expect(
      eventually { liveLines(bridge).last?.wholeMatch(of: pattern) != nil }, "\(liveLines(bridge).last ?? "")"
    )
    #expect(eventually { Set(liveLines(bridge).suffix(4)).count > 1 }, "it moves")
    #expect(liveLines(bridge).allSatisfy { $0.count < 80 })

    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
    // Nothing of the live line is left at the end.
    #expect(bridge.text().hasSuffix(Self.redraw))
    // Where a line of the log is, the live line was wiped before it, and is drawn again below.
    let log = bridge.text().components(separatedBy: Self.redraw).filter { $0.contains("jackstay: ") }
    #expect(log.count >= 5)
    for piece in log { #expect(piece.hasPrefix("jackstay: ") && piece.filter { $0 == "\r\n" }.count == 1) }
    for text in ["connected to JACK", "we own the timebase", "Link peers (count 1)", "transport started"] {
      #expect(log.contains { $0.contains(text) }, "\(text)")
    }
  }

  @Test func `In a narrow terminal the live line does not wrap`() throws {
    let server = try JackServer.started()
    let bridge = try Child(
      "sh", ["-c", "stty cols 40 && exec \"$0\"", Products.path("jackstay")], environment: server.environment,
      streams: .terminalWithErrors)
    try bridge.awaitText("the live line") { $0.contains(" bpm ") }
    var lines: [String] = []
    // The last one may have come only in part.
    #expect(
      eventually {
        lines = liveLines(bridge).dropLast().filter { $0.contains(" bpm ") }
        return lines.count >= 3
      })
    #expect(lines.allSatisfy { $0.count == 39 }, "\(lines)")
    bridge.signal(SIGINT)
    #expect(try bridge.wait().isSuccess)
  }

  @Test func `Ctrl-C in the terminal ends it, with and without a server`() throws {
    for hasServer in [true, false] {
      let server = JackServer()
      if hasServer { try server.start() }
      let bridge = try Child(
        Products.path("jackstay"), environment: server.environment, streams: .terminalWithErrors)
      try bridge.awaitText("the live line") { $0.contains(hasServer ? "timebase ours" : "no JACK server") }
      try bridge.write("\u{3}")
      #expect(try bridge.wait().isSuccess)
    }
  }
}
