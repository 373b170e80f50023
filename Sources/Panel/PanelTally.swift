/// Counts since the start of a panel.
public struct PanelTally: Sendable, Hashable {
  /// How many have it open now.
  public var viewers = 0
  /// Requests that were not understood, or too long, and connections that ended without one.
  public var wrongRequests = 0
  /// Requests of other pages, without the token, or by a name that is not this machine's; and connections of other
  /// users of this machine.
  public var strangers = 0
  /// Connections that were closed because they did not read.
  public var slowReaders = 0
  /// Connections that there was no room for.
  public var turnedAway = 0

  /// Nothing yet.
  public init() {}
}
