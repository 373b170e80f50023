import MusicalTime
import Reconciliation

/// How a kind of JACK server handles transport and timebase.
///
/// `TransportEngine` goes by it, and `TransportTests` compares that with recordings of the servers. The bridge has
/// ``ServerRules`` of its own: it is not asked how the server behaves that judges it.
public struct TransportRules: Sendable, Equatable {
  /// The version that the server's JACK library tells, by which the bridge chooses its own rules.
  public var libraryVersion: String
  /// How many cycles after the one in which a relocation is asked for the transport shows it: 1 or 2.
  public var relocationDelay: Int
  /// How far beyond the frame at which it has waited a start begins to roll, in periods, unless it was
  /// relocated to there: 0 or 1. With 1, a stop leaves the transport at the first frame of the last cycle that
  /// was played, else at that of the next one.
  public var rollOffset: UInt32
  /// Whether the first start since the server began rolls at the frame at which it has waited, for any
  /// `rollOffset`.
  public var rollsFirstFromThere: Bool
  /// Whether a request to start interrupts a transport that rolls, and has all clients asked once more if
  /// they are ready; else a request that is the same as the one before it changes nothing.
  public var restartsRoll: Bool
  /// Whether a locate while a start waits begins the time anew for which the start may be held.
  public var locatesExtendHold: Bool
  /// Whether all clients go by another transport while one of them freewheels, and afterwards by their own
  /// one, which goes on where it was left.
  public var rendersApart: Bool
  /// How many ticks in a beat clients are shown, independently of the owner's, with fractions cut off; `nil`
  /// for the owner's.
  public var wholeTicks: TicksPerBeat?
  /// Whether the timebase's owner is asked with the first frame of the next cycle, which it is to describe;
  /// else with that of the current one.
  public var asksWithNextFrame: Bool
  /// Whether clients read no bar, beat and tick for a cycle after a locate, unless the transport rolls.
  public var wipesPosition: Bool
  /// Whether a conditional request for the timebase fails while another client has it; else it is granted
  /// and means nothing.
  public var refusesTimebase: Bool
  /// Whether the timebase's owner is asked about a new position even if it was not let run when that came.
  public var asksLate: Bool
  /// Whether the transport is relocated to where it is when the timebase's owner leaves.
  public var relocatesForOwner: Bool
  /// How long the server holds a start at most for a client that is not ready; `nil` where a client sets that
  /// time.
  public var longestHold: HostInterval?
  /// Whether its clock is Link's; else it is another that may be slewed.
  public var sharesClock: Bool
  /// Whether a cycle that was late may be made up for by another at once.
  public var catchesUp: Bool
  /// Whether a request for a start or a stop goes through a process that may take some cycles.
  public var takesTransportLate: Bool

  /// jackd2, as of 1.9.21.
  public static let jackd2 = TransportRules(
    libraryVersion: "1.9.21", relocationDelay: 2, rollOffset: 0, rollsFirstFromThere: false,
    restartsRoll: false, locatesExtendHold: true, rendersApart: false, wholeTicks: nil,
    asksWithNextFrame: true, wipesPosition: true, refusesTimebase: true, asksLate: true,
    relocatesForOwner: true, longestHold: nil, sharesClock: true, catchesUp: true,
    takesTransportLate: false)

  /// PipeWire's JACK, as of 0.3.65.
  public static let pipewire = TransportRules(
    libraryVersion: "3.0.0.0 (using PipeWire 0.3.65)", relocationDelay: 1, rollOffset: 1,
    rollsFirstFromThere: true, restartsRoll: true, locatesExtendHold: false, rendersApart: false,
    wholeTicks: TicksPerBeat(1920), asksWithNextFrame: false, wipesPosition: false, refusesTimebase: false,
    asksLate: false, relocatesForOwner: false, longestHold: .seconds(5), sharesClock: false,
    catchesUp: false, takesTransportLate: false)

  /// PipeWire's JACK, as of 1.4.2. From 1.0 on its server counts the frames that have been played; from 1.2 on all
  /// clients follow one that freewheels, and the server itself handles starts and stops.
  public static let modernPipewire = TransportRules(
    libraryVersion: "3.0.0.0 (using PipeWire 1.4.2)", relocationDelay: 1, rollOffset: 1,
    rollsFirstFromThere: false, restartsRoll: true, locatesExtendHold: false, rendersApart: true,
    wholeTicks: nil, asksWithNextFrame: false, wipesPosition: false, refusesTimebase: false,
    asksLate: false, relocatesForOwner: false, longestHold: .seconds(5), sharesClock: false,
    catchesUp: false, takesTransportLate: true)

  /// The rules that the bridge goes by on this server.
  public var believed: ServerRules { ServerRules(libraryVersion: libraryVersion) }
}
