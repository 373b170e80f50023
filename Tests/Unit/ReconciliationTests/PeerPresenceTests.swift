import MusicalTime
import Testing

@testable import Reconciliation

/// Peers that come are given the session's state by the bridge, but where they have one of their own.
@Suite struct PeerPresenceTests {
  /// Cycles of 256 frames in a session of 120 bpm, which goes on evenly but for what a test does to it.
  private struct Session {
    static let period = HostInterval(FrameCount(256), at: .standard)
    var presence = PeerPresence()
    var observation: Observation
    var edit = LinkEdit()
    private(set) var events: [(seconds: Double, event: PeerPresence.Event)] = []
    private var seconds = 0.0

    init(peers: Int) throws {
      observation = try Studio.firstCycle()
      observation.link.peers = peers
      run(seconds: 3)
      events = []
      seconds = 0
    }

    mutating func run(seconds length: Double) {
      let end = seconds + length
      while seconds < end {
        let event = presence.update(observation, tempo: observation.link.tempo, lastEdit: edit)
        edit = LinkEdit()
        events.append((seconds, event))
        pass(Self.period)
      }
    }

    /// Time passes without a cycle.
    mutating func pass(_ time: HostInterval) {
      seconds += time.seconds
      observation.jack.nextOutput = observation.jack.nextOutput + time
      observation.link.beat = observation.link.beat + observation.link.tempo.beats(in: time)
    }

    /// Link's beat is moved by so many milliseconds.
    mutating func move(by milliseconds: Double) {
      observation.link.beat =
        observation.link.beat + observation.link.tempo.beats(in: .milliseconds(milliseconds))
    }

    /// When peers were found that may not know the session's state.
    var forgotten: [Double] {
      events.compactMap { if case .forgotten = $0.event { $0.seconds } else { nil } }
    }
    /// Since when there has been no other peer.
    var alone: Double? { events.first { if case .alone = $0.event { true } else { false } }?.seconds }
  }

  @Test func `A peer that comes has no state once it has been there for half a second`() throws {
    for peers in [0, 2] {
      var session = try Session(peers: peers)
      session.observation.link.peers += 1
      session.run(seconds: 3)
      #expect(session.forgotten.count == 1)
      #expect((session.forgotten[0] - 0.5).magnitude < 0.006)
      session.observation.link.peers -= 1
      session.run(seconds: 3)
      #expect(session.forgotten.count == 1)
    }
  }

  @Test(arguments: [(0.1, true), (0.2, false)])
  func `Peers that show just after the first cycle have the state of a session that was joined before`(
    seconds: Double, hasState: Bool
  ) throws {
    var session = try Session(peers: 0)
    session.presence = PeerPresence()
    session.run(seconds: seconds)
    session.observation.link.peers = 1
    session.run(seconds: 2)
    #expect(session.forgotten.isEmpty == hasState)
  }

  @Test(
    "Peers that come within 0.65 s after their session was joined have its state",
    arguments: [(-4.0, 0.1, true), (4, 0.1, true), (2.5, 0.1, false), (4, 0.2, false)])
  func joined(milliseconds: Double, ago: Double, hasState: Bool) throws {
    var session = try Session(peers: 0)
    session.move(by: milliseconds)
    session.run(seconds: ago)
    session.observation.link.peers = 1
    session.run(seconds: 2)
    #expect(session.forgotten.isEmpty == hasState)
    // The next one has not.
    session.observation.link.peers = 2
    session.run(seconds: 2)
    #expect(session.forgotten.count == (hasState ? 1 : 2))
  }

  @Test(
    "Another tempo is another session's, and one that the bridge has set is not", arguments: [true, false])
  func tempo(isOwn: Bool) throws {
    var session = try Session(peers: 0)
    session.observation.link.tempo = .bpm(100)
    if isOwn { session.edit.tempo = TempoEdit(tempo: .bpm(100), time: session.observation.jack.nextOutput) }
    session.run(seconds: 0.01)
    session.observation.link.peers = 1
    session.run(seconds: 2)
    #expect(session.forgotten.isEmpty != isOwn)
  }

  @Test(
    "A beat that the bridge has asked for is the session's, and elsewhere it has joined one",
    arguments: [
      (0, false, 100.0, false), (0, false, 0, false), (0, false, 50, true), (0, true, 100, false),
      (0, true, 50, true), (1, false, 50, false), (1, true, 50, true), (1, true, 100, false),
    ])
  func beat(peers: Int, isForced: Bool, moved: Double, hasState: Bool) throws {
    var session = try Session(peers: peers)
    let period = session.observation.link.tempo.beats(in: Session.period)
    let way = session.observation.link.tempo.beats(in: .milliseconds(100))
    session.edit.beat = BeatEdit(beat: session.observation.link.beat - period + way, isForced: isForced)
    session.move(by: moved)
    session.run(seconds: 0.01)
    session.observation.link.peers += 1
    session.run(seconds: 2)
    #expect(session.forgotten.isEmpty == hasState)
  }

  @Test func `Time without cycles does not count between a joining and the peers that come with it`() throws {
    var session = try Session(peers: 0)
    session.move(by: 50)
    session.run(seconds: 0.05)
    session.pass(.seconds(2))
    session.observation.link.peers = 1
    session.run(seconds: 2)
    #expect(session.forgotten.isEmpty)
  }

  @Test func `A state that is not committed now is owed in the next cycle`() throws {
    var session = try Session(peers: 1)
    session.presence.tellLater()
    session.run(seconds: 1)
    #expect(session.forgotten == [0])
  }

  @Test func `Without peers for a second the bridge is alone, and at once where it does not take part`()
    throws
  {
    var session = try Session(peers: 1)
    session.run(seconds: 1)
    #expect(session.alone == nil)
    session.observation.link.peers = 0
    session.run(seconds: 2)
    #expect(try (#require(session.alone) - 2).magnitude < 0.012)
    session.observation.link.peers = 1
    session.run(seconds: 1)
    var offline = session
    offline.observation.link.isEnabled = false
    offline.observation.link.peers = 0
    offline.run(seconds: 0.004)
    let last = offline.events.last.map { if case .alone = $0.event { true } else { false } }
    #expect(last == true)
  }

  @Test(
    "Peers that show within a second of taking part were there before",
    arguments: [(0.9, true), (1.1, false)])
  func enabled(after: Double, hasState: Bool) throws {
    var session = try Session(peers: 0)
    session.observation.link.isEnabled = false
    session.run(seconds: 1)
    session.observation.link.isEnabled = true
    session.run(seconds: after)
    let before = session.forgotten.count
    session.observation.link.peers = 1
    session.run(seconds: 2)
    #expect((session.forgotten.count == before) == hasState)
  }
}
