import Foundation
import Stage
import Testing

/// The MIDI clock on a real server: a follower's count, and its times, by an independent peer.
@Suite(.serialized, .alone, .measured) struct MIDIClockOutTests {
  /// How far two frames are apart, in microseconds.
  private static let frame = 1e6 / 48_000

  private func scene(
    _ mode: String = "rolling", period: Int = RealtimeScheduling.period, bpm: Double = 120,
    flags: [String] = []
  ) throws -> Scene {
    let scene = try Scene(period: period, bpm: bpm, flags: ["--midi-clock", mode] + flags)
    try scene.hearMIDIClock()
    return scene
  }

  /// The clock in some seconds in which nothing disturbs, once the tempo has come, and JACK either rolls or
  /// is stopped; and the measurement of the position meanwhile.
  private func judged(
    _ check: String, _ scene: Scene
  ) throws -> (clocks: [MIDIRecording.Message], position: ProbeReport)? {
    try scene.probe.judge(check) {
      try scene.probe.send("wait 0.5")
      let first = MIDIRecording(scene.probe.reports).messages.count
      let position = try scene.probe.measure(seconds: 1.5)
      // A start that a missed deadline has put out of phase is held once more.
      guard position["rolling"] == 0 || LinkProbe.hasRolledThroughout(position) else { return nil }
      let messages = MIDIRecording(scene.probe.reports).messages[first...]
      return (messages.filter { $0.status == MIDIRecording.clock }, position)
    }
  }

  /// Checks that none is lost and none doubled, and that each is where JACK's position has it, to the frame, or as
  /// near as that is read.
  private func expectExact(
    _ clocks: [MIDIRecording.Message]?, of scene: Scene, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    guard let clocks else { return }
    let bpm = try #require(clocks.first?.beatsPerMinute)
    #expect(Double(clocks.count) > 1.5 * 0.9 * bpm * 24 / 60, sourceLocation: sourceLocation)
    for (clock, next) in zip(clocks, clocks.dropFirst()) {
      // Both may be a frame off.
      let off = next.frame - clock.frame - clock.framesPerClock
      #expect(abs(off) < 2, "\(clock), then \(next)", sourceLocation: sourceLocation)
    }
    for clock in clocks {
      // Those that a missed deadline has lost on their way do not come again.
      guard let late = clock.clocksLate else { continue }
      let off = (late - late.rounded()) * clock.framesPerClock
      let most = 1 + scene.coarseness(at: clock.beatsPerMinute) / Self.frame
      #expect(abs(off) <= most, "\(clock)", sourceLocation: sourceLocation)
    }
  }

  /// Checks that clocks are where Link has them: where the position is, by the same times, and the position for
  /// certain.
  ///
  /// How far each is from the others goes by JACK's times, and is judged where they have kept to its frames; the
  /// clocks' frames are exact in any case.
  private func expectLinks(
    _ clocks: [MIDIRecording.Message], _ position: ProbeReport,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let late = clocks.map(\.late)
    let middle = late.sorted()[late.count / 2]
    let apart = middle + (try #require(position["err_out_med"], sourceLocation: sourceLocation))
    #expect(abs(apart) < accuracy, "\(position)", sourceLocation: sourceLocation)
    let certain = try #require(position.certain("err_out_med"), sourceLocation: sourceLocation)
    #expect(abs(certain) < accuracy, "\(position)", sourceLocation: sourceLocation)
    guard position.hasKeptTimes(for: 1.5) else { return }
    let worst = late.map { abs($0 - middle) }.max() ?? .infinity
    // Half a frame is the rounding of frames, and as much is for the probe's own clock.
    #expect(worst <= Self.frame, "\(late)", sourceLocation: sourceLocation)
  }

  /// Checks that the counted clocks are where JACK is, to the frame, but where the clock makes up for a
  /// delay. PipeWire shows whole ticks, which the bridge rounds and another owner does not.
  private func expectCount(
    _ recording: MIDIRecording, of scene: Scene, isOwners: Bool = false,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(recording.faults.isEmpty, "\(recording.faults)", sourceLocation: sourceLocation)
    let ticks = isOwners ? 1.5 : 0.5
    let judgement = recording.judged(ticks: scene.server.kind == .pipewire ? ticks : 0)
    #expect(judgement.lost == 0, sourceLocation: sourceLocation)
    #expect(judgement.extra == 0, sourceLocation: sourceLocation)
    #expect(judgement.worst <= 1, "\(judgement.about)", sourceLocation: sourceLocation)
  }

  @Test func `A song from its beginning is a Start, a clock for each of its 24ths, and a Stop`() throws {
    let scene = try scene()
    try scene.join()
    try scene.roll()
    if let (clocks, position) = try judged("MIDI clocks at 120 bpm", scene) {
      try expectExact(clocks, of: scene)
      try expectLinks(clocks, position)
    }
    for bpm in [137.53, 90] {
      try scene.probe.changeTempo(bpm)
      try expectExact(judged("MIDI clocks at \(bpm) bpm", scene)?.clocks, of: scene)
    }
    try scene.rest()
    let recording = try scene.midiRecording()
    #expect(recording.isOneSong, "\(recording.words)")
    expectCount(recording, of: scene)
    let first = try #require(recording.counted.first)
    #expect(recording.clocks.first?.frame == first.frame)
    #expect(abs(first.jackBeat) < 0.05, "\(first)")
    #expect(recording.messages.last?.status == MIDIRecording.stop)
  }

  @Test func `In the middle of a song, and after a locate, the clock sends a song position and Continue`()
    throws
  {
    let scene = try scene(bpm: 240, flags: ["--midi-clock-position", "always"])
    try scene.join()
    try scene.probe.send("locate 204000")
    try scene.probe.send("wait 0.2")
    try scene.roll()
    try scene.probe.send("wait 1")
    for frame in [960_000, 12_345] {
      try scene.probe.send("locate \(frame)")
      #expect(try scene.probe.awaitState("rolling"))
      try scene.probe.send("wait 2.5")
    }
    try scene.rest()
    let recording = try scene.midiRecording()
    let goesOn = [MIDIRecording.songPosition, MIDIRecording.goOn]
    let stop = [MIDIRecording.stop]
    let isUndisturbed = recording.messages.last?.missed == 0
    if try scene.probe.canJudge("the messages of locates", if: isUndisturbed) {
      #expect(recording.words == goesOn + stop + goesOn + stop + goesOn + stop)
      #expect(recording.clocks.count - recording.counted.count < 6 * 3)
    }
    expectCount(recording, of: scene)
    for message in recording.messages where message.status == MIDIRecording.songPosition {
      #expect(abs(message.jackBeat * 4 - Double(message.value)) <= 1, "\(message)")
    }
  }

  @Test func `At 999 bpm in the smallest buffers nothing is lost and nothing comes as a flood`() throws {
    let scene = try scene(period: 64, bpm: 999)
    try scene.join()
    try scene.roll()
    try scene.probe.send("wait 3")
    try scene.probe.send("tempo 500")
    try scene.probe.send("wait 1")
    try scene.rest()
    let recording = try scene.midiRecording()
    #expect(recording.faults.isEmpty, "\(recording.faults)")
    #expect(recording.counted.count > 999 * 24 / 60)
    for (clock, next) in zip(recording.clocks, recording.clocks.dropFirst()) {
      // A third of their usual distance, which JACK's count loses where it misses deadlines.
      guard clock.missed == next.missed else { continue }
      #expect(next.frame - clock.frame >= 40, "\(clock.frame)")
    }
    expectCount(recording, of: scene)
  }

  @Test func `A clock that always goes is on Link's beat also while JACK is stopped`() throws {
    let scene = try scene("always")
    try scene.join()
    try expectExact(judged("MIDI clocks while JACK rests", scene)?.clocks, of: scene)
    try scene.roll()
    try scene.probe.send("wait 1")
    try scene.rest()
    try scene.probe.send("wait 1")
    let recording = try scene.midiRecording()
    #expect(recording.isOneSong, "\(recording.words)")
    #expect(recording.messages.last?.status == MIDIRecording.clock)
    expectCount(recording, of: scene)
  }

  @Test func `Where another program owns the timebase, its beats are the MIDI clock's`() throws {
    let scene = try scene()
    try scene.probe.send("master 133 4")
    try scene.bridge.awaitLine(in: .errors, "the loss") { $0.contains("JACK leads") }
    try scene.probe.send("wait 1")
    try scene.probe.send("locate 0")
    try scene.probe.send("wait 0.2")
    try scene.roll()
    try scene.probe.send("wait 4")
    try scene.rest()
    let recording = try scene.midiRecording()
    #expect(recording.isOneSong, "\(recording.words)")
    expectCount(recording, of: scene, isOwners: true)
    #expect(recording.counted.count > 133 * 24 * 3 / 60)
  }

  @Test(.onEveryServer, arguments: ["auto", "always"]) func `A loop of whole bars is 24 clocks in each beat`(
    position: String
  ) throws {
    // A missed deadline makes the bridge correct the roll, and loses messages on their way.
    let (scene, judged) = try Scene.judge("the messages of a loop") {
      let scene = try self.scene(bpm: 240, flags: ["--midi-clock-position", position])
      try scene.join()
      return scene
    } _: { scene -> (seams: [Seam], recording: MIDIRecording)? in
      let seams = try scene.loop(bars: 1, bpm: 240, 4, atMost: 12)
      try scene.probe.send("wait 0.5")
      try scene.rest()
      let recording = try scene.midiRecording()
      #expect(recording.faults.isEmpty, "\(recording.faults)")
      return recording.messages.last?.missed == 0 && seams.isExact ? (seams, recording) : nil
    }
    guard let (seams, recording) = judged else { return }
    let goesOn = [MIDIRecording.songPosition, MIDIRecording.goOn]
    let stop = [MIDIRecording.stop]
    let told = position == "always" ? seams.flatMap { _ in stop + goesOn } : []
    // On PipeWire a roll is relocated twice at a seam, both of which are sent.
    if scene.server.kind == .jackd || told.isEmpty { #expect(recording.words == goesOn + told + stop) }
    // From the first clock that is counted on, each is.
    let counted = recording.clocks.drop { $0.number == nil }
    #expect(counted.allSatisfy { $0.number != nil })
    for (clock, next) in zip(counted, counted.dropFirst()) {
      let distance = (next.frame - clock.frame) / clock.framesPerClock
      #expect(distance > 0.6 && distance < 1.4, "\(clock), then \(next)")
    }
  }

  @Test func `Through tempos, locates and stalls no clock is lost, and none is one too many`() throws {
    let scene = try scene(flags: ["--midi-clock-position", "always"])
    try scene.join()
    try scene.roll()
    try scene.playThrough(seconds: 14, tempos: 4, relocations: 2, stalls: 1)
    try scene.rest()
    let recording = try scene.midiRecording()
    expectCount(recording, of: scene)
    #expect(recording.words.count(where: { $0 == MIDIRecording.stop }) >= 3)
    for (clock, next) in zip(recording.clocks, recording.clocks.dropFirst()) {
      // A third of the usual distance at the fastest tempo there was.
      guard clock.missed == next.missed else { continue }
      #expect(next.frame - clock.frame >= 166, "\(clock.frame)")
    }
  }

  @Test func `While JACK freewheels nothing is sent, and after it the song begins anew`() throws {
    let scene = try scene("always")
    try scene.join()
    try scene.roll()
    try scene.probe.send("wait 0.5")
    try scene.freewheel(seconds: 0.5)
    try scene.probe.send("wait 1")
    try scene.rest()
    let recording = try scene.midiRecording()
    #expect(recording.faults.isEmpty, "\(recording.faults)")
    let anew = [MIDIRecording.stop, MIDIRecording.songPosition, MIDIRecording.goOn]
    // Before it goes on, and soon after, the position may find its way back to Link's.
    let places = recording.words.indices.filter { index in
      index == 0 || recording.words[index] != recording.words[index - 1]
    }
    let told = [anew, anew + anew].map { [MIDIRecording.start] + $0 + [MIDIRecording.stop] }
    guard recording.lost == 0 else { return }
    #expect(told.contains(places.map { recording.words[$0] }), "\(recording.words)")
  }

  @Test func `An offset sends it earlier or later`() throws {
    for milliseconds in [-7.5, 20] {
      let scene = try scene(flags: ["--midi-clock-offset", "\(milliseconds)"])
      try scene.join()
      try scene.roll()
      guard let (clocks, _) = try judged("MIDI clocks with an offset", scene) else { continue }
      let off = clocks.compactMap { $0.clocksLate.map { $0 / 24 * 500 } }.sorted()
      var error = off[off.count / 2] - milliseconds
      // A missed deadline loses whole clocks on their way.
      if clocks.contains(where: { $0.missed > 0 }) { error.formRemainder(dividingBy: 500.0 / 24) }
      #expect(abs(error) < 0.03, "\(off[off.count / 2]) ms")
    }
  }

  @Test func `Without a free port the bridge reports that, and goes on`() throws {
    // A server that has as few as it can, all of which others take.
    let server = try JackServer.started(ports: 128)
    let crowd = try LinkProbe.start(server: server, joinsLink: false)
    try crowd.send("takeports")
    let bridge = try Scene.bridge(on: server, flags: ["--midi-clock", "rolling"])
    let lines = bridge.lines(of: .errors).filter { $0.contains("MIDI clock") }
    #expect(lines.count == 1)
    #expect(lines.first?.contains("jackd --port-max") == true, "\(lines)")
    try crowd.send("jackstart")
    #expect(try crowd.awaitState("rolling"))
    #expect(bridge.isRunning)
  }
}
