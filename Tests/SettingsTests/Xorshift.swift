/// A small generator of numbers that are the same in every run.
struct Xorshift {
  var state: UInt64

  /// A number from 0 to `bound` - 1.
  mutating func below(_ bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(bound))
  }
}
