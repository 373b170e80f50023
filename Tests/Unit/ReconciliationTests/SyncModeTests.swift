import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// The leading side, of which there is only one.
@Suite struct SelectionTests {
  /// A program that owns the timebase, in one tempo from frame 0 on.
  static func daw(
    _ beatsPerMinute: Double, beatsPerBar: Int32 = 4, beatType: Int32 = 4, from frame: TransportFrame = 0,
    at beat: Double = 0
  ) -> (TransportFrame) -> TimebaseReading {
    { now in
      let minutes = Double((now.sinceZero - frame.sinceZero).count) / 48_000 / 60
      let beats = max(0, beat + minutes * beatsPerMinute)
      let whole = beats.rounded(.down)
      let tick = (beats - whole) * 1920
      return TimebaseReading(
        isValid: true, bar: Int32(whole) / beatsPerBar + 1, beat: Int32(whole) % beatsPerBar + 1,
        tick: Int32(tick),
        beatsPerBar: Float(beatsPerBar), beatType: Float(beatType), ticksPerBeat: 1920,
        beatsPerMinute: beatsPerMinute, tickDouble: tick)
    }
  }

  /// A studio in which another client owns the timebase.
  static func followed(
    _ configuration: Reconciler.Configuration = .init(), bpm: Double, peers: Int, tempo: Tempo = .standard
  ) -> Studio {
    var studio = Studio(configuration, tempo: tempo, peers: peers)
    studio.daw = daw(bpm)
    studio.run(seconds: 1, after: .clientLocates(frame: 0))
    return studio
  }

  /// The program goes on at another tempo from the current cycle on.
  static func changeTempo(_ studio: inout Studio, from before: Double, to new: Double) {
    let frame = studio.engine.frame
    studio.daw = daw(new, from: frame, at: Double(frame.number) / 48_000 / 60 * before)
  }

  /// How far the program's beat is from Link's in the current cycle.
  static func phaseError(_ studio: Studio) -> HostInterval {
    guard let daw = studio.daw, case .position(let position) = daw(studio.engine.frame).check() else {
      return .milliseconds(1e9)
    }
    let quantum = studio.reconciler.configuration.quantum
    let link = studio.linkBeat(at: studio.output).phase(in: quantum)
    return studio.tempo.interval(of: position.beat.phase(in: quantum).distance(from: link))
  }

  @Test func `Alone, Link has JACK's tempo and phase soon after it rolls, and keeps them`() {
    var studio = Self.followed(bpm: 133.7, peers: 0)
    studio.run(seconds: 3, after: .clientStarts)
    #expect(studio.reconciler.leader == .jack)
    #expect((studio.tempo.beatsPerMinute - 133.7).magnitude < 0.05)
    var worst = HostInterval.zero
    studio.run(seconds: 20) {
      worst = max(worst, Self.phaseError($0).magnitude)
      return false
    }
    #expect(worst <= .milliseconds(0.3), "\(worst.microseconds) us")
  }

  @Test func `The status has JACK's tempo and phase while it leads, and the phase while it rolls`() throws {
    var studio = Self.followed(bpm: 100, peers: 1)
    #expect(try #require(studio.reconciler.status().follow).phaseError == nil)
    studio.run(seconds: 5, after: .clientStarts)
    let follow = try #require(studio.reconciler.status().follow)
    #expect(follow.isDifferent && follow.phaseError != nil)
    #expect((try #require(follow.tempo).tempo.beatsPerMinute - 100).magnitude < 0.05)
    studio.owner = .me
    studio.run(seconds: 0.1)
    #expect(studio.reconciler.status().follow == nil)
  }

  @Test func `The tempo that steering has put on Link goes with the lead`() {
    var studio = Self.followed(bpm: 120, peers: 0)
    studio.run(seconds: 3, after: .clientStarts)
    studio.shiftGrid(by: Beats(nanobeats: 800_000))
    #expect(studio.run(seconds: 10) { !$0.tempo.isSameOnTheWire(as: .standard) })
    studio.owner = .me
    studio.run(seconds: 0.1)
    #expect(studio.tempo.isSameOnTheWire(as: .standard))
  }

  @Test func `The first position of an owner that was silent is news, and so is another leader`() {
    var studio = Studio(peers: 1)
    studio.daw = { _ in .absent }
    studio.run(seconds: 1)
    for change in ["a position", "the bridge owns the timebase"] {
      let before = studio.decisions.count
      if change == "a position" { studio.daw = Self.daw(120) } else { studio.owner = .me }
      studio.run(seconds: 0.5, after: .clientLocates(frame: 96_000))
      #expect(studio.decisions.dropFirst(before).count { $0.isNews } == 1, "\(change)")
      studio.run(seconds: 1)
    }
  }

  @Test func `TEMPO-3: a session with another tempo keeps it until JACK's changes`() {
    var studio = Self.followed(bpm: 100, peers: 1)
    studio.engine.start()
    // There is no phase to wait for.
    #expect(studio.run(seconds: 0.1) { $0.isRolling })
    studio.run(seconds: 5)
    #expect(studio.isRolling)
    #expect(studio.decisions.allSatisfy { $0.link.tempo == nil && $0.link.beat?.isForced != true })
    #expect(studio.decisions.count { if case .differentTempos = $0.gridNotice { true } else { false } } == 1)
    Self.changeTempo(&studio, from: 100, to: 110)
    studio.run(seconds: 0.15)
    #expect((studio.tempo.beatsPerMinute - 110).magnitude < 0.05)
    #expect(!studio.hasMovedPeers)
  }

  @Test func `With peers a start under JACK's lead waits for its phase`() {
    forAll(30) { seed, random in
      var studio = Self.followed(bpm: 120, peers: 1)
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      studio.engine.locate(to: TransportFrame(.random(in: 0...5_000_000, using: &random)))
      studio.run(seconds: 0.5)
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.1), "seed \(seed)")
      studio.run(seconds: 5)
      #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3), "seed \(seed)")
      #expect(!studio.hasMovedPeers, "seed \(seed)")
    }
  }

  /// Starts and stops three times, each in phase after three seconds, and returns how often an owner's roll
  /// was corrected so far.
  private static func correctionsInThreeStarts(_ studio: inout Studio) -> Int {
    for round in 0..<3 {
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "round \(round)")
      studio.run(seconds: 3)
      #expect(studio.isRolling, "round \(round)")
      #expect(phaseError(studio).magnitude <= .milliseconds(0.3), "round \(round)")
      studio.run(seconds: 1, after: .clientStops)
    }
    return studio.decisions.count { if case .ownerCorrected = $0.notice { true } else { false } }
  }

  @Test(
    "An owner that is ahead of itself while it waits is brought into phase once at most, and by whole periods never",
    arguments: [(256, 0), (768, 0), (700, 1), (4096, 1)] as [(UInt32, Int)])
  func leadingOwner(lead: UInt32, most: Int) {
    var studio = Self.followed(bpm: 120, peers: 1)
    studio.dawLead.frames = lead
    studio.run(seconds: 0.5, after: .clientLocates(frame: 96_000))
    let corrections = Self.correctionsInThreeStarts(&studio)
    #expect(corrections == most)
    #expect(!studio.hasMovedPeers)
  }

  @Test func `An owner that for ever declares the first tempo of its map comes into phase like any other`() {
    var studio = Self.followed(bpm: 120, peers: 0)
    let truth = Self.daw(120)
    studio.daw = { frame in
      var reading = truth(frame)
      reading.beatsPerMinute = 90
      return reading
    }
    studio.dawLead.frames = 768
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    // Its tempo is learnt alone, and others join.
    studio.run(seconds: 5)
    studio.run(seconds: 1, after: .clientStops)
    studio.run(seconds: 3, after: .peersJoin(1, nil), .clientLocates(frame: 96_000))
    let corrections = Self.correctionsInThreeStarts(&studio)
    #expect(corrections <= 1)
  }

  /// How far the beats of a program that plays by a DAW's published position are from Link's, from this cycle
  /// on, in which it has begun to roll.
  private static func beatsOfReader(_ studio: inout Studio, seconds: Double) -> [HostInterval] {
    // The position in the first one was published while it waited.
    var asked = studio.engine.frame
    var errors = [beatOfReader(studio, asked: asked)]
    studio.run(seconds: seconds) { studio in
      errors.append(beatOfReader(studio, asked: asked))
      asked = studio.engine.frame
      return false
    }
    return errors.compactMap { $0 }
  }

  /// The same of one cycle; `nil` where there is no beat in it.
  private static func beatOfReader(_ studio: Studio, asked: TransportFrame) -> HostInterval? {
    guard let daw = studio.daw, case .position(let read) = daw(asked).check() else { return nil }
    let way = read.beat.doubleValue.rounded(.up) - read.beat.doubleValue
    guard way < studio.tempo.beats(in: studio.periodDuration).doubleValue else { return nil }
    let link = studio.linkBeat(at: studio.output).doubleValue + way
    return studio.tempo.interval(of: Beats(nanobeats: Int64((link - link.rounded()) * 1e9)))
  }

  @Test(
    "Where what an owner says is read a period later, its first start is in phase, too, and left where it is")
  func lateOwner() {
    forAll(30) { seed, random in
      var studio = Self.followed(.init(rules: .pipewire), bpm: 120, peers: 1)
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      let bar = TransportFrame(96_000 * .random(in: 0...50, using: &random))
      studio.engine.locate(
        to: random.oneIn(2) ? bar : TransportFrame(.random(in: 0...5_000_000, using: &random)))
      studio.run(seconds: 0.5)
      for round in 0..<2 {
        // In any case, the bar that a start is for is played once. Frame 0 has no room for it.
        let isBar = studio.engine.frame.number.isMultiple(of: 96_000) && studio.engine.frame != 0
        #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed), round \(round)")
        let beats = Self.beatsOfReader(&studio, seconds: 3)
        for error in beats where isBar {
          #expect(
            error.magnitude < .milliseconds(0.5), "seed \(seed), round \(round): a beat is off by \(error)")
        }
        #expect(beats.count >= 5, "seed \(seed), round \(round)")
        // The position that is read is Link's beat.
        let error = Self.phaseError(studio) - studio.periodDuration
        #expect(
          error.magnitude <= .milliseconds(0.3), "seed \(seed), round \(round): \(error.microseconds) us")
        studio.run(seconds: 1, after: .clientStops)
      }
      #expect(studio.decisions.allSatisfy { if case .ownerCorrected = $0.notice { false } else { true } })
      #expect(!studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test(arguments: [0, 768])
  func `A locate while an owner leads and rolls waits for its phase, and skips nothing`(lead: UInt32) {
    forAll(20) { seed, random in
      var studio = Self.followed(bpm: 120, peers: 1)
      studio.dawLead.frames = lead
      studio.run(seconds: 1)
      #expect(studio.run(after: .clientStarts) { $0.isRolling }, "seed \(seed)")
      studio.run(seconds: 3)
      // Half a bar from where it would go on.
      let frame = TransportFrame(
        .random(in: 20...200, using: &random) * 96_000 + (studio.engine.frame.number + 48_000) % 96_000)
      studio.engine.locate(to: frame)
      #expect(studio.run { $0.engine.motion == .starting }, "seed \(seed)")
      #expect(studio.run { $0.isRolling }, "seed \(seed)")
      let way = (studio.engine.frame - frame).count
      #expect(way.magnitude <= 256, "seed \(seed): \(way) frames from \(frame)")
      studio.run(seconds: 2)
      #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3), "seed \(seed)")
      #expect(studio.decisions.allSatisfy { if case .ownerCorrected = $0.notice { false } else { true } })
    }
  }

  @Test("An owner with a tempo of its own is not taken for one that is ahead of itself while it waits")
  func ownTempo() {
    var studio = Self.followed(bpm: 81, peers: 1)
    studio.run(seconds: 1)
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 5)
    Self.changeTempo(&studio, from: 81, to: 110)
    studio.run(seconds: 5)
    studio.run(seconds: 1, after: .clientStops)
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 3)
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3))
    #expect(studio.decisions.count { if case .ownerCorrected = $0.notice { true } else { false } } == 0)
  }

  @Test(
    "A deadline that is missed as a roll begins with an owner is made up for once it is over, and told as that",
    arguments: [-0.05, 0.3, 1.5])
  func disturbedOwner(after seconds: Double) {
    var studio = Self.followed(bpm: 120, peers: 1)
    studio.run(seconds: 1)
    studio.engine.start()
    #expect(studio.run { $0.isRolling || (seconds < 0 && $0.engine.motion == .starting) })
    studio.run(seconds: max(0, seconds))
    // Two of them, so that one does not do.
    studio.run(seconds: 0.2, after: .stalls(for: .milliseconds(40)))
    studio.run(seconds: 4, after: .stalls(for: .milliseconds(23)))
    #expect(studio.isRolling)
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(3))
    #expect(!studio.hasMovedPeers)
    let told = studio.decisions.count { if case .ownerCorrected = $0.notice { true } else { false } }
    #expect(told == 0, "no owner is to be blamed")
  }

  @Test("A roll with an owner is corrected after each deadline missed at its beginning, four times at most")
  func disturbedAgain() throws {
    var studio = Self.followed(bpm: 30, peers: 1, tempo: try #require(Tempo(beatsPerMinute: 30)))
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 0.5)
    var corrections: [Int] = []
    for _ in 0..<6 {
      let before = studio.decisions.count
      studio.run(seconds: 2, after: .stalls(for: .milliseconds(40)))
      corrections.append(
        studio.decisions.dropFirst(before).count { if case .relocate = $0.transport { true } else { false } })
    }
    #expect(corrections == [1, 1, 1, 1, 0, 0])
  }

  @Test("A transport that has long been rolling with an owner is not interrupted for a missed deadline")
  func disturbedLater() {
    var studio = Self.followed(bpm: 120, peers: 1)
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 6)
    let before = studio.decisions.count
    studio.run(seconds: 6, after: .stalls(for: .milliseconds(40)))
    #expect(studio.decisions.dropFirst(before).allSatisfy { $0.transport == nil })
    #expect(Self.phaseError(studio).magnitude > .milliseconds(30))
  }

  @Test func `An owner's roll is not interrupted for less than can be heard, which is steered away`() {
    var studio = Self.followed(bpm: 120, peers: 1)
    // 2 ms.
    studio.dawLead.frames = 96
    studio.run(seconds: 0.5, after: .clientLocates(frame: 96_000))
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    let first = studio.decisions.count
    studio.run(seconds: 20)
    #expect(studio.decisions.dropFirst(first).allSatisfy { $0.transport == nil })
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3))
  }

  @Test func `A mode that is pinned while rolling removes an error that auto has kept`() {
    var studio = Self.followed(bpm: 120, peers: 1)
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 3)
    let beat = Double(studio.engine.frame.number) / 48_000 / 60 * 120 + 1.3
    studio.daw = Self.daw(120, from: studio.engine.frame, at: beat)
    studio.run(seconds: 4)
    #expect(Self.phaseError(studio).magnitude > .milliseconds(100))
    studio.run(seconds: 2, after: .choice(.mode(.jack)))
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3))
  }

  @Test func `Pinned, JACK's tempo and phase are the session's at once, with any peers`() {
    var studio = Self.followed(.init(mode: .jack), bpm: 97.3, peers: 2)
    studio.shiftGrid(by: Beats(nanobeats: 1_700_000_000))
    #expect(studio.run(seconds: 0.1, after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 2)
    #expect((studio.tempo.beatsPerMinute - 97.3).magnitude < 0.05)
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3))
    studio.run(seconds: 2, after: .clientLocates(frame: 1_234_567))
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3))
  }

  @Test func `Six eighths are three of Link's beats`() throws {
    let meter = try #require(Meter("6/8"))
    var studio = Self.followed(.init(meter: meter), bpm: 240, peers: 0)
    studio.daw = Self.daw(240, beatsPerBar: 6, beatType: 8)
    studio.run(seconds: 0.5, after: .clientLocates(frame: 480_000))
    studio.run(seconds: 4, after: .clientStarts)
    #expect((studio.tempo.beatsPerMinute - 120).magnitude < 0.05)
    #expect(Self.phaseError(studio).magnitude <= .milliseconds(0.3))
  }

  @Test(arguments: [(10.0, 20.0), (1500, 750)])
  func `TEMPO-4: a tempo beyond Link's range is followed by a multiple`(jack: Double, link: Double) {
    var studio = Self.followed(bpm: jack, peers: 0)
    studio.run(seconds: 6, after: .clientStarts)
    #expect((studio.tempo.beatsPerMinute - link).magnitude < 0.05)
    #expect(studio.decisions.contains { if case .folded = $0.gridNotice { true } else { false } })
  }

  @Test func `An invalid position leaves Link alone, and is reported once`() {
    typealias Change = (inout TimebaseReading, TransportFrame) -> Void
    let changes: [Change] = [
      { reading, _ in reading.beatsPerMinute = .nan }, { reading, _ in reading.bar = 0 },
      { reading, _ in reading.tick = -3 }, { reading, _ in reading.beatsPerBar = 0 },
      { reading, _ in reading.beatsPerBar = 1e9 }, { reading, _ in reading.ticksPerBeat = 0 },
      { reading, _ in (reading.bar, reading.beat, reading.tick, reading.tickDouble) = (3, 2, 0, 0) },
      { reading, frame in reading.bar = Int32(frame.number / 256 * 7919 % 97) + 1 },
    ]
    for (index, change) in changes.enumerated() {
      var studio = Studio()
      studio.daw = { frame in
        var reading = Self.daw(90)(frame)
        change(&reading, frame)
        return reading
      }
      studio.run(seconds: 0.5, after: .clientLocates(frame: 0))
      studio.run(seconds: 8, after: .clientStarts)
      #expect(studio.isRolling, "case \(index)")
      #expect(studio.decisions.allSatisfy { $0.link.tempo == nil && $0.link.beat == nil }, "case \(index)")
      #expect(
        studio.decisions.count { if case .fault = $0.gridNotice { true } else { false } } == 1,
        "case \(index)")
    }
  }

  @Test func `Without an owner a pinned JACK shares start and stop, which is reported once`() {
    var studio = Studio(.init(mode: .jack))
    studio.owner = .nobody
    studio.run(seconds: 1)
    studio.run(seconds: 30, after: .clientStarts)
    #expect(studio.isRolling && studio.isPlaying)
    #expect(studio.decisions.count { $0.gridNotice == .noPosition } == 1)
    #expect(studio.decisions.allSatisfy { $0.link.tempo == nil && $0.link.beat == nil })
  }

  @Test func `A tempo that is typed just before the bridge gets the timebase, as in mode link, is set`() {
    var studio = Self.followed(bpm: 120, peers: 1)
    studio.run(seconds: 0.1, after: .choice(.mode(.link)))
    studio.run(seconds: 0.1, after: .command(.proposeTempo(.bpm(130))))
    studio.run(seconds: 0.1, after: .command(.proposeTempo(.bpm(140))))
    studio.owner = .me
    studio.run(seconds: 3)
    #expect(studio.tempo == .bpm(140))
  }

  @Test("When the owner goes while a start is held, and no other comes, the start goes on after two seconds")
  func ownerGoes() {
    var studio = Self.followed(bpm: 120, peers: 1)
    studio.run(seconds: 0.3, after: .clientStarts)
    #expect(studio.engine.motion == .starting)
    studio.ownerDies()
    #expect(!studio.run(seconds: 1.9) { $0.isRolling })
    #expect(studio.run(seconds: 0.3) { $0.isRolling })
  }

  @Test func `A user's tempo is refused while JACK has it`() throws {
    var studio = Self.followed(bpm: 120, peers: 0)
    studio.run(seconds: 1, after: .clientStarts)
    studio.run(seconds: 1, after: .command(.proposeTempo(try #require(Tempo(beatsPerMinute: 90)))))
    #expect((studio.tempo.beatsPerMinute - 120).magnitude < 0.05)
    #expect(studio.decisions.contains { $0.gridNotice == .tempoIsJACKs })
  }

  @Test func `The leader follows from owner and mode`() {
    let table: [(TimebaseOwner, SyncMode, Takeover?, Leader)] = [
      (.me, .auto, nil, .link), (.nobody, .auto, nil, .link), (.other, .auto, nil, .jack),
      (.me, .link, nil, .link), (.nobody, .link, nil, .link), (.other, .link, nil, .neither),
      (.other, .link, .follow, .jack), (.other, .link, .retake, .neither), (.other, .auto, .yield, .neither),
      (.me, .jack, nil, .link), (.nobody, .jack, nil, .jack), (.other, .jack, .yield, .jack),
    ]
    for (owner, mode, takeover, leader) in table {
      var studio = Studio(.init(mode: mode, takeover: takeover))
      studio.owner = owner
      studio.run(seconds: 0.1)
      #expect(studio.reconciler.leader == leader, "\(owner), \(mode)")
    }
  }

  @Test
  func
    `Asked by JACK before it knows that it owns the timebase, the bridge answers, and Link leads from the next cycle on`()
  {
    var studio = Self.followed(bpm: 100, peers: 1)
    #expect(studio.reconciler.leader == .jack)
    for _ in 0..<3 { #expect(studio.reconciler.entry(forFrame: 0) != nil) }
    #expect(studio.reconciler.leader == .jack)
    studio.owner = .me
    let before = studio.decisions.count
    studio.run(seconds: 1)
    #expect(studio.reconciler.leader == .link)
    let told = studio.decisions[before...].count { $0.notices.contains(.grid(.linkLeads)) }
    #expect(told == 1)
  }
}
