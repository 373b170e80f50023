extension BeatTime {
  /// How far this position is into its quantum: the unique ``Phase`` in `0 ..< quantum` that differs from it
  /// by a multiple of `quantum`. Positions before zero count up to it: beat -1 of a quantum of 4 has phase 3.
  @inlinable
  public func phase(in quantum: Quantum) -> Phase {
    Phase(offset: sinceZero.remainder(in: quantum), quantum: quantum)
  }

  /// The position with this position's phase that lies nearest to `target`; of two equally near, the later
  /// one.
  @inlinable
  public func shifted(nearestTo target: BeatTime, byMultiplesOf quantum: Quantum) -> BeatTime {
    shifted(atOrAfter: target - quantum.half, byMultiplesOf: quantum)
  }

  /// The first position at or after `target` that has this position's phase.
  @inlinable
  public func shifted(atOrAfter target: BeatTime, byMultiplesOf quantum: Quantum) -> BeatTime {
    target + (self - target).remainder(in: quantum)
  }
}
