import Stage
import Testing

/// That what holds on jackd2 holds on PipeWire's JACK, too.
///
/// Its clock is not Link's, it holds a start for five seconds at most and begins to roll a period later than
/// jackd2 does, and clients are shown whole ticks, of which there are 1920 in a beat.
@Suite(.serialized, .alone, .measured) struct PipeWireTests {
  /// How far what clients read may be from where it is at most, in microseconds: half a tick at 240 bpm.
  private static let halfTick = 60e6 / 240 / 1920 / 2

  /// How far the output may be from Link by JACK's own times: as far as those may stray from wake-ups.
  private static let heard = 150.0

  @Test(arguments: [256, 1024])
  func `A start from either side is on the quantum to the frame, and its position is Link's`(period: Int)
    throws
  {
    let scene = try Scene(on: .pipewire, period: period, bpm: 240)
    try scene.join()
    let (launches, later) = try scene.launchesThenWindow(
      ["playnow", "jackstart", "play", "jackstart"], from: 96_000, seconds: 2)
    for launch in launches {
      #expect(abs(try #require(launch["frame"]) - 96_000) <= Double(period), "\(launch)")
      #expect(abs(try #require(launch.certain("frame_err_out"))) < scene.periodLength, "\(launch)")
    }
    if !launches.isEmpty {
      #expect(launches.median { $0.certain("frame_err_out") } < Self.heard, "\(launches)")
    }
    guard let later else { return }
    #expect(abs(try #require(later.certain("err_out_med"))) < Self.heard, "\(later)")
    let spread = abs(try #require(later["err_p95"]) - abs(try #require(later["err_med"])))
    #expect(spread < Self.halfTick + accuracy, "\(later)")
    #expect(later["relocations"] == 0 && later["link_jumps"] == 0 && later["backward"] == 0, "\(later)")
  }

  @Test func `The MIDI clock is evenly spaced, and Link's`() throws {
    let (_, steady) = try Scene.judge("how evenly MIDI clocks come on PipeWire") {
      let scene = try Scene(on: .pipewire, period: 256, flags: ["--midi-clock", "rolling"])
      try scene.hearMIDIClock()
      try scene.join()
      return scene
    } _: { scene -> [MIDIRecording.Message]? in
      try scene.roll()
      try scene.probe.send("wait 4")
      try scene.rest()
      let recording = try scene.midiRecording()
      #expect(recording.faults.isEmpty, "\(recording.faults)")
      #expect(recording.isOneSong, "\(recording.words)")
      #expect(recording.counted.count >= 3 * 48)
      // Positions are read in whole ticks here, so that they are not exact to the frame. The last two seconds
      // are.
      return recording.clocks.suffix(96)
    }
    guard let steady else { return }
    for (clock, next) in zip(steady, steady.dropFirst()) {
      #expect(abs(next.frame - clock.frame - 1000) <= 2, "\(clock), then \(next)")
    }
    let late = steady.map(\.late).sorted()
    #expect(abs(late[late.count / 2]) < Self.heard, "\(late)")
  }

  @Test func `From frame 0 the first beat is there, whole`() throws {
    let scene = try Scene(on: .pipewire, period: 256, bpm: 240)
    try scene.join()
    for launch in try scene.launches(["playnow", "jackstart", "jackstart"], from: 0) {
      try expectWhole(launch, of: scene)
    }
  }

  @Test func `A start that is further away than the server holds one is begun later, and is in phase`() throws
  {
    // A quantum of eight beats lasts eight seconds.
    let scene = try Scene(on: .pipewire, period: 256, bpm: 60, flags: ["--quantum", "8"], quantum: 8)
    try scene.join()
    for launch in try scene.launches(["jackstart", "playnow"], from: 96_000, atBeat: 0.5) {
      #expect(try #require(launch["ms"]) > 5000, "\(launch)")
      #expect(abs(try #require(launch.certain("frame_err_out"))) < scene.periodLength, "\(launch)")
    }
  }
}
