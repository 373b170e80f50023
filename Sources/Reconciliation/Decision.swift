import MusicalTime

/// All that one JACK cycle does to the world.
public struct Decision: Sendable, Equatable {
  /// The request to JACK's transport.
  public var transport: TransportRequest?
  /// Whether a transport that asks if it may roll has to wait.
  public var holdsStart = false
  /// The change of the Link session.
  public var link = LinkEdit()
  /// A peer's press.
  public var press: TransportNotice?
  /// The correction of JACK's course, or the reason why there is none.
  public var correction: TransportNotice?
  /// The answer to the user's command.
  public var answer: GridNotice?
  /// The tempo of a peer's that the session has no longer.
  public var restoration: GridNotice?
  /// Whether a condition has changed that is reported at once.
  public var isNews = false

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
