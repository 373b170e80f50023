import Glibc

/// Waits until a condition holds, for five seconds at most.
public func eventually(_ holds: () -> Bool) -> Bool {
  for _ in 0..<500 {
    if holds() { return true }
    usleep(10_000)
  }
  return false
}
