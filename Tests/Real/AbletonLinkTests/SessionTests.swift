import AbletonLink
import MusicalTime
import Testing

extension AbletonLinkTests {
  @Suite("Two peers in a session", .serialized)
  struct SessionTests {
    /// A link at 140 bpm that has founded a session, and one at 100 bpm that has joined it.
    private func session() async throws -> (founder: Link, joiner: Link) {
      let founder = try await foundedSession()
      let joiner = try Link(tempo: tempo(100))
      joiner.setEnabled(true)
      try await eventually { founder.numberOfPeers == 1 && joiner.numberOfPeers == 1 }
      return (founder, joiner)
    }

    /// A link at 140 bpm that has been enabled for long enough to be found.
    private func foundedSession() async throws -> Link {
      let founder = try Link(tempo: tempo(140))
      let probe = try Link(tempo: tempo(140))
      founder.setEnabled(true)
      probe.setEnabled(true)
      try await eventually { founder.isConnected && probe.isConnected }
      probe.setEnabled(false)
      try await eventually { !founder.isConnected }
      return founder
    }

    @Test func `They find each other, and notice when one leaves`() async throws {
      let founder = try await foundedSession()
      let counts = founder.peerCountChanges()
      let joiner = try Link(tempo: .standard)
      joiner.setEnabled(true)
      #expect(await next(of: counts) == 1)
      try await eventually { founder.isConnected && joiner.isConnected }
      joiner.setEnabled(false)
      #expect(await next(of: counts) == 0)
      #expect(!founder.isConnected)
    }

    @Test(
      "TEMPO-2: a peer that joins takes the session's tempo, however shortly after another peer has left it")
    func joiningNeverPushes() async throws {
      let founder = try await foundedSession()
      let tempos = founder.tempoChanges()
      for _ in 0..<10 {
        let joiner = try Link(tempo: tempo(100))
        joiner.setEnabled(true)
        try await eventually { founder.isConnected && joiner.isConnected }
        #expect(joiner.sessionTempo.isSameOnTheWire(as: try tempo(140)))
        #expect(founder.sessionTempo.isSameOnTheWire(as: try tempo(140)))
        joiner.setEnabled(false)
        try await eventually { !founder.isConnected }
      }
      founder.change { [other = try tempo(141)] in $0.setTempo(other, at: founder.now()) }
      #expect(await next(of: tempos) == (try tempo(141)), "the first change is the founder's own")
    }

    @Test("A commit on the way into a session is not pushed into it", arguments: [true, false])
    func commitWhileJoining(byAudioThread: Bool) async throws {
      let founder = try await foundedSession()
      let other = try tempo(80)
      // One that is held up until it has joined is no longer on the way.
      var onTheWay: (joiner: Link, audio: AudioThreadAccess)?
      for _ in 0..<20 where onTheWay == nil {
        let joiner = try Link(tempo: tempo(100))
        let audio = joiner.makeAudioThreadAccess()
        joiner.setEnabled(true)
        if byAudioThread {
          audio.change { $0.setTempo(other, at: audio.now()) }
        } else {
          joiner.change { $0.setTempo(other, at: joiner.now()) }
        }
        if joiner.isConnected {
          joiner.setEnabled(false)
          founder.change { [tempo = try tempo(140)] in $0.setTempo(tempo, at: founder.now()) }
          try await eventually { !founder.isConnected }
        } else {
          onTheWay = (joiner, audio)
        }
      }
      let (joiner, audio) = try #require(onTheWay, "each joined before it could commit")
      try await eventually { founder.isConnected && joiner.isConnected }
      #expect(founder.sessionTempo.isSameOnTheWire(as: try tempo(140)))
      #expect(joiner.sessionTempo.isSameOnTheWire(as: try tempo(140)))
      try await eventually { audio.captureSessionState().tempo == joiner.sessionTempo }
    }

    @Test func `A peer that disables before it has joined stays out`() async throws {
      let founder = try await foundedSession()
      let counts = founder.peerCountChanges()
      let joiner = try Link(tempo: tempo(100))
      joiner.setEnabled(true)
      joiner.setEnabled(false)
      // A later peer is the first that the founder sees.
      let third = try Link(tempo: tempo(100))
      third.setEnabled(true)
      #expect(await next(of: counts) == 1)
      #expect(joiner.numberOfPeers == 0)
    }

    @Test("TEMPO-1: a tempo change travels both ways, whichever thread makes it, and streams deliver it")
    func tempoChanges() async throws {
      let (founder, joiner) = try await session()
      let founderTempos = founder.tempoChanges()
      let joinerTempos = joiner.tempoChanges()
      let first = try tempo(93)
      founder.change { $0.setTempo(first, at: founder.now()) }
      try await eventually { joiner.sessionTempo.isSameOnTheWire(as: first) }
      let second = try tempo(187.5)
      let audio = joiner.makeAudioThreadAccess()
      audio.change { $0.setTempo(second, at: audio.now()) }
      try await eventually { founder.sessionTempo.isSameOnTheWire(as: second) }
      for stream in [founderTempos, joinerTempos] {
        #expect(await next(of: stream)?.isSameOnTheWire(as: first) == true)
        #expect(await next(of: stream)?.isSameOnTheWire(as: second) == true)
      }
    }

    @Test("Starts and stops travel both ways between those who share them, and streams deliver them")
    func startStop() async throws {
      let (founder, joiner) = try await session()
      let starts = founder.isPlayingChanges()
      founder.setStartStopSyncEnabled(true)
      joiner.setStartStopSyncEnabled(true)
      founder.change { $0.setIsPlaying(true, at: founder.now()) }
      try await eventually { joiner.captureSessionState().isPlaying }
      let audio = joiner.makeAudioThreadAccess()
      try await eventually { audio.captureSessionState().isPlaying }
      audio.change { $0.setIsPlaying(false, at: audio.now()) }
      try await eventually { !founder.captureSessionState().isPlaying }
      #expect(await next(of: starts) == true)
      #expect(await next(of: starts) == false)
    }

    @Test func `A peer that does not share starts and stops neither sends nor takes them`() async throws {
      let (founder, joiner) = try await session()
      founder.setStartStopSyncEnabled(true)
      founder.change { $0.setIsPlaying(true, at: founder.now()) }
      joiner.change { [other = try tempo(90)] in $0.setTempo(other, at: joiner.now()) }
      // The tempo went to the founder after its start had gone to the joiner.
      try await eventually { [other = try tempo(90)] in founder.sessionTempo.isSameOnTheWire(as: other) }
      #expect(!joiner.captureSessionState().isPlaying)
      joiner.change { $0.setIsPlaying(true, at: joiner.now()) }
      joiner.change { $0.setIsPlaying(false, at: joiner.now()) }
      joiner.change { [other = try tempo(95)] in $0.setTempo(other, at: joiner.now()) }
      try await eventually { [other = try tempo(95)] in founder.sessionTempo.isSameOnTheWire(as: other) }
      #expect(founder.captureSessionState().isPlaying)
    }

    @Test func `Their phases agree`() async throws {
      let (founder, joiner) = try await session()
      let four = try quantum(4)
      let time = founder.now()
      let distance = founder.captureSessionState().phase(at: time, quantum: four)
        .distance(from: joiner.captureSessionState().phase(at: time, quantum: four))
      #expect(founder.sessionTempo.interval(of: distance).magnitude < HostInterval(microseconds: 1000))
    }

    @Test("A requested beat waits for the session's phase and moves no peer; a forced one moves all")
    func requests() async throws {
      let (founder, joiner) = try await session()
      let four = try quantum(4)
      let time = joiner.now() + HostInterval(microseconds: 100_000)
      let before = founder.captureSessionState().phase(at: time, quantum: four)

      var state = joiner.captureSessionState()
      state.requestBeat(.zero, at: time, quantum: four)
      joiner.commit(state)
      let start = state.time(atBeat: .zero, quantum: four)
      #expect(start >= time - HostInterval(microseconds: 2))
      #expect(start - time <= state.tempo.interval(of: four.beats))
      let wait = founder.captureSessionState().phase(at: start, quantum: four)
        .distance(from: BeatTime.zero.phase(in: four))
      #expect(founder.sessionTempo.interval(of: wait).magnitude < HostInterval(microseconds: 1000))

      let half = try beats(2)
      joiner.change { state in
        let beat = state.beat(at: time, quantum: four)
        state.forceBeat(beat + half, at: time, quantum: four)
      }
      try await eventually {
        let now = founder.captureSessionState().phase(at: time, quantum: four)
        let moved = now.distance(from: before).magnitude - half
        return founder.sessionTempo.interval(of: moved).magnitude < HostInterval(microseconds: 1000)
      }
    }
  }
}
