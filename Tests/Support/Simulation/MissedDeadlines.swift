import Foundation
import MusicalTime
import PropertyTesting

/// The times at which a busy machine does not let a process run in time: the server, the bridge, or both.
struct MissedDeadlines: Sendable {
  /// The process that is late.
  enum Victim: Sendable { case server, program, both }

  /// A process is kept from running.
  struct Miss: Sendable {
    var victim: Victim
    var length: HostInterval
  }

  /// How long it is from one to the next, on average; zero for never.
  private let interval: HostInterval
  private var next: HostTime<LinkClock>
  private var random: Seeded

  init(every interval: HostInterval, from time: HostTime<LinkClock>, seed: UInt64) {
    self.interval = interval
    random = Seeded(seed: seed)
    next = time + interval
  }

  /// The miss that is due at `time`, if one is.
  mutating func pass(to time: HostTime<LinkClock>) -> Miss? {
    guard interval > .zero, next <= time else { return nil }
    // As a Poisson process has them: some come in a rush.
    let wait = -log1(random.fraction())
    next = time + HostInterval(nanoseconds: Int64(Double(interval.nanoseconds) * min(wait, 8)))
    let victim = random.pick([Victim.server, .server, .program, .both])
    return Miss(victim: victim, length: random.interval(random.oneIn(8) ? 20...120 : 3...20))
  }

  /// The logarithm of a number from 0 to 1, which is never that of 0.
  private func log1(_ number: Double) -> Double { number < 1e-6 ? -13.8 : log(number) }
}
