import MusicalTime
import PropertyTesting
import Testing

@Suite struct TimeTests {
  @Test func `A frame clock runs on across any number of 32-bit wraps`() {
    forAll(50) { seed, random in
      var clock = FrameClock()
      var frame = Int64.random(in: 0...Int64(UInt32.max), using: &random)
      var last = clock.extend(ServerFrame(UInt32(truncatingIfNeeded: frame)))
      for _ in 0..<200 {
        let step = Int64.random(in: -100_000...Int64(Int32.max), using: &random)
        frame += step
        let now = clock.extend(ServerFrame(UInt32(truncatingIfNeeded: frame)))
        #expect(now - last == FrameCount(step), "seed \(seed)")
        last = now
      }
      #expect(clock.last == last)
    }
  }

  @Test func `Whole microseconds and a fraction make up an instant, also before the clock's origin`() {
    forAll(1000) { seed, random in
      let time = HostTime<LinkClock>(
        nanoseconds: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      let rest = time.sinceMicrosecond
      #expect(rest >= .zero && rest.nanoseconds < 1000, "seed \(seed)")
      #expect(HostTime(microseconds: time.microseconds) + rest == time, "seed \(seed)")
      let whole = Int64.random(in: -1_000_000...1_000_000, using: &random)
      #expect(HostTime<LinkClock>(microseconds: whole).microseconds == whole, "seed \(seed)")
    }
  }

  @Test func `The frames nearest to an interval last as long as it, to half a frame`() {
    forAll(1000) { seed, random in
      let interval = HostInterval(
        nanoseconds: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      let back = HostInterval(FrameCount(nearest: interval, at: .standard), at: .standard)
      #expect((back - interval).magnitude.nanoseconds <= 10_417, "seed \(seed)")
    }
    #expect(FrameCount(nearest: HostInterval(nanoseconds: .max), at: .standard).count > 0)
    #expect(HostInterval(nanoseconds: 250) * 4 == HostInterval(microseconds: 1))
  }

  @Test func `A length reads the same in seconds, milliseconds and microseconds`() {
    let length = HostInterval.seconds(-2.5)
    #expect(length.seconds == -2.5)
    #expect(length.milliseconds == -2_500)
    #expect(length.microseconds == -2_500_000)
  }

  @Test("A time that is no number of milliseconds, or of more than 146 years, is none")
  func interval() {
    for milliseconds in [.nan, .infinity, 1e30, -4_611_686_018_428] {
      #expect(HostInterval(milliseconds: milliseconds) == nil)
    }
    #expect(HostInterval(milliseconds: -4_611_686_018_427) != nil)
  }

  @Test func `An interval back is as long as the one forward`() {
    for nanoseconds: Int64 in [0, 1, 7, 1_000_000_007] {
      #expect(HostInterval(nanoseconds: -nanoseconds).magnitude == HostInterval(nanoseconds: nanoseconds))
    }
  }
}
