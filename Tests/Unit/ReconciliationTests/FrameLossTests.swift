import MusicalTime
import Reconciliation
import Simulation
import Testing

/// When JACK loses time while it rolls, programs that count frames are late until it starts anew: a notice
/// reports that.
@Suite struct FrameLossTests {
  private static func losses(in studio: Studio) -> [HostInterval] {
    studio.notices.compactMap { if case .transport(.framesFellBehind(let lost)) = $0 { lost } else { nil } }
  }

  /// A studio that has rolled for longer than a start is corrected.
  private static func rolling(_ alignment: FrameAlignment = .whole, peers: Int = 1) -> Studio {
    var studio = LaunchTests.warm(.init(frameAlignment: alignment))
    studio.peers = peers
    studio.run(seconds: 12, after: .clientStarts)
    return studio
  }

  @Test func `Time that is lost while it rolls is reported once in a roll, by as much as it was`() throws {
    var studio = Self.rolling()
    #expect(Self.losses(in: studio).isEmpty)
    studio.run(seconds: 0.4, after: .stalls(for: .milliseconds(50)))
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(20)))
    #expect(Self.losses(in: studio).count == 1)
    let lost = try #require(Self.losses(in: studio).first)
    #expect((lost - .milliseconds(70)).magnitude <= .milliseconds(0.5), "\(lost)")
    #expect((studio.frameError + lost).magnitude <= .milliseconds(3.5), "\(studio.frameError)")
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(30)))
    #expect(Self.losses(in: studio).count == 1)
    studio.run(seconds: 1, after: .clientStops)
    studio.run(seconds: 12, after: .clientStarts)
    #expect(Self.losses(in: studio).count == 1)
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(30)))
    #expect(Self.losses(in: studio).count == 2)
  }

  @Test func `A loss that cannot be heard, one that is made up for, and one while it is stopped, is not`() {
    var studio = Self.rolling()
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(2.5)))
    studio.run(seconds: 0.5, after: .stalls(for: .milliseconds(20)))
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(-20)))
    studio.run(seconds: 1, after: .clientStops)
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(200)))
    #expect(Self.losses(in: studio).isEmpty)
  }

  @Test(arguments: [(.whole, 0), (.off, 1)] as [(FrameAlignment, Int)])
  func `Nor is it without a peer, or where no program counts frames`(alignment: FrameAlignment, peers: Int) {
    var studio = Self.rolling(alignment, peers: peers)
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(50)))
    #expect(Self.losses(in: studio).isEmpty)
  }

  @Test func `Cycles that become longer or shorter lose nothing`() {
    var studio = Self.rolling()
    for period: UInt32 in [1024, 256, 2048, 64] {
      studio.pass()
      studio.engine.period = period
      studio.cycle()
      studio.run(seconds: 3)
    }
    #expect(Self.losses(in: studio).isEmpty, "\(Self.losses(in: studio))")
  }

  @Test("Where an owner leads, a loss that is too large to be steered is reported, and a smaller one is not")
  func owners() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.run(seconds: 12, after: .clientStarts)
    studio.run(seconds: 12, after: .stalls(for: .milliseconds(8)))
    #expect(Self.losses(in: studio).isEmpty)
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(200)))
    #expect(Self.losses(in: studio).count == 1)
  }

  @Test func `Where the session is pinned to JACK, it follows a loss, and nothing is reported`() {
    var studio = SelectionTests.followed(.init(mode: .jack), bpm: 120, peers: 1)
    studio.run(seconds: 12, after: .clientStarts)
    studio.run(seconds: 3, after: .stalls(for: .milliseconds(200)))
    #expect(Self.losses(in: studio).isEmpty)
    #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(1))
  }

  @Test func `A latency that is not known yet where a roll is joined has moved nothing`() {
    var studio = Studio(peers: 0)
    studio.engine.put(.rolling)
    let latency = studio.latency
    studio.latency = .zero
    studio.run(seconds: 0.3)
    studio.run(seconds: 0.2, after: .peersJoin(1, nil))
    studio.latency = latency
    studio.run(seconds: 5)
    #expect(studio.isRolling)
    #expect(!studio.notices.contains { if case .transport(.framesShifted) = $0 { true } else { false } })
  }
}
