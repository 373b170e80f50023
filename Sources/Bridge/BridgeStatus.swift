import MusicalTime
import Reconciliation

/// The state of affairs of a ``Bridge`` at one moment, for people to look at.
public struct BridgeStatus: Sendable {
  /// The owner of JACK's timebase.
  public var owner: TimebaseOwner
  /// The side that leads tempo and beat.
  public var leader = Leader.link
  /// How Link follows JACK; `nil` unless JACK leads.
  public var follow: FollowStatus?
  /// JACK's transport state.
  public var transport: TransportState
  /// Whether JACK freewheels, as for an export, and shares nothing with the session.
  public var isRendering = false
  /// Whether JACK's cycles have stopped, so that all of this is as it was then.
  public var standsStill = false
  /// The position as JACK clients read it; `nil` when there is none.
  public var position: TimebaseReading?
  /// Link's session.
  public var session: Session
  /// The song as it is heard.
  public var song: Song
  /// How far JACK is ahead of Link.
  public var errors = Errors()
  /// How far away, in Link's beats, a start is that is waited for; negative, and counting up to zero.
  public var countIn: Beats?
  /// The relation between JACK's clock and Link's; `nil` as long as they were not compared.
  public var clocks: ClockReading?

  /// Link's session.
  public struct Session: Sendable {
    /// The session's tempo.
    public var tempo: Tempo
    /// The other peers in the session.
    public var peers: Int
    /// Link edits committed in this life of the server.
    public var commits = 0
  }

  /// The song as it is heard.
  public struct Song: Sendable {
    /// The meter in which the bridge counts bars.
    public var meter = Meter.common
    /// The span over which the phase is shared with the session.
    public var quantum = Quantum(barOf: .common)
    /// How many of the meter's beats JACK's downbeat is later than the session's; earlier if negative.
    public var downbeat = 0.0
    /// Link's position in the quantum, as it is heard, with JACK's downbeat.
    public var phase: Phase
    /// When that is heard.
    public var time = HostTime<LinkClock>(nanoseconds: 0)
  }

  /// How far JACK is ahead of Link.
  public struct Errors: Sendable {
    /// How far JACK's beat is, as it is heard; `nil` unless it rolls and one of the two follows the other.
    public var beat: HostInterval?
    /// How far programs that count frames are, in phase; `nil` unless Link leads and JACK rolls.
    public var frames: HostInterval?
  }
}

extension BridgeStatus {
  init(_ cycle: CycleStatus, owner: TimebaseOwner) {
    let (jack, song) = (cycle.jack, cycle.song)
    let phase = song.beat.phase(in: song.quantum)
    self.owner = owner
    leader = cycle.reconciler.leader
    follow = cycle.reconciler.follow
    transport = jack.transport
    isRendering = cycle.conditions.isRendering
    position = jack.reading.isValid ? jack.reading : nil
    session = Session(
      tempo: cycle.session.tempo, peers: cycle.session.peers, commits: cycle.counts.commits)
    self.song = Song(
      meter: song.bars.meter, quantum: song.quantum, downbeat: song.downbeat, phase: phase, time: song.time)
    countIn = cycle.start.countIn
    clocks = jack.clocks
    guard !isRendering else { return }
    errors.beat = follow?.phaseError
    guard owner == .me, transport.isRolling, let read = position.flatMap({ song.bars.position(of: $0) })
    else { return }
    errors.beat = session.tempo.interval(of: read.phase(in: song.quantum).distance(from: phase))
    errors.frames = cycle.reconciler.frameError
  }
}
