import MusicalTime
import Reconciliation
import Simulation
import Testing

/// A locate while JACK rolls, with other peers in the session.
@Suite struct LoopTests {
  /// A studio that has rolled in phase from frame 96 000 on to `frame`, where it is put to `target`.
  private static func looped(
    _ configuration: Reconciler.Configuration = .init(), period: UInt32, by beats: Double
  ) -> (studio: Studio, target: TransportFrame) {
    var studio = Studio(configuration, period: period)
    studio.shiftGrid(by: Beats(nanobeats: 1_234_567_890))
    studio.run(seconds: 0.5, after: .clientLocates(frame: 96_000))
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    studio.run(seconds: 9)
    let target = studio.engine.pendingFrame - FrameCount(Int64(beats * 24_000))
    #expect(studio.run(seconds: 1, after: .clientLocates(frame: target)) { !$0.isRolling })
    return (studio, target)
  }

  @Test(arguments: [64, 256, 1024] as [UInt32], [4.0, 8, 16])
  func `A loop of whole quanta goes on within some periods, frames and beats in phase`(
    period: UInt32, beats: Double
  ) {
    var (studio, target) = Self.looped(period: period, by: beats)
    let began = studio.now
    #expect(studio.run { $0.isRolling })
    #expect(studio.now - began <= studio.periodDuration * 6)
    let way = (studio.engine.frame - target).count
    #expect(way > 0 && way <= Int64(period) * 8)
    #expect(studio.frameError.magnitude <= HostInterval(microseconds: 21))
    #expect(studio.isShownInPhase(within: .milliseconds(0.01)))
    studio.run(seconds: 3)
    #expect(studio.isRolling && studio.frameError.magnitude <= HostInterval(microseconds: 21))
    // It was no start that needs a report.
    #expect(studio.notices.count { if case .transport(.launchWaits) = $0 { true } else { false } } == 1)
    #expect(studio.decisions.count { $0.link.isPlaying != nil } == 1)
    #expect(!studio.hasMovedPeers)
  }

  @Test(arguments: Relocation.allCases, 0..<4)
  func `A second locate as it goes on is where it goes on from`(relocation: Relocation, cycles: Int) {
    var (studio, target) = Self.looped(.init(relocation: relocation), period: 1024, by: 8)
    for _ in 0..<cycles { studio.step() }
    let second = target - FrameCount(72_000)
    #expect(
      studio.run(after: .clientLocates(frame: second)) {
        $0.isRolling && $0.engine.frame.number < target.number
      })
    let way = (studio.engine.frame - second).count
    #expect(abs(way) <= 1024 * 10, "\(way)")
    guard relocation == .wait else { return }
    #expect(studio.frameError.magnitude <= HostInterval(microseconds: 21))
    #expect(studio.isShownInPhase(within: .milliseconds(0.01)))
  }

  @Test func `A loop of a quantum and a half waits, unless it is to roll on`() {
    var (waiting, _) = Self.looped(period: 256, by: 6)
    let began = waiting.now
    #expect(waiting.run { $0.isRolling })
    #expect(waiting.now - began > .milliseconds(900))
    #expect(waiting.frameError.magnitude <= HostInterval(microseconds: 21))

    var (rolling, target) = Self.looped(.init(relocation: .roll), period: 256, by: 6)
    let second = rolling.now
    #expect(rolling.run { $0.isRolling })
    #expect(rolling.now - second <= rolling.periodDuration * 2)
    rolling.run(seconds: 5)
    #expect(rolling.engine.frame - target < FrameCount(256 * 5 + 48_000 * 5))
    #expect(rolling.isRolling && rolling.isShownInPhase(within: .milliseconds(0.01)))
    #expect(rolling.frameError.magnitude > .milliseconds(900))
    #expect(
      rolling.decisions.count { if case .rollsOn = $0.notice { true } else { false } } == 1)
    #expect(rolling.decisions.count { if case .relocate = $0.transport { true } else { false } } <= 1)
  }
}
