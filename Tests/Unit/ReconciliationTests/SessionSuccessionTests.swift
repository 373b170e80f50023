import MusicalTime
import Reconciliation
import Simulation
import Testing

/// A peer that comes as the last one leaves does not replace the session's tempo, unless that would not be
/// heard.
@Suite struct SessionSuccessionTests {
  private static let other = Tempo.bpm(90)

  /// How many cycles after the peer its tempo shows.
  private enum Delay: Int, CaseIterable { case before = -1, with, after }

  /// A session that a peer has just left, and another one has joined with its own tempo `gap` seconds later.
  private static func succeeded(rolls: Bool, after gap: Double, delay: Delay = .with) -> Studio {
    var studio = LaunchTests.warm()
    if rolls { studio.run(seconds: 4, after: .clientStarts) }
    studio.run(seconds: gap, after: .peersLeave(1))
    if delay != .after { studio.changeTempo(to: other) }
    if delay == .before { studio.cycle() }
    studio.peers = 1
    if delay == .after {
      studio.cycle()
      studio.changeTempo(to: other)
    }
    return studio
  }

  private static func isTold(_ studio: Studio) -> Bool {
    studio.decisions.contains { $0.notices.contains(.grid(.tempoKept(peers: other))) }
  }

  @Test(arguments: [0.05, 0.3, 0.6], Delay.allCases)
  private func `While JACK rolls the session keeps its tempo`(gap: Double, delay: Delay) {
    var studio = Self.succeeded(rolls: true, after: gap, delay: delay)
    studio.run(seconds: 0.1)
    #expect(studio.tempo == .standard && Self.isTold(studio))
    // A tempo that the peer sets afterwards is its user's choice.
    studio.run(seconds: 3, after: .peerChangesTempo(to: Self.other))
    #expect(studio.tempo == Self.other)
  }

  @Test func `Also where JACK begins to roll only when the last peer has left`() {
    var studio = LaunchTests.warm()
    studio.run(seconds: 0.02, after: .peersLeave(1))
    studio.run(seconds: 0.2, after: .clientStarts)
    studio.changeTempo(to: Self.other)
    studio.run(seconds: 0.1, after: .peersJoin(1, nil))
    #expect(studio.tempo == .standard && Self.isTold(studio))
  }

  @Test func `A session that is older, or that JACK does not play, keeps its own tempo`() {
    for var studio in [Self.succeeded(rolls: true, after: 2), Self.succeeded(rolls: false, after: 0.1)] {
      studio.run(seconds: 3)
      #expect(studio.tempo == Self.other && !Self.isTold(studio))
    }
  }

  @Test func `Two peers that come together keep their tempo, and so does a user`() {
    var studio = LaunchTests.warm()
    studio.run(seconds: 4, after: .clientStarts)
    studio.run(seconds: 0.1, after: .peersLeave(1))
    var typed = studio
    studio.changeTempo(to: Self.other)
    studio.run(seconds: 3, after: .peersJoin(2, nil))
    #expect(studio.tempo == Self.other)
    var typedAfterPeers = typed
    typed.run(seconds: 0.1, after: .command(.proposeTempo(Self.other)))
    typed.run(seconds: 3, after: .peersJoin(1, nil))
    #expect(typed.tempo == Self.other && !Self.isTold(typed))
    // Also between the peer's tempo and the peer.
    typedAfterPeers.changeTempo(to: Self.other)
    typedAfterPeers.cycle()
    typedAfterPeers.run(seconds: 0.02, after: .command(.proposeTempo(.bpm(100))))
    typedAfterPeers.run(seconds: 3, after: .peersJoin(1, nil))
    #expect(typedAfterPeers.tempo == .bpm(100) && !Self.isTold(typedAfterPeers))
  }
}
