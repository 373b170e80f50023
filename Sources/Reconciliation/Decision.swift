import MusicalTime

/// All that one JACK cycle does to the world.
public struct Decision: Sendable, Equatable {
  /// What to ask of JACK's transport.
  public var transport: TransportRequest?
  /// What to change in the Link session.
  public var link = LinkEdit()

  /// Nothing to do.
  @_noLocks
  public init() {}
}

/// A request to JACK's transport.
public enum TransportRequest: Sendable, Hashable {
  /// Start it.
  case start
  /// Stop it.
  case stop
}

/// One change of the Link session. It is committed only when it changes something: a commit wakes Link's thread,
/// is heard by every peer, and makes the committing thread deaf to the network for a second.
public struct LinkEdit: Sendable, Equatable {
  /// The tempo to set, from ``JACKObservation/nextOutput`` on.
  public var tempo: Tempo?
  /// Whether the session is to play, from ``JACKObservation/nextOutput`` on.
  public var isPlaying: Bool?

  /// No change.
  @_noLocks
  public init() {}

  /// Whether there is nothing to commit.
  @inlinable public var isEmpty: Bool { tempo == nil && isPlaying == nil }
}

/// What the timebase owner tells JACK about the next cycle.
public struct TimebaseEntry: Sendable, Hashable {
  /// The position of the next cycle's first frame.
  public var position: BarBeatTick
  /// The tempo in the meter's own beats per minute.
  public var beatsPerMinute: Double

  /// An entry.
  @_noLocks
  public init(position: BarBeatTick, beatsPerMinute: Double) {
    self.position = position
    self.beatsPerMinute = beatsPerMinute
  }
}
