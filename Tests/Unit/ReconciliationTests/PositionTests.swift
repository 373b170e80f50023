import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// Law 1, 2 and 7: the published position is Link's beat, in range, never going back, continuous over tempo
/// changes.
@Suite struct PositionTests {
  static func anyTempo(_ random: inout Seeded) throws -> Tempo {
    try #require(Tempo(beatsPerMinute: .random(in: 20...999, using: &random)))
  }

  /// A studio that has rolled for some cycles, whatever the bridge asks of JACK.
  private static func rolling(
    _ configuration: Reconciler.Configuration = .init(), tempo: Tempo = .standard,
    from frame: TransportFrame = 0, latency: HostInterval? = nil, peers: Int = 1, skew: Double = 0,
    period: UInt32 = 256, cycles: Int = 1
  ) -> Studio {
    var studio = Studio(configuration, period: period, tempo: tempo, peers: peers, skew: skew)
    studio.isHeeded.jack = false
    if let latency { studio.latency = latency }
    studio.engine.put(.rolling, at: frame)
    for _ in 0..<cycles { studio.step() }
    return studio
  }

  /// One that has rolled through a change of tempo: frames times tempo would be another bar.
  private static func rollingInAnotherBar(peers: Int = 1) -> Studio {
    var studio = rolling(peers: peers, cycles: 2000)
    studio.changeTempo(to: .bpm(60))
    for _ in 0..<500 { studio.step() }
    return studio
  }

  /// How far what is read is from the beat that Link has as it is heard.
  private static func error(_ studio: Studio) throws -> Int64 {
    Int64(studio.distance(try #require(studio.shown).position.position).magnitude.nanobeats)
  }

  /// How much further the next entry is than `last`, in nanobeats more than Link makes in so many cycles.
  private static func excess(
    _ studio: inout Studio, over last: BeatTime, cycles: Int64 = 1
  ) throws -> Int64 {
    let way = studio.tempo.beats(in: FrameCount(Int64(studio.engine.period) * cycles), at: .standard)
    return (try studio.entry().exact - last - way).nanobeats
  }

  @Test func `Rolling, every entry has Link's phase at the instant the next cycle is heard`() throws {
    try forAll(60) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.5...16, using: &random)))
      var studio = Self.rolling(
        .init(quantum: quantum), tempo: try Self.anyTempo(&random),
        from: TransportFrame(.random(in: 0...10_000_000, using: &random)),
        skew: .random(in: -2e-4...2e-4, using: &random),
        period: [64, 256, 1024].randomElement(using: &random) ?? 256)
      for _ in 0..<500 {
        studio.step()
        #expect(try Self.error(studio) <= 1_000, "seed \(seed)")
      }
    }
  }

  @Test func `Nothing that happens to a rolling transport takes the position back, or out of range`() throws {
    try forAll(60) { seed, random in
      var studio = Self.rolling(tempo: try Self.anyTempo(&random))
      var last = BeatTime.zero
      for _ in 0..<2000 {
        if random.oneIn(50) {
          let delay = HostInterval(nanoseconds: .random(in: 0...50_000_000, using: &random))
          studio.changeTempo(to: try Self.anyTempo(&random), delay: delay)
        }
        if random.oneIn(50) {
          studio.latency = HostInterval(nanoseconds: .random(in: 0...90_000_000, using: &random))
        }
        if random.oneIn(50) {
          studio.shiftGrid(by: Beats(nanobeats: .random(in: -20_000...20_000, using: &random)))
        }
        if random.oneIn(200) {
          studio.shiftGrid(by: Beats(nanobeats: .random(in: -9_000_000_000...9_000_000_000, using: &random)))
        }
        let position = try studio.entry().position.position
        #expect(position >= last, "seed \(seed)")
        last = position
      }
    }
  }

  @Test("Cycles in which JACK skips the bridge are no relocation: the bar goes on as if it had run")
  func missedCycles() throws {
    var studio = Self.rollingInAnotherBar()
    let before = try studio.entry().exact
    for missed in 1...40 {
      studio.miss(missed)
      studio.step()
    }
    let excess = try Self.excess(&studio, over: before, cycles: Int64((1...40).reduce(0, +) + 41))
    #expect(excess.magnitude < 10_000)
  }

  @Test(arguments: [0, 1, 40], [0, -256] as [Int64])
  func `JACK that was stopped starts again in the bar where it stopped`(missed: Int, behind: Int64) throws {
    var studio = Self.rollingInAnotherBar(peers: 0)
    let before = try studio.entry().position.position
    // JACK has stopped in cycles in which it skipped the bridge, or shows the frame of the last one, as
    // PipeWire does.
    studio.miss(missed)
    studio.engine.put(.stopped, at: studio.engine.pendingFrame + FrameCount(behind))
    for _ in 0..<10 { studio.step() }
    studio.asks = true
    studio.engine.put(.starting)
    studio.step()
    studio.engine.put(.rolling)
    #expect((try studio.entry().position.position - before).magnitude < Quantum.four.beats)
  }

  @Test(
    "The server's count and its transport's frame may be a cycle apart, when it has stood still",
    arguments: [0, 1], [-256, 256] as [Int64])
  func tornCycles(missed: Int, frames: Int64) throws {
    var studio = Self.rollingInAnotherBar()
    let before = try studio.entry().exact
    studio.miss(missed)
    studio.torn = FrameCount(frames)
    studio.step()
    studio.torn = FrameCount(0)
    #expect(try Self.excess(&studio, over: before, cycles: Int64(2 + missed)).magnitude < 10_000)
  }

  @Test(arguments: [-512, -256, 256, 512])
  func `A frame that JACK asks about a cycle or two off is no relocation`(frames: Int64) throws {
    var studio = Self.rollingInAnotherBar()
    let before = try studio.entry().exact
    studio.asks = false
    studio.step()
    let entry = studio.reconciler.entry(forFrame: studio.engine.pendingFrame + FrameCount(frames))
    let way = try #require(entry).exact - before - studio.tempo.beats(in: studio.periodDuration)
    #expect(way.magnitude.nanobeats < 10_000, "\(way)")
  }

  @Test("A server that has stood still may count a cycle or two more than its transport, from then on")
  func countedTwice() throws {
    var studio = Self.rollingInAnotherBar()
    var before = try studio.entry().position.position
    for periods: Int64 in [1, 2] {
      studio.engine.put(.rolling, at: studio.engine.pendingFrame - FrameCount(256 * periods))
      for _ in 0..<10 {
        let after = try studio.entry().position.position
        #expect(after > before && after - before < Beats(nanobeats: 100_000_000))
        before = after
      }
    }
  }

  @Test(arguments: [0, 1])
  func `A roll that begins in a cycle without the bridge is no relocation either`(peers: Int) throws {
    var studio = Self.rollingInAnotherBar(peers: 0)
    studio.engine.put(.stopped)
    for _ in 0..<50 { studio.step() }
    studio.peers = peers
    studio.asks = true
    // JACK does not ask the bridge if it is ready.
    studio.engine.slowClients = [.init(needs: nil)]
    studio.engine.put(.starting)
    studio.engine.answer(isReady: true)
    for _ in 0..<5 { studio.step() }
    let held = try studio.entry().position.position
    studio.engine.put(.rolling)
    studio.miss(7)
    let after = try studio.entry().position.position
    #expect(after >= held)
    // With other peers in the session it joins Link's phase.
    #expect(after - held < Beats(nanobeats: peers == 0 ? 100_000_000 : 4_100_000_000))
  }

  @Test func `Halving the tempo keeps the bar and bends nothing but the speed`() throws {
    var studio = Self.rolling(cycles: 2000)
    let before = try studio.entry().position
    studio.changeTempo(to: .bpm(60), delay: .milliseconds(5))
    let after = try studio.entry()
    #expect(after.position.bar == before.bar)
    #expect(after.position.position - before.position < Beats(nanobeats: 40_000_000))
    #expect(after.beatsPerMinute == 60)
  }

  @Test(
    "Where the tempo falls and the output latency is large, the beat goes on slowly until Link has caught up",
    arguments: [
      (160, 20, 500), (160, 20, 40), (999, 20, 500), (120, 90, 500), (140, 139, 1000),
    ])
  func fallingTempo(old: Double, new: Double, latency: Double) throws {
    var studio = Self.rolling(tempo: .bpm(old), latency: .milliseconds(latency), cycles: 200)
    var last = try studio.entry().position.position
    studio.changeTempo(to: .bpm(new))
    let length = studio.periodDuration.milliseconds
    let ahead = (latency + 10) * (old - new) / new
    var (stood, longest, waited) = (0.0, 0.0, 0.0)
    for _ in 0..<Int((2 * ahead + 500) / length) {
      studio.step()
      let position = try #require(studio.published).position.position
      #expect(position >= last)
      // A position that goes on is no faster than Link, and ahead of it.
      let step = studio.tempo.beats(in: studio.periodDuration) + Beats(nanobeats: 1_000)
      let link = studio.linkBeat(at: studio.output + studio.periodDuration)
      let isOff = (position - link).shortest(around: .four).magnitude.nanobeats > 1_000
      #expect(position - last <= step || !isOff)
      stood = position == last ? stood + length : 0
      longest = max(longest, stood)
      if isOff { waited += length }
      last = position
    }
    // It never stands still where that would be for longer than a tenth of a second.
    #expect(longest <= (ahead > 110 ? 0 : ahead + length), "\(longest) ms")
    #expect(waited <= 2 * ahead + 20, "\(waited) ms")
    studio.step()
    #expect(try Self.error(studio) <= 1_000)
  }

  @Test func `A tempo change from one end of the range to the other is waited out, not jumped`() throws {
    var studio = Self.rolling(
      tempo: .bpm(999), latency: HostInterval(nanoseconds: 42_666_667), period: 1024, cycles: 100)
    let before = try studio.entry().position.position
    studio.changeTempo(to: .bpm(20), delay: .milliseconds(50))
    let after = try studio.entry().position.position
    // At half of Link's speed.
    #expect(after >= before && after - before < studio.tempo.beats(in: studio.periodDuration))
  }

  /// The largest step of the position in so many cycles, in beats more than Link makes in one; it never goes back,
  /// and ends in Link's phase.
  private static func largestStep(_ studio: inout Studio, from last: BeatTime, cycles: Int) throws -> Double {
    var (last, largest) = (last, 0.0)
    for _ in 0..<cycles {
      let position = try studio.entry().exact
      #expect(position >= last)
      largest = max(largest, (position - last - studio.tempo.beats(in: studio.periodDuration)).doubleValue)
      last = position
    }
    studio.step()
    #expect(try Self.error(studio) <= 1_000)
    return largest
  }

  /// A studio in which a peer has changed the tempo and undone that so many seconds later, and the entry before that.
  private static func undone(_ old: Double, _ new: Double, after seconds: Double) throws -> (Studio, BeatTime)
  {
    var studio = rolling(tempo: .bpm(old), cycles: 300)
    studio.changeTempo(to: .bpm(new))
    let changed = studio.now
    while studio.now - changed < .seconds(seconds) { studio.step() }
    let last = try studio.entry().exact
    studio.changeTempo(to: .bpm(old), delay: studio.now - changed)
    return (studio, last)
  }

  @Test(
    "A tempo that a peer undoes up to a second later leaves the bar where it is", arguments: [0.3, 0.9],
    [(127, 174), (90, 150), (60, 61)])
  func undoneTempo(after seconds: Double, tempos: (Double, Double)) throws {
    var (studio, last) = try Self.undone(tempos.0, tempos.1, after: seconds)
    #expect(try Self.largestStep(&studio, from: last, cycles: 800) < 1e-5)
  }

  @Test("Where the wait for an undone tempo would be longer than the way to the next bar, it jumps there")
  func undoneByFar() throws {
    var (studio, last) = try Self.undone(60, 240, after: 0.9)
    let step = try Self.largestStep(&studio, from: last, cycles: 20)
    #expect(step > 1 && step < 2)
  }

  @Test("A tempo that a user sets in the cycle in which a peer's arrives leaves the bar where it is")
  func crossingTempos() throws {
    var studio = Self.rolling(cycles: 300)
    let last = try studio.entry().exact
    studio.changeTempo(to: .bpm(60), delay: .milliseconds(200))
    studio.command = .proposeTempo(.bpm(118))
    let step = try studio.entry().exact - last
    #expect(step >= .zero && step < Beats(nanobeats: 50_000_000), "from \(last)")
  }

  @Test func `An output latency that falls leaves the bar where it is`() throws {
    var studio = Self.rolling(latency: .milliseconds(110), cycles: 300)
    let last = try studio.entry().exact
    studio.latency = .milliseconds(10)
    #expect(try Self.largestStep(&studio, from: last, cycles: 100) < 1e-5)
  }

  @Test("A position is not held back for as long as the output latency, and with it time, has gone back")
  func timeGoesBack() throws {
    var studio = Self.rolling(latency: .seconds(60), cycles: 10)
    studio.latency = .milliseconds(10)
    studio.step()
    let first = try studio.entry().exact
    for _ in 0..<100 { studio.step() }
    #expect(try studio.entry().exact - first > .one)
  }

  @Test func `Joining another session moves the position once, forward, by less than a quantum`() throws {
    try forAll(200) { seed, random in
      var studio = Self.rolling(cycles: Int.random(in: 1...300, using: &random))
      let before = try studio.entry().position.position
      studio.shiftGrid(by: Beats(nanobeats: .random(in: -9_000_000_000...9_000_000_000, using: &random)))
      let after = try studio.entry().position.position
      #expect(after >= before && after - before < Beats(nanobeats: 4_100_000_000), "seed \(seed)")
      studio.step()
      // Up to a tenth of a second is waited out.
      #expect(try Self.error(studio) <= 200_000_000, "seed \(seed)")
    }
  }

  @Test("A session that is joined while JACK does not ask is joined where the position would have gone on to")
  func joiningUnasked() throws {
    var studio = Self.rolling(cycles: 100)
    let before = try studio.entry().exact
    studio.asks = false
    for _ in 0..<600 { studio.step() }
    studio.asks = nil
    studio.shiftGrid(by: Beats(nanobeats: 1_000_000_000))
    let excess = try Self.excess(&studio, over: before, cycles: 601)
    #expect(excess >= -62_500_000 && excess < Quantum.four.beats.nanobeats, "\(excess)")
  }

  @Test func `A session whose grid is a moment behind is waited for, not followed for a quantum`() throws {
    try forAll(50) { seed, random in
      var studio = Self.rolling(cycles: 100)
      let before = try studio.entry().position.position
      let quanta = Beats(nanobeats: 4_000_000_000 * (random.oneIn(2) ? 5 : -5))
      studio.shiftGrid(by: quanta - Beats(nanobeats: .random(in: 0...199_000_000, using: &random)))
      let after = try studio.entry().position.position
      #expect(after >= before && after - before < Beats(nanobeats: 20_000_000), "seed \(seed)")
      // A tenth of a second are nineteen cycles.
      for _ in 0..<23 { studio.step() }
      #expect(try Self.error(studio) <= 1_000, "seed \(seed)")
    }
  }

  @Test func `Frame 0 is in bar 1, wherever Link is when the transport starts there`() throws {
    try forAll(200) { seed, random in
      var studio = Studio(tempo: try Self.anyTempo(&random))
      studio.asks = true
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      #expect(try studio.entry().position.description == "1|1|0", "seed \(seed)")
      studio.engine.put(.starting)
      #expect(try studio.entry().position.bar == 1, "seed \(seed)")
    }
  }

  @Test func `A locate lands on the bar where frames and tempo put it`() throws {
    try forAll(200) { seed, random in
      var studio = Self.rolling(tempo: try Self.anyTempo(&random), cycles: 10)
      let frame = TransportFrame(.random(in: 1_000_000...100_000_000, using: &random))
      studio.engine.put(.rolling, at: frame)
      let position = try studio.entry().exact
      let nominal = BeatTime(
        sinceZero: studio.tempo.beats(in: studio.engine.pendingFrame.sinceZero, at: .standard))
      #expect((position - nominal).magnitude <= Beats(nanobeats: 2_000_001_000), "seed \(seed)")
      #expect(try Self.excess(&studio, over: position).magnitude < 1_000, "seed \(seed)")
    }
  }

  @Test("While stopped the position stays, whatever the tempo does, and a start goes on from there")
  func rest() throws {
    var studio = Self.rolling(cycles: 3000)
    studio.asks = true
    let last = try studio.entry().position
    studio.engine.put(.stopped)
    #expect(try studio.entry().position == last)
    studio.changeTempo(to: .bpm(60))
    let resting = try studio.entry()
    #expect(resting.position == last)
    #expect(resting.beatsPerMinute == 60)
    studio.engine.put(.starting)
    let started = try studio.entry().position.position
    #expect((started - last.position).magnitude <= Beats(nanobeats: 2_000_001_000))
  }

  @Test func `A stop elsewhere than where it has rolled to is where frames and tempo put it`() throws {
    // Where it began, when frames and tempo put that elsewhere.
    var studio = Self.rolling(from: 96_000, cycles: 500)
    studio.asks = true
    studio.changeTempo(to: .bpm(60))
    for _ in 0..<500 { studio.step() }
    studio.engine.put(.stopped, at: 96_000)
    #expect(try studio.entry().position.position == BeatTime(2))
    // JACK has not asked about the locate in the cycle that shows it.
    studio = Self.rollingInAnotherBar()
    studio.asks = false
    studio.engine.put(.rolling, at: 4_800_000)
    studio.step()
    studio.asks = true
    studio.engine.put(.stopped)
    #expect(try studio.entry().exact == BeatTime(4_800_256 / 48_000.0))
  }

  @Test func `A place where it has once started is where frames and tempo put it, after a stop elsewhere`()
    throws
  {
    var studio = Self.rolling()
    studio.asks = true
    for motion in [TransportState.stopped, .starting, .rolling] {
      studio.engine.put(motion, at: 96_000)
      for _ in 0..<10 { studio.step() }
    }
    studio.changeTempo(to: .bpm(60))
    for _ in 0..<500 { studio.step() }
    studio.engine.put(.stopped, at: 480_000)
    #expect(try studio.entry().position.position == BeatTime(10))
    studio.engine.put(.stopped, at: 96_000)
    #expect(try studio.entry().position.position == BeatTime(2))
  }

  @Test
  func `A relocation of the bridge's own that is cancelled leaves the position where it was to roll on`()
    throws
  {
    var studio = LaunchTests.warm(.init(frameAlignment: .exact))
    studio.run(seconds: 10, after: .clientStarts)
    studio.changeTempo(to: .bpm(100))
    studio.run(seconds: 1)
    #expect(studio.run(seconds: 4, after: .command(.realignFrames)) { $0.engine.motion == .starting })
    studio.step()
    let planned = try #require(studio.shown).position.position
    studio.asks = true
    studio.engine.put(.stopped)
    let shown = try studio.entry().position
    #expect((shown.position - planned).magnitude < Beats(nanobeats: 20_000_000))
    for _ in 0..<20 { #expect(try studio.entry().position == shown) }
    // A start goes on in that bar, or in the one that is nearest.
    #expect(studio.run(seconds: 5, after: .clientStarts) { $0.isRolling })
    let way = try studio.entry().position.position - planned
    #expect(way.magnitude < Beats(nanobeats: 2_100_000_000), "\(way)")
  }

  @Test func `The position is continuous when the transport's frame wraps after a day`() throws {
    var studio = Self.rolling(from: TransportFrame(.max - 1000))
    var last = try studio.entry().exact
    for _ in 0..<20 {
      #expect(try Self.excess(&studio, over: last).magnitude < 1_000)
      last = try #require(studio.published).exact
    }
  }

  @Test func `Nothing is published before the first cycle was seen`() {
    var reconciler = Reconciler(.init())
    #expect(reconciler.entry(forFrame: 0) == nil)
  }

  @Test func `In 6/8 the tempo and the beats are JACK's eighths, the phase Link's`() throws {
    let studio = Self.rolling(.init(meter: try #require(Meter("6/8"))), cycles: 2)
    #expect(try #require(studio.shown).beatsPerMinute == 240)
    #expect(try Self.error(studio) < 1000)
  }
}
