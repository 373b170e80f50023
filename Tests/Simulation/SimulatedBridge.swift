import MusicalTime
import PropertyTesting
import Reconciliation

/// The program as it is: its own clocks, reconciler and timebase watch. What is left out is what carries out
/// decisions: that is the simulation's business.
struct SimulatedBridge: Sendable {
  var reconciler: Reconciler
  var clock: CycleClock
  var map = ClockMap()
  var watch = TimebaseWatch()
  /// Who owned the timebase when it was last asked for.
  var told = TimebaseOwner.nobody
  var selection: Selection
  /// What the user wants and the cycle has not taken yet.
  var commands: [Command] = []
  /// Whether the timebase has been asked for, so that JACK asks what to publish.
  var asksTimebase = false
  var lastPairing: HostTime<LinkClock>?
  var nextCheck: HostTime<LinkClock>
  var lastRefresh: HostTime<LinkClock>?
  var knownTempo: Tempo?
  /// Whether a start was held in the cycle before.
  var wasStarting = false

  init(_ configuration: Reconciler.Configuration, rate: SampleRate, at time: HostTime<LinkClock>) {
    clock = CycleClock(rate: rate)
    reconciler = Reconciler(configuration)
    selection = configuration.selection
    nextCheck = time
  }
}
