import MusicalTime
import Reconciliation

/// Something that happens to a bridge from outside.
public enum Event: Sendable, Equatable {
  // JACK's clients.
  case clientStarts
  case clientStops
  case clientLocates(frame: TransportFrame)
  /// The rolling transport goes back by so many beats, as at the end of a loop.
  case clientLoops(by: Beats)
  /// The playhead is put to a marker: where the owner's song changed last, or so much after that, or before it
  /// if negative. Without an owner that is the beginning.
  case clientLocatesToChange(after: HostInterval)
  /// A client comes that needs so many cycles to be ready; `nil` for one that never is.
  case slowClient(needs: Int?)
  case slowClientsLeave
  /// A client hangs, and with it every client that asks the server for something that goes to all clients.
  case clientHangs(for: HostInterval)

  // The timebase.
  case ownerTakes(SimulatedOwner.Honesty, beatsPerMinute: Double, ticksPerBeat: Double, lead: UInt32)
  case ownerChangesTempo(to: Double)
  /// The owner's tempo goes evenly to another one, and is declared in each cycle.
  case ownerGlides(to: Double, over: HostInterval)
  /// The owner's meter is another one so many bars later.
  case ownerChangesMeter(to: Meter, afterBars: Int)
  case ownerReleases

  // Link's peers.
  case peerStarts(in: HostInterval)
  /// A peer presses play for the first quantum after so long, by that quantum's own time.
  case peerStartsOnQuantum(after: HostInterval)
  case peerStops
  case peerChangesTempo(to: Tempo)
  /// Peers come. Where they have a session of their own which is older than the bridge's, the bridge joins
  /// it.
  case peersJoin(Int, Merge?)
  case peersLeave(Int)
  /// A peer commits what it sees, and so much later, within a second, the same again: its audio thread has
  /// seen nothing of what others have done meanwhile.
  case peerRepeats(after: HostInterval)
  case remeasured(by: HostInterval)
  case networkChanges(delay: Double, loss: Int)

  // The user.
  case command(Command)
  case choice(Choice)
  /// The user has JACK be heard so much later than it would be.
  case offsetChanges(to: HostInterval)

  // The machine.
  /// The machine stands still.
  case stall(HostInterval, isNoticed: Bool)
  case periodChanges(to: UInt32)
  /// The output latency is so many periods from now on.
  case latencyChanges(toPeriods: Int)
  /// JACK renders as fast as it can.
  case freewheel(for: HostInterval)
  /// The machine sleeps, with its clocks; the other peers do not.
  case machineSleeps(for: HostInterval)
  case clockSlews(to: Double)
  case serverDies(for: HostInterval)
  /// The bridge's process ends, and a user starts it again; JACK, its clients and the session go on without
  /// it.
  case bridgeEnds(for: HostInterval)

  /// Whether it cannot happen while there is no JACK server.
  var needsServer: Bool {
    switch self {
    case .clientStarts, .clientStops, .clientLocates, .clientLoops, .clientLocatesToChange, .slowClient,
      .slowClientsLeave, .clientHangs, .ownerTakes, .ownerChangesTempo, .ownerGlides, .ownerChangesMeter,
      .ownerReleases, .command, .choice, .offsetChanges, .stall, .periodChanges, .latencyChanges, .freewheel,
      .bridgeEnds:
      true
    case .peerStarts, .peerStartsOnQuantum, .peerStops, .peerChangesTempo, .peersJoin, .peersLeave,
      .peerRepeats, .remeasured, .networkChanges,
      .clockSlews, .serverDies, .machineSleeps:
      false
    }
  }

  /// Whether a person presses a button.
  var isPress: Bool {
    switch self {
    case .clientStarts, .clientStops, .peerStarts, .peerStartsOnQuantum, .peerStops, .command(.start),
      .command(.stop):
      true
    default: false
    }
  }

  /// Whether tempo or beat of an owner or of the session may be others after it.
  var mayMoveTempo: Bool {
    switch self {
    case .slowClient, .slowClientsLeave, .clientHangs, .networkChanges: false
    default: !isPress
    }
  }

  /// The tempo that a user or client asks for with it, in beats per minute.
  var tempo: Double? {
    switch self {
    case .peerChangesTempo(let tempo), .command(.proposeTempo(let tempo)), .command(.foundSession(let tempo)):
      tempo.beatsPerMinute
    case .peersJoin(_, let merge): merge?.tempo.beatsPerMinute
    default: nil
    }
  }

  /// A session that is joined.
  public struct Merge: Sendable, Equatable {
    /// Its tempo.
    public var tempo: Tempo
    /// How far its beat is ahead of the bridge's.
    public var shift: Beats
    /// Whether it plays.
    public var isPlaying: Bool
    /// Whether Link reports that it plays: Link reports it to some that join, and not to others.
    public var tellsPlay: Bool

    /// A session that is joined.
    public init(tempo: Tempo, shift: Beats, isPlaying: Bool, tellsPlay: Bool) {
      self.tempo = tempo
      self.shift = shift
      self.isPlaying = isPlaying
      self.tellsPlay = tellsPlay
    }
  }
}

/// When something happens.
public struct TimedEvent: Sendable, Equatable {
  /// The time since the beginning of the history.
  public var time: HostInterval
  /// The event.
  public var event: Event
}

extension TimedEvent {
  /// An event so many seconds after the beginning.
  public static func at(_ seconds: Double, _ event: Event) -> TimedEvent {
    TimedEvent(time: .seconds(seconds), event: event)
  }
}

extension Tempo {
  /// A tempo that a peer can have.
  public static func bpm(_ count: Double) -> Tempo { Tempo(clamping: count)?.onTheWire ?? .standard }
}
