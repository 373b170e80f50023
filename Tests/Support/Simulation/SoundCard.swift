import Foundation
import MusicalTime
import PropertyTesting

/// A sound card that wakes the server once in a period, by a clock of its own.
struct SoundCard: Sendable {
  let rate: SampleRate
  /// How much faster it runs than its nominal rate says.
  var skew: Double
  /// How late the server wakes up at most.
  var jitter: HostInterval
  /// How much faster than its clock it goes: offline rendering does not wait for it.
  var hurry = 1.0
  /// The start of the current cycle by the card's clock.
  private(set) var time: HostTime<LinkClock>
  private var remainder = 0.0

  init(rate: SampleRate, skew: Double, jitter: HostInterval, from time: HostTime<LinkClock>) {
    self.rate = rate
    self.skew = skew
    self.jitter = jitter
    self.time = time
  }

  /// Goes on to the next cycle.
  mutating func pass(_ frames: UInt32) {
    let exact = Double(frames) * 1e9 / (rate.hertz * (1 + skew) * hurry) + remainder
    let whole = exact.rounded(.down)
    remainder = exact - whole
    time = time + HostInterval(nanoseconds: Int64(whole))
  }

  /// Stands still.
  mutating func stall(for interval: HostInterval) { time = time + interval }

  /// Begins anew: its next cycle is at `time`.
  mutating func restart(at time: HostTime<LinkClock>) {
    self.time = time
    remainder = 0
  }

  /// When the server wakes up for the current cycle.
  func wakeUp(_ random: inout Seeded) -> HostTime<LinkClock> {
    guard jitter.nanoseconds > 0 else { return time }
    // Mostly early in the range, as wake-ups are.
    let share = random.fraction()
    return time + HostInterval(nanoseconds: Int64(Double(jitter.nanoseconds) * share * share * share * share))
  }
}

/// How a JACK server smooths the times at which it wakes up: a second-order delay-locked loop (F. Adriaensen,
/// "Using a DLL to filter time", 2005), with jackd2's constants: bandwidth and damping are for the nominal
/// period, whatever the loop makes of it.
///
/// After a missed deadline jackd2 corrects its record of the cycle at hand, and nothing else: the loop then
/// takes seconds to make up for the time that was lost, and goes too far on the way.
public struct DelayLockedLoop: Sendable {
  /// The loop's bandwidth in hertz.
  private static let bandwidth = 0.125
  /// Twice its damping.
  private static let damping = 1.41

  /// The smoothed start of the current cycle.
  public private(set) var start: HostTime<JACKClock>
  /// The smoothed start of the next one.
  public private(set) var next: HostTime<JACKClock>
  private var exactNext: Double
  private var period: Double
  private let omega: Double

  /// A loop that begins with a cycle at `time`: a driver that is started, or started anew.
  public init(at time: HostTime<JACKClock>, period: HostInterval) {
    self.period = Double(period.nanoseconds)
    omega = 2 * Double.pi * DelayLockedLoop.bandwidth * self.period / 1e9
    start = time
    exactNext = Double(period.nanoseconds)
    next = time + period
    base = time
  }

  // Kept apart from the fraction, which doubles could not carry for days.
  private var base: HostTime<JACKClock>

  /// The server has missed a deadline: its record of this cycle, and no other, is corrected.
  public mutating func reset(at time: HostTime<JACKClock>) { start = time }

  /// The server wakes up for the next cycle.
  public mutating func wake(at time: HostTime<JACKClock>) {
    let error = Double((time - base).nanoseconds) - exactNext
    start = next
    let previous = exactNext
    period += omega * omega * error
    exactNext += DelayLockedLoop.damping * omega * error + period
    // The time of the past is whole nanoseconds.
    let whole = Int64(previous)
    base = base + HostInterval(nanoseconds: whole)
    exactNext -= Double(whole)
    next = base + HostInterval(nanoseconds: Int64(exactNext))
  }
}

extension Seeded {
  /// A number from 0 up to 1. Quick: it is asked for in every cycle.
  mutating func fraction() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// An interval between two bounds.
  mutating func interval(_ range: ClosedRange<Double>) -> HostInterval {
    HostInterval(
      nanoseconds: Int64((range.lowerBound + (range.upperBound - range.lowerBound) * fraction()) * 1e6))
  }

  /// One of some, of which there is at least one.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: elements.indices, using: &self)]
  }
}
