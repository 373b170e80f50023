extension Beats {
  /// How far this position is into its quantum: the unique ``Phase`` in `0 ..< quantum` that differs from it
  /// by a multiple of `quantum`. Positions before zero count up to it: beat -1 of a quantum of 4 has phase 3.
  @inlinable
  public func phase(in quantum: Quantum) -> Phase {
    let length = quantum.beats.nanobeats
    let remainder = nanobeats % length
    return Phase(offset: Beats(nanobeats: remainder < 0 ? remainder &+ length : remainder), quantum: quantum)
  }

  /// The position with this position's phase that lies nearest to `target`; of two equally near, the later
  /// one.
  @inlinable
  public func shifted(nearestTo target: Beats, byMultiplesOf quantum: Quantum) -> Beats {
    let half = Beats(nanobeats: quantum.beats.nanobeats / 2)
    return shifted(atOrAfter: target - half, byMultiplesOf: quantum)
  }

  /// The first position at or after `target` that has this position's phase.
  @inlinable
  public func shifted(atOrAfter target: Beats, byMultiplesOf quantum: Quantum) -> Beats {
    target + (self - target).phase(in: quantum).offset
  }
}
