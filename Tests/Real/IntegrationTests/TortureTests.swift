import Glibc
import PropertyTesting
import Stage
import Testing

/// Short versions of the benchmark's ordeals for a server, a network and the bridge: each ends with
/// everything in phase, and with no more threads and descriptors than before.
///
/// A second is promised and measured by the benchmark; here it is only that all comes right, and nothing
/// stays behind.
@Suite(.serialized, .alone) struct TortureTests {
  private func rollingScene(period: Int = 512, environment: [String: String?] = [:]) throws -> Scene {
    let scene = try Scene(period: period, environment: environment)
    try scene.join()
    try scene.roll()
    return scene
  }

  /// Checks what became of an ordeal.
  private func expectHealed(
    _ ordeal: Ordeal, _ scene: Scene, _ context: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for recovery in ordeal.recoveries {
      #expect(recovery.isDone(within: 3000), "\(context) \(recovery)", sourceLocation: sourceLocation)
    }
    #expect(ordeal.linkJumps == 0, "\(context)", sourceLocation: sourceLocation)
    expectNoGrowth(ordeal.growth, context, sourceLocation: sourceLocation)
    #expect(scene.logged("is gone").isEmpty, "\(context)", sourceLocation: sourceLocation)
  }

  private func expectNoGrowth(
    _ growth: Footprint, _ context: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) {
    // The system's pool of threads has one more now and then.
    #expect(growth.threads <= 1, "\(context) \(growth)", sourceLocation: sourceLocation)
    #expect(growth.descriptors <= 0, "\(context) \(growth)", sourceLocation: sourceLocation)
  }

  @Test func `After the server stood still for a while, beats are in phase at once`() throws {
    let seed = UInt64.random(in: 1...1000)
    var random = Seeded(seed: seed)
    let scene = try rollingScene()
    let ordeal = try scene.torture(4) { _ in
      try scene.stall(milliseconds: .random(in: 20...500, using: &random))
    }
    expectHealed(ordeal, scene, "seed \(seed)")
  }

  @Test func `A period that changes while JACK rolls changes nothing else`() throws {
    let scene = try rollingScene()
    let periods = [4096, 64, 1024, 256]
    expectHealed(try scene.torture(periods.count) { try scene.resize(to: periods[$0]) }, scene)
  }

  @Test func `Clients that come and go in numbers change nothing`() throws {
    let scene = try rollingScene(period: 128)
    expectHealed(try scene.torture(1) { _ in _ = try scene.crowd(count: 50, perSecond: 50) }, scene)
  }

  @Test func `After a freewheel beats are Link's again`() throws {
    let scene = try rollingScene()
    expectHealed(try scene.torture(3) { _ in try scene.freewheel(seconds: 0.3) }, scene)
  }

  @Test func `A second bridge that comes and goes leaves the first as it was`() throws {
    let scene = try rollingScene()
    expectHealed(try scene.torture(2) { try scene.visit(endingBy: [SIGTERM, SIGKILL][$0]) }, scene)
    #expect(scene.logged("JACK leads").isEmpty)
  }

  @Test func `A network that is away for a moment is not missed`() throws {
    let scene = try rollingScene()
    let ordeal = try scene.torture(2) { _ in
      try Loopback.withoutNetwork { _ = try scene.probe.send("wait 0.5") }
    }
    expectHealed(ordeal, scene)
    _ = try scene.awaitPeer()
  }

  @Test func `Peers that join and leave in numbers do not move the session's beat`() throws {
    let scene = try rollingScene()
    let crowd = try LinkProbe.start(server: nil, joinsLink: false, peers: 16)
    // Among so many, peers measure each other less well on few processors.
    let ordeal = try scene.torture(2, limit: 3000) { number in
      try crowd.send("enable \(1 - number)", timeout: .seconds(30))
      if number == 0 { #expect(try scene.probe.awaitState("peers 17", seconds: 20)) }
    }
    expectHealed(ordeal, scene)
  }

  @Test func `Steps of the wall clock are not noticed`() throws {
    let scene = try rollingScene(environment: ["LD_PRELOAD": try Interposer.wallClock()])
    expectHealed(try scene.torture(2) { _ in _ = try scene.probe.send("wait 0.5") }, scene)
    // Nor is one needed for a server's return.
    #expect(try scene.restartServer(by: SIGKILL) < 6000)
  }

  @Test(arguments: [
    Death(lead: .link, moment: .armed, signal: SIGKILL),
    Death(lead: .owner, moment: .rolling, signal: SIGTERM),
    Death(lead: .pinned, moment: .stopped, signal: SIGKILL),
  ])
  func `After its server's death and return the bridge bridges as before`(death: Death) throws {
    let scene = try Scene(bpm: 240)
    try scene.join()
    let revival = try scene.die(death, for: 100, daw: try scene.startDAW(), limit: 300)
    #expect(revival.faults.isEmpty, "\(revival)")
    #expect(revival.milliseconds < 6000, "\(revival)")
  }

  @Test func `Lives of a server leave no threads and no descriptors behind`() throws {
    let scene = try Scene()
    try scene.reconnect(5)
    let before = try scene.bridge.footprint()
    try scene.reconnect(20)
    expectNoGrowth(try scene.bridge.growth(since: before))
  }
}
