import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation
@testable import Simulation

/// Link is steered to a timebase owner that plays on JACK's sample clock.
@Suite struct TempoServoTests {
  static let periods: [UInt32] = [64, 256, 1024]

  /// A song whose beats are known exactly. The position that is published may be cut to ticks, noisy or off, by seconds.
  struct Song {
    var tempo: Double
    var declared: Double?
    var ticks: Double?
    var noise = 0.0
    var off = 0.0
    var frame: TransportFrame = 0
    var beat = 0.0

    func beat(at now: TransportFrame) -> Double {
      beat + Double((now - frame).count) / 48_000 / 60 * tempo
    }

    func reading(at now: TransportFrame) -> TimebaseReading {
      var random = Seeded(seed: UInt64(now.number))
      let beat = max(0, beat(at: now) + (off + (random.fraction() * 2 - 1) * noise) * tempo / 60)
      let (whole, tick) = (Int32(beat), (beat - beat.rounded(.down)) * (ticks ?? 1920))
      return TimebaseReading(
        isValid: true, bar: whole / 4 + 1, beat: whole % 4 + 1, tick: Int32(tick), beatsPerBar: 4,
        beatType: 4,
        ticksPerBeat: ticks ?? 1920, beatsPerMinute: declared ?? tempo, tickDouble: ticks == nil ? tick : nil)
    }
  }

  /// A studio in which that leads and rolls, in Link's phase, with or without other peers.
  struct Lead {
    var studio: Studio
    var song: Song { didSet { studio.daw = song.reading } }
    /// When the bridge changed Link's tempo, and how often it moved the beat or asked for that.
    private(set) var commits: [HostTime<LinkClock>] = []
    private(set) var alignments = 0

    init(_ song: Song, link: Tempo? = nil, peers: Int = 0, period: UInt32 = 256, skew: Double = 0) {
      let tempo = link ?? Tempo(clamping: song.tempo) ?? .standard
      studio = Studio(period: period, tempo: tempo, peers: peers, skew: skew)
      studio.latency = .zero
      (studio.owner, studio.daw) = (.other, song.reading)
      studio.engine.put(.rolling)
      studio.cycle()
      self.song = song
    }

    /// How far the owner's beat is ahead of Link's, in microseconds.
    var error: Double {
      let exact = BeatTime(song.beat(at: studio.engine.frame)) ?? .zero
      let way = (exact - studio.session.beat(at: studio.card.time)).shortest(around: .four)
      return way.doubleValue * 60e6 / studio.session.timeline.tempo.beatsPerMinute
    }

    /// From the next cycle on it plays at another tempo, and so many beats further.
    mutating func change(to tempo: Double? = nil, by beats: Double = 0) {
      var next = song
      next.frame = studio.engine.pendingFrame
      next.beat = song.beat(at: next.frame) + beats
      next.tempo = tempo ?? song.tempo
      song = next
    }

    @discardableResult
    mutating func step() -> LinkEdit {
      let edit = studio.step().link
      if edit.tempo != nil { commits.append(studio.card.time) }
      if edit.beat != nil { alignments += 1 }
      return edit
    }

    mutating func run(seconds: Double, _ each: (borrowing Lead) -> Void = { _ in }) {
      let end = studio.card.time + .seconds(seconds)
      while studio.card.time < end {
        step()
        each(self)
      }
    }
  }

  @Test(
    "For minutes, with a sound card that is off, the error stays in bounds with few commits",
    arguments: periods,
    [(120, 1e-4), (133.7, -1e-4), (97.3, 1e-4), (20, 1e-4), (999, -1e-4), (998.5, 7.7e-6)])
  func steady(period: UInt32, owner: (tempo: Double, skew: Double)) {
    var lead = Lead(Song(tempo: owner.tempo, noise: 20e-6), period: period, skew: owner.skew)
    lead.run(seconds: 8)
    var errors: [Double] = []
    let before = lead.commits.count
    lead.run(seconds: period == 64 ? 100 : 300) { errors.append(abs($0.error)) }
    errors.sort()
    #expect(errors.last ?? .infinity < 300)
    #expect(errors[errors.count / 2] < 100)
    #expect(lead.commits.count - before <= 15)
    #expect(lead.alignments <= 1)
  }

  @Test("A twentieth of a second that is measured wrongly moves Link little", arguments: periods, [-1, 1.0])
  func outlier(period: UInt32, side: Double) {
    var lead = Lead(Song(tempo: 120), period: period, skew: 1e-4)
    lead.run(seconds: 20)
    lead.song.off = side * 0.005
    lead.run(seconds: 0.05)
    lead.song.off = 0
    var worst = 0.0
    lead.run(seconds: 10) { worst = max(worst, abs($0.error)) }
    #expect(worst < 130)
  }

  @Test func `Between two commits that no new tempo explains there is at least a second`() {
    forAll(12) { seed, random in
      let song = Song(
        tempo: .random(in: 21...998, using: &random), declared: 77, ticks: random.oneIn(2) ? 1920 : nil,
        noise: 20e-6)
      var lead = Lead(song, skew: .random(in: -1e-4...1e-4, using: &random))
      lead.run(seconds: 61)
      for (commit, next) in zip(lead.commits, lead.commits.dropFirst()) {
        #expect(next - commit >= .seconds(1), "seed \(seed)")
      }
      #expect(lead.commits.count <= 8, "seed \(seed)")
    }
  }

  @Test(
    "A new tempo of the owner is in Link within 110 ms, and the beats still agree", arguments: periods,
    [true, false])
  func step(period: UInt32, isDeclared: Bool) {
    var lead = Lead(Song(tempo: 100, declared: isDeclared ? nil : 133.7), period: period)
    lead.run(seconds: 4)
    for tempo in [110, 95.0] {
      lead.change(to: tempo)
      lead.run(seconds: 0.11)
      #expect(abs(lead.studio.tempo.beatsPerMinute - tempo) < 0.05)
      #expect(abs(lead.error) < 100)
      lead.run(seconds: 3)
      #expect(abs(lead.error) < 300)
    }
    #expect(lead.alignments <= 1)
  }

  @Test(
    "With 1920 whole ticks and nothing declared the beats agree again a second after a new tempo",
    arguments: periods)
  func coarseStep(period: UInt32) {
    var lead = Lead(Song(tempo: 100, declared: 133.7, ticks: 1920), period: period)
    lead.run(seconds: 4)
    for tempo in [110, 95.0] {
      lead.change(to: tempo)
      lead.run(seconds: 0.15)
      #expect(abs(lead.studio.tempo.beatsPerMinute - tempo) < 0.005 * tempo)
      lead.run(seconds: 1.2)
      // Ticks are cut, so the owner is up to a tick, 330 us, ahead of its published position.
      lead.run(seconds: 2) { #expect(abs($0.error) < 700) }
    }
  }

  @Test("A place elsewhere is one alignment, and no tempo", arguments: periods)
  func locate(period: UInt32) {
    var lead = Lead(Song(tempo: 120), period: period)
    lead.run(seconds: 2)
    let (commits, alignments) = (lead.commits.count, lead.alignments)
    lead.change(by: 1.3)
    lead.run(seconds: 0.4)
    #expect(lead.alignments == alignments + 1)
    #expect(abs(lead.error) < 100)
    lead.run(seconds: 30)
    #expect(lead.alignments == alignments + 1)
    #expect(lead.commits.count == commits)
  }

  @Test(
    "An alignment that peers do not grant is requested once, and its error held until they are gone",
    arguments: [0.5, 2])
  func refused(beats: Double) {
    var lead = Lead(Song(tempo: 120, noise: 20e-6), peers: 1, skew: 5e-5)
    lead.run(seconds: 2)
    let alignments = lead.alignments
    lead.change(by: beats)
    lead.run(seconds: 60) {
      if $0.alignments > alignments { #expect(abs(abs($0.error) - beats * 500_000) < 600) }
    }
    #expect(lead.alignments == alignments + 1)
    #expect(lead.commits.count <= 5)
    lead.studio.peers = 0
    lead.run(seconds: 1)
    #expect(lead.alignments == alignments + 2)
    #expect(abs(lead.error) < 300)
  }

  @Test func `A few milliseconds that peers do not grant are steered away gently`() {
    var lead = Lead(Song(tempo: 120), peers: 1)
    lead.run(seconds: 2)
    lead.change(by: 0.01)
    lead.run(seconds: 20) { #expect(abs($0.studio.tempo.beatsPerMinute - 120) < 0.07) }
    #expect(abs(lead.error) < 150)
    #expect(lead.commits.count <= 6)
  }

  @Test(
    "An alignment that peers do not grant is not asked for again while some errors are small enough for steering"
  )
  func refusedNowAndThen() throws {
    let estimate = OwnerTempoEstimate(
      folded: try #require(FoldedTempo(beatsPerMinute: 120)), uncertainty: 0.02, isDeclared: true)
    var servo = TempoServo(quantum: try #require(Quantum(beats: 4)))
    var alignments = 0
    for cycle in 0..<6000 {
      let time = HostTime<LinkClock>(nanoseconds: Int64(cycle) * 5_000_000)
      // 2.2 and 1.9 ms.
      let error = Beats(nanobeats: cycle % 130 < 30 ? 4_400_000 : 3_800_000)
      let action = servo.update(
        error: error, owner: .steady(estimate), link: .standard, time: time, steers: false)
      if case .align = action { alignments += 1 }
    }
    #expect((1...6).contains(alignments), "\(alignments) in 30 s")
  }

  @Test(
    "After an alignment or a new tempo, too, two measurements distinguish a jump from a late cycle",
    arguments: [true, false])
  func lateCycle(isAligned: Bool) throws {
    let estimates = try [120.0, 100].map {
      OwnerTempoEstimate(
        folded: try #require(FoldedTempo(beatsPerMinute: $0)), uncertainty: 0.02, isDeclared: true)
    }
    var servo = TempoServo(quantum: try #require(Quantum(beats: 4)))
    var (link, last, alignments) = (Tempo.standard, isAligned ? 600 : 225, 0)
    for cycle in 0..<600 {
      let time = HostTime<LinkClock>(nanoseconds: Int64(cycle) * 5_000_000)
      // 10 ms, until the first measurement after the change.
      let error = Beats(nanobeats: cycle > 205 && cycle < last ? 20_000_000 : 0)
      let owner = estimates[isAligned || cycle < 217 ? 0 : 1]
      switch servo.update(error: error, owner: .steady(owner), link: link, time: time, isHeeded: true) {
      case .none: break
      case .tempo(let edit): link = edit.tempo
      case .align:
        alignments += 1
        last = cycle + 71
      }
    }
    #expect(alignments == (isAligned ? 1 : 0))
    #expect(link == estimates[isAligned ? 0 : 1].folded.tempo)
  }

  /// A servo by itself, with an owner that declares 120 bpm, and Link: nothing disturbs them.
  private struct Loop {
    private var servo = TempoServo(quantum: .four)
    private let estimate: OwnerTempoEstimate
    private var link = Tempo.standard
    private var time = HostTime<LinkClock>(nanoseconds: 0)
    /// How far the owner's beat is ahead of Link's, and how fast that grows where Link has the declared tempo, in
    /// seconds.
    private(set) var error: Double
    private let drift: Double
    /// The tempos that Link was given, in microseconds per beat.
    private(set) var commits: [Int64] = []

    init(error: Double, drift: Double = 0) throws {
      estimate = OwnerTempoEstimate(
        folded: try #require(FoldedTempo(beatsPerMinute: 120)), uncertainty: 0.02, isDeclared: true)
      (self.error, self.drift) = (error, drift)
    }

    mutating func run(seconds: Double, uncertainty: Double = 0, isRolling: Bool = true) {
      for _ in 0..<Int(seconds * 200) {
        time = time + .milliseconds(5)
        error += 0.005 * (1 + drift - link.beatsPerMinute / 120)
        let action = servo.update(
          error: isRolling ? link.beats(in: .seconds(error)) : nil, owner: .steady(estimate), link: link,
          time: time, isStopped: !isRolling, uncertainty: uncertainty)
        guard case .tempo(let edit) = action else { continue }
        link = edit.tempo
        commits.append(link.microsecondsPerBeat)
      }
    }
  }

  @Test(
    "An error that can be heard is steered away in six seconds, a small one in minutes, and the least is left alone",
    arguments: [1.0, -1])
  func correction(side: Double) throws {
    for (error, commit, seconds) in [
      (1.9e-3, 158, 6.1), (1e-3, 83, 6.1), (1.6e-4, 13, 6.1), (1.4e-4, 1, 75), (9e-5, 0, 0),
    ] {
      var loop = try Loop(error: error * side)
      loop.run(seconds: 1)
      #expect(loop.commits.isEmpty, "\(error): a line of less than a second shows no drift")
      loop.run(seconds: 0.15)
      let away = Double(500_000 - (loop.commits.first ?? 500_000)) * side
      #expect(
        (away - Double(commit)).magnitude <= 1 && loop.commits.isEmpty == (commit == 0), "\(error): \(away)")
      loop.run(seconds: seconds)
      #expect(commit == 0 || loop.error.magnitude < 3e-5, "\(error): \(loop.error) left")
      // It has the owner's tempo again, or a neighbour of that.
      #expect(((loop.commits.last ?? 500_000) - 500_000).magnitude <= 1, "\(error): \(loop.commits)")
      loop.run(seconds: 20)
      #expect(loop.commits.count == min(commit, 2), "\(error): \(loop.commits)")
    }
  }

  @Test(
    "An error that shrinks by itself is left alone where it will be gone soon enough", arguments: [1.0, -1])
  func shrinking(side: Double) throws {
    for (error, drift, isSoon) in [
      (1e-3, -1.1e-4, true), (1e-3, -0.9e-4, false), (1.4e-4, -4e-7, true), (1.4e-4, -3e-7, false),
    ] {
      var loop = try Loop(error: error * side, drift: drift * side)
      loop.run(seconds: 8)
      #expect(loop.commits.isEmpty == isSoon, "\(error), \(drift): \(loop.commits)")
    }
  }

  @Test(
    "Where a session does not align an error, up to ten milliseconds are steered away, at 1 : 2000",
    arguments: [1.0, -1])
  func notAligned(side: Double) throws {
    for (error, drift, commit) in [
      (9.5e-3, 0, 250), (4e-3, 0, 250), (9.5e-3, -3.9e-4, 55), (9.5e-3, -4.1e-4, 0),
    ] {
      var loop = try Loop(error: error * side, drift: drift * side)
      // It is asked for first.
      loop.run(seconds: 1.3)
      #expect(loop.commits.isEmpty, "\(error), \(drift)")
      loop.run(seconds: 0.4)
      let away = Double(500_000 - (loop.commits.first ?? 500_000)) * side
      // Of what a sound card makes of the tempo.
      #expect(
        (away - Double(commit)).magnitude <= 5 && loop.commits.count <= 1, "\(error), \(drift): \(away)")
    }
  }

  @Test(
    "At a stop Link gets the tempo back that steering has changed, a second after the last change",
    arguments: [1.0, -1])
  func settled(side: Double) throws {
    var loop = try Loop(error: 1e-3 * side)
    loop.run(seconds: 1.2)
    #expect(loop.commits.count == 1)
    loop.run(seconds: 0.9, isRolling: false)
    #expect(loop.commits.count == 1)
    loop.run(seconds: 0.3, isRolling: false)
    #expect(loop.commits.count == 2 && loop.commits.last == 500_000)
    loop.run(seconds: 3, isRolling: false)
    #expect(loop.commits.count == 2)
  }

  @Test("An error that may be noise is not steered", arguments: [1.0, -1])
  func noise(side: Double) throws {
    for (error, commit) in [(2e-4, nil), (2.4e-4, 1), (2.8e-4, 23)] as [(Double, Int64?)] {
      var loop = try Loop(error: error * side)
      loop.run(seconds: 1.15, uncertainty: 1.1e-4)
      let away = loop.commits.first.map { (500_000 - $0) * Int64(side) }
      #expect(commit.map { ((away ?? 0) - $0).magnitude <= 1 } ?? (away == nil), "\(error): \(loop.commits)")
    }
  }

  @Test(
    "A sound card that is off has Link go at the tempo that it makes of the owner's", arguments: [1.0, -1])
  func skewed(side: Double) throws {
    for drift in [4e-4, 1e-4, 2e-5] {
      var loop = try Loop(error: 0, drift: drift * side)
      loop.run(seconds: 30)
      let exact = 500_000 / (1 + drift * side)
      #expect((Double(loop.commits.last ?? 0) - exact).magnitude <= 2, "\(drift): \(loop.commits)")
      #expect(loop.error.magnitude < 1.5e-4 && loop.commits.count <= 4, "\(drift): \(loop.commits)")
    }
  }

  @Test func `Tempos follow one another in a tenth of a second, but for a start's, once in a second`() throws
  {
    var servo = TempoServo(quantum: .four)
    var link = Tempo.standard
    for (seconds, tempo, isStarting, isTaken) in [
      (0, 120, false, false), (1, 110, false, true), (1.05, 100, false, false), (1.06, 100, true, true),
      (1.09, 90, true, false), (1.15, 90, true, false), (1.17, 90, true, true), (2, 80, false, true),
      (2.05, 70, true, false), (3, 60, false, true), (3.02, 50, true, true), (3.11, 40, false, false),
      (3.13, 40, false, true),
    ] as [(Double, Double, Bool, Bool)] {
      let estimate = OwnerTempoEstimate(
        folded: try #require(FoldedTempo(beatsPerMinute: tempo)), uncertainty: 0.02, isDeclared: true)
      let action = servo.update(
        error: nil, owner: .steady(estimate), link: link,
        time: HostTime(nanoseconds: 0) + .seconds(10 + seconds),
        isStarting: isStarting)
      if case .tempo(let edit) = action { link = edit.tempo }
      #expect((action != .none) == isTaken, "at \(seconds) s")
    }
  }

  @Test(
    "A new tempo is dated back to when the beats began to part, for a second and a half at most",
    arguments: [
      (100.0, 0.3, 0.3), (100, 1.4, 1.4), (100, 1.6, 0), (100, -0.3, 0), (126, 0.8, 0.8), (126, 0, 0),
    ])
  func datedBack(tempo: Double, ago: Double, expected: Double) throws {
    let estimates = try [120, tempo].map {
      OwnerTempoEstimate(
        folded: try #require(FoldedTempo(beatsPerMinute: $0)), uncertainty: 0.02, isDeclared: true)
    }
    var servo = TempoServo(quantum: .four)
    var time = HostTime<LinkClock>(nanoseconds: 10_000_000_000)
    for _ in 0..<10 {
      let action = servo.update(error: .zero, owner: .steady(estimates[0]), link: .standard, time: time)
      #expect(action == .none)
      time = time + .milliseconds(5)
    }
    let action = servo.update(
      error: Beats((tempo - 120) / 60 * ago), owner: .steady(estimates[1]), link: .standard, time: time)
    guard case .tempo(let edit) = action else { throw Unchanged() }
    #expect(edit.tempo.isSameOnTheWire(as: .bpm(tempo)))
    // As exact as whole microseconds of a beat are.
    #expect((time - edit.time - .seconds(expected)).magnitude < .milliseconds(0.05), "\(time - edit.time)")
  }

  private struct Unchanged: Error {}

  @Test("TEMPO-3: that a tempo is known better pushes nothing into a session with another, a new tempo does")
  func knownBetter() throws {
    let quantum = try #require(Quantum(beats: 4))
    let link = try #require(Tempo(beatsPerMinute: 240))
    var servo = TempoServo(quantum: quantum)
    var time = HostTime<LinkClock>(nanoseconds: 0)
    /// The actions in a second in which the owner is seen to have this tempo.
    func actions(_ beatsPerMinute: Double, isDeclared: Bool) throws -> [TempoServo.Action] {
      let estimate = OwnerTempoEstimate(
        folded: try #require(FoldedTempo(beatsPerMinute: beatsPerMinute)), uncertainty: 0.02,
        isDeclared: isDeclared)
      return (0..<200).map { _ in
        time = time + HostInterval.milliseconds(5)
        return servo.update(error: .zero, owner: .steady(estimate), link: link, time: time)
      }
    }
    // While JACK's clock catches up after a missed deadline a measurement is off by some hundred millionths.
    for (tempo, isDeclared) in [(99.93, false), (100.0, true), (100.05, false), (100, false), (100, true)] {
      let actions = try actions(tempo, isDeclared: isDeclared)
      #expect(actions.allSatisfy { $0 == .none }, "\(tempo)")
      #expect(!servo.isEngaged)
    }
    for (tempo, isDeclared) in [(100.1, true), (101, false)] {
      let changes = try actions(tempo, isDeclared: isDeclared).filter { $0 != .none }
      #expect(changes.count >= 1, "\(tempo)")
      servo = TempoServo(quantum: quantum)
      _ = try actions(100, isDeclared: true)
    }
  }

  @Test
  func `A session that has the owner's tempo gets one that differs by a thousandth in a tenth of a second`()
    throws
  {
    var servo = TempoServo(quantum: .four)
    for (seconds, tempo, isTaken) in [(0, 120, false), (0.2, 120.03, false), (0.3, 120.1, true)] {
      let estimate = OwnerTempoEstimate(
        folded: try #require(FoldedTempo(beatsPerMinute: tempo)), uncertainty: 0.02, isDeclared: false)
      let action = servo.update(
        error: .zero, owner: .steady(estimate), link: .standard,
        time: HostTime(nanoseconds: 0) + .seconds(10 + seconds))
      #expect((action != .none) == isTaken, "\(tempo)")
    }
  }

  @Test func `TEMPO-3: joining a session with another tempo pushes nothing until the owner's changes`() {
    var lead = Lead(Song(tempo: 120), link: .bpm(128), peers: 1, skew: 1e-4)
    lead.run(seconds: 30)
    #expect(lead.commits.isEmpty && lead.alignments == 0)
    lead.change(to: 121)
    lead.run(seconds: 0.15)
    #expect(lead.studio.tempo.microsecondsPerBeat == 495_868)
  }

  @Test func `Joining a session with the owner's tempo steers it, and commits nothing for it`() {
    var lead = Lead(Song(tempo: 120), peers: 1, skew: 1e-4)
    lead.run(seconds: 2)
    #expect(lead.commits.isEmpty)
    lead.run(seconds: 30)
    #expect(abs(lead.error) < 300)
  }

  @Test(arguments: [true, false])
  func `The tempo of a peer is let be, until the owner's changes or the user wants it`(isImposed: Bool) {
    var lead = Lead(Song(tempo: 120), peers: 1)
    lead.run(seconds: 2)
    lead.studio.changeTempo(to: .bpm(100))
    lead.run(seconds: 30)
    #expect(lead.commits.isEmpty)
    if isImposed { lead.studio.command = .imposeJACK } else { lead.change(to: 122) }
    lead.run(seconds: 0.15)
    #expect(abs(lead.studio.tempo.beatsPerMinute - (isImposed ? 120 : 122)) < 0.001)
  }

  @Test(
    "TEMPO-1: a new tempo of an owner that is stopped is in Link, and a commit while stopped is the only one")
  func resting() {
    var lead = Lead(Song(tempo: 120))
    lead.run(seconds: 2)
    let commits = lead.commits.count
    lead.studio.engine.put(.stopped)
    lead.studio.asks = true
    lead.change(to: 90)
    lead.run(seconds: 5)
    #expect(lead.studio.tempo.isSameOnTheWire(as: .bpm(90)))
    #expect(lead.commits.count == commits + 1)
  }

  @Test(
    "A roll after a stop is measured anew: it is steered after a second, and aligned after a second measurement",
    arguments: [0.0004, 0.001, 0.1])
  func measuredAnew(error: Double) {
    var lead = Lead(Song(tempo: 120))
    lead.run(seconds: 5)
    // It stops as a first measurement has shown a jump.
    lead.song.off = 0.01
    lead.run(seconds: 0.052)
    lead.song.off = 0
    lead.studio.engine.put(.stopped)
    lead.run(seconds: 0.1)
    lead.studio.engine.put(.rolling)
    lead.step()
    lead.studio.shiftGrid(by: Beats(lead.error * 2e-6 - error * 2) ?? .zero)
    let (commits, alignments) = (lead.commits.count, lead.alignments)
    lead.run(seconds: error < 0.002 ? 0.95 : 0.09)
    #expect(lead.commits.count == commits && lead.alignments == alignments)
    lead.run(seconds: 6)
    #expect(abs(lead.error) < 200)
  }

  @Test func `An owner without a tempo changes nothing in Link`() {
    forAll(20) { seed, random in
      var lead = Lead(Song(tempo: 120, declared: 120))
      lead.run(seconds: 2)
      let (commits, alignments) = (lead.commits.count, lead.alignments)
      let isFrozen = random.oneIn(2)
      for _ in 0..<2000 {
        lead.change(to: isFrozen ? 0 : .random(in: 20...900, using: &random))
        lead.step()
      }
      // A jump may look like a tempo for the moment in which nothing contradicts it.
      #expect(lead.commits.count <= commits + 1, "seed \(seed)")
      #expect(lead.alignments <= alignments + 1, "seed \(seed)")
    }
  }

  @Test func `In any order of events, commits are whole microseconds, in the last seconds, and not many`() {
    forAll(60) { seed, random in
      var lead = Lead(
        Song(tempo: .random(in: 5...4000, using: &random), noise: 20e-6), peers: random.oneIn(2) ? 1 : 0,
        period: Self.periods.randomElement(using: &random) ?? 256,
        skew: .random(in: -1e-4...1e-4, using: &random))
      var last: HostTime<LinkClock>?
      var isImposed = false
      for _ in 0..<5000 {
        if random.oneIn(500) { lead.change(to: .random(in: 5...4000, using: &random)) }
        if random.oneIn(500) { lead.change(by: .random(in: 0...50, using: &random)) }
        if random.oneIn(500) {
          lead.studio.command = .imposeJACK
          isImposed = true
        }
        if random.oneIn(800) {
          lead.studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
        }
        if random.oneIn(800) { lead.studio.changeTempo(to: .bpm(.random(in: 20...999, using: &random))) }
        guard let edit = lead.step().tempo else { continue }
        let now = lead.studio.now
        // As it is played now, or as the next cycle is.
        let latest = now + lead.studio.periodDuration + HostInterval(microseconds: 3)
        if let last, !isImposed { #expect(now - last >= .milliseconds(95), "seed \(seed)") }
        last = now
        isImposed = false
        let exact = 60e6 / Double(edit.tempo.microsecondsPerBeat)
        #expect(abs(edit.tempo.beatsPerMinute - exact) < 0.0011, "seed \(seed)")
        #expect(edit.time <= latest && now - edit.time < .seconds(1.6), "seed \(seed)")
      }
    }
  }
}
