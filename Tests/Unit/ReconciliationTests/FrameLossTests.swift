import MusicalTime
import Simulation
import Testing

@testable import Reconciliation

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

  // MARK: By itself

  /// A transport in cycles of 5 ms.
  private struct Roll {
    var loss = FrameLoss()
    var jack: JACKObservation

    init() throws { jack = try Studio.firstCycle(period: 240).jack }

    mutating func run(_ motion: TransportState, _ cycles: Int = 1, late milliseconds: Double = 0) {
      for _ in 0..<cycles {
        if jack.transport.isRolling { jack.frame = jack.frame + jack.period }
        jack.transport = motion
        jack.nextOutput = jack.nextOutput + .milliseconds(5 + milliseconds)
        loss.observe(jack)
        jack.step.isLocated = false
      }
    }

    /// The latency, and with it the time at which all is heard, is larger by so much.
    mutating func shift(by milliseconds: Double) {
      jack.delay.now = jack.delay.now + .milliseconds(milliseconds)
      jack.nextOutput = jack.nextOutput + .milliseconds(milliseconds)
    }
  }

  @Test func `Losses of more than a millisecond add up until the roll is another one`() throws {
    for end in [TransportState.stopped, .rolling] {
      var roll = try Roll()
      roll.run(.stopped)
      roll.run(.rolling, 100)
      for (late, lost) in [(0.9, 0), (1.1, 1.1), (20, 21.1), (-5, 16.1), (-0.9, 16.1)] {
        roll.run(.rolling, late: late)
        #expect(
          (roll.loss.lost - .milliseconds(lost)).magnitude < HostInterval(nanoseconds: 10), "\(late) ms")
      }
      // It has stopped, or a server that does not stop for it has relocated.
      if case .rolling = end {
        roll.jack.step.isLocated = true
        roll.jack.frame = roll.jack.frame + 48_000
      }
      roll.run(end)
      #expect(roll.loss.lost == .zero && roll.loss.shift == nil)
      roll.run(.rolling, 10)
      #expect(roll.loss.lost == .zero && roll.loss.shift == .zero)
    }
  }

  @Test(
    "A latency moves frames while it rolls, where a roll is joined after two seconds",
    arguments: [true, false])
  func shifts(isJoined: Bool) throws {
    var roll = try Roll()
    if !isJoined { roll.run(.stopped) }
    #expect(roll.loss.shift == nil)
    roll.run(.rolling, 390)
    roll.shift(by: 30)
    roll.run(.rolling)
    #expect(roll.loss.shift == (isJoined ? .zero : .milliseconds(30)))
    roll.run(.rolling, 10)
    roll.shift(by: -10)
    roll.run(.rolling)
    #expect(roll.loss.shift == .milliseconds(isJoined ? -10 : 20) && roll.loss.lost == .zero)
  }
}
