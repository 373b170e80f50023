import MusicalTime
import Simulation
import Testing

@testable import Reconciliation

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

  // MARK: For how long

  /// A session at 120 bpm beside a rolling JACK that the last peer has left at second 0.
  private struct Left {
    private var succession = SessionSuccession()
    private var observation: Observation
    private let begin: HostTime<LinkClock>
    var isRolling = true
    var isEnabled = true

    init() throws {
      observation = try Studio.firstCycle()
      begin = observation.jack.nextOutput
      _ = (look(at: -1, peers: 1), look(at: 0, peers: 0))
    }

    /// The tempo that the session is to have again, where it now has so many peers and another tempo.
    mutating func look(
      at seconds: Double, peers: Int, _ tempo: Tempo = .standard, sets: Bool = false, after edit: Tempo? = nil
    ) -> Tempo? {
      observation.jack.nextOutput = begin + .seconds(seconds)
      observation.jack.transport = isRolling ? .rolling : .stopped
      (observation.link.peers, observation.link.tempo, observation.link.isEnabled) = (peers, tempo, isEnabled)
      // The tempo without a discipline's steering is another.
      return succession.observe(
        observation, before: .bpm(118), lastEdit: edit.map { TempoEdit(tempo: $0, time: begin) }, sets: sets)
    }
  }

  @Test(arguments: [(0.01, true), (0.9, true), (0.91, false)])
  func `A peer with another tempo is a session's that came at once for nine tenths of a second`(
    seconds: Double, isKept: Bool
  ) throws {
    var left = try Left()
    #expect(left.look(at: seconds / 2, peers: 0) == nil)
    #expect(left.look(at: seconds, peers: 1, Self.other) == (isKept ? .bpm(118) : nil))
    // Once: a tempo after that is its user's.
    #expect(left.look(at: seconds + 0.01, peers: 1, .bpm(100)) == nil)
  }

  @Test(arguments: [0.3, 0.85], [(0.1, true), (0.11, false)])
  func `The peer shows up to a tenth of a second after its tempo`(
    seconds: Double, delay: (length: Double, isKept: Bool)
  ) throws {
    var left = try Left()
    #expect(left.look(at: seconds, peers: 0, Self.other) == nil)
    #expect(left.look(at: seconds + 0.05, peers: 0, Self.other) == nil)
    #expect(left.look(at: seconds + delay.length, peers: 1, Self.other) == (delay.isKept ? .bpm(118) : nil))
  }

  @Test(arguments: [(0.3, 0.1, true), (0.3, 0.11, false), (0.85, 0.05, true), (0.85, 0.06, false)])
  func `Its tempo shows up to a tenth of a second after the peer`(
    seconds: Double, delay: Double, isKept: Bool
  ) throws {
    var left = try Left()
    #expect(left.look(at: seconds, peers: 1) == nil)
    #expect(left.look(at: seconds + delay, peers: 1, Self.other) == (isKept ? .bpm(118) : nil))
  }

  @Test func `Two peers, a user's tempo, a JACK that rests, and a Link that is off, keep nothing`() throws {
    var left = try [Left(), Left(), Left(), Left(), Left()]
    #expect(left[0].look(at: 0.1, peers: 2, Self.other) == nil)
    #expect(left[1].look(at: 0.1, peers: 1, Self.other, sets: true) == nil)
    left[2].isRolling = false
    #expect(left[2].look(at: 0.1, peers: 1, Self.other) == nil)
    left[3].isEnabled = false
    #expect(left[3].look(at: 0.1, peers: 1, Self.other) == nil)
    // Nor does a tempo of the bridge's own.
    #expect(left[4].look(at: 0.1, peers: 0, .bpm(120.1), after: .bpm(120.1)) == nil)
    #expect(left[4].look(at: 0.2, peers: 1, .bpm(120.1)) == nil)
    #expect(left[4].look(at: 0.31, peers: 1, Self.other) == nil)
    left[3].isEnabled = true
    for index in 0...3 { #expect(left[index].look(at: 0.2, peers: 1, .bpm(100)) == nil, "\(index)") }
  }
}
