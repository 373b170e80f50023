import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// JACK's tempo and phase are imposed on the session once, at the user's command.
@Suite struct ImposeTests {
  private static func forced(_ studio: Studio) -> Int {
    studio.decisions.count { $0.link.beat?.isForced == true }
  }

  @Test("Where Link leads, frames keep their place and peers move to them, and the position goes on forwards")
  func frames() throws {
    try forAll(20) { seed, random in
      var studio = LaunchTests.warm(.init())
      studio.shiftGrid(by: Beats(nanobeats: .random(in: 0...4_000_000_000, using: &random)))
      #expect(studio.run(after: .clientStarts) { $0.isRolling })
      studio.run(seconds: .random(in: 2...4, using: &random))
      studio.changeTempo(to: try #require(Tempo(beatsPerMinute: .random(in: 90...150, using: &random))))
      studio.run(seconds: 1.5)
      var last = try #require(studio.shown).exact
      studio.command = .imposeJACK
      for count in 0..<400 {
        studio.step()
        // From the next cycle on all is where the peers are.
        if count > 0 { #expect(studio.isShownInPhase(within: .milliseconds(0.02)), "seed \(seed), \(count)") }
        let now = try #require(studio.shown).exact
        #expect(now >= last && now - last <= Quantum.four.beats, "seed \(seed)")
        last = now
      }
      #expect(
        studio.frameError.magnitude <= LaunchTests.frame, "seed \(seed): \(studio.frameError.microseconds)")
      #expect(Self.forced(studio) == 1 && studio.hasMovedPeers, "seed \(seed)")
    }
  }

  @Test(
    "Where JACK leads with other peers, the session has its tempo and phase in the very cycle, and follows on"
  )
  func owner() throws {
    var studio = SelectionTests.followed(bpm: 100, peers: 1)
    studio.shiftGrid(by: Beats(nanobeats: 1_300_000_000))
    studio.run(seconds: 5, after: .clientStarts)
    #expect(!studio.hasMovedPeers && studio.tempo == .standard)
    studio.run(seconds: 0.02, after: .command(.imposeJACK))
    #expect((studio.tempo.beatsPerMinute - 100).magnitude < 0.01)
    #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(1))
    #expect(Self.forced(studio) == 1)
    studio.run(seconds: 10)
    #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.3))
    #expect(Self.forced(studio) == 1)
    // Once: a peer that changes it again intends that.
    studio.run(seconds: 4, after: .peerChangesTempo(to: .bpm(90)))
    #expect(studio.tempo == .bpm(90))
    studio.run(seconds: 0.02, after: .peerChangesTempo(to: .bpm(93)), .command(.imposeJACK))
    #expect((studio.tempo.beatsPerMinute - 100).magnitude < 0.01)
  }

  @Test func `Within the tolerance JACK's tempo and phase are imposed all the same`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.run(seconds: 6, after: .clientStarts)
    #expect(studio.isRolling)
    studio.shiftGrid(by: Beats(nanobeats: 150_000))
    studio.run(seconds: 0.02, after: .command(.imposeJACK))
    #expect(Self.forced(studio) == 1)
    #expect(SelectionTests.phaseError(studio).magnitude <= .milliseconds(0.02))
  }

  @Test("While JACK is stopped or freewheels, and without a leader, nothing moves, and a notice reports that")
  func nothing() {
    let resting = LaunchTests.warm(.init())
    var rendering = LaunchTests.warm(.init())
    rendering.run(seconds: 5, after: .clientStarts)
    rendering.isFreewheeling = true
    var left = SelectionTests.followed(.init(mode: .link, takeover: .yield), bpm: 120, peers: 1)
    left.run(seconds: 1, after: .clientStarts)
    // Link leads, and no client has the timebase yet.
    var free = LaunchTests.warm(.init())
    free.run(seconds: 5, after: .clientStarts)
    free.owner = .nobody
    for before in [resting, rendering, left, free] {
      var studio = before
      studio.run(seconds: 0.1, after: .command(.imposeJACK))
      #expect(Self.forced(studio) == 0 && !studio.hasMovedPeers)
      #expect(studio.notices.count { $0 == .grid(.nothingToImpose) } == 1)
    }
  }
}
