import AbletonLink
import MusicalTime
import Testing

extension AbletonLinkTests {
  @Suite("The audio thread's access")
  struct AudioThreadAccessTests {
    @Test("A commit of the audio thread shows to that thread at once and to the others shortly after")
    func commits() async throws {
      let link = try Link(tempo: .standard)
      let audio = link.makeAudioThreadAccess()
      let slow = try tempo(66)
      audio.change { $0.setTempo(slow, at: audio.now()) }
      #expect(audio.captureSessionState().tempo == slow)
      try await eventually { link.sessionTempo == slow }
    }

    @Test func `A commit of another thread shows to the audio thread`() async throws {
      let link = try Link(tempo: .standard)
      let audio = link.makeAudioThreadAccess()
      let slow = try tempo(66)
      link.change { state in
        state.setTempo(slow, at: link.now())
        state.setIsPlaying(true, at: link.now())
      }
      try await eventually { audio.captureSessionState().tempo == slow }
      #expect(audio.captureSessionState().isPlaying)
    }

    @Test("A state that takes the place of an older one has the same values as one that is asked")
    func replaces() throws {
      let link = try Link(tempo: .standard)
      let audio = link.makeAudioThreadAccess()
      var state = audio.captureSessionState()
      let slow = try tempo(66.6)
      audio.change { $0.setTempo(slow, at: audio.now()) }
      // Between two whole microseconds.
      let time = HostTime<LinkClock>(nanoseconds: audio.now().nanoseconds + 1_234_567)
      let reading = audio.captureSessionState(into: &state, at: time, quantum: try quantum(4))
      #expect(reading.tempo == slow && reading.tempo == state.tempo)
      #expect(reading.beat == state.beat(at: time, quantum: try quantum(4)))
      #expect(reading.isPlaying == state.isPlaying)
      #expect(reading.timeForIsPlaying == state.timeForIsPlaying)
      #expect(reading.beatForIsPlaying == state.beatForIsPlaying)
    }

    @Test func `Everything it offers can be used in real time`() throws {
      let link = try Link(tempo: .standard)
      let audio = link.makeAudioThreadAccess()
      let result = try useEverythingInRealtime(audio, tempo: tempo(100), quantum: quantum(4))
      #expect(result.sinceZero.magnitude < (try beats(100)))
      #expect(audio.captureSessionState().tempo == (try tempo(100)))
      let time = try #require(useLinkInRealtime(link))
      #expect(time <= audio.now())
    }
  }
}
