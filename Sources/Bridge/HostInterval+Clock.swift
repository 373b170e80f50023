import Glibc
import MusicalTime

extension HostInterval {
  /// The time of one of the system's clocks, from its own beginning; `nil` where there is no such clock.
  ///
  /// Thread-safe. The corresponding C function is `clock_gettime`.
  init?(on clock: clockid_t) {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    self.init(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
