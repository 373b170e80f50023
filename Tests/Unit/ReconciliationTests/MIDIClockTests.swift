import Foundation
import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

/// A follower of the MIDI clock counts to where the song is, after any locate, tempo or gap.
@Suite struct MIDIClockTests {
  private static func stage(_ random: inout Seeded, _ mode: MIDIClockMode? = nil) throws -> MIDIStage {
    let rates: [Double] = [44_100, 48_000, 96_000, 192_000]
    let rate = rates.randomElement(using: &random) ?? 48_000
    return MIDIStage(
      mode ?? (random.oneIn(2) ? .rolling : .always),
      period: [16, 32, 64, 256, 441, 1024, 4096, 8192].randomElement(using: &random) ?? 256,
      rate: try #require(SampleRate(hertz: rate)), tempo: try PositionTests.anyTempo(&random),
      serverFrame: ServerFrame(.random(in: 0...UInt32.max, using: &random)))
  }

  private static func place(_ random: inout Seeded) -> BeatTime {
    .zero + Beats(nanobeats: .random(in: 1_000_000_000...4_000_000_000_000, using: &random))
  }

  @Test(arguments: [1.9, 2.45, 2.6])
  func `A place more than two clocks and half a period off the beat is sent to followers`(clocks: Double) {
    var stage = MIDIStage(period: 1024)
    stage.transport = .rolling
    stage.roll(clocks: 60)
    stage.locate(by: 4 + clocks / 24, waiting: 0, isHeld: false)
    stage.roll(clocks: 30)
    #expect(stage.follower.others.contains(MIDIMessage.stop) == (clocks > 2.512))
  }

  @Test(arguments: [0.4, 0.6])
  func `A song that goes on up to half a clock after a sixteenth goes on with that one`(late: Double) {
    var stage = MIDIStage()
    stage.position = BeatTime(clamping: (40 * 6 + late) / 24)
    stage.cycle()
    stage.transport = .rolling
    #expect(stage.cycle().first?.first == (late < 0.5 ? 40 : 41))
  }

  @Test func `While JACK is stopped no clock is lost or doubled where Link's beat wavers by a frame`() {
    var stage = MIDIStage(.always)
    var clocks: [Int64] = []
    for cycle in 0..<2_000 {
      let frames = Double(cycle * 256) + (cycle.isMultiple(of: 2) ? 0.9 : 0.1)
      stage.position = BeatTime(clamping: frames / 24_000)
      clocks += stage.cycle().map { Int64(cycle * 256) + Int64($0.offset) }
    }
    let distances = zip(clocks.dropFirst(), clocks).map { $0 - $1 }
    #expect(distances.count > 500 && distances.allSatisfy { (999...1001).contains($0) })
  }

  @Test("A song that begins is a Start and its first clock, in one frame, and then 24 clocks a beat")
  func beginning() throws {
    try forAll(60) { seed, random in
      var stage = try Self.stage(&random)
      stage.cycle()
      stage.transport = .rolling
      let first = stage.cycle()
      #expect(first.prefix(2).map(\.status) == [MIDIMessage.start, MIDIMessage.clock], "seed \(seed)")
      #expect(first.prefix(2).allSatisfy { $0.offset == 0 }, "seed \(seed)")
      stage.roll(clocks: 500)
      for (index, clock) in stage.follower.counted.enumerated() {
        #expect(clock.number == Int64(index), "seed \(seed)")
      }
      #expect(stage.misplaced <= 0.51, "seed \(seed)")
      #expect(stage.follower.faults.isEmpty, "seed \(seed): \(stage.follower.faults)")
      #expect(stage.follower.others == [MIDIMessage.start], "seed \(seed)")
    }
  }

  @Test func `A song that goes on sends its next sixteenth, and goes on with the clock of that`() throws {
    try forAll(200) { seed, random in
      var stage = try Self.stage(&random)
      stage.position = Self.place(&random)
      stage.cycle()
      stage.transport = .rolling
      let start = stage.clocks
      stage.roll(clocks: 100)
      #expect(stage.follower.others == [MIDIMessage.songPosition, MIDIMessage.goOn], "seed \(seed)")
      #expect(stage.follower.faults.isEmpty, "seed \(seed): \(stage.follower.faults)")
      let first = try #require(stage.follower.counted.first)
      #expect(first.number % 6 == 0, "seed \(seed)")
      #expect(Double(first.number) >= start - 0.6 && Double(first.number) < start + 7, "seed \(seed)")
      // But for the first clocks, which may be half a distance late.
      stage.misplaced = 0
      stage.roll(clocks: 100)
      #expect(stage.misplaced <= 0.51, "seed \(seed)")
    }
  }

  @Test func `A song that stops sends a Stop, and a clock that goes only while it rolls sends no more`() {
    var stage = MIDIStage()
    stage.transport = .rolling
    stage.roll(clocks: 50)
    stage.transport = .stopped
    #expect(stage.cycle().map(\.status) == [MIDIMessage.stop])
    for _ in 0..<500 { #expect(stage.cycle().isEmpty) }
  }

  @Test func `A running follower gets the end, once, and nothing comes after it`() throws {
    try forAll(100) { seed, random in
      var stage = try Self.stage(&random)
      stage.position = random.oneIn(2) ? .zero : Self.place(&random)
      stage.cycle()
      if random.oneIn(2) {
        stage.transport = .rolling
        stage.roll(clocks: .random(in: 0...100, using: &random))
      }
      let runs = stage.follower.isRunning
      stage.clock.end()
      let last = stage.clock.next()
      #expect(last?.status == (runs ? MIDIMessage.stop : nil) && last?.offset ?? 0 == 0, "seed \(seed)")
      #expect(stage.clock.next() == nil, "seed \(seed)")
    }
  }

  @Test func `A place beyond the last sixteenth of MIDI only continues`() {
    for (beat, others) in [
      (4095.9, [MIDIMessage.goOn]), (4095.7, [MIDIMessage.songPosition, MIDIMessage.goOn]),
    ] {
      var stage = MIDIStage()
      stage.position = BeatTime(clamping: beat)
      stage.transport = .rolling
      stage.roll(clocks: 20)
      #expect(stage.follower.others == others, "\(beat)")
      #expect(stage.follower.faults.isEmpty)
    }
  }

  @Test func `Followers that run get no place beyond the last sixteenth of MIDI`() {
    for (beat, others) in [
      (1000.3, [MIDIMessage.stop, MIDIMessage.songPosition, MIDIMessage.goOn]), (5000.3, []),
    ] {
      var stage = MIDIStage()
      stage.transport = .rolling
      stage.roll(clocks: 60)
      stage.position = BeatTime(clamping: beat)
      stage.isLocated = true
      stage.roll(clocks: 60)
      #expect(Array(stage.follower.others.dropFirst()) == others, "\(beat)")
    }
  }

  @Test("Somewhere else, a song stops, sends its place and continues; at the beginning it starts")
  func relocation() throws {
    try forAll(1000) { seed, random in
      let mode: MIDIClockMode = random.oneIn(2) ? .rolling : .always
      var stage = try Self.stage(&random, mode)
      stage.transport = .rolling
      stage.roll(clocks: 60)
      // Some servers have the transport wait for it, and others do not.
      let waits = random.oneIn(2)
      let isBeginning = random.oneIn(3)
      // A clock that always goes counts on while JACK waits.
      let counted = waits && mode == .always ? 5 * Double(stage.period) / stage.framesPerClock : 0
      let before = stage.clocks + counted
      stage.position = isBeginning ? .zero : Self.place(&random)
      // Off the beat by more than the server itself may put it.
      guard abs((stage.clocks - before).remainder(dividingBy: 24)) > 11.1 else { return }
      stage.isLocated = true
      if waits {
        stage.transport = .starting
        for _ in 0..<5 { stage.cycle() }
        stage.transport = .rolling
      }
      stage.roll(clocks: 60)
      let others = stage.follower.others.dropFirst()
      let way = isBeginning ? [MIDIMessage.start] : [MIDIMessage.songPosition, MIDIMessage.goOn]
      #expect(Array(others) == [MIDIMessage.stop] + way, "seed \(seed)")
      #expect(stage.follower.faults.isEmpty, "seed \(seed): \(stage.follower.faults)")
      #expect(abs(Double(stage.follower.next) - stage.clocks) <= 1.1, "seed \(seed)")
    }
  }

  @Test("Through tempos, slews, missed cycles and stalls no clock is lost, doubled or one of a flood")
  func anything() throws {
    try forAll(150) { seed, random in
      var stage = try Self.stage(&random)
      stage.transport = .rolling
      var least = stage.framesPerClock
      var quietSince = stage.head
      for _ in 0..<1500 {
        let before = stage.follower.clocks.count
        let wasAhead = Double(stage.follower.next) - stage.clocks > 1.01
        stage.cycle()
        least = min(least, stage.framesPerClock)
        let missing = stage.clocks - Double(stage.follower.next)
        let sent = stage.follower.clocks[before...]
        // A clock that waits for the messages sent before sends nothing, and one that is late all that may be
        // sent.
        if missing < -1.1 { #expect(wasAhead && sent.isEmpty, "seed \(seed): ahead by \(-missing)") }
        if missing > 0.1 {
          let room = stage.head - (stage.follower.clocks.last ?? 0)
          #expect(Double(room) <= stage.framesPerClock / 3 + 1, "seed \(seed): behind by \(missing)")
        } else if let last = stage.follower.counted.last, last.frame > quietSince, !sent.isEmpty {
          let exact = Double(stage.head) - (stage.clocks - Double(last.number)) * stage.framesPerClock
          let distance = Double(last.frame) - exact
          #expect(distance >= -1.01, "seed \(seed): clock \(last.number) early by \(-distance)")
        }
        if disturb(&stage, &random) { quietSince = stage.head }
      }
      let follower = stage.follower
      #expect(follower.faults.isEmpty, "seed \(seed): \(follower.faults)")
      // Each clock of the song, once.
      for (clock, next) in zip(follower.counted, follower.counted.dropFirst()) where next.number != 0 {
        #expect(next.number == clock.number + 1, "seed \(seed)")
      }
      for (clock, next) in zip(follower.clocks, follower.clocks.dropFirst()) {
        #expect(Double(next - clock) >= (least / 3).rounded(.down), "seed \(seed)")
      }
      #expect(follower.others == [MIDIMessage.start], "seed \(seed)")
      stage.roll(clocks: 60)
      let missing = stage.clocks - Double(stage.follower.next)
      #expect((-1.1...0.1).contains(missing), "seed \(seed): \(missing) at last")
    }
  }

  /// Does something that is no relocation to the song, or nothing; whether it did.
  private func disturb(_ stage: inout MIDIStage, _ random: inout Seeded) -> Bool {
    // Less than a beat, which would be another place.
    guard abs(stage.clocks - Double(stage.follower.next)) < 2, random.oneIn(40) else { return false }
    let most = stage.rate.hertz * 60 / stage.tempo.beatsPerMinute * 0.8
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      guard let tempo = Tempo(beatsPerMinute: .random(in: 20...999, using: &random)) else { return false }
      stage.tempo = tempo
    case 1:
      stage.position =
        stage.position + Beats(nanobeats: .random(in: -60_000_000...60_000_000, using: &random))
    case 2:
      // Cycles in which the server skips the bridge.
      let most = min(most, Double(stage.period) * 60)
      stage.pass(FrameCount(Int64(Double.random(in: 0...most, using: &random))))
    default:
      // A server that stands still does not count.
      let frames = FrameCount(Int64(Double.random(in: 0...most, using: &random)))
      stage.position = stage.position + stage.tempo.beats(in: frames, at: stage.rate)
    }
    return true
  }

  @Test("At 999 bpm no cycle holds more than clocks at a third of their distance", arguments: [32, 64, 8192])
  func fast(period: UInt32) throws {
    var stage = MIDIStage(period: period, tempo: try #require(Tempo(beatsPerMinute: 999)))
    stage.transport = .rolling
    for index in 0..<5000 {
      let most = Double(period) / (stage.framesPerClock / 3).rounded(.down) + 1
      #expect(Double(stage.cycle().filter { $0.status == MIDIMessage.clock }.count) <= most)
      // A stall of a twentieth of a second, again and again.
      if index % 200 == 199 {
        stage.position = stage.position + stage.tempo.beats(in: .milliseconds(50))
      }
    }
    #expect(stage.follower.faults.isEmpty)
    #expect(stage.follower.others == [MIDIMessage.start])
  }

  @Test("A locate that goes on at once by whole beats is 24 clocks in each beat and nothing else")
  func wholeBeats() throws {
    try forAll(200) { seed, random in
      var stage = try Self.stage(&random)
      stage.cycle()
      stage.transport = .rolling
      stage.roll(clocks: 200)
      let beats = Double(Int.random(in: -8...400, using: &random))
      // Nothing else happens for as long as a beat, nor for some cycles of the server's.
      let beat = Int(24 * stage.framesPerClock / Double(stage.period))
      let isHeld = random.oneIn(2)
      let most = isHeld ? max(beat, 10) : min(3, beat / 3)
      let cycles = Int.random(in: 0...most, using: &random)
      let before = stage.follower.clocks.count
      let start = stage.clocks
      stage.locate(by: beats, waiting: cycles, isHeld: isHeld)
      stage.roll(clocks: 200)
      #expect(stage.follower.others == [MIDIMessage.start], "seed \(seed)")
      #expect(stage.follower.faults.isEmpty, "seed \(seed): \(stage.follower.faults)")
      // None is lost, and none too many.
      let passed = stage.clocks - start - beats * 24
      #expect(abs(Double(stage.follower.clocks.count - before) - passed) <= 1.01, "seed \(seed)")
      let clocks = stage.follower.clocks[max(0, before - 100)...]
      for (clock, next) in zip(clocks, clocks.dropFirst()) {
        let waited = isHeld ? 0 : Double(cycles) * Double(stage.period)
        let distance = Double(next - clock) - stage.framesPerClock
        #expect(distance >= -1.01 && distance <= 1.01 + waited, "seed \(seed)")
      }
    }
  }

  @Test("A program that locates some periods late at the end of its loop leaves followers on the beat")
  func lateLoop() throws {
    for (period, bpm) in [(256, 120.0), (1024, 120), (1024, 90), (512, 174)] {
      var stage = MIDIStage(period: UInt32(period), tempo: try #require(Tempo(beatsPerMinute: bpm)))
      stage.transport = .rolling
      for _ in 0..<8 {
        while stage.clocks < 96 + Double(period) * 2 / stage.framesPerClock { stage.cycle() }
        stage.transport = .starting
        for _ in 0..<2 { stage.cycle() }
        stage.transport = .rolling
        (stage.position, stage.isLocated) = (.zero, true)
        stage.roll(clocks: 24)
        let off = (Double(stage.follower.next) - stage.clocks).remainder(dividingBy: 24)
        #expect(abs(off) <= 1.1, "\(period), \(bpm)")
      }
      #expect(stage.follower.others == [MIDIMessage.start], "\(period), \(bpm)")
    }
  }

  @Test func `A locate off the beat is sent between two clocks, and none is lost`() throws {
    try forAll(200) { seed, random in
      let told: MIDIClockPosition = random.oneIn(2) ? .auto : .always
      var stage = MIDIStage(told: told, tempo: try PositionTests.anyTempo(&random))
      stage.transport = .rolling
      stage.roll(clocks: 200)
      let whole = Double(Int.random(in: -5...400, using: &random))
      // Whole beats are sent only where that is chosen, also after a short wait.
      let share = Double.random(in: 0.3...0.5, using: &random)
      stage.locate(
        by: told == .always ? whole + 0.01 : whole + share,
        waiting: Int.random(in: 0...3, using: &random), isHeld: true)
      if told == .always, whole == 0 { return }
      stage.roll(clocks: 200)
      let goesOn = [MIDIMessage.stop, MIDIMessage.songPosition, MIDIMessage.goOn]
      #expect(stage.follower.others == [MIDIMessage.start] + goesOn, "seed \(seed)")
      #expect(stage.follower.faults.isEmpty, "seed \(seed): \(stage.follower.faults)")
      #expect(stage.follower.counted.count == stage.follower.clocks.count, "seed \(seed)")
      #expect(abs(Double(stage.follower.next) - stage.clocks) <= 1.1, "seed \(seed)")
      let clocks = stage.follower.clocks
      for (clock, next) in zip(clocks, clocks.dropFirst()) {
        #expect(Double(next - clock) <= 2 * stage.framesPerClock + 1, "seed \(seed)")
      }
      for cue in stage.follower.cues {
        let next = try #require(clocks.first { $0 >= cue })
        #expect(Double(next - cue) <= stage.framesPerClock / 2 + 1, "seed \(seed)")
      }
    }
  }

  @Test func `A song that waits for longer than a beat stops`() {
    var stage = MIDIStage()
    stage.transport = .rolling
    stage.roll(clocks: 50)
    stage.transport = .starting
    stage.launch = FrameCount(48_000)
    #expect(stage.cycle().map(\.status) == [MIDIMessage.stop])
    // Where the length of the wait is unknown, a beat later.
    stage.transport = .rolling
    stage.roll(clocks: 50)
    stage.transport = .starting
    stage.launch = nil
    var cycles = 0
    while stage.cycle().isEmpty, cycles < 1000 { cycles += 1 }
    #expect(stage.follower.others.last == MIDIMessage.stop)
    #expect(cycles == 24_000 / 256 + 1)
    // After a stop, the Stop is sent at once.
    stage.transport = .rolling
    stage.roll(clocks: 50)
    stage.transport = .starting
    stage.cycle()
    stage.transport = .stopped
    #expect(stage.cycle().map(\.status) == [MIDIMessage.stop])
  }

  @Test("Machines that know no song position get a Start with a bar, and nothing where bars go on")
  func noPosition() throws {
    for (meter, bar) in [("4/4", 96), ("3/4", 72), ("7/8", 84), ("5/16", 30)] {
      var stage = MIDIStage(told: .never)
      stage.meter = try #require(Meter(meter))
      stage.position = BeatTime(clamping: Double(bar) / 24 * 5 + 0.3)
      stage.transport = .rolling
      stage.roll(clocks: 200)
      #expect(stage.follower.others == [MIDIMessage.start], "\(meter)")
      // Counted from the Start, the sixth bar of the song is the first.
      func isOnBar() -> Bool {
        abs((Double(stage.follower.next) - stage.clocks).remainder(dividingBy: Double(bar))) <= 1.1
      }
      #expect(isOnBar(), "\(meter)")
      for bars in [-3.0, 5] {
        stage.locate(by: bars * Double(bar) / 24, waiting: 3, isHeld: true)
        stage.roll(clocks: 100)
        #expect(isOnBar(), "\(meter)")
      }
      #expect(stage.follower.others == [MIDIMessage.start], "\(meter)")
      let counted = stage.follower.counted.count
      let clocks = stage.follower.clocks.count
      stage.locate(by: 1.25, waiting: 3, isHeld: true)
      stage.roll(clocks: 200)
      let anew = bar == 30 ? [] : [MIDIMessage.stop, MIDIMessage.start]
      #expect(stage.follower.others == [MIDIMessage.start] + anew, "\(meter)")
      #expect(isOnBar(), "\(meter)")
      #expect(stage.follower.counted.count - counted == stage.follower.clocks.count - clocks, "\(meter)")
      #expect(stage.follower.faults.isEmpty, "\(meter): \(stage.follower.faults)")
    }
  }

  /// A stage that has rolled for 50 clocks, and whose song is then so many beats further on for some clocks.
  private func leaping(by beats: Double, then clocks: Double) -> MIDIStage {
    var stage = MIDIStage()
    stage.position = BeatTime(clamping: 100)
    stage.transport = .rolling
    stage.roll(clocks: 50)
    stage.position = stage.position + BeatTime(clamping: beats).sinceZero
    stage.roll(clocks: clocks)
    return stage
  }

  @Test func `Less than a beat off, clocks wait for the song or make up for it, and nothing else is sent`() {
    for beats in [-0.97, 0.97] {
      let stage = leaping(by: beats, then: 60)
      #expect(stage.follower.others == [MIDIMessage.songPosition, MIDIMessage.goOn], "\(beats)")
      #expect(abs(Double(stage.follower.next) - stage.clocks) <= 1.1, "\(beats)")
    }
  }

  @Test func `A Start that stands for a bar goes with the frame at which the bar begins`() throws {
    for (meter, halves) in [("4/4", 192), ("5/16", 60), ("3/64", 9), ("1/64", 3)] {
      for place in [20.3, 21, 21.02] {
        var stage = MIDIStage(told: .never, tempo: .slowest)
        stage.meter = try #require(Meter(meter))
        stage.exact = place
        stage.cycle()
        stage.transport = .rolling
        let start = (frame: stage.head, clocks: stage.clocks)
        stage.roll(clocks: 120)
        // The first clock that is not before a bar that is not before the next clock.
        let next = ceil(start.clocks - 0.5)
        let bar = ceil((ceil(next * 2 / Double(halves)) * Double(halves)) / 2)
        let first = try #require(stage.follower.counted.first)
        let frame = Double(start.frame) + max(0, bar - start.clocks) * stage.framesPerClock
        #expect(first.number == 0 && abs(Double(first.frame) - frame) <= 0.51, "\(meter) from \(place)")
        #expect(stage.follower.others == [MIDIMessage.start], "\(meter) from \(place)")
      }
    }
  }

  @Test func `Where an offset has it begin before the song, it begins with the song's first sixteenth`() {
    var stage = MIDIStage(offset: 500)
    stage.position = BeatTime(clamping: 0.4)
    stage.cycle()
    stage.transport = .rolling
    stage.roll(clocks: 60)
    #expect(stage.follower.others == [MIDIMessage.songPosition, MIDIMessage.goOn])
    #expect(stage.follower.counted.first?.number == 0)
  }

  @Test(arguments: [-9.0, 5.25])
  func `While JACK is stopped, clocks are on Link's beat at once where another session is joined`(
    by jump: Double
  ) {
    var stage = MIDIStage(.always)
    var beat = 100.0
    var clocks: [Double] = []
    for cycle in 0..<400 {
      if cycle == 200 { beat += jump }
      stage.exact = beat
      for message in stage.cycle() { clocks.append((beat + Double(message.offset) / 24_000) * 24) }
      beat += 256.0 / 24_000
    }
    #expect(clocks.allSatisfy { abs($0 - $0.rounded()) < 0.001 })
    let distances = zip(clocks.dropFirst(), clocks).map { ($0 - $1).rounded() }
    #expect(distances.count { $0 != 1 } == 1)
    #expect(distances.contains { abs($0 - jump * 24) <= 1 })
  }

  @Test func `A wait for another server's start is no seam: the song stops`() {
    for isAnother in [false, true] {
      var stage = MIDIStage()
      stage.transport = .rolling
      stage.roll(clocks: 50)
      // Another server counts its frames anew.
      if isAnother { stage.serverFrame = stage.serverFrame - 10_000 }
      stage.transport = .starting
      stage.launch = FrameCount(Int64(stage.period))
      stage.cycle()
      #expect(stage.follower.isRunning == !isAnother)
    }
  }

  @Test func `More than a beat off is another place`() {
    for beats in [-40.5, -1.5, 1.5, 40.5] {
      let stage = leaping(by: beats, then: 50)
      let goesOn = [MIDIMessage.songPosition, MIDIMessage.goOn]
      #expect(stage.follower.others == goesOn + [MIDIMessage.stop] + goesOn, "\(beats)")
      #expect(abs(Double(stage.follower.next) - stage.clocks) <= 1.1, "\(beats)")
      #expect(stage.follower.faults.isEmpty)
    }
  }

  @Test func `While JACK freewheels there is no clock, and after it the song begins anew`() {
    var stage = MIDIStage(.always)
    stage.transport = .rolling
    stage.roll(clocks: 50)
    stage.isFreewheeling = true
    for _ in 0..<1000 { #expect(stage.cycle().isEmpty) }
    stage.isFreewheeling = false
    stage.roll(clocks: 50)
    let anew = [MIDIMessage.stop, MIDIMessage.songPosition, MIDIMessage.goOn]
    #expect(stage.follower.others == [MIDIMessage.start] + anew)
    #expect(abs(Double(stage.follower.next) - stage.clocks) <= 1.1)
  }

  @Test("While JACK is stopped a clock that always goes is on Link's beat, and followers do not count it")
  func always() throws {
    try forAll(60) { seed, random in
      var stage = try Self.stage(&random, .always)
      var beat = Self.place(&random)
      for _ in 0..<400 {
        stage.position = beat
        let head = stage.head
        let at = beat.doubleValue * 24
        for message in stage.cycle() {
          let clock = at + Double(message.offset) / stage.framesPerClock
          #expect(abs(clock - clock.rounded()) * stage.framesPerClock <= 1, "seed \(seed): \(head)")
        }
        beat = beat + stage.tempo.beats(in: FrameCount(Int64(stage.period)), at: stage.rate)
      }
      #expect(stage.follower.counted.isEmpty, "seed \(seed)")
      #expect(stage.follower.others.isEmpty, "seed \(seed)")
      for (clock, next) in zip(stage.follower.clocks, stage.follower.clocks.dropFirst()) {
        #expect(abs(Double(next - clock) - stage.framesPerClock) <= 1, "seed \(seed)")
      }
    }
  }

  @Test func `Before a start that waits, the clock that would be too near to its own is left out`() throws {
    try forAll(60) { seed, random in
      var stage = try Self.stage(&random, .always)
      stage.transport = .starting
      // In periods, the nearest to a beat of Link's.
      let periods = Int64.random(in: 50...200, using: &random)
      let frames = FrameCount(periods * Int64(stage.period))
      let share = Double.random(in: -0.45...0.45, using: &random)
      let off = Int64(share * stage.framesPerClock)
      stage.launch = frames
      var beat = BeatTime.zero - stage.tempo.beats(in: FrameCount(frames.count + off), at: stage.rate)
      for _ in 0..<periods {
        stage.position = beat
        stage.cycle()
        beat = beat + stage.tempo.beats(in: FrameCount(Int64(stage.period)), at: stage.rate)
      }
      stage.transport = .rolling
      stage.launch = nil
      stage.position = .zero
      stage.roll(clocks: 10)
      #expect(stage.follower.counted.first?.number == 0, "seed \(seed)")
      for (clock, next) in zip(stage.follower.clocks, stage.follower.clocks.dropFirst()) {
        #expect(Double(next - clock) >= stage.framesPerClock / 2 - 2, "seed \(seed)")
      }
    }
  }

  @Test("An offset moves each clock by its time, in both directions", arguments: [-20.0, -3, 7.5, 100])
  func offset(milliseconds: Double) throws {
    var (plain, moved) = (MIDIStage(), MIDIStage(offset: milliseconds))
    for index in 0..<1000 {
      if index == 1 { (plain.transport, moved.transport) = (.rolling, .rolling) }
      plain.cycle()
      moved.cycle()
    }
    let frames = milliseconds * 48
    // A clock that begins with the roll cannot be earlier than that, and makes up for it.
    for (exact, clock) in zip(plain.follower.counted, moved.follower.counted).dropFirst(4) {
      #expect(exact.number == clock.number)
      #expect(abs(Double(clock.frame - exact.frame) - frames) <= 1)
    }
    #expect(moved.follower.others == [MIDIMessage.start])
    #expect(Offset(milliseconds: .nan) == nil)
    #expect(Offset(milliseconds: 500.1) == nil)
  }
}

/// Where the song is, exactly, in each cycle.
@Suite struct SongPositionTests {
  /// A cycle at a frame, with Link's beat there.
  private static func cycle(
    _ song: inout SongPosition, at frame: TransportFrame, link beat: Double,
    _ motion: TransportState = .rolling, isLocated: Bool = false, leader: Leader = .link,
    owner: SongPosition.Owner? = nil
  ) throws -> SongCycle {
    var observation = try Studio.firstCycle(rolling: true)
    (observation.jack.transport, observation.jack.frame) = (motion, frame)
    observation.jack.step.isLocated = isLocated
    let heard = observation.jack.start + observation.jack.outputLatency
    observation.link.beat =
      BeatTime(clamping: beat) + observation.link.tempo.beats(in: observation.jack.nextOutput - heard)
    return song.cycle(
      observation, leader: leader, owner: owner, launch: nil, quantum: .four, bars: BarCount(.common))
  }

  /// An entry at 100 bpm, in 3/4 from beat 4 on.
  private static func entry(at beat: Double) throws -> TimebaseEntry {
    var (bars, configuration) = (BarCount(.common), Reconciler.Configuration())
    configuration.choices.meter = try #require(Meter("3/4"))
    let place = bars.reach(BeatTime(clamping: 5), configuration, isRolling: true, isWaiting: false)
    return TimebaseEntry(
      position: place, beatsPerMinute: 100, exact: BeatTime(clamping: beat), tempo: .bpm(100), bars: bars)
  }

  @Test func `A position that JACK clients read holds in its cycle, and goes on through missed ones`() throws
  {
    var song = SongPosition()
    let entry = try Self.entry(at: 6.25)
    song.publish(entry, forFrame: 200_000)
    let first = try Self.cycle(&song, at: 200_000, link: 50.251)
    #expect(first.position == entry.exact && first.tempo == entry.tempo)
    #expect(first.meter.description == "3/4" && first.barsFrom.doubleValue == 4)
    // By less than a period Link's own place is another.
    #expect((first.onGrid.doubleValue - 6.251).magnitude < 1e-8)
    let later = try Self.cycle(&song, at: 201_280, link: 2)
    #expect(later.position == entry.exact + entry.tempo.beats(in: FrameCount(1280), at: .standard))
    #expect(later.onGrid == later.position)
    // The owner of the timebase is asked about a locate.
    let there = try Self.cycle(&song, at: 300_000, link: 1.5, isLocated: true)
    #expect(there.position.doubleValue == 13.5 && there.tempo == .standard && there.meter == .common)
    song.publish(entry, forFrame: 400_000)
    let located = try Self.cycle(&song, at: 400_000, link: 1.5, isLocated: true)
    #expect(located.position == entry.exact)
  }

  @Test func `An entry at rest is of where JACK rests, and as it rolls of the next cycle`() throws {
    let entry = try Self.entry(at: 6.25)
    var song = SongPosition()
    _ = try Self.cycle(&song, at: 5_000, link: 1, .stopped)
    song.publish(entry, forFrame: 5_000)
    #expect(try Self.cycle(&song, at: 5_000, link: 1).position == entry.exact)
    // There are servers that ask with the frame of the cycle that is.
    for asked: TransportFrame in [5_000, 5_256] {
      song.publish(entry, forFrame: asked)
      var next = song
      #expect(try Self.cycle(&next, at: 5_256, link: 1).position == entry.exact, "\(asked)")
    }
  }

  @Test func `Where no position is published, the song is on Link's beat from where frames put it`() throws {
    var song = SongPosition()
    #expect(try Self.cycle(&song, at: 480_000, link: 2.3, leader: .neither).position.doubleValue == 18.3)
    // It goes on with Link, however fast frames do.
    let later = try Self.cycle(&song, at: 600_000, link: 2.8, leader: .neither)
    #expect(later.position.doubleValue == 18.8 && later.onGrid == later.position)
    let located = try Self.cycle(&song, at: 600_000, link: 2.8, isLocated: true, leader: .neither)
    #expect(located.position.doubleValue == 26.8)
    #expect(try Self.cycle(&song, at: 600_000, link: 7, .stopped, leader: .neither).position.doubleValue == 7)
    #expect(try Self.cycle(&song, at: 600_000, link: 9, leader: .neither).position.doubleValue == 25)
  }

  @Test func `Where JACK leads, the song is where its owner is, in the owner's bars and tempo`() throws {
    var song = SongPosition()
    let owner = SongPosition.Owner(
      beat: BeatTime(clamping: 9.5), tempo: .bpm(90), meter: try #require(Meter("3/4")),
      barsFrom: BeatTime(clamping: 1))
    let cycle = try Self.cycle(&song, at: 100, link: 2.3, leader: .jack, owner: owner)
    #expect(cycle.position == owner.beat && cycle.onGrid == owner.beat)
    #expect(cycle.tempo == owner.tempo && cycle.meter == owner.meter && cycle.barsFrom == owner.barsFrom)
  }

  @Test func `While Link leads, it has Link's phase to the nanobeat, also after missed cycles`() throws {
    try forAll(40) { seed, random in
      var studio = Studio(tempo: try PositionTests.anyTempo(&random))
      studio.listener = ClickListener()
      studio.engine.put(.rolling)
      for index in 0..<400 {
        if random.oneIn(40) { studio.miss(Int.random(in: 1...5, using: &random)) }
        studio.step()
        guard index > 1 else { continue }
        let place = try #require(studio.listener?.cycle)
        let distance = (place.position - studio.linkBeat(at: studio.output)).shortest(around: .four)
        #expect(distance.magnitude.nanobeats <= 200, "seed \(seed), cycle \(index): \(distance)")
      }
    }
  }

  @Test func `A position that an owner rounds to its ticks goes on evenly`() throws {
    var song = SongPosition()
    let tempo = try #require(Tempo(beatsPerMinute: 131.7))
    var studio = Studio(tempo: tempo)
    studio.engine.put(.rolling)
    studio.owner = .other
    var worst = 0.0
    for index in 0..<2000 {
      let exact = tempo.beats(in: FrameCount(Int64(index) * 256), at: .standard)
      studio.step()
      let observation = try #require(studio.observation)
      let tick = (exact.doubleValue * 1920).rounded(.down) / 1920
      let owner = SongPosition.Owner(beat: BeatTime(clamping: tick), tempo: tempo, meter: .common)
      let place = song.cycle(
        observation, leader: .jack, owner: owner, launch: nil, quantum: .four, bars: BarCount(.common))
      if index > 500 {
        // Ticks are rounded down, by half of one on average.
        let error = (place.position - exact).doubleValue + 0.5 / 1920
        worst = max(worst, abs(error) * 60 / tempo.beatsPerMinute * 48_000)
      }
    }
    #expect(worst <= 1, "\(worst) frames")
  }
}
