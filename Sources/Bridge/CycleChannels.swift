import JACK
import MusicalTime
import Realtime
import Reconciliation

/// What passes between the control thread and the real-time thread. Neither ever waits for the other.
final class CycleChannels: Sendable {
  /// From control to cycle: what users ask.
  let commands = Ring<Command>(capacity: 64)
  /// From control to cycle: the time from a cycle's start to its first frame being heard.
  let latency = LatestValue(HostInterval.zero)
  /// From cycle to control: what has happened, in order.
  let notices = Ring<CycleNotice>(capacity: 256)
  /// From cycle to control: the latest state of affairs.
  let status = LatestValue(CycleStatus())
}

/// Something that happened in a cycle and is worth a line in the log.
enum CycleNotice: Sendable, BitwiseCopyable {
  /// JACK's transport was started.
  case transportStarted
  /// JACK's transport was stopped.
  case transportStopped
  /// A Link peer pressed play, JACK was asked to start.
  case startRequested
  /// A Link peer pressed stop, JACK was asked to stop.
  case stopRequested
}

/// The state of affairs at the end of a cycle.
struct CycleStatus: Sendable, BitwiseCopyable {
  var transport = TransportMotion.stopped
  var tempo = Tempo.standard
  var linkIsPlaying = false
  var peers = 0
  /// Link's beat at the first frame of the cycle, when that frame is heard.
  var heard = Beats.zero
  /// The position as JACK clients read it in this cycle.
  var reading = PositionReading(frame: 0, frameRate: 0)
  /// Rolling cycles since JACK last asked us for a position, this one included.
  var silentCycles = 0
  /// Link edits committed.
  var commits = 0
  /// Commands taken.
  var commandsDone = 0
  /// Notices that found their ring full.
  var lostNotices = 0
}
