import Foundation
import Stage
import Testing

/// Faults in the bridge's surroundings.
@Suite(.serialized, .alone, .measured) struct FaultTests {
  private func jackstay(
    _ flags: [String] = [], _ environment: [String: String?], streams: Child.Streams = .noInput
  ) throws -> Child {
    try Child(Products.path("jackstay"), flags, environment: environment, streams: streams)
  }

  /// Checks that the bridge ends with code 1 and has logged one line, which begins with `text`.
  private func expectFailure(
    _ bridge: Child, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    #expect(try bridge.wait() == .exited(1), sourceLocation: sourceLocation)
    let lines = bridge.lines(of: .errors)
    #expect(lines.count == 1, "\(lines)", sourceLocation: sourceLocation)
    #expect(
      lines.first?.contains("jackstay: error: \(text)") == true, "\(lines)", sourceLocation: sourceLocation)
    #expect(bridge.text().isEmpty, sourceLocation: sourceLocation)
  }

  @Test func `A name that is taken and too long to be numbered is refused in one line`() throws {
    let name = String(repeating: "n", count: 63)
    let scene = try Scene(flags: ["--name", name])
    let second = try jackstay(["--name", name], scene.server.environment)
    try expectFailure(second, "The JACK server did not accept the client")
    #expect(second.text(of: .errors).contains("choose a shorter name"))
    // The first is none the worse for it.
    try scene.join()
    try scene.probe.changeTempo(90)
  }

  @Test func `Link's port in another program's use is reported in one line`() throws {
    let taken = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(taken) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = DiscoveryPort.number.bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(taken, $0, 16) }
    }
    try #require(result == 0)
    let server = try JackServer.started()
    let bridge = try jackstay([], server.environment)
    try expectFailure(bridge, "")
    #expect(bridge.text(of: .errors).contains("20808"))
  }

  @Test(arguments: [NotJACK.Answer.goodbye, .garbage])
  func `A server that is none is reported in one line`(answer: NotJACK.Answer) throws {
    let server = JackServer()
    let impostor = try #require(NotJACK(inPlaceOf: server, answer))
    defer { impostor.end() }
    try expectFailure(try jackstay([], server.environment), "The JACK server did not accept the client")
  }

  @Test func `A server that never answers holds the bridge, but not its end`() throws {
    let server = JackServer()
    let impostor = try #require(NotJACK(inPlaceOf: server, .silence))
    defer { impostor.end() }
    let bridge = try jackstay([], server.environment)
    #expect(bridge.awaitHolding(SIGTERM))
    usleep(500_000)
    #expect(bridge.isRunning)
    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
  }

  @Test func `An end of standard input changes nothing`() throws {
    let scene = try Scene()
    scene.bridge.closeInput()
    try scene.join()
    try scene.probe.changeTempo(90)
    #expect(scene.bridge.isRunning)
    #expect(scene.bridge.terminate().isSuccess)
  }

  @Test func `A reader of its log that goes away changes nothing`() throws {
    let server = try JackServer.started()
    let bridge = try Child(
      "bash", ["-c", "exec \"$0\" 2> >(exec head -n 1)", Products.path("jackstay")],
      environment: server.environment, streams: .pipes)
    try bridge.awaitLine { $0.contains("connected to JACK") }
    try expectBridging(bridge, on: server)
  }

  @Test(arguments: ["2>&-", "0<&- 1>&- 2>&-"])
  func `Standard streams that are closed change nothing, and nothing takes their place`(
    closing: String
  ) throws {
    let server = try JackServer.started()
    let bridge = try Child(
      "bash", ["-c", "exec \"$0\" \(closing)", Products.path("jackstay")], environment: server.environment)
    try expectBridging(bridge, on: server)
  }

  /// Checks that a bridge whose output is closed works, also after its server was away, and ends.
  private func expectBridging(_ bridge: Child, on server: JackServer) throws {
    let probe = try LinkProbe.start(server: server)
    for isRestarted in [false, true] {
      if isRestarted {
        server.kill()
        #expect(try probe.awaitState("alone"))
        try server.start()
        try probe.send("reconnect 5")
      }
      #expect(try probe.awaitState("peers 1"))
      try probe.changeTempo(isRestarted ? 90 : 80)
      // A file that the program opens for itself must not be the one that it then writes its log to.
      let errors = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(bridge.pid)/fd/2")
      #expect(errors == "/dev/null" || errors.hasPrefix("pipe:"))
    }
    bridge.signal(SIGTERM)
    #expect(try bridge.wait().isSuccess)
  }
}
