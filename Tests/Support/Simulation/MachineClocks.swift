import MusicalTime
import PropertyTesting
import Reconciliation

/// The two clocks of a machine: JACK's may be another than Link's, and be slewed.
struct MachineClocks: Sendable {
  /// A reading of Link's clock between two of JACK's.
  typealias Pair = (before: HostTime<JACKClock>, link: HostTime<LinkClock>, after: HostTime<JACKClock>)

  private var origin: HostTime<LinkClock>
  private var offset: HostInterval
  /// How much faster JACK's clock runs than Link's.
  private(set) var skew: Double

  init(offset: HostInterval, skew: Double, at time: HostTime<LinkClock>) {
    origin = time
    self.offset = offset
    self.skew = skew
  }

  /// The time of JACK's clock when Link's reads `time`.
  func jack(at time: HostTime<LinkClock>) -> HostTime<JACKClock> {
    HostTime(nanoseconds: (time + offset(at: time)).nanoseconds)
  }

  /// The time of Link's clock when JACK's reads `time`.
  func link(at time: HostTime<JACKClock>) -> HostTime<LinkClock> {
    let read = HostTime<LinkClock>(nanoseconds: time.nanoseconds)
    let near = read - offset(at: read - offset)
    return read - offset(at: near)
  }

  /// From `time` on JACK's clock runs this much faster.
  mutating func slew(to skew: Double, at time: HostTime<LinkClock>) {
    offset = offset(at: time)
    origin = time
    self.skew = skew
  }

  private func offset(at time: HostTime<LinkClock>) -> HostInterval {
    skew == 0
      ? offset : offset + HostInterval(nanoseconds: Int64(Double((time - origin).nanoseconds) * skew))
  }

  /// Reads Link's clock between two readings of JACK's, as a thread does that is not always left in peace.
  func pair(at time: HostTime<LinkClock>, _ random: inout Seeded) -> Pair {
    let first = HostInterval(nanoseconds: Int64(random.fraction() * 300))
    let isDisturbed = random.oneIn(20)
    let second = HostInterval(nanoseconds: isDisturbed ? 40_000 : Int64(random.fraction() * 300))
    let middle = time + first
    return (
      HostTime(microseconds: jack(at: time).microseconds), HostTime(microseconds: middle.microseconds),
      HostTime(microseconds: jack(at: middle + second).microseconds)
    )
  }
}
