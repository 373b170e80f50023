import MusicalTime

/// The state and the position of the transport, read together.
public struct TransportReading: Sendable, Hashable, BitwiseCopyable {
  /// The transport's state.
  public let state: TransportState
  /// Where it is.
  public let position: PositionReading

  /// A reading of the given parts.
  @_noLocks
  public init(state: TransportState, position: PositionReading) {
    self.state = state
    self.position = position
  }
}
