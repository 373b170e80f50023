import Bridge
import Reconciliation
import Stage
import Testing

/// Two JACK servers, one of which follows the other's transport over the network.
@Suite(.serialized, .alone) struct MastersTransportTests {
  @Test func `A netjack slave stops no peer, follows its master, and refuses a user's start`() throws {
    let master = try JackServer.started()
    let slave = JackServer(following: master)
    try slave.start()
    let bridge = try Scene.bridge(on: slave)
    try bridge.awaitLine(in: .errors, "the report") { $0.contains("netjack master") }
    let scene = Scene(bridge: bridge, probe: try LinkProbe.start(server: slave), server: slave)
    try scene.probe.send("enable 0")
    try scene.join()
    for _ in 0..<2 {
      try scene.probe.send("playnow")
      try scene.probe.send("wait 1")
      let plays = try scene.probe.awaitState("playing", seconds: 0.1)
      let rests = try scene.probe.awaitState("stopped", seconds: 0.1)
      #expect(plays && rests)
      try scene.probe.send("stop")
      try scene.probe.send("wait 0.5")
    }
    #expect(bridge.lines(of: .errors).count { $0.contains("netjack master") } == 1)
    // The master's start and stop reach the session.
    let conductor = try LinkProbe.start(server: master)
    try conductor.send("enable 0")
    try conductor.send("jackstart")
    let plays = try scene.probe.awaitState("playing", seconds: 10)
    #expect(plays)
    try conductor.send("jackstop")
    let rests = try scene.probe.awaitState("idle", seconds: 10)
    #expect(rests)
    let first = bridge.lines(of: .errors).count
    try bridge.write("start\n")
    try bridge.awaitLine(in: .errors, from: first, "a refusal") {
      $0.contains("error: this JACK server follows")
    }
  }

  @Test func `A netjack slave refuses a start also while the bridge changes to another session`() async throws
  {
    let master = try JackServer.started()
    let slave = JackServer(following: master)
    try slave.start()
    var configuration = BridgeConfiguration()
    configuration.server = slave.name
    configuration.isLinkEnabled = false
    let bridge = try Bridge(configuration)
    let work = Task { try? await bridge.run() }
    let isConnected = await becomes(true, bridge)
    // One other than the transport of the server, which refuses a start, is a client that has left.
    var outcomes: Set<CommandOutcome> = []
    let change = Task { await bridge.reopen(configuration) }
    while await bridge.status() != nil { outcomes.insert(await bridge.send(.start)) }
    await change.value
    let isConnectedAgain = await becomes(true, bridge)
    let last = await bridge.send(.start)
    // It has to be gone before the servers go.
    work.cancel()
    await work.value
    withExtendedLifetime((master, slave)) {}
    #expect(isConnected && isConnectedAgain)
    #expect(outcomes.isSubset(of: [.transportIsMasters, .noServer]), "\(outcomes)")
    #expect(last == .transportIsMasters)
  }

  /// Waits until the bridge is a client, or is none; for ten seconds at most.
  private func becomes(_ isClient: Bool, _ bridge: Bridge) async -> Bool {
    for _ in 0..<1000 {
      if await (bridge.status() != nil) == isClient { return true }
      try? await Task.sleep(for: .milliseconds(10))
    }
    return false
  }
}
