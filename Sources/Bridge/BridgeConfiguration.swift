import MusicalTime
import Reconciliation

/// Everything a user can choose about a ``Bridge``.
///
/// Commands change some of it while the bridge runs, and ``Bridge/reopen(_:)`` all but the server.
public struct BridgeConfiguration: Sendable {
  /// The name of the JACK client; JACK makes it unique by a number where it is taken.
  public var clientName = "jackstay"
  /// The JACK server's name; `nil` for JACK's default.
  public var server: String?
  /// Whether to wait for a server, when none runs, instead of giving up.
  public var waitsForServer = true
  /// Whether to take part in Link's session while there is a server.
  public var isLinkEnabled = true
  /// The tempo a new session is founded with; never imposed on one that exists.
  public var tempo: Tempo?
  /// How the time from a cycle's start to its first frame being heard is known.
  public var latency = OutputLatency.automatic
  /// How much later JACK is to be heard than the session.
  public var offset = Offset.none
  /// The prefixes of the names of JACK clients that compensate the output latency themselves: used while
  /// ``latency`` is ``OutputLatency/automatic``.
  public var compensatingClients: [String] = []
  /// The MIDI clock.
  public var midiClock = MIDIClockConfiguration()
  /// The click.
  public var click = ClickConfiguration()
  /// The choices of the reconciler.
  public var reconciler = Reconciler.Configuration()

  /// The defaults.
  public init() {}
}
