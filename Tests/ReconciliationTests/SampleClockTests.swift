import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

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

  @Test("A second of frames is known to microseconds after ten, across the wrap of JACK's count")
  func learnsTheSpeed() {
    forAll(60) { seed, random in
      let skew = Double.random(in: -2e-4...2e-4, using: &random)
      let period: UInt32 = [64, 256, 1024].randomElement(using: &random) ?? 256
      let clock = Self.run(skew: skew, noise: 10e-6, period: period, seconds: 10, &random)
      let second = clock.duration(of: FrameCount(48_000), at: .standard)
      let error = second - HostInterval(nanoseconds: Int64(1e9 / (1 + skew)))
      #expect(error.magnitude <= .milliseconds(0.006), "seed \(seed): \(error.microseconds) us")
      #expect(clock.isSteady, "seed \(seed)")
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
    #expect(clock.isSteady)
    #expect(
      (clock.duration(of: FrameCount(48_000), at: .standard) - .seconds(1)).magnitude < .milliseconds(0.001))
  }

  @Test("Before it has measured anything it is a clock of nominal speed, and not steady")
  func unused() {
    let clock = SampleClock()
    #expect(clock.duration(of: FrameCount(48_000), at: .standard) == .milliseconds(1_000))
    #expect(!clock.isSteady)
  }

  @Test("After a missed deadline it is not steady until JACK's loop has caught up, and keeps its speed")
  func missedDeadline() {
    var random = Seeded(seed: 5)
    var clock = Self.run(skew: 1e-4, noise: 1e-6, period: 256, seconds: 10, &random)
    let before = clock.duration(of: FrameCount(48_000), at: .standard)
    // As jackd2 does it: a jump, then periods that are too long, by less and less.
    var time = 1e6 + 30
    var frame: ServerFrame = 7
    var steadyAfter: Double?
    for cycle in 0..<3000 {
      let lag = 0.05 * pow(0.995, Double(cycle))
      time += 256.0 / 48_000 / (1 + 1e-4)
      clock.observe(frame: frame, at: HostTime(nanoseconds: Int64((time - lag) * 1e9)), rate: .standard)
      frame = frame + 256
      if clock.isSteady, steadyAfter == nil { steadyAfter = lag }
    }
    // The rest of the lag when a start is planned on the clock again.
    #expect((steadyAfter ?? 1) < 0.0015)
    #expect(clock.isSteady)
    #expect(
      (clock.duration(of: FrameCount(48_000), at: .standard) - before).magnitude <= .milliseconds(0.005))
  }

  private func pow(_ base: Double, _ exponent: Double) -> Double {
    var result = 1.0
    for _ in 0..<Int(exponent) { result *= base }
    return result
  }
}
