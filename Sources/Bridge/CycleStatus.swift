import MusicalTime
import Reconciliation

/// The state of affairs at the end of a cycle.
struct CycleStatus: Sendable, BitwiseCopyable {
  /// Whether there has been a cycle.
  var hasBegun = false
  /// Whether a cycle has passed in which the ports that play along have sent the end of their song.
  var songHasEnded = false
  /// JACK's transport and timebase.
  var jack = JACK()
  /// Link's session.
  var session = Session()
  /// The song as it is heard.
  var song = Song()
  /// The side that leads, and how the other follows.
  var reconciler = ReconcilerStatus()
  /// The conditions that people should know of.
  var conditions = Conditions()
  /// The start that is waited for, if any.
  var start = HeldStart()
  /// The counts of this life of the server.
  var counts = Counts()

  struct JACK: Sendable, BitwiseCopyable {
    var transport = TransportState.stopped
    /// The owner of the timebase, as far as the cycle sees.
    var owner = TimebaseOwner.nobody
    /// The position as JACK clients read it in this cycle.
    var reading = TimebaseReading.absent
    /// The relation between JACK's clock and Link's.
    var clocks: ClockReading?
  }

  struct Session: Sendable, BitwiseCopyable {
    var tempo = Tempo.standard
    /// The tempo that steering last committed, if that was the bridge's last commit.
    var steered: Tempo?
    var peers = 0
  }

  struct Song: Sendable, BitwiseCopyable {
    /// Link's beat at the first frame of the cycle, when that frame is heard, with JACK's downbeat.
    var beat = BeatTime.zero
    /// When that frame is heard.
    var time = HostTime<LinkClock>(nanoseconds: 0)
    /// The span over which the phase is shared.
    var quantum = Quantum(barOf: .common)
    /// How the bridge counts bars.
    var bars = BarCount(.common)
    /// How many of the meter's beats JACK's downbeat is later than the session's.
    var downbeat = 0.0
  }

  struct HeldStart: Sendable, BitwiseCopyable {
    /// When the cycle begins in which it is to roll.
    var roll: HostTime<LinkClock>?
    /// Link's beats until it is heard, from this cycle on; negative.
    var countIn: Beats?
  }

  struct Counts: Sendable, BitwiseCopyable {
    /// See ``TimebaseTally/silentCycles``.
    var silentCycles = 0
    /// Link edits committed.
    var commits = 0
    /// Commands taken.
    var commands = 0
    /// Notices that found no room in the ring.
    var lostNotices = 0
  }
}
