import AbletonLink
import MusicalTime
import Testing

extension AbletonLinkTests {
  @Suite("A session state")
  struct SessionStateTests {
    let link: Link
    let now: HostTime<LinkClock>

    init() throws {
      link = try Link(tempo: tempo(120))
      now = link.now()
    }

    @Test func `The fraction of a microsecond counts at the session's tempo`() throws {
      var state = link.captureSessionState()
      for bpm in [20, 120, 140.0001, 999] {
        state.setTempo(try tempo(bpm), at: now)
        for rest in Int64(0)..<1000 {
          let difference =
            state.beat(at: now + HostInterval(nanoseconds: rest), quantum: try quantum(4))
            - state.beat(at: now, quantum: try quantum(4))
          #expect(difference == state.tempo.beats(in: HostInterval(nanoseconds: rest)))
        }
      }
    }

    @Test(
      "The time at a beat is the inverse of the beat at a time, to within a microbeat",
      arguments: [20, 59.9, 120, 333.33, 999])
    func inverse(bpm: Double) throws {
      var state = link.captureSessionState()
      state.setTempo(try tempo(bpm), at: now)
      let four = try quantum(4)
      let microbeat = state.tempo.interval(of: Beats(nanobeats: 1000)) + HostInterval(nanoseconds: 2)
      for step in Int64(-500)..<500 {
        let time = now + HostInterval(nanoseconds: step &* 123_456_789)
        let back = state.time(atBeat: state.beat(at: time, quantum: four), quantum: four)
        #expect((back - time).magnitude <= microbeat)
      }
    }

    @Test("The phase is the beat's phase, and never negative", arguments: [1, 3, 4, 7.5])
    func phase(length: Double) throws {
      let state = link.captureSessionState()
      let quantum = try quantum(length)
      for step in Int64(-500)..<500 {
        let time = now + HostInterval(nanoseconds: step &* 98_765_432)
        let phase = state.phase(at: time, quantum: quantum)
        #expect(phase.offset >= .zero && phase.offset < quantum.beats)
        #expect(phase == state.beat(at: time, quantum: quantum).phase(in: quantum))
      }
    }

    @Test func `A new tempo turns the timeline around its time`() throws {
      var state = link.captureSessionState()
      let anchor = now + HostInterval(microseconds: 3_000_000)
      let before = state.beat(at: anchor, quantum: try quantum(4))
      state.setTempo(try tempo(60), at: anchor)
      #expect(state.tempo == (try tempo(60)))
      #expect(try (state.beat(at: anchor, quantum: quantum(4)) - before).magnitude < beats(0.000_003))
      let later = anchor + HostInterval(microseconds: 10_000_000)
      let passed = state.beat(at: later, quantum: try quantum(4)) - before
      #expect(try (passed - beats(10)).magnitude < beats(0.000_003))
    }

    @Test func `Alone, a requested beat is where it was requested; so is a forced one`() throws {
      let four = try quantum(4)
      let time = HostTime<LinkClock>(microseconds: now.microseconds + 1_234_567)
      var state = link.captureSessionState()
      state.requestBeat(try beatTime(-3.5), at: time, quantum: four)
      #expect(try (state.beat(at: time, quantum: four) - beatTime(-3.5)).magnitude < beats(0.000_003))
      state.forceBeat(try beatTime(17), at: time, quantum: four)
      #expect(try (state.beat(at: time, quantum: four) - beatTime(17)).magnitude < beats(0.000_003))
    }

    @Test func `A start keeps its time, and can request its beat`() throws {
      let four = try quantum(4)
      let start = HostTime<LinkClock>(microseconds: now.microseconds + 500_000)
      var state = link.captureSessionState()
      state.setIsPlaying(true, at: start)
      #expect(state.isPlaying)
      #expect(state.timeForIsPlaying == start)
      state.requestBeatAtStartPlayingTime(try beatTime(8), quantum: four)
      #expect(try (state.beat(at: start, quantum: four) - beatTime(8)).magnitude < beats(0.000_003))

      state.setIsPlaying(false, at: now)
      #expect(!state.isPlaying)
      let beat = state.beat(at: start, quantum: four)
      state.requestBeatAtStartPlayingTime(.zero, quantum: four)
      #expect(state.beat(at: start, quantum: four) == beat)

      state.setIsPlaying(true, at: start, requestingBeat: .zero, quantum: four)
      #expect(state.isPlaying)
      #expect(try state.beat(at: start, quantum: four).sinceZero.magnitude < beats(0.000_003))
    }

    @Test func `No time, beat or quantum gets anything out of it that is not a number`() throws {
      let times = [Int64.min, -1_000_000_000_000_000, -1, 0, 1, Int64.max]
        .map(HostTime<LinkClock>.init(nanoseconds:))
      let positions = [Beats.limit, -.limit, .zero, .one, try beats(-0.000_000_001)]
        .map(BeatTime.init(sinceZero:))
      for time in times {
        for beat in positions {
          for length in [0.125, 4, 1024] {
            let quantum = try quantum(length)
            var state = link.captureSessionState()
            state.setTempo(try tempo(999), at: time)
            state.requestBeat(beat, at: time, quantum: quantum)
            state.forceBeat(beat, at: time, quantum: quantum)
            state.setIsPlaying(true, at: time, requestingBeat: beat, quantum: quantum)
            #expect(state.tempo == (try tempo(999)))
            #expect(state.beat(at: now, quantum: quantum).sinceZero.magnitude <= .limit)
            #expect(state.phase(at: now, quantum: quantum).offset < quantum.beats)
            _ = state.time(atBeat: beat, quantum: quantum)
            _ = state.timeForIsPlaying
          }
        }
      }
    }

    @Test func `A copy is on its own until it is committed`() throws {
      var state = link.captureSessionState()
      state.setTempo(try tempo(77), at: now)
      #expect(link.sessionTempo == (try tempo(120)))
      link.commit(state)
      #expect(link.sessionTempo == (try tempo(77)))
    }
  }
}
