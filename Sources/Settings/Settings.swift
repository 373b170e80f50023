import MusicalTime
import Reconciliation

/// The program's settings: from flags first, then from the environment, then from configuration files, then
/// these defaults. ``SettingLayers`` puts them together.
public struct Settings: Sendable, Equatable {
  /// The tempo of a new session; it does not count when there is a session to join.
  public var tempo: Tempo?
  /// The length over which the phase is shared, or `nil` for one bar of ``meter``.
  public var quantum: Quantum?
  /// How JACK counts beats and bars.
  public var meter = Meter.common
  /// The output latency to make up for.
  public var latency = OutputLatency.automatic
  /// How much later JACK is to be heard than the session.
  public var offset = Offset.none
  /// How the names of the JACK clients begin that make up for the output latency themselves.
  public var compensatingClients = ["ardour", "mixbus"]
  /// The resolution of JACK's bar, beat and tick.
  public var ticksPerBeat = TicksPerBeat.standard
  /// The name asked for in JACK.
  public var clientName = "jackstay"
  /// The JACK server's name, or `nil` for JACK's own default: `$JACK_DEFAULT_SERVER`, else `default`.
  public var server: String?
  /// Whether the bridge takes part in Link's session.
  public var isLinkEnabled = true
  /// Whether starting and stopping is shared with the session.
  public var startStopSync = true
  /// The side that leads tempo and beat.
  public var mode = SyncMode.auto
  /// The reaction to another client that takes the timebase while Link is to lead; `nil` for the default of
  /// ``mode``.
  public var takeover: Takeover?
  /// When a start rolls if the session has other peers.
  public var launch = LaunchMode.bar
  /// How a start may move the playhead to be exact for programs that count frames.
  public var frameAlignment = FrameAlignment.whole
  /// The reaction to a locate while JACK rolls that does not fit Link's phase.
  public var relocation = Relocation.wait
  /// How programs that count frames stay with the session.
  public var discipline = Discipline.off
  /// How far they may be off before they are relocated.
  public var disciplineThreshold = DisciplineThreshold.standard
  /// When a MIDI clock is sent.
  public var midiClock = MIDIClockMode.off
  /// When it sends the song position.
  public var midiClockPosition = MIDIClockPosition.auto
  /// How much later than the beat it is sent.
  public var midiClockOffset = Offset.none
  /// When clicks are heard.
  public var click = ClickMode.off
  /// How loud they are.
  public var clickLevel = ClickLevel.standard
  /// Where OSC is taken.
  public var osc = Listening.off
  /// Where there is a panel for browsers.
  public var panel = Listening.off
  /// Whether the JACK client has properties.
  public var metadata = Metadata.auto
  /// Whether to wait for a JACK server that is not there yet.
  public var waitForServer = true
  /// Whether some of the choices made while it runs outlast the run.
  public var keepsState = true
  /// The least severe messages to log.
  public var logLevel = LogLevel.info

  /// The defaults.
  public init() {}
}
