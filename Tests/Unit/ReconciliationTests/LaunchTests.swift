import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// A start with other peers in the session waits for its phase, and is exact to the frame.
@Suite struct LaunchTests {
  static let frame = HostInterval(FrameCount(1), at: .standard)

  /// A studio that has been running for a while.
  static func warm(
    _ configuration: Reconciler.Configuration = .init(frameAlignment: .exact), period: UInt32 = 256,
    tempo: Tempo = .standard
  ) -> Studio {
    var studio = Studio(configuration, period: period, tempo: tempo)
    studio.run(seconds: 1)
    return studio
  }

  static func any(
    _ random: inout Seeded, frameAlignment: FrameAlignment = .exact
  ) throws -> Studio {
    let quantum = try #require([3.0, 4, 8].randomElement(using: &random).flatMap(Quantum.init(beats:)))
    let tempo = try #require(
      [120, 97.3, 133.7].randomElement(using: &random).flatMap(Tempo.init(beatsPerMinute:)))
    let period: UInt32 = [64, 256, 1024].randomElement(using: &random) ?? 256
    var studio = warm(
      .init(quantum: quantum, frameAlignment: frameAlignment), period: period, tempo: tempo)
    studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...8_000_000_000, using: &random)))
    studio.run(seconds: .random(in: 0.2...1, using: &random))
    return studio
  }

  @Test("After a start from any side, at any place of the playhead, the first frame is in phase to the frame")
  func exact() throws {
    try forAll(150) { seed, random in
      var studio = try Self.any(&random)
      let frame = TransportFrame(random.oneIn(3) ? 0 : .random(in: 0...5_000_000, using: &random))
      studio.run(seconds: 0.3, after: .clientLocates(frame: frame))
      if random.oneIn(2) { studio.engine.start() } else { studio.peerPlays() }
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
      // Bar 1 has no position before it: there, up to half a frame is not shown.
      let rounding = studio.engine.frame == 0 ? 0.0105 : 0.003
      #expect(studio.isShownInPhase(within: .milliseconds(rounding)), "seed \(seed)")
      // By less than a period, and not to before the song.
      let way = (studio.engine.frame - frame).count
      #expect(abs(way) < Int64(studio.engine.period), "seed \(seed): \(way) frames")
      studio.run(seconds: 5)
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed)")
      #expect(studio.isPlaying && !studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test(
    "From frame 0 the first beat is read there, in the cycle nearest to it, and from the next on all is Link's"
  )
  func whole() throws {
    try forAll(150) { seed, random in
      var studio = try Self.any(&random, frameAlignment: .whole)
      if random.oneIn(2) { studio.engine.start() } else { studio.peerPlays() }
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      #expect(studio.engine.frame == 0, "seed \(seed)")
      #expect(try #require(studio.shown).position.position == .zero, "seed \(seed)")
      let off = studio.frameError
      let half = HostInterval(nanoseconds: studio.periodDuration.nanoseconds / 2)
      #expect(off.magnitude <= half + Self.frame, "seed \(seed): \(off.microseconds) us")
      var last = BeatTime.zero
      for _ in 0..<100 {
        studio.step()
        let position = try #require(studio.shown).position.position
        #expect(position > last, "seed \(seed)")
        #expect(studio.isShownInPhase(within: .milliseconds(0.003)), "seed \(seed)")
        last = position
      }
      studio.run(seconds: 5)
      // Nothing is moved for it, and it is reported where it can be heard.
      #expect((studio.frameError - off).magnitude <= Self.frame, "seed \(seed)")
      let isTold = studio.decisions.contains {
        if case .framesStayOff = $0.notice { true } else { false }
      }
      #expect(isTold == (off.magnitude > .milliseconds(3)), "seed \(seed): \(off)")
      #expect(studio.isPlaying && !studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test("JACK's start is committed to Link at once, with the instant at which it will be heard")
  func tellsTheInstant() throws {
    try forAll(50) { seed, random in
      var studio = try Self.any(&random)
      studio.engine.start()
      #expect(studio.run(seconds: 0.1) { $0.engine.motion == .starting }, "seed \(seed)")
      let play = try #require(studio.decisions.last?.link.isPlaying, "seed \(seed)")
      #expect(play.isPlaying)
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      #expect((play.time - studio.output).magnitude <= studio.periodDuration, "seed \(seed)")
      // Peers that look for the next beat in phase from then on must find the bridge's, not the one after it.
      let phase = studio.linkBeat(at: play.time).phase(in: studio.reconciler.configuration.quantum)
      let way = BeatTime.zero.phase(in: studio.reconciler.configuration.quantum).distance(from: phase)
      #expect(way > .zero, "seed \(seed)")
    }
  }

  @Test func `Alone, a start rolls at once from where it is, and Link is mapped to it`() throws {
    try forAll(60) { seed, random in
      var studio = try Self.any(&random)
      studio.peers = 0
      let frame = TransportFrame(.random(in: 0...5_000_000, using: &random))
      studio.run(seconds: 0.3, after: .clientLocates(frame: frame))
      studio.engine.start()
      #expect(
        studio.run(seconds: 3 * studio.periodDuration.milliseconds / 1000) { $0.isRolling }, "seed \(seed)")
      #expect(studio.engine.frame == frame)
      studio.run(seconds: 0.1)
      #expect(studio.frameError.magnitude <= .milliseconds(0.002), "seed \(seed)")
      #expect(studio.isShownInPhase(within: .milliseconds(0.002)), "seed \(seed)")
      #expect(studio.isPlaying)
    }
  }

  @Test(arguments: [.clientStops, .peerStops] as [Event])
  func `A stop while a start is held, by either side, takes it back on both`(by stop: Event) {
    var studio = Self.warm()
    studio.run(seconds: 0.2, after: .clientStarts)
    #expect(studio.engine.motion == .starting && studio.isPlaying)
    studio.run(seconds: 3, after: stop)
    #expect(studio.engine.motion == .stopped && !studio.isPlaying)
  }

  @Test(
    "A start that is cancelled leaves the playhead where it was, and what is read there",
    arguments: [0.3, 1.3])
  func cancelled(after seconds: Double) throws {
    for (rules, stop) in [
      (ServerRules.jackd2, Event.clientStops), (.jackd2, .peerStops), (.modernPipewire, .clientStops),
    ] {
      var studio = Self.warm(.init(frameAlignment: .exact, rules: rules))
      studio.shiftGrid(by: Beats(nanobeats: 1_234_567_890))
      studio.run(seconds: 0.5, after: .clientLocates(frame: 252_000))
      let phase = studio.linkBeat(at: studio.output).phase(in: .four).offset.doubleValue
      // A second and a half before it rolls from beat 10.5.
      studio.run(seconds: ((2.5 - phase + 8).truncatingRemainder(dividingBy: 4)) / 2 + 2 - 1.5)
      studio.run(seconds: 0.2, after: .clientStarts)
      #expect(studio.engine.motion == .starting)
      // It is read where it is going to begin, less than a period before.
      let ahead = try #require(studio.shown).exact.doubleValue - 10.5
      #expect(ahead <= 0 && ahead > -0.02, "\(ahead)")
      studio.run(seconds: seconds - 0.2)
      #expect(studio.engine.motion == .starting)
      let isPlaced = Self.relocations(studio) > 0
      #expect(isPlaced == (seconds > 1))
      studio.run(seconds: 1, after: stop)
      #expect(studio.engine.motion == .stopped && studio.engine.frame == 252_000)
      // JACK asks about it where the playhead is put, be it where it is.
      let off = try #require(studio.shown).exact.doubleValue - 10.5
      #expect(off == 0, "\(off)")
      #expect(Self.relocations(studio) == (isPlaced ? 2 : 1))
    }
  }

  @Test func `A start whose every bar a deadline is missed before rolls after the longest hold all the same`()
  {
    var studio = Self.warm()
    studio.run(seconds: 0.1, after: .clientStarts)
    let began = studio.now
    while !studio.isRolling, studio.now - began < .seconds(30) {
      studio.step()
      guard let due = studio.reconciler.pendingLaunch?.rollTime else { continue }
      if due - studio.output < .milliseconds(60) { studio.happen(.stalls(for: .milliseconds(100))) }
    }
    let longest = studio.reconciler.configuration.longestHold
    #expect(studio.isRolling && studio.now - began < longest + .seconds(1))
  }

  @Test func `A start that JACK's clock has put off by a millisecond is corrected for the same instant`()
    throws
  {
    for frame: TransportFrame in [96_000, 123_456] {
      var studio = Self.warm()
      studio.run(seconds: 0.5, after: .clientLocates(frame: frame))
      studio.run(seconds: 0.1, after: .clientStarts)
      let due = try #require(studio.reconciler.pendingLaunch).rollTime
      studio.run { due - $0.output < .milliseconds(300) }
      let before = Self.relocations(studio)
      studio.happen(.stalls(for: .milliseconds(1)))
      #expect(studio.run { $0.isRolling })
      #expect((studio.output - due).magnitude < studio.periodDuration)
      #expect(studio.frameError.magnitude <= Self.frame)
      #expect(Self.relocations(studio) - before >= 1)
      #expect(!Self.promises(studio).contains { $0.isMissed })
    }
  }

  /// Whether what rolls began where it was put, or so many periods behind that as passed meanwhile: when it
  /// happened to be in phase there.
  private static func isNear(_ studio: Studio, to frame: TransportFrame) -> Bool {
    let periods = (studio.engine.frame - frame).count / Int64(studio.engine.period)
    return (0...10).contains(periods)
  }

  @Test func `A locate while a start is held is where it starts`() throws {
    try forAll(100) { seed, random in
      var studio = try Self.any(&random)
      studio.run(seconds: .random(in: 0.01...2.5, using: &random), after: .clientStarts)
      let frame = TransportFrame(.random(in: 0...5_000_000, using: &random))
      studio.engine.locate(to: frame)
      // It may roll before that, or have been released.
      let isNear = { (studio: Studio) in Self.isNear(studio, to: frame) }
      #expect(studio.run { $0.isRolling && isNear($0) }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
    }
  }

  @Test func `Where another bridge aligns a held start as well, the two do not fight`() throws {
    try forAll(60) { seed, random in
      var studio = try Self.any(&random)
      studio.run(seconds: 0.3, after: .clientLocates(frame: 480_000))
      studio.run(seconds: 0.1, after: .clientStarts)
      let began = studio.now
      #expect(studio.run(seconds: 20) { $0.decisions.last?.transport != nil || $0.isRolling }, "seed \(seed)")
      if case .relocate(let frame) = studio.decisions.last?.transport {
        // In the same cycle, or one soon after it, and a frame off.
        for _ in 0..<Int.random(in: 0...4, using: &random) { studio.step() }
        studio.engine.locate(to: frame + 1)
      }
      #expect(studio.run(seconds: 1) { $0.isRolling }, "seed \(seed)")
      let quantum = studio.tempo.interval(of: studio.reconciler.configuration.quantum.beats)
      #expect(studio.now - began < quantum + .milliseconds(500), "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame + Self.frame, "seed \(seed)")
    }
  }

  @Test func `Where another bridge puts a held start elsewhere again and again, it rolls with its bar`() {
    for other in [1, -1] as [Int64] {
      var studio = Self.warm()
      studio.run(seconds: 0.3, after: .clientLocates(frame: 480_000))
      studio.run(seconds: 0.1, after: .clientStarts)
      let began = studio.now
      while !studio.isRolling, studio.now - began < .seconds(20) {
        let decision = studio.step()
        if case .relocate(let frame) = decision.transport {
          studio.step()
          studio.engine.locate(to: frame + FrameCount(other))
        }
      }
      #expect(studio.now - began < .milliseconds(2_500))
      #expect(studio.frameError.magnitude <= Self.frame + Self.frame)
    }
  }

  @Test func `A locate while rolling waits for its phase`() throws {
    try forAll(60) { seed, random in
      var studio = try Self.any(&random)
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      studio.run(seconds: 1)
      let frame = TransportFrame(random.oneIn(3) ? 0 : .random(in: 0...5_000_000, using: &random))
      #expect(studio.run(seconds: 1, after: .clientLocates(frame: frame)) { !$0.isRolling }, "seed \(seed)")
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      // In the bar where frames put it.
      let nominal = BeatTime(
        sinceZero: studio.tempo.beats(in: studio.engine.frame.sinceZero, at: .standard))
      let bar = try #require(studio.shown).position.position - nominal
      #expect(bar.magnitude < Beats(nanobeats: 10_000_000), "seed \(seed): \(bar)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
      #expect(Self.isNear(studio, to: frame), "seed \(seed)")
      #expect(studio.isPlaying)
    }
  }

  @Test func `A tempo change while a start is held plans it anew`() throws {
    try forAll(60) { seed, random in
      var studio = try Self.any(&random)
      studio.engine.locate(to: TransportFrame(.random(in: 0...5_000_000, using: &random)))
      studio.run(seconds: 0.2)
      studio.run(seconds: .random(in: 0.01...1, using: &random), after: .clientStarts)
      guard studio.engine.motion == .starting else { return }
      studio.changeTempo(to: try #require(Tempo(beatsPerMinute: .random(in: 30...300, using: &random))))
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
    }
  }

  @Test("A grid that shifts while a start is held, because a session was joined, plans it anew")
  func gridShifted() throws {
    var studio = Self.warm()
    studio.run(seconds: 0.5, after: .clientStarts)
    studio.shiftGrid(by: Beats(nanobeats: 1_300_000_000))
    #expect(studio.run { $0.isRolling })
    #expect(studio.frameError.magnitude <= Self.frame)
  }

  @Test func `A deadline missed while a start is held plans it anew`() throws {
    try forAll(60) { seed, random in
      var studio = try Self.any(&random)
      studio.run(seconds: .random(in: 0.01...3, using: &random), after: .clientStarts)
      studio.happen(.stalls(for: .milliseconds(.random(in: 1...80, using: &random))))
      let wasHeld = studio.engine.motion == .starting
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      guard wasHeld else { return }
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
    }
  }

  @Test("With `now` it rolls at once, at the place in the bar that Link is at")
  func launchNow() {
    forAll(60) { seed, random in
      var studio = Self.warm(.init(launch: .now))
      studio.run(seconds: .random(in: 0...3, using: &random))
      let bar = UInt32.random(in: 0...50, using: &random)
      studio.engine.locate(to: TransportFrame(bar * 96_000 + .random(in: 0...95_000, using: &random)))
      studio.run(seconds: 0.2)
      #expect(studio.run(seconds: 0.1, after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
      // Up to the cycle's edge it may have gone on into the next.
      let way = studio.engine.frame.sinceZero.count - Int64(bar) * 96_000
      #expect((0..<96_512).contains(way), "seed \(seed)")
    }
  }

  @Test("With `beat` it waits for the next beat, and rolls at the place in the bar that Link is at")
  func launchBeat() {
    forAll(60) { seed, random in
      var studio = Self.warm(.init(launch: .beat))
      studio.run(seconds: .random(in: 0...3, using: &random))
      studio.run(seconds: 0.2, after: .clientLocates(frame: 96_000))
      #expect(studio.run(seconds: 0.6, after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed)")
      #expect((95_000..<192_000).contains(studio.engine.frame.number), "seed \(seed)")
      let off = studio.linkBeat(at: studio.output).phase(in: Quantum(beatOf: .common)).offset
      #expect(off < Beats(nanobeats: 11_000_000) || off > Beats(nanobeats: 989_000_000), "seed \(seed)")
    }
  }

  @Test(
    "Without alignment the playhead stays, and the position that JACK clients read is in phase all the same")
  func unaligned() {
    forAll(40) { seed, random in
      var studio = Self.warm(.init(frameAlignment: .off))
      let frame = TransportFrame(.random(in: 0...5_000_000, using: &random))
      studio.run(seconds: 0.3, after: .clientLocates(frame: frame))
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect(studio.engine.frame == frame)
      #expect(studio.isShownInPhase(within: .milliseconds(0.003)), "seed \(seed)")
      // Within a period: the transport can only begin where a cycle does.
      #expect(studio.frameError.magnitude <= studio.periodDuration + .milliseconds(0.003), "seed \(seed)")
    }
  }

  @Test("A slow client disturbs a start once: it is corrected, and the next leaves it the time")
  func slowClient() throws {
    try forAll(40) { seed, random in
      var studio = try Self.any(&random)
      let cycles = Int(300 / studio.periodDuration.milliseconds)
      studio.engine.slowClients = [.init(needs: cycles)]
      // So late that it cannot be ready in time.
      studio.engine.locate(to: TransportFrame(.random(in: 0...5_000_000, using: &random)))
      studio.run(seconds: 1)
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      studio.run(seconds: 3)
      #expect(studio.isRolling, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
      #expect(corrections(studio) <= 1, "seed \(seed)")
      studio.run(seconds: 1, after: .clientStops)
      let before = corrections(studio)
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed)")
      if before == 1 { #expect(corrections(studio) == 1, "seed \(seed)") }
    }
  }

  @Test func `A correction does not wait for a later start that a peer stamps meanwhile`() {
    var studio = Self.warm()
    studio.shiftGrid(by: Beats(nanobeats: 1_234_567_890))
    studio.engine.slowClients = [.init(needs: Int(600 / studio.periodDuration.milliseconds))]
    studio.run(seconds: 1, after: .clientLocates(frame: 96_000))
    #expect(studio.run(after: .clientStarts) { corrections($0) == 1 })
    studio.run(seconds: 0.1)
    #expect(studio.run(seconds: 2, after: .peerStarts(in: .milliseconds(20_000))) { $0.isRolling })
    studio.run(seconds: 3)
    #expect(studio.isRolling && studio.frameError.magnitude <= Self.frame)
  }

  @Test(
    "A locate to where the transport was, as a start is put in place, is where that start begins",
    arguments: [LaunchMode.bar, .beat], 0..<4)
  func locateCrossesStart(_ launch: LaunchMode, cycles: Int) {
    var studio = Self.warm(.init(launch: launch, frameAlignment: .exact), period: 1024)
    studio.run(seconds: 1.23, after: .clientLocates(frame: 480_123))
    studio.engine.start()
    #expect(studio.run { if case .relocate = $0.decisions.last?.transport { true } else { false } })
    for _ in 0..<cycles { studio.step() }
    #expect(studio.run(after: .clientLocates(frame: 480_123)) { $0.isRolling })
    #expect(studio.frameError.magnitude <= Self.frame, "\(studio.frameError.microseconds) us")
    studio.run(seconds: 2)
    #expect(corrections(studio) == 0 && studio.isRolling)
    #expect(studio.decisions.allSatisfy { if case .gridMoved = $0.notice { false } else { true } })
  }

  enum Leave: CaseIterable { case atRest, whileHeld, whileRendering }

  @Test("The wait for a slow client is forgotten when a client leaves", arguments: Leave.allCases)
  func slowClientLeaves(_ when: Leave) {
    var studio = Self.warm(period: 1024)
    let needs = HostInterval.seconds(3.5)
    studio.engine.slowClients = [.init(needs: Int(needs.milliseconds / studio.periodDuration.milliseconds))]
    for _ in 0..<2 {
      #expect(studio.run(seconds: 20, after: .clientStarts) { $0.isRolling })
      studio.run(seconds: 8)
      studio.run(seconds: 1, after: .clientStops)
    }
    let leave = { (studio: inout Studio) in
      studio.engine.slowClients = []
      studio.run(seconds: 0.1, after: .command(.clientLeft))
    }
    switch when {
    case .atRest: leave(&studio)
    case .whileHeld: break
    case .whileRendering:
      studio.isFreewheeling = true
      leave(&studio)
      studio.isFreewheeling = false
      studio.run(seconds: 1)
    }
    studio.run(seconds: 0.5, after: .clientStarts)
    if when == .whileHeld { leave(&studio) }
    // A bar, and the time that it takes to put the playhead in place.
    #expect(studio.run(seconds: 2.6) { $0.isRolling })
    #expect(studio.frameError.magnitude <= Self.frame, "\(studio.frameError.microseconds) us")
  }

  private func corrections(_ studio: Studio) -> Int {
    studio.decisions.count { if case .launchCorrected = $0.notice { true } else { false } }
  }

  @Test func `A client that is never ready ends in a timeout, which is reported and not corrected`() {
    var studio = Self.warm(period: 1024)
    studio.engine.slowClients = [.init(needs: nil)]
    studio.engine.timeout = Int(22_000 / studio.periodDuration.milliseconds)
    #expect(studio.run(seconds: 40, after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 2)
    #expect(studio.isRolling)
    #expect(studio.decisions.contains { if case .launchSpoilt = $0.notice { true } else { false } })
    #expect(corrections(studio) == 0)
    #expect(studio.isShownInPhase(within: .milliseconds(0.003)))
  }

  @Test func `A server that ends the bridge's own hold does not disturb it`() {
    var studio = Self.warm()
    studio.engine.timeout = 20
    studio.run(seconds: 5, after: .clientStarts)
    #expect(studio.isRolling && studio.isPlaying)
    #expect(studio.isShownInPhase(within: .milliseconds(0.003)))
  }

  @Test("Where a hold is bounded, the start is armed late: by a stop, and a start when it is time")
  func boundedHold() throws {
    try forAll(20) { seed, random in
      let quantum = try #require(Quantum(beats: 8))
      let hold = HostInterval.seconds(5)
      let tempo = try #require(Tempo(beatsPerMinute: 20))
      var studio = Self.warm(
        .init(quantum: quantum, frameAlignment: .exact, rules: .holding(for: hold)), tempo: tempo)
      studio.engine.timeout = Int(5_000 / studio.periodDuration.milliseconds)
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...8_000_000_000, using: &random)))
      if random.oneIn(2) { studio.engine.start() } else { studio.peerPlays() }
      #expect(studio.run(seconds: 30) { $0.isRolling }, "seed \(seed)")
      #expect(studio.frameError.magnitude <= Self.frame, "seed \(seed): \(studio.frameError.microseconds) us")
      #expect(studio.isPlaying)
    }
  }

  @Test("A start time a minute ahead is waited for; one in the past means the next fitting instant")
  func startTimes() throws {
    var studio = Self.warm()
    let wanted = studio.now + .milliseconds(60_000)
    studio.peerPlays(at: wanted)
    #expect(studio.run(seconds: 70) { $0.isRolling })
    #expect(studio.output >= wanted && studio.output - wanted < .milliseconds(2_100))
    #expect(studio.frameError.magnitude <= Self.frame)

    var late = Self.warm()
    // A press that is older than a join may be the session's state before, for three seconds.
    late.run(seconds: 2.1)
    late.peerPlays(at: late.now - .milliseconds(60_000))
    #expect(late.run(seconds: 2.2) { $0.isRolling })
    #expect(late.frameError.magnitude <= Self.frame)
  }

  @Test func `A JACK client that starts during such a wait has it at the next fitting instant`() throws {
    var studio = Self.warm()
    studio.run(seconds: 1, after: .peerStarts(in: .milliseconds(60_000)))
    #expect(studio.engine.motion == .stopped)
    #expect(studio.run(seconds: 2.2, after: .clientStarts) { $0.isRolling })
    #expect(studio.frameError.magnitude <= Self.frame)
  }

  @Test("While it is held, beats count up to the start from below zero, and the status has the start")
  func countIn() throws {
    var studio = Self.warm()
    studio.run(seconds: 0.1, after: .clientStarts)
    let status = studio.reconciler.status()
    #expect(try #require(status.launch).rollTime == studio.reconciler.pendingLaunch?.rollTime)
    var ahead: [Beats] = []
    studio.run { studio in
      if let launch = studio.reconciler.pendingLaunch { ahead.append(launch.beatsAhead) }
      return studio.isRolling
    }
    #expect(ahead.count > 10)
    #expect(zip(ahead, ahead.dropFirst()).allSatisfy { $0 > $1 })
    #expect(try #require(ahead.last) <= studio.tempo.beats(in: studio.periodDuration))
  }

  @Test("The position that JACK clients will read in the first rolling cycle is kept exact until then")
  func refreshed() {
    var studio = Self.warm()
    studio.run(seconds: 0.2, after: .clientLocates(frame: 96_000))
    studio.run(seconds: 0.1, after: .clientStarts)
    studio.asks = true
    // JACK's prediction wanders, either way.
    for step in [-30_000, 20_000, -25_000] {
      studio.run(seconds: 0.1)
      studio.shiftGrid(by: Beats(nanobeats: Int64(step)))
    }
    #expect(studio.run { $0.isRolling })
    #expect(studio.isShownInPhase(within: .milliseconds(0.003)))
  }

  @Test("A start whose frames are left alone rolls in the first cycle of its beat, also where that moves")
  func movedBeat() {
    for step in [-1_800_000, 0, 1_800_000] {
      var studio = Self.warm(.init(frameAlignment: .off), period: 16)
      studio.run(seconds: 0.1, after: .clientStarts)
      // By then the bridge waits for the cycle that is the nearest.
      studio.run { ($0.reconciler.pendingLaunch?.beatsAhead ?? .one) < Beats(nanobeats: 100_000_000) }
      studio.shiftGrid(by: Beats(nanobeats: Int64(step)))
      #expect(studio.run { $0.isRolling })
      // By so much the cycle is heard after the beat.
      let late = HostInterval.zero - studio.tempo.interval(of: studio.distance(.zero))
      let tolerance = HostInterval.milliseconds(studio.periodDuration.milliseconds / 16)
      #expect(late > .zero - tolerance && late < studio.periodDuration + tolerance, "\(late)")
    }
  }

  @Test func `A roll that began in missed cycles goes on with the bar that was read at rest`() throws {
    var studio = Self.warm()
    studio.run(seconds: 12, after: .clientStarts)
    studio.run(seconds: 1, after: .clientStops)
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(240)))
    let rest = try #require(studio.shown).position.position
    studio.engine.put(.rolling)
    studio.miss(2)
    let way = try studio.entry().position.position - rest
    #expect(way >= .zero && way.doubleValue < 4.5, "\(way)")
  }

  @Test("While another client owns the timebase nothing is held and nothing is mapped", arguments: [0, 1])
  func notOurs(peers: Int) throws {
    var studio = Self.warm()
    studio.owner = .other
    studio.peers = peers
    studio.run(seconds: 0.2, after: .clientLocates(frame: 12_345))
    #expect(studio.run(seconds: 0.05, after: .clientStarts) { $0.isRolling })
    #expect(studio.engine.frame == 12_345)
    studio.run(seconds: 0.2)
    #expect(studio.decisions.allSatisfy { $0.link.beat == nil })
    #expect(studio.isPlaying)
  }

  @Test(
    "A roll that is corrected as it begins goes on with the bar that is read, also where frames count another"
  )
  func mendedBar() throws {
    var studio = Self.warm()
    studio.run(seconds: 12, after: .clientStarts)
    studio.run(seconds: 1, after: .clientStops)
    studio.run(seconds: 1, after: .peerChangesTempo(to: .bpm(240)))
    studio.engine.start()
    #expect(studio.run { $0.engine.motion == .starting && $0.decisions.last?.holdsStart == false })
    #expect(studio.run(after: .stalls(for: .milliseconds(60))) { $0.isRolling })
    let first = try #require(studio.shown).position.position
    let began = studio.decisions.count - 1
    let output = studio.output
    studio.run(seconds: 3)
    let last = try #require(studio.shown).position.position
    #expect(studio.decisions[began...].contains { if case .relocate = $0.transport { true } else { false } })
    let gone = studio.tempo.beats(in: studio.output - output)
    #expect((last - first - gone).magnitude < Beats(nanobeats: 400_000_000), "\(first) to \(last)")
  }

  /// The reports of starts that wait: in how many beats, and whether one was missed.
  private static func promises(_ studio: Studio) -> [(beats: Double, isMissed: Bool)] {
    studio.notices.compactMap { notice in
      switch notice {
      case .transport(.launchWaits(let beats)): (beats.doubleValue, false)
      case .transport(.launchMissed(let beats)): (beats.doubleValue, true)
      default: nil
      }
    }
  }

  @Test func `The report of a start that misses its bar is corrected, and comes true`() throws {
    var studio = Self.warm()
    studio.run(seconds: 0.05, after: .clientStarts)
    let promise = try #require(Self.promises(studio).last).beats
    studio.run(seconds: studio.tempo.interval(of: Beats(promise) ?? .zero).seconds - 0.1)
    #expect(studio.engine.motion == .starting)
    #expect(Self.promises(studio).count == 1)
    studio.run(seconds: 0.1, after: .stalls(for: .milliseconds(700)))
    let told = Self.promises(studio)
    #expect(told.count == 2 && told.last?.isMissed == true, "\(told)")
    let since = studio.now
    #expect(studio.run { $0.isRolling })
    let waited = studio.tempo.beats(in: studio.now - since).doubleValue
    #expect((waited - (try #require(told.last).beats)).magnitude < 0.3, "\(waited), \(told)")
    #expect(Self.promises(studio).count == 2)
  }

  @Test func `A locate while a start is held has a report of how long the start waits from there`() throws {
    var studio = Self.warm()
    studio.run(seconds: 0.6, after: .clientStarts)
    #expect(studio.engine.motion == .starting)
    studio.engine.locate(to: 60_000)
    let since = studio.now
    #expect(studio.run { $0.isRolling })
    let told = Self.promises(studio)
    #expect(told.count == 2 && told.last?.isMissed == false, "\(told)")
    let waited = studio.tempo.beats(in: studio.now - since).doubleValue
    #expect((waited - (try #require(told.last).beats)).magnitude < 0.3, "\(waited), \(told)")
  }

  @Test
  func `That JACK waits for a client that is not ready is reported once, when it is three seconds late`()
    throws
  {
    var studio = Self.warm()
    studio.engine.slowClients = [.init(needs: nil)]
    studio.run(seconds: 0.1, after: .clientStarts)
    let due = try #require(studio.reconciler.pendingLaunch).rollTime
    let late = { (notice: Notice) in
      if case .transport(.clientNotReady(let late)) = notice { late } else { nil as HostInterval? }
    }
    #expect(studio.run(seconds: 12) { !$0.notices.compactMap(late).isEmpty })
    // It is late for two, and has to hold for one.
    for late in [studio.output - due, try #require(studio.notices.compactMap(late).first)] {
      #expect((late - .seconds(3)).magnitude <= studio.periodDuration * 2, "\(late)")
    }
    studio.run(seconds: 5)
    #expect(studio.notices.compactMap(late).count == 1)
  }

  private static func relocations(_ studio: Studio) -> Int {
    studio.decisions.count { if case .relocate = $0.transport { true } else { false } }
  }

  @Test("From frame 0 JACK is put nowhere, but where it would begin a period later otherwise")
  func wholeInPlace() {
    for (rules, count) in [(ServerRules.jackd2, 0), (.pipewire, 1), (.modernPipewire, 1)] {
      var studio = Self.warm(.init(rules: rules))
      // It has rolled before.
      studio.run(after: .clientStarts) { $0.isRolling }
      studio.run(seconds: 1, after: .clientStops)
      studio.run(seconds: 1, after: .clientLocates(frame: 0))
      let before = Self.relocations(studio)
      #expect(studio.run(after: .clientStarts) { $0.isRolling })
      #expect(studio.engine.frame == 0)
      #expect(Self.relocations(studio) - before == count)
    }
  }

  @Test(
    "A start rolls before the place by less than a period, and by one more where the position is a period old",
    arguments: [(.jackd2, 0), (.pipewire, 1), (.modernPipewire, 1)] as [(ServerRules, Int64)])
  func leadIn(rules: ServerRules, age: Int64) {
    for shift in [0, 300_000_000, 1_234_567_890] {
      var studio = SelectionTests.followed(.init(rules: rules), bpm: 120, peers: 1)
      studio.shiftGrid(by: Beats(nanobeats: Int64(shift)))
      studio.run(seconds: 1, after: .clientLocates(frame: 480_000))
      #expect(studio.run(after: .clientStarts) { $0.isRolling })
      let way = TransportFrame(480_000) - studio.engine.frame
      #expect((age * 256...(age + 1) * 256).contains(way.count), "\(way.count)")
      // The owner's position is the one that is heard.
      let late = studio.periodDuration * age
      #expect((studio.frameError.magnitude - late).magnitude <= Self.frame)
    }
  }

  @Test func `An owner that reads something else wherever it is put is waited for once more, and no longer`()
  {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    let regular = SelectionTests.daw(120)
    studio.daw = { frame in
      // Another part of a beat for each frame.
      regular(frame + UInt32((frame.number &* 2_654_435_761) >> 19))
    }
    studio.shiftGrid(by: Beats(nanobeats: 1_234_567_890))
    studio.run(seconds: 1, after: .clientLocates(frame: 480_000))
    #expect(studio.run(seconds: 5, after: .clientStarts) { $0.isRolling })
  }

  @Test(arguments: [20.0, 33.3], FrameAlignment.allCases)
  func `A deadline missed just before a start leaves what is read in phase from the first frame on`(
    stall: Double, alignment: FrameAlignment
  ) throws {
    for frame: TransportFrame in [96_000, 123_456] {
      var studio = Self.warm(.init(frameAlignment: alignment))
      studio.run(seconds: 0.5, after: .clientLocates(frame: frame))
      studio.run(seconds: 0.1, after: .clientStarts)
      let due = try #require(studio.reconciler.pendingLaunch).rollTime
      studio.run { due - $0.output < .milliseconds(150) }
      studio.happen(.stalls(for: .milliseconds(stall)))
      #expect(studio.run { $0.isRolling })
      guard alignment != .off else {
        // JACK asks about the position from there on.
        for _ in 0..<3 { studio.step() }
        #expect(studio.isShownInPhase(within: .milliseconds(0.003)), "\(frame)")
        continue
      }
      #expect(studio.isShownInPhase(within: .milliseconds(0.003)), "\(frame)")
      #expect(studio.frameError.magnitude <= Self.frame, "\(frame)")
    }
  }

  @Test
  func `Where the playhead is in place, but another bar is read there, JACK is asked to go there once more`()
  {
    var studio = Self.warm()
    studio.run(seconds: 0.5, after: .clientLocates(frame: 480_000))
    studio.run(seconds: 0.1, after: .clientStarts)
    // From beat 20 to beat 10, of a bar as near as that, which is just behind the edge of a cycle.
    studio.changeTempo(to: .bpm(60))
    studio.step()
    let way = BeatTime(clamping: 2 - 2e-6) - studio.linkBeat(at: studio.output + studio.periodDuration * 300)
    studio.shiftGrid(by: way)
    #expect(studio.run { $0.isRolling })
    #expect(studio.engine.frame == 480_000)
    #expect(studio.isShownInPhase(within: .milliseconds(0.02)))
    #expect((studio.shown?.exact ?? .zero).doubleValue.rounded() == 18)
  }

  @Test func `A start that is located while it is held, and cancelled, leaves the playhead at that place`() {
    for wait in [0.1, 0.9] {
      var studio = Self.warm()
      studio.run(seconds: 1, after: .clientLocates(frame: 123_456))
      studio.run(seconds: wait, after: .clientStarts)
      studio.run(seconds: 0.3, after: .clientLocates(frame: 252_000))
      #expect(studio.engine.motion == .starting)
      studio.run(seconds: 1, after: .clientStops)
      #expect(studio.engine.motion == .stopped && studio.engine.frame == 252_000)
      let read = (studio.shown?.exact ?? .zero).doubleValue
      #expect((read - 10.5).magnitude < 0.0107, "\(read)")
    }
  }
}
