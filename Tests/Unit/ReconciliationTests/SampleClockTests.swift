import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

@Suite struct SampleClockTests {
  /// Runs a sound card that is `skew` off, read by a loop that wanders by `noise`, and returns the clock and
  /// its time.
  private static func run(
    skew: Double, noise: Double, period: UInt32, seconds: Double, _ random: inout Seeded
  ) -> SampleClock {
    var clock = SampleClock()
    var frame = ServerFrame(.random(in: 0...UInt32.max, using: &random))
    var wander = 0.0
    let length = Double(period) / 48_000 / (1 + skew)
    for cycle in 0..<Int(seconds / length) {
      wander = wander * 0.98 + Double.random(in: -0.1...0.1, using: &random) * noise
      let time = 1e6 + Double(cycle) * length + wander
      clock.observe(frame: frame, at: HostTime(nanoseconds: Int64(time * 1e9)), rate: .standard)
      frame = frame + period
    }
    return clock
  }

  @Test func `An interval that is too long to be scaled is as long as any`() {
    for sign in [1, -1] as [Int64] {
      let year = HostInterval(nanoseconds: sign * 31_536_000_000_000_000)
      #expect(year.scaled(by: 2) == year + year)
      #expect(year.scaled(by: 1_000) == HostInterval(nanoseconds: sign * 9_000_000_000_000_000_000))
      #expect(year.scaled(by: -1_000) == HostInterval(nanoseconds: -sign * 9_000_000_000_000_000_000))
    }
  }

  @Test func `A second of frames is known to microseconds after ten, across the wrap of JACK's count`() {
    forAll(60) { seed, random in
      let skew = Double.random(in: -2e-4...2e-4, using: &random)
      let period: UInt32 = [64, 256, 1024].randomElement(using: &random) ?? 256
      let clock = Self.run(skew: skew, noise: 10e-6, period: period, seconds: 10, &random)
      let second = clock.reading.duration(of: FrameCount(48_000), at: .standard)
      let error = second - HostInterval(nanoseconds: Int64(1e9 / (1 + skew)))
      #expect(error.magnitude <= .milliseconds(0.006), "seed \(seed): \(error.microseconds) us")
      #expect(clock.reading.isSteady, "seed \(seed)")
    }
  }

  @Test("A speed that was learned from a loop that caught up does not keep the clock restless for ever")
  func forgetsAWrongSpeed() {
    var clock = SampleClock()
    var frame: ServerFrame = 0
    var time = 1e6
    for (skew, period, seconds) in [(8e-4, UInt32(512), 5.0), (0, 4096, 12)] {
      let length = Double(period) / 48_000 / (1 + skew)
      for _ in 0..<Int(seconds / length) {
        clock.observe(frame: frame, at: HostTime(nanoseconds: Int64(time * 1e9)), rate: .standard)
        frame = frame + period
        time += length
      }
    }
    #expect(clock.reading.isSteady)
    #expect(
      (clock.reading.duration(of: FrameCount(48_000), at: .standard) - .seconds(1)).magnitude
        < .milliseconds(0.001))
  }

  @Test func `Before it has measured anything it is a clock of nominal speed, and not steady`() {
    let clock = SampleClock()
    #expect(clock.reading.duration(of: FrameCount(48_000), at: .standard) == .milliseconds(1_000))
    #expect(!clock.reading.isSteady)
  }

  /// Runs a card that is `skew` off, without noise, to `seconds`, and from the next cycle on `step` seconds late.
  private static func run(skew: Double, seconds: Double, step: Double = 0) -> SampleClock {
    var clock = SampleClock()
    let length = 256.0 / 48_000 / (1 + skew)
    let cycles = Int(seconds / length)
    for cycle in 0...cycles {
      let time = 1e6 + Double(cycle) * length + (cycle == cycles ? step : 0)
      let frame = ServerFrame(UInt32(cycle) * 256)
      clock.observe(frame: frame, at: HostTime(nanoseconds: Int64(time * 1e9)), rate: .standard)
    }
    return clock
  }

  @Test func `A step of 90 us is noise; one of 160 us is a missed deadline, and shows in its first cycle`() {
    #expect(Self.run(skew: 0, seconds: 2, step: 90e-6).reading.isSteady)
    #expect(!Self.run(skew: 0, seconds: 2, step: 160e-6).reading.isSteady)
  }

  @Test(
    "The speed is known from the fifth half second on, and from then on always; settled is after three seconds"
  )
  func firstSpeed() {
    func error(after seconds: Double) -> HostInterval {
      let second = Self.run(skew: 2e-4, seconds: seconds).reading.duration(
        of: FrameCount(48_000), at: .standard)
      return (second - HostInterval(nanoseconds: Int64(1e9 / (1 + 2e-4)))).magnitude
    }
    #expect(error(after: 2.4) > .milliseconds(0.19))
    for seconds in [2.7, 5, 9, 11, 17, 60] {
      #expect(error(after: seconds) < .milliseconds(0.001), "\(seconds)")
    }
    #expect(!Self.run(skew: 2e-4, seconds: 3).reading.isSettled)
    #expect(Self.run(skew: 2e-4, seconds: 3.3).reading.isSettled)
  }

  @Test("After a missed deadline it is not steady until JACK's loop has caught up, and keeps its speed")
  func missedDeadline() {
    var random = Seeded(seed: 5)
    var clock = Self.run(skew: 1e-4, noise: 1e-6, period: 256, seconds: 10, &random)
    let before = clock.reading.duration(of: FrameCount(48_000), at: .standard)
    // As jackd2 does it: a jump, then periods that are too long, by less and less.
    var time = 1e6 + 30
    var frame: ServerFrame = 7
    var steadyAfter: Double?
    var isForgotten = false
    for cycle in 0..<3000 {
      let lag = 0.05 * pow(0.995, Double(cycle))
      time += 256.0 / 48_000 / (1 + 1e-4)
      clock.observe(frame: frame, at: HostTime(nanoseconds: Int64((time - lag) * 1e9)), rate: .standard)
      frame = frame + 256
      if clock.reading.isSteady, steadyAfter == nil { steadyAfter = lag }
      if steadyAfter == nil, clock.reading.duration(of: FrameCount(48_000), at: .standard) != before {
        isForgotten = true
      }
    }
    #expect(!isForgotten)
    // The rest of the lag when a start is planned on the clock again.
    #expect((steadyAfter ?? 1) < 0.0015)
    #expect(clock.reading.isSteady)
    #expect(
      (clock.reading.duration(of: FrameCount(48_000), at: .standard) - before).magnitude
        <= .milliseconds(0.005))
  }

  private func pow(_ base: Double, _ exponent: Double) -> Double {
    var result = 1.0
    for _ in 0..<Int(exponent) { result *= base }
    return result
  }
}
