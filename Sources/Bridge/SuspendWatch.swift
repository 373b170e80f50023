import Glibc
import MusicalTime

/// Notices that the machine has slept.
///
/// While it does, the clocks that JACK and Link go by stand still, and nothing in them shows it afterwards:
/// Link would keep for up to half a minute what it has measured of its peers' clocks, which are further on.
/// Linux has a clock that counts sleep as well, and the difference of the two is the time asleep.
struct SuspendWatch: Sendable {
  /// The two clocks cannot be read at the same instant, and the system may run other threads in between.
  private static let tolerance = HostInterval.milliseconds(100)

  private var slept: HostInterval?

  /// A watch that has not looked yet.
  init() {}

  /// Looks whether the machine has slept.
  ///
  /// - Parameter total: How long it has slept since it was started, from ``total()``.
  /// - Returns: For how long it has since it was last looked; `nil` if it has not.
  mutating func look(_ total: HostInterval?) -> HostInterval? {
    guard let total else { return nil }
    guard let before = slept else {
      slept = total
      return nil
    }
    guard total - before > SuspendWatch.tolerance else { return nil }
    slept = total
    return total - before
  }

  /// How long the machine has slept since it was started; `nil` where there are no such clocks, or where
  /// another thread ran between two readings of them.
  static func total() -> HostInterval? {
    guard let before = HostInterval(on: CLOCK_MONOTONIC), let all = HostInterval(on: CLOCK_BOOTTIME),
      let after = HostInterval(on: CLOCK_MONOTONIC), after - before <= tolerance
    else { return nil }
    return all - before
  }
}
