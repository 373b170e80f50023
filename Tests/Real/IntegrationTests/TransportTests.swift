import Glibc
import JACK
import MusicalTime
import Stage
import Testing

/// Other JACK clients' actions on the transport, and the positions that they then read.
@Suite(.serialized, .alone, .measured) struct TransportTests {
  @Test func `Only bar, beat and tick are declared, in every state`() async throws {
    let scene = try Scene()
    let reader = try Client.open(name: "reader", server: scene.server.name).activate(RealtimeHandler())
    defer { reader.close() }
    #expect(reader.transport()?.position.valid == .barBeatTick)
    try scene.roll()
    let positions = try scene.probe.judge("what is declared while JACK rolls") {
      try (0..<50).map { _ in
        usleep(5000)
        return try #require(reader.transport()?.position)
      }
    }
    for position in positions ?? [] {
      #expect(position.valid == .barBeatTick)
      let shown = position.timebase
      #expect(shown.isValid && shown.beatsPerBar == 4 && shown.beatType == 4)
      #expect(position.barStartTick == Double(shown.bar - 1) * 4 * shown.ticksPerBeat)
    }
    try scene.probe.send("jackstop")
    #expect(try scene.probe.awaitState("stopped"))
    #expect(reader.transport()?.position.valid == .barBeatTick)
  }

  @Test(.onEveryServer, arguments: [false, true])
  func `Relocating as editors do works on the bridge's timebase`(rolls: Bool) throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    if rolls { try scene.roll() }
    for frame in [480_000, 96_000, 1_000_000] {
      let now = try scene.probe.judge("a reposition") {
        let before = try scene.rolls()
        #expect(try scene.probe.send("reposition \(frame)").last?["rc"] == 0)
        if rolls {
          // It rolls on when the session is where the frame is in the bar: at 240 beats per minute within a
          // second.
          let after = try scene.probe.awaitPeers { ($0["rolls"] ?? 0) > before }
          #expect(try #require(after["rolls"]) > before)
        }
        try scene.probe.send("wait 0.3")
        return try scene.probe.peers()
      }
      #expect(try scene.probe.peers()["valid"] == 16)
      guard let now else { continue }
      let way = try #require(now["frame"]) - Double(frame)
      #expect(rolls ? (1..<48_000).contains(way) : way == 0, "\(way) frames from there")
      // Bars are 48 000 frames.
      #expect(now.bar == Int(try #require(now["frame"])) / 48_000 + 1, "\(now)")
    }
    if rolls {
      let report = try scene.probe.judge("a reposition, and what comes after it", countsFrames: true) {
        let before = try scene.rolls()
        try scene.probe.send("reposition 96000")
        _ = try scene.probe.awaitPeers { ($0["rolls"] ?? 0) > before }
        return try scene.probe.measure(seconds: 0.3)
      }
      guard let report else { return }
      expectSteady(report)
      #expect(abs(try #require(report.certain("err_out_med"))) < accuracy)
      #expect(abs(try #require(report.certain("frame_err_out_med"))) < accuracy + frameLength)
    }
  }

  @Test func `Frame 0 is bar 1, stopped and rolling, and the beat is Link's`() throws {
    let scene = try Scene(period: RealtimeScheduling.exactPeriod, bpm: 240)
    try scene.join()
    try scene.probe.send("locate 1000000")
    try scene.probe.send("wait 0.3")
    #expect(try scene.probe.peers().bar > 1)
    try scene.probe.send("locate 0")
    try scene.probe.send("wait 0.3")
    #expect(try scene.probe.peers().position == [1, 1, 0])

    try scene.roll()
    // At any beat of the session, the transport waits for its bar.
    for beat in [1.2, 3.2] {
      try scene.probe.awaitBeat(beat)
      let launch = try scene.probe.judge("a locate to frame 0") { try scene.probe.launch(by: "locate 0") }
      guard let launch else { continue }
      #expect(launch.position.prefix(2) == [1, 1], "\(launch)")
      #expect(abs(try #require(launch.certain("to_quantum_out"))) < scene.periodLength, "\(launch)")
    }
    guard let report = try scene.probe.judgeWindow() else { return }
    expectSteady(report)
    #expect(abs(try #require(report.certain("err_out_med"))) < accuracy)
  }
}
