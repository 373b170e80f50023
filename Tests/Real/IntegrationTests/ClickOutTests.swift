import Foundation
import Stage
import Testing

/// The click on a real server, as an independent peer hears it, with LinkHut beside it.
@Suite(.serialized, .alone, .measured) struct ClickOutTests {
  private func scene(period: Int = RealtimeScheduling.period, bpm: Double = 240, flags: [String] = []) throws
    -> Scene
  {
    let scene = try Scene(period: period, bpm: bpm, flags: ["--click", "rolling"] + flags)
    try scene.hearClick()
    return scene
  }

  /// Waits until the session is so far into its bar, in beats, and starts from there, by JACK or by the peer.
  private func start(_ scene: Scene, at beat: Double, fromLink: Bool) throws {
    try scene.probe.awaitBeat(beat)
    try scene.probe.send(fromLink ? "playnow" : "jackstart")
    #expect(try scene.probe.awaitState("rolling", seconds: 30))
  }

  /// Checks that each is a click as it is described, and that it comes a beat after the one before: none is
  /// lost, and none is doubled.
  private func expectClicks(_ clicks: [HeardClick], sourceLocation: SourceLocation = #_sourceLocation) {
    for (click, next) in zip(clicks, clicks.dropFirst()) where click.missed == next.missed {
      let beats = (next.frame - click.frame) * click.beatsPerMinute / 60 / 48_000
      #expect(abs(beats - 1) < 0.02, "\(click), then \(next)", sourceLocation: sourceLocation)
    }
    for click in clicks where click.missed == clicks.last?.missed {
      #expect(click.fit > 0.999, "\(click)", sourceLocation: sourceLocation)
      #expect((0.22...0.2512).contains(click.size), "\(click)", sourceLocation: sourceLocation)
    }
  }

  /// Checks that clicks are on Link's beats: as nearly as can be where JACK's times can be trusted. Otherwise
  /// these, by which the probe knows Link's beat, may be off by the time that missed deadlines have lost:
  /// then it is enough that the nearest beat is the right one.
  private func expectLinks(
    _ clicks: [HeardClick], within range: Range<Double>?, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for click in clicks {
      #expect((range ?? -50_000..<50_000).contains(click.late), "\(click)", sourceLocation: sourceLocation)
    }
  }

  /// How late by JACK's times a click may be, in microseconds; nil where these have not been right for so many
  /// seconds. The first wake-up of many is as good a witness as they are: where it is before JACK's times, a click
  /// that goes by it is as late.
  private func exactRange(_ scene: Scene, for seconds: Double) throws -> Range<Double>? {
    let peers = try scene.probe.peers()
    guard peers["kept_ms"] ?? 0 > seconds * 1000 else { return nil }
    return -accuracy..<accuracy - min(0, peers["woken_first"] ?? 0)
  }

  @Test(arguments: [256, 1024])
  func `A start is counted in on Link's beat, and the song's first beat is an accent there`(period: Int)
    throws
  {
    let scene = try scene(period: period)
    try scene.join()
    #expect(try scene.clicks().isEmpty, "while JACK rests")
    for frame in period == 256 ? [0, 480_000] : [0] {
      let counted = try scene.probe.judge("a start that is counted in") {
        try scene.probe.send("locate \(frame)")
        try scene.probe.send("wait 0.2")
        let known = try scene.clicks().count
        try start(scene, at: 0.3, fromLink: frame > 0)
        try scene.probe.send("wait 1.1")
        try scene.rest()
        let clicks = Array(try scene.clicks()[known...])
        // Nothing sounds any more.
        try scene.probe.send("wait 0.3")
        #expect(try scene.clicks().count == known + clicks.count)
        return (clicks, try exactRange(scene, for: 3))
      }
      guard let (clicks, range) = counted else { continue }
      expectClicks(clicks)
      expectLinks(clicks, within: range)
      let first = try #require(clicks.firstIndex { $0.isBar })
      // The rest of the bar, less the time that JACK needs for the start.
      #expect((2...3).contains(first), "\(clicks)")
      #expect(clicks[..<first].allSatisfy { $0.isWaiting && !$0.isRolling }, "\(clicks)")
      for (index, click) in clicks.enumerated() {
        #expect(click.isBar == (index >= first && (index - first).isMultiple(of: 4)), "\(clicks)")
        #expect(click.isBar == Int(click.linkBeat.rounded()).isMultiple(of: 4), "\(click)")
      }
    }
  }

  @Test func `It goes on with the beat that JACK clients read, through tempos, and where JACK goes`() throws {
    let scene = try scene(bpm: 240, flags: ["--meter", "3/4"])
    try scene.probe.send("quantum 3")
    try scene.join()
    try scene.roll()
    for (bpm, seconds) in [(240.0, 1.5), (137.53, 0)] {
      if bpm != 240 { try scene.probe.changeTempo(bpm) }
      let heard = try scene.probe.judge("clicks at \(bpm) bpm") {
        try scene.probe.send("wait 0.3")
        let known = try scene.clicks().count
        try scene.probe.send("wait 1")
        let clicks = try scene.clicks()[known...]
        return try exactRange(scene, for: seconds).map { (Array(clicks), $0) }
      }
      guard let (clicks, range) = heard else { continue }
      expectClicks(clicks)
      expectLinks(clicks, within: seconds > 0 ? range : nil)
      #expect(Double(clicks.count) >= bpm / 60 - 1)
      for click in clicks {
        // A frame is what positions that are read are right to, but for ticks.
        let error = abs(click.jackBeat - Double(click.beat)) * 60e6 / bpm
        #expect(error < 25 + scene.coarseness(at: bpm), "\(click)")
        #expect(click.isBar == click.beat.isMultiple(of: 3), "\(click)")
      }
    }
    for frame in [96_000, 1_234_567] {
      try scene.probe.send("locate \(frame)")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("wait 0.3")
    }
    try scene.stall(milliseconds: 100)
    try scene.probe.send("wait 1")
    try scene.rest()
    let clicks = try scene.clicks()
    // In any case none soon after another: a third of the shortest beat.
    for (click, next) in zip(clicks, clicks.dropFirst()) where click.missed == next.missed {
      #expect(next.frame - click.frame >= 3199, "\(click), then \(next)")
    }
    let last = clicks.filter { $0.isRolling && $0.missed == clicks.last?.missed }.suffix(3)
    for click in last { #expect(click.isBar == click.beat.isMultiple(of: 3), "\(click)") }
  }

  @Test func `Alone it begins with JACK, and with another owner it is that one's beat and bar`() throws {
    let scene = try scene(bpm: 120)
    try scene.roll()
    try scene.probe.send("wait 1.2")
    try scene.probe.send("jackstop")
    #expect(try scene.probe.awaitState("stopped"))
    let clicks = try scene.clicks()
    let first = try #require(clicks.first)
    #expect(first.isBar && first.isRolling && clicks.count <= 4)
    if try scene.probe.canJudge("clicks from the first on", if: first.missed == 0) {
      #expect(abs(first.jackBeat) * 24_000 < 1, "\(first)")
      expectClicks(clicks)
    }
    let known = clicks.count
    let owner = try scene.startDAW()
    try scene.lead(owner, bpm: 180, beats: 3)
    try owner.send("locate 0")
    try owner.send("wait 0.5")
    try owner.send("jackstart")
    #expect(try scene.probe.awaitState("rolling"))
    try scene.probe.send("wait 2.5")
    let theirs = try scene.clicks()[known...].filter(\.isRolling)
    #expect(theirs.count >= 6)
    expectClicks(Array(theirs.dropFirst()))
    for click in theirs.dropFirst() where click.missed == theirs.first?.missed {
      #expect(click.isBar == click.beat.isMultiple(of: 3), "\(click)")
      #expect(abs(click.jackBeat - Double(click.beat)) * 16_000 < 16, "\(click)")
    }
  }

  @Test
  func
    `Where the latency is left to JACK's clients, the click is heard on Link's beat, and is no such client`()
    throws
  {
    let server = try JackServer.started()
    let bridge = try Scene.bridge(
      on: server, flags: ["--tempo", "240", "--click", "rolling", "--compensating", "jack_metro"])
    let scene = Scene(
      bridge: bridge, probe: try LinkProbe.start(server: server, bpm: 240), server: server)
    try scene.hearClick()
    let program = try Child("jack_metro", ["-n", "jack_metro", "-b", "120"], environment: server.environment)
    try bridge.awaitLine(in: .errors, "the convention") { $0.contains("the output latency is left to") }
    for port in ["jackstay:click", "jack_metro:120_bpm"] {
      let connection = try Child(
        "jack_connect", [port, "system:playback_1"], environment: server.environment)
      #expect(try connection.wait().isSuccess)
    }
    try scene.join()
    #expect(scene.logged("the output latency is left to").count == 1, "\(bridge.lines(of: .errors))")
    let clicks = try scene.probe.judge("a click that makes up for the latency") {
      let known = try scene.clicks().count
      try start(scene, at: 0.3, fromLink: false)
      try scene.probe.send("wait 1.5")
      try scene.rest()
      return (Array(try scene.clicks()[known...]), try exactRange(scene, for: 4))
    }
    guard let (clicks, range) = clicks else { return }
    expectClicks(clicks)
    expectLinks(clicks, within: range)
    #expect(clicks.count > 5)
    program.terminate()
  }

  @Test func `Without a free port the bridge reports that, and goes on`() throws {
    // A server that has as few as it can, all of which others take.
    let server = try JackServer.started(ports: 128)
    let crowd = try LinkProbe.start(server: server, joinsLink: false)
    try crowd.send("takeports")
    let bridge = try Scene.bridge(on: server, flags: ["--click", "rolling"])
    let lines = bridge.lines(of: .errors).filter { $0.contains("without the click") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("jackd --port-max") == true, "\(lines)")
    try crowd.send("jackstart")
    #expect(try crowd.awaitState("rolling"))
    #expect(bridge.isRunning)
  }
}
