import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

/// Law 1, 2 and 7: the published position is Link's beat, in range, never going back, continuous over tempo
/// changes.
@Suite struct PositionTests {
  static func anyTempo(_ random: inout Seeded) throws -> Tempo {
    try #require(Tempo(beatsPerMinute: .random(in: 20...999, using: &random)))
  }

  @Test("Rolling, every entry has Link's phase at the instant the next cycle is heard")
  func followsLink() throws {
    try forAll(60) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.5...16, using: &random)))
      var world = World(.init(quantum: quantum), tempo: try Self.anyTempo(&random))
      world.period = [64, 256, 1024].randomElement(using: &random) ?? 256
      world.skew = .random(in: -2e-4...2e-4, using: &random)
      world.transport = .rolling
      world.frame = TransportFrame(.random(in: 0...10_000_000, using: &random))
      for _ in 0..<500 {
        let link = world.linkBeat(at: world.nextOutput)
        let entry = try #require(world.cycle().entry)
        let error = entry.position.position.phase(in: quantum).distance(from: link.phase(in: quantum))
        #expect(error.magnitude.nanobeats <= 1_000, "seed \(seed)")
      }
    }
  }

  @Test("Nothing that happens to a rolling transport takes the position back, or out of range")
  func monotone() throws {
    try forAll(60) { seed, random in
      var world = World(tempo: try Self.anyTempo(&random))
      world.transport = .rolling
      var last = BeatTime.zero
      for _ in 0..<2000 {
        if random.oneIn(50) {
          let delay = HostInterval(nanoseconds: .random(in: 0...50_000_000, using: &random))
          world.changeTempo(to: try Self.anyTempo(&random), delay: delay)
        }
        if random.oneIn(50) {
          world.latency = HostInterval(nanoseconds: .random(in: 0...90_000_000, using: &random))
        }
        if random.oneIn(50) {
          world.shiftGrid(by: Beats(nanobeats: .random(in: -20_000...20_000, using: &random)))
        }
        if random.oneIn(200) {
          world.shiftGrid(by: Beats(nanobeats: .random(in: -9_000_000_000...9_000_000_000, using: &random)))
        }
        let position = try #require(world.cycle().entry).position.position
        #expect(position >= last, "seed \(seed)")
        last = position
      }
    }
  }

  /// A world that has rolled through a change of tempo: frames times tempo would be another bar.
  private static func rollingInAnotherBar() throws -> World {
    var world = World()
    world.transport = .rolling
    for _ in 0..<2000 { world.cycle() }
    world.changeTempo(to: try #require(Tempo(beatsPerMinute: 60)))
    for _ in 0..<500 { world.cycle() }
    return world
  }

  @Test("Cycles in which JACK skips the bridge are no relocation: the bar goes on as if it had run")
  func missedCycles() throws {
    var world = try Self.rollingInAnotherBar()
    let before = try #require(world.cycle().entry).position.position
    for missed in 1...40 {
      world.miss(missed)
      world.cycle()
    }
    let after = try #require(world.cycle().entry).position.position
    let way = Tempo(beatsPerMinute: 60)?.beats(
      in: FrameCount(256 * Int64((1...40).reduce(0, +) + 41)), at: .standard)
    #expect((after - before - (way ?? .zero)).magnitude.nanobeats < 10_000)
  }

  @Test(arguments: [0, 1, 40], [0, -256] as [Int64])
  func `JACK that was stopped starts again in the bar where it stopped`(missed: Int, behind: Int64) throws {
    var world = try Self.rollingInAnotherBar()
    let before = try #require(world.cycle().entry).position.position
    // JACK has stopped in cycles in which it skipped the bridge, or shows the frame of the last one, as
    // PipeWire does.
    world.miss(missed)
    world.frame = world.frame + FrameCount(behind)
    world.transport = .stopped
    for _ in 0..<10 { world.cycle(asksTimebase: false) }
    world.transport = .starting
    world.cycle()
    world.transport = .rolling
    let after = try #require(world.cycle().entry).position.position
    #expect((after - before).magnitude < Quantum.four.beats)
  }

  @Test(
    "The server's count and its transport's frame may be a cycle apart, when it has stood still",
    arguments: [0, 1], [-1, 1])
  func tornCycles(missed: Int, periods: Int32) throws {
    var world = try Self.rollingInAnotherBar()
    let before = try #require(world.cycle().entry).position.position
    if missed > 0 { world.miss(missed) }
    world.frame = world.frame + FrameCount(Int64(periods) * 256)
    world.cycle()
    world.frame = world.frame - FrameCount(Int64(periods) * 256)
    let after = try #require(world.cycle().entry).position.position
    let way = Tempo(beatsPerMinute: 60)?.beats(in: FrameCount(Int64(2 + missed) * 256), at: .standard)
    #expect((after - before - (way ?? .zero)).magnitude.nanobeats < 10_000)
  }

  @Test(
    "A frame that JACK asks about a cycle or two off is no relocation", arguments: [-512, -256, 256, 512])
  func tornQuestion(frames: Int64) throws {
    var world = try Self.rollingInAnotherBar()
    let before = try #require(world.cycle().entry).exact
    world.cycle(asksTimebase: false)
    let entry = world.reconciler.entry(forFrame: world.frame + FrameCount(frames))
    let way = try #require(entry).exact - before - world.tempo.beats(in: world.periodDuration)
    #expect(way.magnitude.nanobeats < 10_000, "\(way)")
  }

  @Test("A server that has stood still may count a cycle or two more than its transport, from then on")
  func countedTwice() throws {
    var world = try Self.rollingInAnotherBar()
    var before = try #require(world.cycle().entry).position.position
    for periods: Int64 in [1, 2] {
      world.frame = world.frame - FrameCount(256 * periods)
      for _ in 0..<10 {
        let after = try #require(world.cycle().entry).position.position
        #expect(after > before && after - before < Beats(nanobeats: 100_000_000))
        before = after
      }
    }
  }

  @Test(
    "A roll that begins in a cycle without the bridge is no relocation either", arguments: [0, 1])
  func missedBeginning(peers: Int) throws {
    var world = World()
    world.transport = .rolling
    for _ in 0..<2000 { world.cycle() }
    world.changeTempo(to: try #require(Tempo(beatsPerMinute: 60)))
    for _ in 0..<500 { world.cycle() }
    world.transport = .stopped
    for _ in 0..<50 { world.cycle() }
    world.peers = peers
    world.asksUs = false
    world.transport = .starting
    for _ in 0..<5 { world.cycle() }
    let held = try #require(world.cycle().entry).position.position
    world.transport = .rolling
    world.miss(7)
    let after = try #require(world.cycle().entry).position.position
    #expect(after >= held)
    // With other peers in the session it joins Link's phase.
    #expect(after - held < Beats(nanobeats: peers == 0 ? 100_000_000 : 4_100_000_000))
  }

  @Test("Halving the tempo keeps the bar and bends nothing but the speed")
  func halvedTempo() throws {
    var world = World()
    world.transport = .rolling
    for _ in 0..<2000 { world.cycle() }
    let before = try #require(world.cycle().entry)
    world.changeTempo(
      to: try #require(Tempo(beatsPerMinute: 60)), delay: HostInterval.milliseconds(5))
    let after = try #require(world.cycle().entry)
    #expect(after.position.bar == before.position.bar)
    #expect(after.position.position - before.position.position < Beats(nanobeats: 40_000_000))
    #expect(after.beatsPerMinute == 60)
  }

  @Test(
    "Where the tempo falls and the output latency is large, the beat goes on slowly until Link has caught up")
  func fallingTempo() throws {
    let falls: [(Double, Double, Int64)] = [
      (160, 20, 500), (160, 20, 40), (999, 20, 500), (120, 90, 500), (140, 139, 1000),
    ]
    for (old, new, latency) in falls {
      var world = World(tempo: try #require(Tempo(beatsPerMinute: old)))
      world.latency = .milliseconds(Double(latency))
      world.transport = .rolling
      for _ in 0..<200 { world.cycle() }
      var last = try #require(world.cycle().entry).position.position
      let slow = try #require(Tempo(beatsPerMinute: new))
      world.changeTempo(to: slow, delay: .milliseconds(5))
      let ahead = Double(latency + 10) * (old - new) / new
      var (stood, longest, waited) = (0.0, 0.0, 0.0)
      for _ in 0..<Int((2 * ahead + 500) / world.periodDuration.milliseconds) {
        let link = world.linkBeat(at: world.nextOutput)
        let position = try #require(world.cycle().entry).position.position
        #expect(position >= last, "\(old) to \(new)")
        // A position that goes on is no faster than Link, and ahead of it.
        let step = slow.beats(in: world.periodDuration) + Beats(nanobeats: 1_000)
        let error = (position - link).shortest(around: .four)
        #expect(position - last <= step || error.magnitude.nanobeats <= 1_000, "\(old) to \(new)")
        stood = position == last ? stood + world.periodDuration.milliseconds : 0
        longest = max(longest, stood)
        if error.magnitude.nanobeats > 1_000 { waited += world.periodDuration.milliseconds }
        last = position
      }
      #expect(longest <= 110, "\(old) to \(new): \(longest) ms")
      #expect(waited <= 2 * ahead + 20, "\(old) to \(new): \(waited) ms")
      let error = (last - world.linkBeat(at: world.nextOutput - world.periodDuration)).shortest(around: .four)
      #expect(error.magnitude.nanobeats <= 1_000, "\(old) to \(new)")
    }
  }

  @Test("A tempo change from one end of the range to the other is waited out, not jumped")
  func extremeTempo() throws {
    var world = World(tempo: try #require(Tempo(beatsPerMinute: 999)))
    world.period = 1024
    world.latency = HostInterval(nanoseconds: 42_666_667)
    world.transport = .rolling
    for _ in 0..<100 { world.cycle() }
    let before = try #require(world.cycle().entry).position.position
    world.changeTempo(
      to: try #require(Tempo(beatsPerMinute: 20)), delay: HostInterval.milliseconds(50))
    let after = try #require(world.cycle().entry).position.position
    // At half of Link's speed.
    #expect(after >= before && after - before < world.tempo.beats(in: world.periodDuration))
  }

  /// The largest step of the position in so many cycles, in beats more than Link makes in one; it never goes back,
  /// and ends in Link's phase.
  private static func largestStep(_ world: inout World, from last: BeatTime, cycles: Int) throws -> Double {
    var (last, largest) = (last, 0.0)
    for _ in 0..<cycles {
      let position = try #require(world.cycle().entry).exact
      #expect(position >= last)
      largest = max(largest, (position - last - world.tempo.beats(in: world.periodDuration)).doubleValue)
      last = position
    }
    let error = (last - world.linkBeat(at: world.nextOutput - world.periodDuration)).shortest(around: .four)
    #expect(error.magnitude.nanobeats <= 1_000)
    return largest
  }

  @Test("A tempo that a peer undoes up to a second later leaves the bar where it is", arguments: [0.3, 0.9])
  func undoneTempo(after seconds: Double) throws {
    for (old, new) in [(127.0, 174.0), (90, 150), (60, 61)] {
      var world = World(tempo: try #require(Tempo(beatsPerMinute: old)))
      world.peers = 1
      world.transport = .rolling
      for _ in 0..<300 { world.cycle() }
      let before = world.tempo
      world.changeTempo(to: try #require(Tempo(beatsPerMinute: new)))
      let changed = world.now
      while world.now - changed < .seconds(seconds) { world.cycle() }
      let last = try #require(world.cycle().entry).exact
      world.changeTempo(to: before, delay: world.now - changed)
      #expect(try Self.largestStep(&world, from: last, cycles: 800) < 1e-5, "\(old) to \(new)")
    }
  }

  @Test("Where the wait for an undone tempo would be longer than the way to the next bar, it jumps there")
  func undoneByFar() throws {
    var world = World(tempo: try #require(Tempo(beatsPerMinute: 60)))
    world.peers = 1
    world.transport = .rolling
    for _ in 0..<300 { world.cycle() }
    let (before, changed) = (world.tempo, world.now)
    world.changeTempo(to: try #require(Tempo(beatsPerMinute: 240)))
    while world.now - changed < .seconds(0.9) { world.cycle() }
    let last = try #require(world.cycle().entry).exact
    world.changeTempo(to: before, delay: world.now - changed)
    let step = try Self.largestStep(&world, from: last, cycles: 20)
    #expect(step > 1 && step < 2)
  }

  @Test("A tempo that a user sets in the cycle in which a peer's arrives leaves the bar where it is")
  func crossingTempos() throws {
    var world = World()
    world.peers = 1
    world.transport = .rolling
    for _ in 0..<300 { world.cycle() }
    let last = try #require(world.cycle().entry).exact
    world.changeTempo(to: try #require(Tempo(beatsPerMinute: 60)), delay: .milliseconds(200))
    world.command = .proposeTempo(try #require(Tempo(beatsPerMinute: 118)))
    let link = world.linkBeat(at: world.nextOutput)
    let step = try #require(world.cycle().entry).exact - last
    #expect(step >= .zero && step < Beats(nanobeats: 50_000_000), "from \(last), with Link at \(link)")
  }

  @Test("An output latency that falls leaves the bar where it is")
  func fallingLatency() throws {
    var world = World()
    world.peers = 1
    world.latency = .milliseconds(110)
    world.transport = .rolling
    for _ in 0..<300 { world.cycle() }
    let last = try #require(world.cycle().entry).exact
    world.latency = .milliseconds(10)
    #expect(try Self.largestStep(&world, from: last, cycles: 100) < 1e-5)
  }

  @Test("Joining another session moves the position once, forward, by less than a quantum")
  func joining() throws {
    try forAll(200) { seed, random in
      var world = World()
      world.transport = .rolling
      for _ in 0..<Int.random(in: 1...300, using: &random) { world.cycle() }
      let before = try #require(world.cycle().entry).position.position
      world.shiftGrid(by: Beats(nanobeats: .random(in: -9_000_000_000...9_000_000_000, using: &random)))
      let link = world.linkBeat(at: world.nextOutput)
      let after = try #require(world.cycle().entry).position.position
      #expect(after >= before && after - before < Beats(nanobeats: 4_100_000_000), "seed \(seed)")
      let error = after.phase(in: .four).distance(from: link.phase(in: .four))
      // Up to a sixteenth of a beat is taken for a measurement and waited out.
      #expect(error.magnitude <= Beats(nanobeats: 62_500_000), "seed \(seed)")
    }
  }

  @Test("A session that is joined while JACK does not ask is joined where the position would have gone on to")
  func joiningUnasked() throws {
    var world = World()
    world.transport = .rolling
    for _ in 0..<100 { world.cycle() }
    let (before, time) = (try #require(world.cycle().entry).position.position, world.now)
    for _ in 0..<600 { world.cycle(asksTimebase: false) }
    world.shiftGrid(by: Beats(nanobeats: 1_000_000_000))
    let after = try #require(world.cycle().entry).position.position
    let way = after - before - world.tempo.beats(in: world.now - time)
    #expect(way >= Beats(nanobeats: -62_500_000) && way < Quantum.four.beats, "\(way)")
  }

  @Test("A session whose grid is a moment behind is waited for, not followed for a quantum")
  func joiningBehind() throws {
    try forAll(50) { seed, random in
      var world = World()
      world.transport = .rolling
      for _ in 0..<100 { world.cycle() }
      let before = try #require(world.cycle().entry).position.position
      let quanta = Beats(nanobeats: 4_000_000_000 * (random.oneIn(2) ? 5 : -5))
      world.shiftGrid(by: quanta - Beats(nanobeats: .random(in: 0...62_000_000, using: &random)))
      let after = try #require(world.cycle().entry).position.position
      #expect(after >= before && after - before < Beats(nanobeats: 20_000_000), "seed \(seed)")
      // A sixteenth of a beat at 120 bpm are six cycles.
      for _ in 0..<8 { world.cycle() }
      let link = world.linkBeat(at: world.nextOutput).phase(in: .four)
      let position = try #require(world.cycle().entry).position.position.phase(in: .four)
      #expect(position.distance(from: link).magnitude.nanobeats <= 1_000, "seed \(seed)")
    }
  }

  @Test("Frame 0 is in bar 1, wherever Link is when the transport starts there")
  func startAtZero() throws {
    try forAll(200) { seed, random in
      var world = World(tempo: try Self.anyTempo(&random))
      world.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      #expect(try #require(world.cycle().entry).position.description == "1|1|0", "seed \(seed)")
      world.transport = .starting
      #expect(try #require(world.cycle().entry).position.bar == 1, "seed \(seed)")
    }
  }

  @Test("A locate lands on the bar where frames and tempo put it")
  func locate() throws {
    try forAll(200) { seed, random in
      var world = World(tempo: try Self.anyTempo(&random))
      world.transport = .rolling
      for _ in 0..<10 { world.cycle() }
      let frame = TransportFrame(.random(in: 1_000_000...100_000_000, using: &random))
      world.locate(to: frame)
      let nominal = BeatTime(sinceZero: world.tempo.beats(in: frame.sinceZero, at: .standard))
      let position = try #require(world.cycle().entry).position.position
      #expect((position - nominal).magnitude <= Beats(nanobeats: 2_000_001_000), "seed \(seed)")
      let next = try #require(world.cycle().entry).position.position
      #expect((next - position - world.tempo.beats(in: world.periodDuration)).magnitude.nanobeats < 1_000)
    }
  }

  @Test("While stopped the position stays, whatever the tempo does, and a start goes on from there")
  func rest() throws {
    var world = World()
    world.transport = .rolling
    for _ in 0..<3000 { world.cycle() }
    let last = try #require(world.cycle().entry).position
    world.transport = .stopped
    #expect(try #require(world.cycle().entry).position == last)
    world.changeTempo(to: try #require(Tempo(beatsPerMinute: 60)))
    let resting = try #require(world.cycle().entry)
    #expect(resting.position == last)
    #expect(resting.beatsPerMinute == 60)
    world.transport = .starting
    let started = try #require(world.cycle().entry).position.position
    #expect((started - last.position).magnitude <= Beats(nanobeats: 2_000_001_000))
  }

  @Test("A stop elsewhere than where it has rolled to is where frames and tempo put it")
  func stopElsewhere() throws {
    // Where it began, when frames and tempo put that elsewhere.
    var world = World()
    world.locate(to: 96_000)
    for _ in 0..<20 { world.cycle() }
    for transport in [TransportState.starting, .rolling] {
      world.transport = transport
      for _ in 0..<500 { world.cycle() }
    }
    world.changeTempo(to: .bpm(60))
    for _ in 0..<500 { world.cycle() }
    world.transport = .stopped
    world.locate(to: 96_000)
    #expect(world.cycle().entry?.position.position == BeatTime(2))
    // JACK has not asked about the locate in the cycle that shows it.
    world = try Self.rollingInAnotherBar()
    world.frame = 4_800_000
    world.cycle(asksTimebase: false)
    world.transport = .stopped
    world.frame = 4_800_256
    let nominal = BeatTime(4_800_256 / 48_000.0)
    #expect(try #require(world.cycle().entry).exact == nominal)
  }

  @Test("The position is continuous when the transport's frame wraps after a day")
  func frameWrap() throws {
    var world = World()
    world.transport = .rolling
    world.frame = TransportFrame(.max - 1000)
    var last = try #require(world.cycle().entry).position.position
    for _ in 0..<20 {
      let next = try #require(world.cycle().entry).position.position
      #expect((next - last - world.tempo.beats(in: world.periodDuration)).magnitude.nanobeats < 1_000)
      last = next
    }
  }

  @Test("Nothing is published before the first cycle was seen")
  func nothingKnown() {
    var reconciler = Reconciler(.init())
    #expect(reconciler.entry(forFrame: 0) == nil)
  }

  @Test("In 6/8 the tempo and the beats are JACK's eighths, the phase Link's")
  func compoundMeter() throws {
    let meter = try #require(Meter("6/8"))
    var world = World(.init(meter: meter))
    world.transport = .rolling
    let link = world.linkBeat(at: world.nextOutput)
    let entry = try #require(world.cycle().entry)
    #expect(entry.beatsPerMinute == 240)
    let quantum = Quantum(barOf: meter)
    #expect(
      entry.position.position.phase(in: quantum).distance(from: link.phase(in: quantum)).magnitude.nanobeats
        < 1000)
  }
}
