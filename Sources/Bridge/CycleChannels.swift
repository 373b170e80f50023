import MusicalTime
import Realtime
import Reconciliation

/// The channels between the control thread and the real-time thread. Neither ever waits for the other.
final class CycleChannels: Sendable {
  /// From cycle to control: there is something to be done soon.
  let wakeup: Wakeup
  /// From cycle to Link: edits of the session.
  let session: SessionWriter
  /// From control to cycle: what users ask, with the choices by which it is carried out.
  let commands = Ring<CycleRequest>(capacity: 64)
  /// From control to cycle: the choices that hold where no command waits.
  let choices: LatestValue<Choices>
  /// From control to cycle: the time from a cycle's start to its first frame being heard, less the offset.
  let delay = LatestValue(OutputDelay())
  /// From control to cycle: how much longer than that it really takes, where it is left to JACK clients.
  let clickLead = LatestValue(HostInterval.zero)
  /// From control to cycle: the timebase owner, as far as JACK reports it.
  let owner = LatestValue(TimebaseOwner.nobody)
  /// From control to cycle: when a program last read the status.
  let lastLook = LatestValue(HostTime<LinkClock>(nanoseconds: 0))
  /// The proofs that the bridge owns the timebase, where JACK grants it to any client.
  let grants: TimebaseGrants?
  /// From cycle to JACK: starts and stops, where the cycle cannot ask for them itself.
  let desk: TransportDesk?
  /// From control to cycle: whether the MIDI clock, if there is one, is to end its song, because the bridge leaves.
  let songEnds: LatestValue<Bool>?
  /// From cycle to control: events, in order.
  let notices = Ring<CycleNotice>(capacity: 256)
  /// From cycle to control: the latest state of affairs.
  let status = LatestValue(CycleStatus())

  init(
    _ configuration: Reconciler.Configuration, _ session: SessionWriter, endsSong: Bool,
    onWakeup answer: @escaping @Sendable () -> Void
  ) {
    let rules = configuration.rules
    self.session = session
    choices = LatestValue(configuration.choices)
    grants = rules.refusesTimebase ? nil : TimebaseGrants()
    desk = rules.takesTransportLate ? TransportDesk() : nil
    songEnds = endsSong ? LatestValue(false) : nil
    wakeup = Wakeup(answer)
  }
}

/// The channels for a server that grants its timebase to any client: whether it asks the bridge for positions
/// is the proof.
final class TimebaseGrants: Sendable {
  /// From cycle to control: JACK's requests to the bridge.
  let tally = LatestValue(TimebaseTally())
  /// From control to cycle: the state of the last grant.
  let latest = LatestValue(TimebaseGrant())
}

/// A command to the cycle, and the choices by which it is carried out: commands and choices count in their order.
struct CycleRequest: Sendable, BitwiseCopyable {
  var command: Command
  var choices: Choices
}

/// Something that happened in a cycle and is worth a line in the log.
enum CycleNotice: Sendable, BitwiseCopyable {
  /// JACK's transport rolls after a stop.
  case transportStarted
  /// JACK's transport was stopped.
  case transportStopped
  /// That was a start, or a relocation while it rolled, which was still held: what JACK clients read was the
  /// count to it.
  case startTakenBack
  /// A notice of the reconciler.
  case notice(Notice)
}

/// The state of affairs at the end of a cycle.
struct CycleStatus: Sendable, BitwiseCopyable {
  /// Whether there has been a cycle.
  var hasBegun = false
  /// Whether a cycle has passed in which the ports that play along have sent the end of their song.
  var songHasEnded = false
  var transport = TransportState.stopped
  /// The owner of the timebase, as far as the cycle sees.
  var owner = TimebaseOwner.nobody
  var leader = Leader.link
  var follow: FollowStatus?
  /// The conditions that people should know of.
  var conditions = Conditions()
  var tempo = Tempo.standard
  /// The tempo that steering last committed, if that was the bridge's last commit.
  var steered: Tempo?
  var peers = 0
  /// Link's beat at the first frame of the cycle, when that frame is heard, with JACK's downbeat.
  var heard = BeatTime.zero
  /// The span over which the phase is shared.
  var quantum = Quantum(barOf: .common)
  /// How the bridge counts bars.
  var bars = BarCount(.common)
  /// How many of the meter's beats JACK's downbeat is later than the session's.
  var downbeat = 0.0
  /// When that frame is heard.
  var heardAt = HostTime<LinkClock>(nanoseconds: 0)
  /// The relation between JACK's clock and Link's.
  var clocks: ClockReading?
  /// The position as JACK clients read it in this cycle.
  var reading = TimebaseReading.absent
  /// How far programs that count frames are ahead of Link, in phase; `nil` unless Link leads and JACK rolls.
  var frameError: HostInterval?
  /// When the cycle begins in which a start that is waited for is to roll.
  var launch: HostTime<LinkClock>?
  /// Link's beats until a start that is waited for is heard, from this cycle on; negative.
  var countIn: Beats?
  /// See ``TimebaseTally/silentCycles``.
  var silentCycles = 0
  /// Link edits committed.
  var commits = 0
  /// Commands taken.
  var commandsDone = 0
  /// Notices that found no room in the ring.
  var lostNotices = 0
}
