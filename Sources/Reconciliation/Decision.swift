import MusicalTime

/// All that one JACK cycle does to the world.
public struct Decision: Sendable, Equatable {
  /// The request to JACK's transport.
  public var transport: TransportRequest?
  /// Whether a transport that asks if it may roll has to wait.
  public var holdsStart = false
  /// The change of the Link session.
  public var link = LinkEdit()
  /// Reports for people.
  public var notices = Notices()

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
  /// Have it continue from `frame`, with the bar, beat and tick it shows.
  case relocate(frame: TransportFrame)
  /// Have it continue from `frame`, as after a client's locate: bar, beat and tick are published anew.
  case locate(frame: TransportFrame)
}
