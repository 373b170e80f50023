import Glibc
import Stage
import Testing

@Suite(.serialized, .alone, .measured) struct ServerLifeTests {
  @Test(.onEveryServer, arguments: [SIGTERM, SIGKILL])
  func `BACKGROUND-2: Without a server the bridge is no peer, and it is back when the server is`(
    signal: Int32
  ) throws {
    let scene = try Scene()
    try scene.join()
    for round in 1...2 {
      if round == 2 { try scene.roll() }
      // A second is promised and measured by the benchmark; here it is only that nothing waits for long.
      #expect(try scene.restartServer(by: signal) < 5000, "round \(round)")
      try scene.probe.send("reconnect 5")
    }
    #expect(scene.logged("waiting for a JACK server").count <= 2)
    try scene.probe.changeTempo(90)
    try scene.roll()
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy)
  }

  @Test(.enabled(if: Sanitizer.current == nil, Sanitizer.bearsNoInterposer))
  func `A server that ends while it still reports other clients does not hold the bridge`() throws {
    let scene = try Scene(environment: ["LD_PRELOAD": try Interposer.clients()])
    for round in 1...2 {
      let first = scene.bridge.lines(of: .errors).count
      scene.server.terminate()
      try scene.server.start()
      try scene.bridge.awaitLine(in: .errors, from: first, "the return, round \(round)") {
        $0.contains("connected to JACK")
      }
      try scene.probe.send("reconnect 5")
    }
  }

  @Test func `Without a server the bridge waits, reports that once, is no peer, and takes the first`() throws
  {
    let server = JackServer()
    let bridge = try Child(Products.path("jackstay"), environment: server.environment)
    try bridge.awaitLine(in: .errors) { $0.contains("jackstay: waiting for a JACK server") }
    usleep(1_500_000)
    #expect(bridge.lines(of: .errors).count == 1)
    #expect(DiscoveryPort.users == 0)
    try server.start()
    try bridge.awaitLine(in: .errors, "the timebase") { $0.contains("the bridge owns the timebase") }
    #expect(DiscoveryPort.await(inUse: true))
  }

  @Test func `Without a server and without waiting it logs one line that names the server, and ends`() throws
  {
    let server = JackServer()
    let bridge = try Child(Products.path("jackstay"), ["--no-wait"], environment: server.environment)
    #expect(try bridge.wait() == .exited(1))
    let lines = bridge.lines(of: .errors)
    #expect(lines.count == 1)
    #expect(
      lines.first?.contains("jackstay: error: The JACK server '\(server.name)' does not answer.") == true)
    #expect(bridge.text().isEmpty)
  }
}
