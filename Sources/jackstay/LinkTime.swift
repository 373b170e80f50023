import Glibc

/// Link's host time, which is the system's clock that is never set or slewed.
enum LinkTime {
  /// Now. The corresponding C function is `clock_gettime` with `CLOCK_MONOTONIC_RAW`.
  static var nanoseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC_RAW, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
