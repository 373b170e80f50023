import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// Programs that count frames are brought into phase once, at a command: one of them has got another tempo.
@Suite struct RealignTests {
  /// A roll beside peers, whose tempo has changed since it began.
  private static func rolling(
    _ random: inout Seeded, _ configuration: Reconciler.Configuration = .init(frameAlignment: .exact),
    peers: Int = 1
  ) throws -> Studio {
    var studio = LaunchTests.warm(configuration)
    studio.peers = peers
    studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: .random(in: 2...4, using: &random))
    studio.changeTempo(to: try #require(Tempo(beatsPerMinute: .random(in: 90...110, using: &random))))
    studio.run(seconds: .random(in: 0.4...0.6, using: &random))
    return studio
  }

  private static func relocations(_ studio: Studio, since first: Int) -> Int {
    studio.decisions.dropFirst(first).count { if case .relocate = $0.transport { true } else { false } }
  }

  private static func realignings(_ studio: Studio) -> Int {
    studio.notices.count { if case .transport(.framesRealigned) = $0 { true } else { false } }
  }

  @Test(
    "A rolling transport is relocated once, and rolls on at a bar line, in phase with its frames",
    arguments: Discipline.allCases)
  func once(discipline: Discipline) throws {
    try forAll(20) { seed, random in
      var studio = try Self.rolling(&random, .init(frameAlignment: .exact, discipline: discipline))
      #expect(studio.frameError.magnitude > .milliseconds(0.5), "seed \(seed)")
      let first = studio.decisions.count
      #expect(studio.run(seconds: 4, after: .command(.realignFrames)) { !$0.isRolling }, "seed \(seed)")
      #expect(studio.run(seconds: 1) { $0.isRolling }, "seed \(seed)")
      let phase = studio.linkBeat(at: studio.output).phase(in: .four).offset
      let bar = min(phase, Quantum.four.beats - phase)
      #expect(studio.tempo.interval(of: bar) <= studio.periodDuration * 2, "seed \(seed): \(bar)")
      studio.run(seconds: 20)
      #expect(studio.frameError.magnitude <= LaunchTests.frame, "seed \(seed)")
      #expect(Self.relocations(studio, since: first) == 1 && Self.realignings(studio) == 1, "seed \(seed)")
      #expect(studio.isShownInPhase(within: .milliseconds(0.02)) && !studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test("At rest, in phase, and while JACK leads, nothing is relocated, and nothing is made up for later")
  func nothing() throws {
    try forAll(10) { seed, random in
      let rolling = try Self.rolling(&random)
      var resting = rolling
      resting.run(seconds: 1, after: .command(.stop))
      var inPhase = LaunchTests.warm()
      inPhase.run(seconds: 4, after: .clientStarts)
      var led = SelectionTests.followed(bpm: 120, peers: 1)
      led.run(seconds: 6, after: .clientStarts)
      for before in [resting, inPhase, led] {
        var studio = before
        let first = studio.decisions.count
        studio.run(seconds: 6, after: .command(.realignFrames))
        #expect(Self.relocations(studio, since: first) == 0, "seed \(seed)")
        guard !studio.isRolling else { continue }
        // A start brings frames into phase by itself.
        #expect(studio.run(after: .clientStarts) { $0.isRolling })
        let rolls = studio.decisions.count
        studio.run(seconds: 6, after: .peerChangesTempo(to: .bpm(133)))
        #expect(Self.relocations(studio, since: rolls) == 0, "seed \(seed)")
      }
    }
  }

  @Test func `Alone in the session nothing is interrupted, until a peer comes`() throws {
    try forAll(10) { seed, random in
      var studio = try Self.rolling(&random, peers: 0)
      let first = studio.decisions.count
      studio.run(seconds: 6, after: .command(.realignFrames))
      #expect(Self.relocations(studio, since: first) == 0, "seed \(seed)")
      studio.run(seconds: 6, after: .peersJoin(1, nil))
      #expect(Self.relocations(studio, since: first) == 1, "seed \(seed)")
      #expect(studio.frameError.magnitude <= LaunchTests.frame, "seed \(seed)")
    }
  }
}
