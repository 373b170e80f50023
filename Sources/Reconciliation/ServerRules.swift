import MusicalTime

/// The differences between kinds of JACK servers that the bridge goes by.
///
/// One value for each life of a server, chosen when the bridge connects. They are declared here and nowhere
/// else, and each was recorded: the test's `TransportRules` has what servers do, and says which recording shows it.
public struct ServerRules: Sendable, Equatable {
  /// How far beyond the frame at which it has waited a start begins to roll, in periods, unless it was
  /// relocated to there: 0 or 1.
  public var rollOffset: UInt32
  /// Whether a locate while a start waits begins the time anew for which the start may be held.
  public var locatesExtendHold: Bool
  /// How many ticks in a beat clients are shown, independently of the owner's, with fractions cut off; `nil`
  /// for the owner's.
  public var wholeTicks: TicksPerBeat?
  /// How many periods old an owner's position is while the transport rolls, if the owner publishes each
  /// frame's own position: 0 or 1. While it waits nothing ages.
  public var ownersAge: Int64
  /// Whether a conditional request for the timebase fails while another client has it; else it is granted
  /// and means nothing.
  public var refusesTimebase: Bool
  /// How long the server holds a start at most for a client that is not ready; `nil` where the bridge sets
  /// that time.
  ///
  /// The bridge sets no time on a server that has a bound of its own: PipeWire takes JACK's microseconds for
  /// nanoseconds. Recorded on 0.3.65 and on 1.4.2, with a client that is never ready and 256 frames at 48
  /// kHz: without a time, a start rolled after 4.99 s; with 60 s, after 0.053 s; with 10 s, at once; with 2
  /// s, which is less than a period then, never.
  public var longestHold: HostInterval?
  /// Whether to ask for a start or a stop takes a lock, and goes through a process that may take some cycles:
  /// never on a real-time thread.
  public var takesTransportLate: Bool
  /// Whether starts, stops and locates are another server's to make, over the network: a client's request is
  /// undone.
  public var followsMaster = false

  /// jackd2, as of 1.9.21.
  public static let jackd2 = ServerRules(
    rollOffset: 0, locatesExtendHold: true, wholeTicks: nil, ownersAge: 0, refusesTimebase: true,
    longestHold: nil, takesTransportLate: false)

  /// PipeWire's JACK, as of 0.3.65.
  public static let pipewire = ServerRules(
    rollOffset: 1, locatesExtendHold: false, wholeTicks: TicksPerBeat(1920), ownersAge: 1,
    refusesTimebase: false, longestHold: .seconds(5), takesTransportLate: false)

  /// PipeWire's JACK, as of 1.4.2.
  public static let modernPipewire = ServerRules(
    rollOffset: 1, locatesExtendHold: false, wholeTicks: nil, ownersAge: 1, refusesTimebase: false,
    longestHold: .seconds(5), takesTransportLate: true)
}

extension ServerRules {
  /// The rules of the server that a JACK library of this version talks to, such as `1.9.21`, or `3.0.0.0
  /// (using PipeWire 0.3.65)`. Any other version counts as jackd2's. Thread-safe.
  public init(libraryVersion: String) {
    guard let version = PipeWireVersion(libraryVersion: libraryVersion) else {
      self = .jackd2
      return
    }
    self = .pipewire
    // From 1.2 on its server itself handles starts and stops.
    if version >= PipeWireVersion(1, 2, 0) { takesTransportLate = true }
    // From 1.2.5 on it shows an owner's ticks as they are.
    if version >= PipeWireVersion(1, 2, 5) { wholeTicks = nil }
  }
}
