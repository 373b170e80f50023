import Foundation
import Stage
import Testing

/// A reader that does not read the bridge's output stops nothing but that.
@Suite(.serialized, .alone) struct DeafTerminalTests {
  /// Checks that presses are obeyed and stay so, and that the bridge comes back after its server was away.
  private func expectBridging(_ probe: LinkProbe, on server: JackServer) throws {
    for isRestarted in [false, true] {
      if isRestarted {
        server.kill()
        #expect(try probe.awaitState("alone"))
        try server.start()
        try probe.send("reconnect 5")
      }
      #expect(try probe.awaitState("peers 1"))
      // Once the session has settled: an earlier press is another matter.
      usleep(1_000_000)
      try probe.send("play")
      #expect(try probe.awaitState("rolling"), "a peer's start, restarted: \(isRestarted)")
      try probe.send("jackstop")
      #expect(try probe.awaitState("idle"), "JACK's stop, restarted: \(isRestarted)")
      usleep(2_500_000)
      #expect(try probe.awaitState("stopped", seconds: 0.1), "nobody undoes it")
    }
  }

  @Test func `A terminal that is held by Ctrl-S holds nothing else, and shows all lines when it is released`()
    throws
  {
    let scene = try Scene.inHeldTerminal()
    try scene.join()
    let bridge = scene.bridge
    try expectBridging(scene.probe, on: scene.server)
    try bridge.write("stop\n")
    #expect(!bridge.text().contains("a peer pressed play"))
    try bridge.write("\u{11}")
    let view = TerminalView(bridge)
    #expect(view.awaits { $0.filter { $0.contains("a peer pressed play") }.count == 2 })
    #expect(view.awaits { $0.contains("> stop") && $0.last?.contains("Link leads") == true })
    // Held again, it ends all the same.
    try bridge.write("\u{13}")
    usleep(500_000)
    let start = ContinuousClock.now
    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
    #expect(.now - start < EndingTests.soon * Sanitizer.patience)
  }

  @Test func `A pipe that is full holds nothing else, and gets the number of the lines that it has missed`()
    throws
  {
    let server = try JackServer.started()
    let path = FileManager.default.temporaryDirectory.appending(path: "jackstay-\(UUID().uuidString)").path
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    let reader = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    defer { close(reader) }
    let bridge = try Child(
      "bash", ["-c", "exec \"$0\" 2> \"$1\"", Products.path("jackstay"), path],
      environment: server.environment,
      streams: .pipes)
    // Each is answered by a line, more than a pipe holds, and then more than the program does.
    let count = 12_000
    try bridge.write(
      (1...count).map { "odd\($0) \(String(repeating: "x", count: 50))\n" }.joined())
    let probe = try LinkProbe.start(server: server)
    try expectBridging(probe, on: server)
    try bridge.write("tempo 96\n")
    #expect(
      try probe.awaitPeers { $0["link_bpm"].map { abs($0 - 96) < 0.01 } == true }["link_bpm"] ?? 0 < 97)

    var text = ""
    var buffer = [UInt8](repeating: 0, count: 65536)
    #expect(
      eventually {
        let length = read(reader, &buffer, buffer.count)
        if length > 0 { text += String(decoding: buffer[..<length], as: UTF8.self) }
        return text.contains("tempo 96.00 bpm")
      })
    let told = text.matches(of: #/(\d+) lines are left out here/#).compactMap { Int($0.output.1) }
    #expect(told.count == 1)
    let shown = text.split(separator: "\n").filter { $0.contains("unknown command") }.count
    // The other lines that are left out are of other kinds.
    #expect((0...100).contains(told.reduce(shown, +) - count), "\(shown) shown, \(told) left out")

    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
  }
}
