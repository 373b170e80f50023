import MusicalTime

/// Everything a user can choose about a bridge.
///
/// Commands change some of it while the bridge runs, and another session of a session manager all but the server.
public struct BridgeConfiguration: Sendable, Equatable {
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

/// A user's choices for the MIDI clock.
public struct MIDIClockConfiguration: Sendable, Equatable {
  /// When it is sent.
  public var mode: MIDIClockMode
  /// When the song position is sent.
  public var position: MIDIClockPosition
  /// How much later than the beat.
  public var offset: Offset

  /// A MIDI clock; never sent by default.
  public init(
    mode: MIDIClockMode = .off, position: MIDIClockPosition = .auto, offset: Offset = .none
  ) {
    self.mode = mode
    self.position = position
    self.offset = offset
  }
}

/// A user's choices for the click.
public struct ClickConfiguration: Sendable, Equatable {
  /// When it is heard.
  public var mode: ClickMode
  /// How loud it is.
  public var level: ClickLevel

  /// A click; never heard by default.
  public init(mode: ClickMode = .off, level: ClickLevel = .standard) {
    self.mode = mode
    self.level = level
  }
}
