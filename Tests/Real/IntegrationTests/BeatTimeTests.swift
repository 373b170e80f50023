import Glibc
import Stage
import Testing

@Suite(.serialized, .alone, .measured, .onEveryServer) struct BeatTimeTests {
  // There is no "disabling" to hear: a bridge leaves Link when its server goes, and then there is no beat.
  @Test func `BEATTIME-1: JACK's beat does not jump when the bridge enables Link alone`() throws {
    let (_, report) = try Scene.judge("JACK's beat while the bridge enables Link") {
      let scene = try Scene(period: 1024, bpm: 97)
      // The bridge rolls before it joins Link, 0.6 s after it has found the server.
      try scene.roll()
      return scene
    } _: { scene -> ProbeReport? in
      guard DiscoveryPort.users == 0 else { return nil }
      let report = try scene.probe.measure("enabling", seconds: 1.2)
      return DiscoveryPort.users > 0 ? report : nil
    }
    guard let report else { return }
    expectSteady(report)
    #expect(report["jack_bpm"] == 97)
    #expect(abs(try #require(report["jack_bpm_effective"]) - 97) < 0.05)
  }

  @Test func `BEATTIME-2: JACK's beat does not jump when peers join the bridge's session`() throws {
    let (scene, report) = try Scene.judge("JACK's beat while peers join") {
      let scene = try Scene(period: 1024, bpm: 120)
      try scene.roll()
      #expect(DiscoveryPort.await(inUse: true))
      // Link takes one session for older than another only if it is by more than half a second.
      try scene.probe.send("wait 0.7")
      return scene
    } _: { scene in
      let first = scene.probe.child.lines().count
      try scene.probe.child.write("measure joining 2\n")
      usleep(300_000)
      let peers = [try LinkProbe.start(server: nil, bpm: 90), try LinkProbe.start(server: nil, bpm: 140)]
      for peer in peers {
        #expect(try peer.awaitState("peers 2"))
        #expect(abs(try peer.peers().beatLength("link_bpm") - 60e6 / 120) < 1)
      }
      return try scene.probe.awaitReport("the measurement", from: first) { $0.word("measure") == "joining" }
    }
    try scene.bridge.awaitLine(in: .errors, "two peers") { $0.contains("jackstay: 2 peers") }
    guard let report else { return }
    expectSteady(report)
    #expect(report["jack_bpm"] == 120)
    #expect(abs(try #require(report["jack_bpm_effective"]) - 120) < 0.05)
  }
}
