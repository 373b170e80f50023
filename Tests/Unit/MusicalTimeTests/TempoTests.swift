import MusicalTime
import PropertyTesting
import Testing

@Suite struct TempoTests {
  @Test(arguments: [.nan, .infinity, -1, 0, 19.999, 999.001, 1e9])
  func `A tempo outside 20 to 999 cannot be built`(beatsPerMinute: Double) {
    #expect(Tempo(beatsPerMinute: beatsPerMinute) == nil)
    #expect(!Tempo.range.contains(beatsPerMinute))
    for end in [Tempo.range.lowerBound, Tempo.range.upperBound] { #expect(Tempo(beatsPerMinute: end) != nil) }
  }

  @Test func `Clamping brings every number into the range, and rejects a value that is no number`() throws {
    #expect(Tempo(clamping: .nan) == nil)
    #expect(try #require(Tempo(clamping: 999.000999)).beatsPerMinute == 999)
    #expect(try #require(Tempo(clamping: -.infinity)).beatsPerMinute == 20)
  }

  @Test func `Tempos with the same whole number of microseconds per beat are the same for peers`() throws {
    let sent = try #require(Tempo(beatsPerMinute: 140))
    let received = try #require(Tempo(beatsPerMinute: 60e6 / 428_571))
    #expect(sent != received)
    #expect(sent.isSameOnTheWire(as: received))
    #expect(!sent.isSameOnTheWire(as: .standard))
  }

  @Test func `Beats in an interval and the interval of those beats agree to a nanosecond's worth`() throws {
    try forAll(2000) { seed, random in
      let tempo = try #require(Tempo(beatsPerMinute: .random(in: 20...999, using: &random)))
      let interval = HostInterval(
        nanoseconds: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      let back = tempo.interval(of: tempo.beats(in: interval))
      #expect((back - interval).magnitude.nanoseconds <= 3, "seed \(seed)")
    }
  }

  @Test func `Frames in beats are the nearest to those beats`() throws {
    try forAll(2000) { seed, random in
      let tempo = try #require(Tempo(beatsPerMinute: .random(in: 20...999, using: &random)))
      let frames = FrameCount(.random(in: -4_000_000_000...4_000_000_000, using: &random))
      let beats = tempo.beats(in: frames, at: .standard)
      #expect(tempo.frames(in: beats, at: .standard) == frames, "seed \(seed)")
    }
    #expect(Tempo.standard.frames(in: .one, at: .standard) == FrameCount(24_000))
  }

  @Test func `A minute has as many beats as the tempo's value`() throws {
    let tempo = try #require(Tempo(beatsPerMinute: 137.5))
    #expect(tempo.beats(in: HostInterval.seconds(60)) == Beats(137.5))
    #expect(tempo.beats(in: FrameCount(60 * 48_000), at: .standard) == Beats(137.5))
  }

  @Test func `Up to the longest, times and beats are as exact as floating point is`() throws {
    // At 960 bpm sixteen beats are a second: nine tenths of the most beats there are.
    let tempo = try #require(Tempo(beatsPerMinute: 960))
    #expect(
      tempo.beats(in: HostInterval(nanoseconds: 56_250_000_000_000_000)).nanobeats == 900_000_000_000_000_000)
    // The longest time is 4e9 seconds.
    let frames = FrameCount(48_000 * 3_900_000_000)
    #expect((HostInterval(frames, at: .standard).nanoseconds - 3_900_000_000_000_000_000).magnitude < 1_000)
    #expect(HostInterval(frames + frames, at: .standard).nanoseconds == 4_000_000_000_000_000_000)
  }

  @Test func `Times too long for their type saturate instead of trapping`() {
    #expect(Tempo.standard.beats(in: HostInterval(nanoseconds: .max)) == .limit)
    #expect(Tempo.standard.beats(in: FrameCount(.max), at: .standard) == .limit)
    #expect(HostInterval(FrameCount(.max), at: .standard).nanoseconds == 4_000_000_000_000_000_000)
    // No sooner than they have to, and no later.
    #expect(
      HostInterval(FrameCount(240_000_000_000_000), at: .standard).nanoseconds == 4_000_000_000_000_000_000)
    let long = HostInterval(nanoseconds: 400_000_000_000_000_000)
    #expect(Tempo.standard.beats(in: long).nanobeats == 800_000_000_000_000_000)
    #expect(HostTime<LinkClock>(microseconds: .max).nanoseconds > 0)
  }
}
