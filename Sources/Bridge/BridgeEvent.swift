import JACK
import MusicalTime
import Reconciliation

/// Something that happened to a ``Bridge``, once per happening: a line for a log.
public enum BridgeEvent: Sendable, Equatable {
  /// No JACK server runs; the bridge waits for one.
  case waitingForServer(JACKError)
  /// Another bridge has the server, `holder` its process if that is known: this one waits until it goes.
  case standingBy(holder: Int32?)
  /// The other bridge has gone, and this one takes its place.
  case takingOver
  /// The server that came back does not take the bridge in; it tries again.
  case serverRefuses(JACKError)
  /// JACK freewheels, as for an export, and the bridge joins it when that ends.
  case awaitingRender
  /// JACK's cycles go on without the bridge's client: it opens another.
  case leftOut
  /// The server's transport follows that of another server, over the network: nothing is asked of it.
  case transportIsMasters
  /// The bridge is a client of the server, and is about to become a peer.
  case connected(Connection)
  /// The bridge owns JACK's timebase.
  case timebaseTaken
  /// The session has `tempo`, and JACK clients read `jack` beats of the meter per minute; `nil` where another program
  /// publishes its own tempo.
  case tempoChanged(Tempo, jack: Double?)
  /// The session has `tempo`, which is the one it had but for what steers its beat to JACK's.
  case tempoSteered(Tempo)
  /// The session has `count` other peers.
  case peersChanged(Int)
  /// JACK's transport rolls.
  case transportStarted
  /// JACK's transport was stopped.
  case transportStopped
  /// The bridge took the timebase back from another client.
  case timebaseRetaken
  /// So many events happened in so short a time that they are not reported.
  case noticesLost(Int)
  /// Something about tempo and beat.
  case grid(GridNotice)
  /// Something about a start or a stop.
  case transport(TransportNotice)
  /// Beats are now published for instants this long after a cycle's start.
  case latencyChanged(HostInterval)
  /// JACK is to be heard so much later than the session from now on.
  case offsetChanged(Offset)
  /// Something that a user may choose while the bridge runs is another than before.
  case chosen(Choice)
  /// There is no port of that name to take the output latency of: the latency of the server's outputs counts.
  case noLatencyPort(String)
  /// The set of clients that compensate the output latency themselves has changed.
  case outputConvention(OutputConvention)
  /// There is no port for the MIDI clock, and so no MIDI clock on this server.
  case noMIDIClock(JACKError)
  /// There is no port for the click, and so no click on this server.
  case noClick(JACKError)
  /// The server plays at another rate from now on.
  case sampleRateChanged(SampleRate)
  /// The server missed deadlines.
  case xruns(Xruns)
  /// The server is there, and its cycles have stopped: nothing moves.
  case cyclesStopped
  /// They go on.
  case cyclesResumed
  /// The server is gone, and with it the bridge from the Link session.
  case serverGone(reason: String)
  /// The machine has slept for so long: the session was left, and is joined again.
  case resumed(after: HostInterval)
  /// The bridge ends while the transport rolls: JACK restarts it a period back.
  case leavingWhileRolling

  /// A user's choice while the bridge runs that no other event reports.
  public enum Choice: Sendable, Equatable {
    /// Whether the bridge takes part in Link's session.
    case link(Bool)
    /// The direction in which tempo is shared with the session.
    case tempoSync(Sharing)
    /// The direction in which starts and stops are shared with the session.
    case startStopSync(Sharing)
    /// When a start rolls while other peers are in the session.
    case launch(LaunchMode)
    /// The method by which programs that count frames are kept in phase.
    case discipline(Discipline)
    /// How bars are counted, from the next bar line on.
    case meter(Meter)
    /// The span over which the phase is shared, from the next bar line on.
    case quantum(Quantum)
  }

  /// The bridge's connection with a JACK server.
  public struct Connection: Sendable, Equatable {
    /// The client's name, as JACK gave it.
    public var clientName: String
    /// The name that was asked for.
    public var requestedName: String
    /// The sample rate.
    public var rate: SampleRate
    /// The frames in a cycle.
    public var bufferSize: UInt32
  }
}
