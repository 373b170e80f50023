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
  /// Link's position in the quantum, as it is heard.
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
  init(_ cycle: CycleStatus, owner: TimebaseOwner, _ configuration: Reconciler.Configuration) {
    self.owner = owner
    tempo = cycle.tempo
    transport = cycle.transport
    peers = cycle.peers
    countIn = cycle.countIn
    commits = cycle.commits
    phase = cycle.heard.phase(in: configuration.quantum)
    heardAt = cycle.heardAt
    clocks = cycle.clocks
    position = cycle.reading.isValid ? cycle.reading : nil
    leader = cycle.leader
    follow = cycle.follow
    isRendering = cycle.isRendering
    phaseError = isRendering ? nil : cycle.follow?.phaseError
    guard !isRendering, owner == .me, cycle.transport.isRolling,
      let read = position?.beatTime(in: configuration.meter)
    else {
      return
    }
    frameError = cycle.frameError
    phaseError = cycle.tempo.interval(of: read.phase(in: configuration.quantum).distance(from: phase))
  }
}

extension TimebaseReading {
  /// The position in Link's beats, when the fields make sense in `meter`.
  fileprivate func beatTime(in meter: Meter) -> BeatTime? {
    guard ticksPerBeat > 0 else { return nil }
    let wholeBeats = (Double(bar) - 1) * Double(meter.beatsPerBar) + Double(beat) - 1
    return BeatTime((wholeBeats + Double(tick) / ticksPerBeat) * meter.beatLength.doubleValue)
  }
}
