import Foundation
import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

/// Each beat of the song clicks once, where it is, after any locate, tempo or gap.
@Suite struct ClickTests {
  @Test("Each beat clicks once, at its place to a hundredth of a frame, and a bar's is another one")
  func places() throws {
    try forAll(100) { seed, random in
      var stage = try ClickStage.any(&random)
      stage.cycle()
      stage.transport = .rolling
      let start = stage.head
      stage.roll(beats: 40)
      #expect(stage.heard.count >= 40, "seed \(seed)")
      for (index, click) in stage.heard.enumerated() {
        let exact = Double(start) + Double(index) * stage.framesPerBeat
        #expect(abs(click.frame - exact) < 0.01, "seed \(seed): beat \(index) at \(click.frame - exact)")
        #expect(click.isBar == index.isMultiple(of: Int(stage.meter.beatsPerBar)), "seed \(seed)")
      }
    }
  }

  @Test func `From the middle of a song the next beat clicks, and a beat that is just there`() throws {
    try forAll(200) { seed, random in
      var stage = try ClickStage.any(&random)
      let length = stage.meter.beatLength.nanobeats
      let beat = Int64.random(in: 8...5000, using: &random)
      let isThere = random.oneIn(2)
      let part = isThere ? 0 : Int64.random(in: length / 50..<length, using: &random)
      stage.position = BeatTime(sinceZero: Beats(nanobeats: beat * length + part))
      stage.transport = .rolling
      let start = (frame: stage.head, beats: stage.beats)
      stage.roll(beats: 8)
      let first = try #require(stage.heard.first)
      let exact = Double(start.frame) + (start.beats.rounded(.up) - start.beats) * stage.framesPerBeat
      #expect(abs(first.frame - exact) < 0.01, "seed \(seed): \(first.frame - exact)")
    }
  }

  @Test("While JACK is stopped and no start waits no click begins, and one that has begun sounds to its end")
  func rest() {
    var stage = ClickStage()
    for _ in 0..<200 { stage.render() }
    #expect(stage.samples.allSatisfy { $0 == 0 })
    let before = stage.samples.count
    stage.transport = .rolling
    stage.render()
    for transport in [TransportState.starting, .stopped] {
      stage.transport = transport
      for _ in 0..<200 { stage.render() }
    }
    let click = (0..<10_000).map { Self.sample(Double($0), bar: true, rate: 48_000) * pow(10, -12 / 20) }
    for (index, exact) in click.enumerated() {
      #expect(abs(Double(stage.samples[before + index]) - exact) < 2e-6)
    }
    #expect(stage.samples.suffix(1000).allSatisfy { $0 == 0 })
  }

  @Test("The samples are a short tone that begins between two frames, in periods of any length")
  func samples() throws {
    try forAll(60) { seed, random in
      var stage = try ClickStage.any(&random)
      stage.tempo = try #require(Tempo(beatsPerMinute: .random(in: 30...300, using: &random)))
      stage.meter = .common
      let decibels = Double.random(in: -60...0, using: &random)
      stage.click = Click(try #require(ClickLevel(decibels: decibels)), at: .standard)
      stage.click.begin(at: stage.rate)
      stage.position = .zero - Beats(nanobeats: .random(in: 1...400_000_000, using: &random))
      stage.transport = .rolling
      let place = -stage.beats * stage.framesPerBeat
      while stage.samples.count < Int(stage.framesPerBeat * 2.4) { stage.render() }
      let amplitude = pow(10, decibels / 20)
      for (frame, sample) in stage.samples.enumerated() {
        var exact = 0.0
        for beat in 0..<4 {
          let way = Double(frame) - place - Double(beat) * stage.framesPerBeat
          exact += Self.sample(way, bar: beat == 0, rate: stage.rate.hertz)
        }
        // A hundredth of a frame off its place it would be some 1e-3 of the level; positions are rounded.
        guard abs(Double(sample) / amplitude - exact) > 3e-4 else { continue }
        Issue.record("seed \(seed), frame \(frame): \(Double(sample) / amplitude), expected \(exact)")
        break
      }
    }
  }

  /// A click of level 1 as it is described, so many frames after it began.
  private static func sample(_ frames: Double, bar: Bool, rate: Double) -> Double {
    guard frames > 0 else { return 0 }
    let time = frames / rate
    let decay = log(1000) / 0.030
    // The peak of the envelope is where its two halves fall alike.
    let peak = 0.95 * pow(20, -1.0 / 19)
    return (exp(-decay * time) - exp(-20 * decay * time)) / peak * sin(2 * .pi * (bar ? 1760 : 880) * time)
  }

  @Test func `Its attack is shorter than a millisecond, and after 30 ms it is 60 dB softer`() {
    var stage = ClickStage(level: .init(decibels: 0) ?? .standard)
    stage.transport = .rolling
    for _ in 0..<80 { stage.render() }
    let loudest = stage.samples.map(abs).max() ?? 0
    #expect((0.9...1).contains(loudest))
    #expect((stage.samples.firstIndex { abs($0) == loudest } ?? 0) < 48)
    #expect(stage.samples[1440..<20_000].allSatisfy { abs($0) < 0.00125 })
    // No step, and no bend, that would be heard as one.
    #expect(abs(stage.samples[0]) < 1e-6 && abs(stage.samples[1]) < 0.03)
  }

  @Test("Nothing is louder than the level, however dense the beats are, and nothing is no number")
  func level() throws {
    try forAll(60) { seed, random in
      var stage = try ClickStage.any(&random, period: 256)
      let decibels = Double.random(in: -60...0, using: &random)
      stage.click = Click(try #require(ClickLevel(decibels: decibels)), at: stage.rate)
      stage.meter = try #require(
        Meter(beatsPerBar: 3, beatType: [4, 16, 64].randomElement(using: &random) ?? 4))
      stage.tempo = try #require(Tempo(beatsPerMinute: .random(in: 300...999, using: &random)))
      stage.transport = .rolling
      for _ in 0..<300 {
        stage.render()
        if random.oneIn(20) {
          stage.position = .zero + Beats(nanobeats: .random(in: 0...9_000_000_000, using: &random))
        }
      }
      let most = stage.samples.map(abs).max() ?? .nan
      #expect(Double(most) <= pow(10, decibels / 20) * (1 + 1e-7), "seed \(seed)")
      #expect(Double(most) > pow(10, decibels / 20) * 0.7, "seed \(seed)")
      #expect(stage.samples.allSatisfy { $0.isFinite }, "seed \(seed)")
    }
  }

  @Test(
    "Through tempos, slews, missed cycles and stalls no beat is lost or doubled, and none is soon after one")
  func anything() throws {
    try forAll(150) { seed, random in
      var stage = try ClickStage.any(&random)
      stage.transport = .rolling
      let first = stage.beats
      var least = stage.framesPerBeat
      var disturbed = 0.0
      var expected = 0
      for _ in 0..<2000 {
        stage.cycle()
        least = min(least, stage.framesPerBeat)
        disturb(&stage, &disturbed, &random)
        least = min(least, stage.framesPerBeat)
        expected = Int((stage.beats - first).rounded(.up))
      }
      // The last one may be due, and a late one has to wait for a third of a beat at most.
      #expect(
        (expected - 2...expected).contains(stage.heard.count),
        "seed \(seed): \(stage.heard.count) of \(expected)")
      let perBar = Int(stage.meter.beatsPerBar)
      for (index, click) in stage.heard.enumerated() {
        #expect(click.isBar == index.isMultiple(of: perBar), "seed \(seed)")
      }
      for (click, next) in zip(stage.heard, stage.heard.dropFirst()) {
        #expect(next.frame - click.frame >= (least / 3).rounded(.down) - 1, "seed \(seed)")
      }
      #expect(stage.heard.allSatisfy { $0.late > -0.3 }, "seed \(seed)")
    }
  }

  /// Does something that is no relocation to the song, or nothing.
  private func disturb(_ stage: inout ClickStage, _ disturbed: inout Double, _ random: inout Seeded) {
    // Once, and then a whole beat of nothing.
    guard random.oneIn(40), Double(stage.head) - disturbed > 3 * stage.framesPerBeat else { return }
    disturbed = Double(stage.head) + stage.framesPerBeat
    let beat = stage.meter.beatLength.doubleValue
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      if let tempo = Tempo(beatsPerMinute: .random(in: 20...999, using: &random)) { stage.tempo = tempo }
    case 1:
      stage.position = stage.position + (Beats(.random(in: -0.1...0.1, using: &random) * beat) ?? .zero)
    case 2:
      // Cycles in which the server skips the bridge.
      stage.pass(FrameCount(Int64(.random(in: 0...0.4, using: &random) * stage.framesPerBeat)))
    default:
      // A server that stands still does not count.
      stage.position = stage.position + (Beats(.random(in: 0...0.2, using: &random) * beat) ?? .zero)
    }
  }

  @Test("After a longer gap missed beats are left out, but for one that is less than half a beat late")
  func gap() {
    for (missed, heard) in [(3.2, true), (3.7, false), (40.45, true), (40.55, false)] {
      var stage = ClickStage()
      stage.transport = .rolling
      stage.roll(beats: 2.1)
      let before = stage.heard.count
      let way = (missed - (stage.beats - 2)) * stage.framesPerBeat
      stage.pass(FrameCount(Int64(way)))
      stage.cycle()
      #expect(stage.heard.count - before == (heard ? 1 : 0), "\(missed)")
      stage.roll(beats: 4)
      for click in stage.heard[(before + 1)...] { #expect(abs(click.late) < 1e-6, "\(missed)") }
    }
  }

  @Test("After a locate to any place it clicks from there on, and never twice within a third of a beat")
  func relocation() throws {
    try forAll(150) { seed, random in
      var stage = try ClickStage.any(&random)
      stage.transport = .rolling
      for _ in 0..<20 {
        stage.roll(beats: .random(in: 0.01...4, using: &random))
        // Some servers have the transport wait for it, and others do not.
        if random.oneIn(2) {
          stage.transport = .starting
          for _ in 0..<Int.random(in: 1...4, using: &random) { stage.cycle() }
          stage.transport = .rolling
        }
        // Less than a quarter of a beat is no other place.
        let way = Double.random(in: 0.3...40, using: &random) * stage.meter.beatLength.doubleValue
        stage.exact = random.oneIn(2) && stage.exact > way + 2 ? stage.exact - way : stage.exact + way
      }
      let before = stage.heard.count
      stage.roll(beats: 6)
      #expect(stage.heard.count - before >= 4, "seed \(seed)")
      for click in stage.heard {
        #expect(abs(click.late) < 1.1 / stage.framesPerBeat, "seed \(seed): \(click)")
      }
      for (click, next) in zip(stage.heard, stage.heard.dropFirst()) {
        #expect(next.frame - click.frame >= (stage.framesPerBeat / 3).rounded(.down) - 1, "seed \(seed)")
      }
    }
  }

  @Test func `A position that steps back again and again never doubles a beat`() {
    var stage = ClickStage(tempo: .standard)
    stage.transport = .rolling
    for _ in 0..<4000 {
      stage.cycle()
      stage.position = stage.position - Beats(nanobeats: 5_000_000)
    }
    let passed = stage.beats
    #expect(abs(Double(stage.heard.count) - passed) <= 1.1)
    for click in stage.heard { #expect(click.late > -1e-6 && click.late < 0.02) }
  }

  @Test func `A click that is to be played earlier is, and one that cannot be comes with the roll`() throws {
    for milliseconds in [3.0, 21.3, 80] {
      var stage = ClickStage()
      stage.lead = .milliseconds(milliseconds)
      stage.transport = .rolling
      stage.roll(beats: 9)
      let way = milliseconds * 48
      #expect(try #require(stage.heard.first).frame == 0)
      for (index, click) in stage.heard.enumerated().dropFirst() {
        #expect(abs(click.frame + way - Double(index) * 24_000) < 0.01)
      }
    }
  }

  @Test(
    "A beat that has just been clicks with the roll: by a frame, by the latency, and in the first period of a song",
    arguments: [
      (beat: 8, after: 0.9, lead: 0, isHeard: true), (8, 1.1, 0, false), (8, 0.5, 3840, true),
      (8, 2, 3840, false), (0, 256.5, 0, true), (0, 257.5, 0, false), (0, 300, 100, false),
      // Nearer to the next beat than to this one.
      (8, 0.5, 11_990, true), (8, 0.5, 12_010, false),
    ])
  func justBegun(beat: Int, after: Double, lead: Double, isHeard: Bool) throws {
    var stage = ClickStage()
    stage.exact = Double(beat) + after / stage.framesPerBeat
    stage.lead = .milliseconds(lead / 48)
    stage.transport = .rolling
    stage.roll(beats: 2)
    let first = try #require(stage.heard.first)
    #expect((abs(first.frame) < 1) == isHeard && first.isBar == isHeard)
  }

  @Test("A beat of the count that has been a frame ago is heard, and no earlier one", arguments: [0.9, 1.5])
  func justCounted(after: Double) throws {
    var stage = ClickStage()
    stage.transport = .starting
    stage.start = (beat: 4, quantum: 4, way: 2 - after / stage.framesPerBeat)
    while let start = stage.start, start.way > 0.5 { stage.cycle() }
    #expect(stage.heard.map { ($0.frame + after).rounded() } == (after < 1 ? [0, 24_000] : [24_000]))
  }

  @Test func `The count ends with the beat that it is for, however long JACK waits for others then`() {
    var stage = ClickStage()
    stage.transport = .starting
    stage.start = (beat: 4, quantum: 4, way: 5.5)
    while let start = stage.start, start.way > -3 { stage.cycle() }
    #expect(stage.heard.map(\.isBar) == [false, false, false, false, true])
    #expect(stage.heard.map { ($0.frame / 24_000 * 1e6).rounded() / 1e6 } == [1.5, 2.5, 3.5, 4.5, 5.5])
  }

  @Test func `Accents are where bars begin, also where these are counted from within the song`() throws {
    var stage = ClickStage(meter: try #require(Meter("3/4")))
    (stage.exact, stage.barsFrom) = (9, BeatTime(clamping: 4))
    stage.transport = .rolling
    stage.roll(beats: 8)
    #expect(stage.heard.map(\.isBar) == [9, 10, 11, 12, 13, 14, 15, 16].map { ($0 - 4).isMultiple(of: 3) })
  }

  @Test func `A click that begins just before the first frame of a roll sounds from that frame on`() {
    var stage = ClickStage(level: .init(decibels: 0) ?? .standard)
    stage.exact = 8 + 0.9 / stage.framesPerBeat
    stage.transport = .rolling
    for _ in 0..<8 { stage.render() }
    for (frame, sample) in stage.samples.enumerated() {
      let exact = Self.sample(Double(frame) + 0.9, bar: true, rate: 48_000)
      #expect(abs(Double(sample) - exact) < 1e-6, "\(frame)")
    }
  }

  @Test func `Nothing is written beyond a buffer, and a cycle that is written twice begins nothing twice`() {
    var click = Click(at: .standard)
    let samples = UnsafeMutableBufferPointer<Float>.allocate(capacity: 256)
    defer { samples.deallocate() }
    samples.initialize(repeating: .nan)
    let stage = ClickStage()
    click.cycle(
      SongCycle(
        transport: .rolling, isLocated: false, serverFrame: 0, period: 256, rate: .standard,
        position: .zero - stage.tempo.beats(in: FrameCount(200), at: .standard),
        onGrid: .zero - stage.tempo.beats(in: FrameCount(200), at: .standard), tempo: stage.tempo,
        meter: .common, barsFrom: .zero, countIn: nil, isFreewheeling: false))
    click.render(into: UnsafeMutableBufferPointer(rebasing: samples[..<100]))
    #expect(samples[..<100].allSatisfy { $0 == 0 } && samples[100...].allSatisfy(\.isNaN))
    click.render(into: samples)
    for (frame, sample) in samples.enumerated() {
      let exact = Self.sample(Double(frame), bar: true, rate: 48_000) * ClickLevel.standard.amplitude
      #expect(abs(Double(sample) - exact) < 1e-6, "\(frame)")
    }
  }

  @Test func `While JACK freewheels no click begins, and after it clicks are on the beats`() {
    var stage = ClickStage()
    stage.transport = .rolling
    stage.roll(beats: 3.5)
    let before = stage.heard.count
    stage.isFreewheeling = true
    stage.roll(beats: 10)
    #expect(stage.heard.count == before)
    stage.isFreewheeling = false
    stage.roll(beats: 3)
    #expect(stage.heard.count >= before + 2)
    for click in stage.heard { #expect(abs(click.late) < 1e-6) }
  }

  @Test("The count to a start is a quantum of plain beats, and the song's first one an accent, once")
  func countIn() throws {
    try forAll(200) { seed, random in
      var stage = try ClickStage.any(&random, period: [64, 256, 1024].randomElement(using: &random))
      stage.meter = .common
      let beat = 4.0 * Double(Int.random(in: 0...5, using: &random))
      let way = Double.random(in: 3...7, using: &random)
      stage.transport = .starting
      stage.start = (beat: beat, quantum: 4, way: way)
      // JACK rolls with a cycle, up to one before or after.
      let length = 1 / stage.framesPerBeat * Double(stage.period)
      let early = Double.random(in: -length...length, using: &random)
      while let start = stage.start, start.way > early { stage.cycle() }
      stage.exact = beat - (try #require(stage.start).way)
      stage.start = nil
      stage.transport = .rolling
      stage.roll(beats: 6)
      let bars = stage.heard.indices.filter { stage.heard[$0].isBar }
      let counted = stage.heard.prefix { !$0.isBar }.count
      #expect(counted == min(Int(way.rounded(.down)), 4), "seed \(seed): \(counted) of \(way)")
      #expect(bars == [counted, counted + 4], "seed \(seed)")
      for click in stage.heard {
        #expect(abs(click.late) * stage.framesPerBeat < 0.01, "seed \(seed): \(click)")
      }
      for (click, next) in zip(stage.heard, stage.heard.dropFirst()) {
        #expect(abs(next.frame - click.frame - stage.framesPerBeat) < 0.01, "seed \(seed)")
      }
    }
  }

  @Test func `A start that is planned anew is counted to anew, and no beat is heard twice`() {
    for later in [1.0, 4] {
      var stage = ClickStage()
      stage.transport = .starting
      stage.start = (beat: 0, quantum: 4, way: 1.3)
      while let start = stage.start, start.way > 0.2 { stage.cycle() }
      stage.start?.way += later
      while let start = stage.start, start.way > 0.001 { stage.cycle() }
      stage.start = nil
      stage.exact = 0
      stage.transport = .rolling
      stage.roll(beats: 2.9)
      #expect(stage.heard.filter(\.isBar).count == 1)
      for (click, next) in zip(stage.heard, stage.heard.dropFirst()) {
        #expect(abs(next.frame - click.frame - 24_000) <= 256)
      }
      #expect(stage.heard.count == Int(later) + 4)
    }
  }

  @Test func `A level is a number of decibels up to 0`() throws {
    for (decibels, amplitude) in [(-60, 0.001), (-20, 0.1), (-6.020_599_913, 0.5), (0, 1)] {
      #expect(abs(try #require(ClickLevel(decibels: decibels)).amplitude - amplitude) < 1e-9)
    }
    for decibels in [0.001, -60.001, .nan, .infinity, -.infinity] {
      #expect(ClickLevel(decibels: decibels) == nil)
    }
  }

  @Test(arguments: [1.0, 100, 8000, 1e7])
  func `At whatever rate a server may have, it is a sound within the level`(hertz: Double) throws {
    var stage = ClickStage(rate: try #require(SampleRate(hertz: hertz)), tempo: .standard, level: .standard)
    stage.transport = .rolling
    for _ in 0..<50 { stage.render() }
    #expect(stage.samples.allSatisfy { abs($0) <= 0.252 })
    if hertz >= 100 { #expect(stage.samples.contains { abs($0) > 0.01 }) }
  }
}

/// The click in a studio: a JACK server with a real reconciler, and a Link session.
@Suite struct ClickInStudioTests {
  private static func studio(
    _ random: inout Seeded, _ frameAlignment: FrameAlignment? = nil
  ) throws -> Studio {
    let alignment = frameAlignment ?? FrameAlignment.allCases.randomElement(using: &random) ?? .whole
    var studio = try LaunchTests.any(&random, frameAlignment: alignment)
    studio.listener = ClickListener()
    studio.run(seconds: 0.1)
    return studio
  }

  /// How many frames the click is from one of Link's beats.
  private static func error(_ click: ClickListener.Heard, _ studio: Studio) -> Double {
    let beat = studio.linkBeat(at: click.time).doubleValue
    return (beat - beat.rounded()) * 60 / studio.tempo.beatsPerMinute * 48_000
  }

  @Test(
    "Each start with peers is counted in on Link's beats, and its first beat is an accent on Link's, once")
  func start() throws {
    try forAll(150) { seed, random in
      var studio = try Self.studio(&random)
      let bar = Int64.random(in: 0...20, using: &random)
      let tempo = studio.tempo
      let quantum = studio.reconciler.configuration.quantum
      // A bar that is a quantum, too, in most cases.
      let target = BeatTime(sinceZero: Beats(nanobeats: bar * 24_000_000_000))
      studio.engine.locate(to: TransportFrame(0) + tempo.frames(in: target.sinceZero, at: .standard))
      studio.run(seconds: 0.3)
      #expect(studio.listener?.heard.isEmpty == true, "seed \(seed)")
      if random.oneIn(2) { studio.engine.start() } else { studio.peerPlays() }
      let pressed = studio.linkBeat(at: studio.now + studio.latency)
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      let rolled = studio.linkBeat(at: studio.now + studio.latency)
      studio.run(seconds: 5)
      let heard = try #require(studio.listener?.heard)
      for click in heard {
        #expect(abs(Self.error(click, studio)) < 0.02, "seed \(seed): \(Self.error(click, studio))")
      }
      let beats = heard.map { Int64(studio.linkBeat(at: $0.time).doubleValue.rounded()) }
      for (beat, next) in zip(beats, beats.dropFirst()) {
        #expect(next == beat + 1, "seed \(seed): \(beats)")
      }
      let bars = zip(heard, beats).filter(\.0.isBar).map(\.1)
      let launch = Int64(rolled.doubleValue.rounded())
      #expect(bars.first == launch, "seed \(seed): \(bars), not \(launch) first of \(beats)")
      for (bar, next) in zip(bars, bars.dropFirst()) { #expect(next == bar + 4, "seed \(seed)") }
      // The count is all of the beats that were left, up to a quantum.
      let left = min(Int64((rolled - pressed).doubleValue), Int64(quantum.doubleValue))
      let counted = beats.filter { $0 < launch }.count
      #expect((left - 1...left + 1).contains(Int64(counted)), "seed \(seed): \(counted) of \(left)")
    }
  }

  @Test(
    "Also the first beat of an owner whose beats are read a period late is on Link's, and each is heard once")
  func lateOwner() throws {
    try forAll(40) { seed, random in
      var studio = SelectionTests.followed(.init(rules: .pipewire), bpm: 120, peers: 1)
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      studio.engine.locate(to: TransportFrame(96_000 * .random(in: 0...20, using: &random)))
      studio.run(seconds: 0.5)
      studio.listener = ClickListener()
      for round in 0..<2 {
        #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
        studio.run(seconds: 3)
        studio.run(seconds: 0.5, after: .clientStops)
        let heard = try #require(studio.listener?.heard)
        // An owner's position is cut off to a tick.
        for click in heard {
          #expect(abs(Self.error(click, studio)) < 16, "seed \(seed): \(Self.error(click, studio))")
        }
        let beats = heard.map { Int64(studio.linkBeat(at: $0.time).doubleValue.rounded()) }
        #expect(Set(beats).count == beats.count, "seed \(seed), round \(round): \(beats)")
        #expect(heard.contains { $0.isRolling && $0.isBar }, "seed \(seed), round \(round)")
      }
    }
  }

  @Test func `Alone, a start clicks with its first frame, and Link's beat is there`() throws {
    for frame in [TransportFrame(0), 96_000, 100_000] {
      var studio = Studio(peers: 0)
      studio.run(seconds: 1)
      studio.listener = ClickListener()
      studio.run(seconds: 0.31, after: .clientLocates(frame: frame))
      #expect(studio.run(after: .clientStarts) { $0.isRolling })
      let rolled = studio.now + studio.latency
      studio.run(seconds: 3)
      let heard = try #require(studio.listener?.heard)
      let way = Int64(frame == 100_000 ? 20_000 : 0)
      let first = rolled + HostInterval(FrameCount(way), at: .standard)
      #expect((try #require(heard.first).time - first).magnitude < HostInterval(nanoseconds: 300), "\(frame)")
      #expect(try #require(heard.first).isBar == (way == 0))
      for click in heard {
        #expect(abs(Self.error(click, studio)) < 0.02, "\(frame): \(Self.error(click, studio))")
      }
    }
  }

  @Test(
    "A start that is cancelled is heard no more, and where the latency is left to clients, the click has it")
  func takenBack() throws {
    try forAll(40) { seed, random in
      var studio = try Self.studio(&random, .whole)
      studio.listener?.lead = .milliseconds(.random(in: 1...40, using: &random))
      studio.run(seconds: .random(in: 0.1...1, using: &random), after: .clientStarts)
      guard !studio.isRolling else { return }
      let before = studio.listener?.heard.count
      studio.run(seconds: 0.05, after: .clientStops)
      #expect((studio.listener?.heard.count ?? 0) - (before ?? 0) <= 1, "seed \(seed)")
      let rested = studio.listener?.heard.count
      studio.run(seconds: 3)
      #expect(studio.listener?.heard.count == rested, "seed \(seed)")
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      studio.run(seconds: 4)
      let heard = try #require(studio.listener?.heard)
      for click in heard { #expect(abs(Self.error(click, studio)) < 0.02, "seed \(seed)") }
    }
  }
}
