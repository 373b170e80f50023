/// A position within a ``Quantum``: at least zero and less than the quantum.
public struct Phase: Sendable, BitwiseCopyable, Hashable {
  /// The distance from the start of the quantum.
  public let offset: Beats
  /// The quantum the phase is of.
  public let quantum: Quantum

  @inlinable
  init(offset: Beats, quantum: Quantum) {
    self.offset = offset
    self.quantum = quantum
  }

  /// The part of the quantum that has passed, in `0 ..< 1`.
  @inlinable public var fraction: Double { offset.doubleValue / quantum.doubleValue }

  /// The shortest distance from `other` to this phase, in `-quantum / 2 ..< quantum / 2`.
  @inlinable
  public func distance(from other: Phase) -> Beats {
    (offset - other.offset).shortest(around: quantum)
  }
}
