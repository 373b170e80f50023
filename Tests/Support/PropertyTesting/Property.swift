/// A source of random test inputs that a seed determines (SplitMix64, from Steele, Lea and Flood, "Fast
/// splittable pseudorandom number generators", 2014).
public struct Seeded: RandomNumberGenerator, Sendable {
  private var state: UInt64

  /// A source whose whole sequence follows from `seed`.
  public init(seed: UInt64) {
    state = seed
  }

  /// The next 64 random bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// `true` once in `count` times.
  public mutating func oneIn(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }
}

/// Runs `body` once for each of `count` seeds. A failure's message should carry the seed it is given: that
/// one run can then be repeated alone.
public func forAll(_ count: Int, from first: UInt64 = 1, _ body: (UInt64, inout Seeded) throws -> Void)
  rethrows
{
  for seed in first..<first + UInt64(count) {
    var random = Seeded(seed: seed)
    try body(seed, &random)
  }
}
