import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@Suite struct ClockMapTests {
  /// Runs a pair of clocks for `seconds`, the second `offset` away and `skew` faster; returns the worst error of
  /// the map over the last half.
  static func worstError(
    offset: Int64, skew: Double, jitter: ClosedRange<Int64>, seconds: Double, _ random: inout Seeded
  ) -> Int64 {
    let origin: Int64 = 5_000_000_000_000
    return worstError(
      from: origin, seconds: seconds, judgedFrom: seconds / 2, jitter: jitter, &random
    ) { $0 + offset + Int64(Double($0 - origin) * skew) }
  }

  /// Runs a pair of clocks from `origin` on, read in whole microseconds with up to `jitter` between the readings;
  /// returns the worst error of the map after the first seconds.
  static func worstError(
    from origin: Int64, seconds: Double, judgedFrom: Double, jitter: ClosedRange<Int64>,
    _ random: inout Seeded, link: (Int64) -> Int64
  ) -> Int64 {
    var map = ClockMap()
    var worst: Int64 = 0
    var time = origin
    while time < origin + Int64(seconds * 1e9) {
      let reading = time + Int64.random(in: jitter, using: &random)
      let after = reading + Int64.random(in: jitter, using: &random)
      map.observe(
        before: HostTime(microseconds: time / 1000), link: HostTime(microseconds: link(reading) / 1000),
        after: HostTime(microseconds: after / 1000))
      if Double(time - origin) > judgedFrom * 1e9, let mapped = map.link(at: HostTime(nanoseconds: time)) {
        worst = max(worst, abs(mapped.nanoseconds - link(time)))
      }
      time += 5_333_333
    }
    return worst
  }

  @Test func `One clock under two names maps to itself to the nanosecond`() {
    var random = Seeded(seed: 1)
    #expect(Self.worstError(offset: 0, skew: 0, jitter: 0...60, seconds: 20, &random) == 0)
  }

  @Test func `Clocks apart and of different speed are mapped within two microseconds`() {
    forAll(20) { seed, random in
      let offset = Int64.random(in: -300_000_000...300_000_000, using: &random) * 1000
      let skew = Double.random(in: -5e-6...5e-6, using: &random)
      let error = Self.worstError(offset: offset, skew: skew, jitter: 0...900, seconds: 20, &random)
      #expect(error <= 2_500, "seed \(seed)")
    }
  }

  @Test func `The clocks' different speeds are known within a millionth after ten seconds, in each window`() {
    forAll(20) { seed, random in
      let drift = Double.random(in: -5e-6...5e-6, using: &random)
      var map = ClockMap()
      for cycle in 0..<4_000 {
        let time = 1_000_000_000 + Int64(cycle) * 5_333_333
        let link = (time + Int64(Double(time) * drift)) / 1_000
        map.observe(
          before: HostTime(microseconds: time / 1_000), link: HostTime(microseconds: link),
          after: HostTime(microseconds: time / 1_000))
        guard cycle > 2_000, let found = map.reading?.drift else { continue }
        #expect((found - drift).magnitude < 1e-6, "seed \(seed), cycle \(cycle): \(found), and not \(drift)")
      }
    }
  }

  @Test func `Interrupted readings do not disturb the map`() {
    var map = ClockMap()
    var random = Seeded(seed: 3)
    for cycle in 0..<10_000 {
      let before = Int64(cycle) * 1_333_333
      let delay: Int64 = random.oneIn(3) ? .random(in: 0...3_000_000, using: &random) : 0
      map.observe(
        before: HostTime(nanoseconds: before), link: HostTime(nanoseconds: before + delay + 77_000),
        after: HostTime(nanoseconds: before + delay))
      let mapped = map.link(at: HostTime(nanoseconds: before))
      if cycle > 0 { #expect((mapped?.nanoseconds ?? 0) - before == 77_000) }
    }
  }

  @Test(
    "A clock that is stepped is followed within two windows, also once its speed is known",
    arguments: [1_000_000, 3_000_000, 6_000_000, 250_000_000] as [Int64], [1000, 10_000])
  func stepped(step: Int64, at cycle: Int) {
    var map = ClockMap()
    let period: Int64 = 1_333_333
    for number in 0..<(cycle + 1000) {
      let time = Int64(number) * period
      map.observe(
        before: HostTime(nanoseconds: time), link: HostTime(nanoseconds: time + (number < cycle ? 0 : step)),
        after: HostTime(nanoseconds: time))
      guard number > cycle + 751 else { continue }
      #expect(map.link(at: HostTime(nanoseconds: time)) == HostTime(nanoseconds: time + step))
    }
  }

  @Test func `After a step, a clock's speed is known again a window later`() {
    forAll(20) { seed, random in
      let skew = Double.random(in: 1e-5...1.8e-5, using: &random) * (random.oneIn(2) ? 1 : -1)
      let worst = Self.worstError(
        from: 0, seconds: 16, judgedFrom: 13.2, jitter: 0...900, &random
      ) { $0 + Int64(Double($0) * skew) + ($0 > 12_000_000_000 ? 5_000_000 : 0) }
      #expect(worst <= 4_000, "seed \(seed): \(worst) ns off at \(skew)")
    }
  }

  @Test func `A clock that begins to be slewed is followed within two seconds, to some microseconds`() {
    forAll(20) { seed, random in
      let skew = Double.random(in: 5e-5...5e-4, using: &random) * (random.oneIn(2) ? 1 : -1)
      let slewed = 12 + Double.random(in: 0..<0.5, using: &random)
      let worst = Self.worstError(
        from: 0, seconds: slewed + 6, judgedFrom: slewed + 2, jitter: 0...900, &random
      ) { $0 + Int64(max(0, Double($0) - slewed * 1e9) * skew) }
      #expect(worst <= 8_000, "seed \(seed): \(worst) ns off at \(skew)")
    }
  }

  @Test func `Before the first pair nothing is mapped, and readings out of order are ignored`() {
    var map = ClockMap()
    #expect(map.link(at: HostTime(nanoseconds: 1)) == nil)
    map.observe(
      before: HostTime(nanoseconds: 10), link: HostTime(nanoseconds: 10), after: HostTime(nanoseconds: 5))
    #expect(map.link(at: HostTime(nanoseconds: 1)) == nil)
  }

  // MARK: Exact readings

  /// Two clocks that are compared ten times a second, so that a window is of six readings.
  private struct Readings {
    private(set) var map = ClockMap()
    private var time: Int64 = 1_000_000_000
    private var offset = 77_000.0
    /// How much faster Link's clock runs.
    var drift = 0.0

    /// Compares them so often. A reading may be wrong by some nanoseconds, and take some.
    mutating func compare(_ count: Int = 6, off: Int64 = 0, width: Int64 = 0) {
      for _ in 0..<count {
        map.observe(
          before: HostTime(nanoseconds: time - width / 2),
          link: HostTime(nanoseconds: time + Int64(offset.rounded()) + off),
          after: HostTime(nanoseconds: time + width / 2))
        time += 100_000_000
        offset += drift * 1e8
      }
    }

    /// The speed difference that the map knows, in millionths.
    var known: Double { ((map.reading?.drift ?? .nan) * 1e9).rounded() / 1e3 }
    /// How far what it maps is from Link's clock, as it is read next.
    var error: Int64 {
      (map.link(at: HostTime(nanoseconds: time))?.nanoseconds ?? .min) - time - Int64(offset.rounded())
    }
  }

  @Test func `The first pair counts at once; of a window the tightest does, and of those the last`() {
    var readings = Readings()
    readings.compare(1, off: 500, width: 4_000)
    #expect(readings.error == 500)
    readings.compare(1, off: -300, width: 2_000)
    #expect(readings.error == -300)
    for (off, width) in [(400, 2_000), (900, 3_000), (200, 2_000), (700, 2_002)] as [(Int64, Int64)] {
      readings.compare(1, off: off, width: width)
    }
    #expect(readings.error == 200)
    // That window is over: the next one has not shown anything yet.
    readings.compare(5, off: 40)
    #expect(readings.error == 200)
    readings.compare(1, off: 40)
    #expect(readings.error == 40)
  }

  @Test(arguments: [20, -20, 3, -3, 0, 2, -2])
  func `A difference is measured in the second window, where it is more than the clocks resolve`(
    millionths: Double
  ) {
    var readings = Readings()
    readings.drift = millionths * 1e-6
    readings.compare()
    #expect(readings.known == 0)
    readings.compare()
    // 1.2 us at two millionths.
    #expect(readings.known == (millionths.magnitude > 2 ? millionths : 0))
    readings.compare()
    #expect(readings.known == millionths)
  }

  @Test func `A difference that is known from sixteen windows is measured anew over six at least`() {
    var readings = Readings()
    readings.drift = 10e-6
    readings.compare(6 * 17)
    readings.drift = 12e-6
    for _ in 0..<5 {
      readings.compare()
      #expect(readings.known == 10)
    }
    readings.compare()
    #expect(readings.known > 11.6 && readings.known <= 12)
    // Over sixteen again, from where it was known.
    readings.compare(6 * 10)
    readings.drift = 10e-6
    readings.compare(6 * 5)
    #expect(readings.known > 11.8)
  }

  @Test("Until it is known from sixteen windows, each window measures it anew", arguments: [15, 16, 17])
  func notKnownYet(windows: Int) {
    var readings = Readings()
    readings.drift = 10e-6
    readings.compare(6 * windows)
    readings.drift = 12e-6
    readings.compare(6)
    #expect((readings.known == 10) == (windows == 17), "\(readings.known)")
  }

  @Test("A clock that is slewed is followed from the window on that shows it", arguments: [300, -300, 200])
  func slewed(millionths: Double) {
    var readings = Readings()
    readings.compare(6 * 20)
    readings.drift = millionths * 1e-6
    // The first window began before.
    readings.compare(12)
    #expect(readings.known == millionths && readings.error.magnitude <= 1)
    for _ in 0..<20 {
      readings.compare()
      #expect(readings.known == millionths && readings.error.magnitude <= 1)
    }
  }

  @Test func `A change by which readings may be wrong is no slew`() {
    for (last, first) in [((9_000, 0), (0, 0)), ((30_000, 40_000), (-15_000, 40_000))]
      as [((Int64, Int64), (Int64, Int64))]
    {
      var readings = Readings()
      readings.compare(6 * 20)
      readings.compare(off: last.0, width: last.1)
      readings.compare(off: first.0, width: first.1)
      #expect(readings.known == 0, "\(last), \(first)")
    }
    var readings = Readings()
    readings.compare(6 * 20)
    readings.compare(off: 11_000)
    #expect(readings.known > 18 && readings.known < 19)
    // Two pairs a tenth of a second apart, of two windows.
    readings = Readings()
    readings.compare(6 * 20)
    readings.compare(5, width: 2_000)
    readings.compare(1, off: 7_000)
    readings.compare(1, off: -7_000)
    readings.compare(5, width: 2_000)
    #expect(readings.known == 0)
  }

  @Test func `Windows go on where JACK's clock is set back`() {
    var map = ClockMap()
    for (time, offset) in [(5_000_000_000, 10), (4_000_000_000, 20), (4_100_000_000, 30)] as [(Int64, Int64)]
    {
      map.observe(
        before: HostTime(nanoseconds: time), link: HostTime(nanoseconds: time + offset),
        after: HostTime(nanoseconds: time))
    }
    #expect(map.link(at: HostTime(nanoseconds: 0)) == HostTime(nanoseconds: 20))
  }
}
