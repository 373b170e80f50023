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
  /// Whether JACK freewheels, as for an export, and shares nothing with the session.
  public var isRendering = false
  /// The session's tempo.
  public var tempo: Tempo
  /// JACK's transport state.
  public var transport: TransportState
  /// Whether JACK's cycles have stopped, so that all of this is as it was then.
  public var standsStill = false
  /// The position as JACK clients read it; `nil` when there is none.
  public var position: TimebaseReading?
  /// The meter in which the bridge counts bars.
  public var meter = Meter.common
  /// The span over which the phase is shared with the session.
  public var quantum = Quantum(barOf: .common)
  /// How many of the meter's beats JACK's downbeat is later than the session's; earlier if negative.
  public var downbeat = 0.0
  /// Link's position in the quantum, as it is heard, with JACK's downbeat.
  public var phase: Phase
  /// When that is heard.
  public var heardAt = HostTime<LinkClock>(nanoseconds: 0)
  /// The relation between JACK's clock and Link's; `nil` as long as they were not compared.
  public var clocks: ClockReading?
  /// How far JACK's beat is ahead of Link's, as it is heard; `nil` unless it rolls and one of the two follows
  /// the other.
  public var phaseError: HostInterval?
  /// How far programs that count frames are ahead of Link, in phase; `nil` unless Link leads and JACK rolls.
  public var frameError: HostInterval?
  /// How far away, in Link's beats, a start is that is waited for; negative, and counting up to zero.
  public var countIn: Beats?
  /// The other peers in the session.
  public var peers: Int
  /// Link edits committed in this life of the server.
  public var commits: Int
}

extension BridgeStatus {
  init(_ cycle: CycleStatus, owner: TimebaseOwner) {
    self.owner = owner
    tempo = cycle.tempo
    transport = cycle.transport
    peers = cycle.peers
    countIn = cycle.countIn
    commits = cycle.commits
    (meter, quantum, downbeat) = (cycle.bars.meter, cycle.quantum, cycle.downbeat)
    phase = cycle.heard.phase(in: cycle.quantum)
    heardAt = cycle.heardAt
    clocks = cycle.clocks
    position = cycle.reading.isValid ? cycle.reading : nil
    leader = cycle.leader
    follow = cycle.follow
    isRendering = cycle.conditions.isRendering
    phaseError = isRendering ? nil : cycle.follow?.phaseError
    guard !isRendering, owner == .me, cycle.transport.isRolling,
      let read = position.flatMap({ cycle.bars.position(of: $0) })
    else {
      return
    }
    frameError = cycle.frameError
    phaseError = cycle.tempo.interval(of: read.phase(in: cycle.quantum).distance(from: phase))
  }
}
