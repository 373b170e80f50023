import Foundation
import Stage
import Testing

/// A signal ends the bridge at once and in order, in any state.
@Suite(.serialized, .alone) struct EndingTests {
  static let signals = [SIGTERM, SIGINT]
  /// Less than any wait of JACK's for a server that hangs. 150 ms are promised; the rest is for a machine
  /// that is busy with other things, or stands still.
  static let soon = Duration.milliseconds(1500)

  /// Sends the signal, and checks how the bridge ends and when.
  private func end(_ bridge: Child, by signal: Int32, sourceLocation: SourceLocation = #_sourceLocation)
    throws
  {
    #expect(children(of: bridge).isEmpty, sourceLocation: sourceLocation)
    let start = ContinuousClock.now
    bridge.signal(signal)
    let status = try bridge.wait()
    let time = ContinuousClock.now - start
    #expect(status == .exited(0), sourceLocation: sourceLocation)
    #expect(time < Self.soon * Sanitizer.patience, sourceLocation: sourceLocation)
  }

  private func children(of child: Child) -> String {
    let tasks = "/proc/\(child.pid)/task"
    return ((try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []).map { task in
      (try? String(contentsOfFile: "\(tasks)/\(task)/children", encoding: .utf8)) ?? ""
    }.joined()
  }

  @Test(arguments: signals)
  func `It ends while it waits for a server`(signal: Int32) throws {
    let bridge = try Child(Products.path("jackstay"), environment: JackServer().environment)
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    try end(bridge, by: signal)
    #expect(bridge.lines(of: .errors).count == 1)
  }

  @Test(arguments: signals)
  func `It ends whenever the signal comes`(signal: Int32) throws {
    for delay in stride(from: 0, to: 60, by: 2) {
      let bridge = try Child(Products.path("jackstay"), environment: JackServer().environment)
      usleep(UInt32(delay) * 1000)
      bridge.signal(signal)
      // At first as any program does, as soon as it has something to leave in order.
      let status = try bridge.wait()
      #expect(status == .signalled(signal) || status == .exited(0), "after \(delay) ms: \(status)")
    }
  }

  @Test(arguments: signals)
  func `It ends while it settles, before it has joined a session`(signal: Int32) throws {
    let scene = try Scene()
    try end(scene.bridge, by: signal)
    #expect(scene.server.isRunning)
  }

  @Test(arguments: signals)
  func `The bridge ends while the transport is stopped, and JACK and the session notice nothing but that`(
    signal: Int32
  ) throws {
    let scene = try Scene()
    try scene.join()
    try scene.probe.send("locate 100000")
    try scene.probe.send("wait 0.3")
    let before = try scene.probe.peers()
    try end(scene.bridge, by: signal)
    // A peer that leaves without a message is missed after five seconds.
    #expect(try scene.probe.awaitState("alone", seconds: 3))
    try scene.probe.send("wait 0.3")
    let after = try scene.probe.peers()
    #expect(after["frame"] == 100_000)
    #expect(after["jack_state"] == 0)
    for counter in ["transport_changes", "start_stop_changes", "tempo_changes"] {
      #expect(after[counter] == before[counter], "\(counter)")
    }
    #expect(scene.logged("leaving while JACK rolls").isEmpty)
  }

  @Test(arguments: signals)
  func `The bridge ends while the transport rolls, reports the effect, and the transport rolls on`(
    signal: Int32
  ) throws {
    let scene = try Scene()
    try scene.join()
    try scene.roll()
    // Peers get the stop within 50 ms, if a peer is left to get it.
    #expect(try scene.probe.awaitState("playing"))
    try end(scene.bridge, by: signal)
    #expect(scene.logged("leaving while JACK rolls").count == 1)
    // A peer that leaves without a message is missed after five seconds.
    #expect(try scene.probe.awaitState("alone", seconds: 3))
    try scene.probe.send("wait 0.3")
    let after = try scene.probe.peers()
    #expect(after["jack_state"] == 1)
    #expect(after["link_playing"] == 1)
  }

  @Test(arguments: signals)
  func `It ends while the server hangs, and the server goes on afterwards`(signal: Int32) throws {
    for rolls in [false, true] {
      let scene = try Scene()
      try scene.join()
      if rolls { try scene.roll() }
      try scene.server.suspend()
      usleep(50_000)
      try end(scene.bridge, by: signal)
      scene.server.resume()
      #expect(try scene.probe.awaitState("alone"))
      #expect(try scene.probe.awaitState(rolls ? "rolling" : "stopped"))
      // Another takes its place.
      try scene.probe.send("wait 0.5")
      _ = try Scene.bridge(on: scene.server)
    }
  }

  @Test(arguments: signals)
  func `It ends while a server that hangs does not let it in`(signal: Int32) throws {
    let server = try JackServer.started()
    try server.suspend()
    let bridge = try Child(Products.path("jackstay"), environment: server.environment)
    #expect(bridge.awaitHolding(signal))
    usleep(500_000)
    #expect(bridge.isRunning)
    try end(bridge, by: signal)
    server.resume()
  }

  @Test func `Ctrl-Backslash ends it in order, as Ctrl-C does`() throws {
    let scene = try Scene()
    try scene.join()
    try end(scene.bridge, by: SIGQUIT)
    // A peer that leaves without a message is missed after five seconds.
    #expect(try scene.probe.awaitState("alone", seconds: 3))
  }

  @Test(
    .enabled(if: Sanitizer.current == nil, "a sanitizer reports crashes"),
    arguments: [SIGSEGV, SIGABRT, SIGBUS])
  func `A crash restores the terminal, is reported, and ends at once`(signal: Int32) throws {
    let server = try JackServer.started()
    let variables: [String: String?] = ["JACKSTAY": Products.path("jackstay"), "SWIFT_BACKTRACE": nil]
    let shell = try Child(
      "sh", ["-c", "\"$JACKSTAY\"; echo; echo \"ended with $?\"; stty -a; echo; echo all"],
      environment: server.environment.merging(variables) { $1 }, streams: .terminalWithErrors)
    try shell.awaitText("the live line") { $0.contains("Link leads") }
    let bridge = try #require(children(of: shell).split(separator: " ").first.flatMap { pid_t($0) })
    let start = ContinuousClock.now
    #expect(kill(bridge, signal) == 0)
    let text = try shell.awaitText("the end") { $0.contains("\nall") }
    #expect(.now - start < Self.soon * Sanitizer.patience)
    #expect(text.contains("the program has crashed"), "\(text)")
    let mode = text.components(separatedBy: "ended with").last ?? ""
    #expect(mode.contains("icanon") && !mode.contains("-icanon") && !mode.contains("-echo "), "\(mode)")
    // The server has let the client go, and takes another.
    _ = try Scene.bridge(on: server)
  }

  @Test(.enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer), arguments: signals)
  func `It ends where the system has no thread left`(signal: Int32) throws {
    let folder = try RuntimeFolder()
    let file = "\(folder.path)/no-threads"
    let variables: [String: String?] = ["LD_PRELOAD": try Interposer.threads(), "NO_THREADS": file]
    let bridge = try Child(
      Products.path("jackstay"), environment: JackServer().environment.merging(variables) { $1 })
    try bridge.awaitLine(in: .errors) { $0.contains("waiting for a JACK server") }
    try Data().write(to: URL(filePath: file))
    try end(bridge, by: signal)
  }

  @Test func `A second signal ends it too`() throws {
    let scene = try Scene()
    try scene.server.suspend()
    let start = ContinuousClock.now
    scene.bridge.signal(SIGINT)
    usleep(20_000)
    scene.bridge.signal(SIGINT)
    #expect(try scene.bridge.wait() == .exited(0))
    #expect(.now - start < Self.soon * Sanitizer.patience)
    scene.server.resume()
  }
}
