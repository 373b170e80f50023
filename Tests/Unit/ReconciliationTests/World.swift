import MusicalTime
import Reconciliation
import Simulation

/// A JACK server and a Link session as simple as can be, around a real reconciler.
struct World {
  var reconciler: Reconciler
  var transport = TransportState.stopped
  var frame: TransportFrame = 0
  var period: UInt32 = 256
  var latency = HostInterval(nanoseconds: 10_666_667)
  /// How much faster the sample clock runs than the host clock.
  var skew = 0.0
  var tempo: Tempo
  var peers = 0
  var isEnabled = true
  var linkIsPlaying = false
  var timeForIsPlaying = HostTime<LinkClock>(nanoseconds: 0)
  var command: Command?
  /// Whether JACK asks if the transport may roll, as it does in the first cycles of a start.
  var asksUs = true
  var owner = TimebaseOwner.me
  /// The start of the current cycle.
  private(set) var now = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
  // Link's timeline: `beat` at `timeOfBeat`.
  private var beat = BeatTime.zero
  private var timeOfBeat = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)

  init(_ configuration: Reconciler.Configuration = .init(), tempo: Tempo = .standard) {
    reconciler = Reconciler(configuration)
    self.tempo = tempo
  }

  var periodDuration: HostInterval {
    let exact = HostInterval(FrameCount(Int64(period)), at: .standard)
    return HostInterval(nanoseconds: Int64(Double(exact.nanoseconds) / (1 + skew)))
  }

  var play: PlayState {
    PlayState(isPlaying: linkIsPlaying, time: timeForIsPlaying, beat: linkBeat(at: timeForIsPlaying))
  }

  /// When the next cycle is heard.
  var nextOutput: HostTime<LinkClock> { now + periodDuration + latency }

  func linkBeat(at time: HostTime<LinkClock>) -> BeatTime { beat + tempo.beats(in: time - timeOfBeat) }

  /// A peer changed the tempo `delay` ago; Link's beat has run at the new one since.
  mutating func changeTempo(to new: Tempo, delay: HostInterval = .zero) {
    let since = now - delay
    beat = linkBeat(at: since)
    timeOfBeat = since
    tempo = new
  }

  /// Moves Link's grid, as joining another session does.
  mutating func shiftGrid(by beats: Beats) {
    beat = beat + beats
  }

  mutating func locate(to frame: TransportFrame) {
    self.frame = frame
    isNewPosition = true
  }
  private var isNewPosition = false
  /// The observation of the last cycle.
  private(set) var observation: Observation?

  private var serverFrame: ServerFrame = 0
  private var watch = TransportWatch()

  /// JACK skips the bridge in some cycles, which the server runs all the same.
  mutating func miss(_ cycles: Int) {
    let frames = period &* UInt32(cycles)
    now = now + HostInterval(nanoseconds: periodDuration.nanoseconds * Int64(cycles))
    serverFrame = serverFrame + frames
    if transport == .rolling { frame = frame + frames }
  }

  /// The sound card stands still for so long, and with it the server.
  mutating func standStill(for interval: HostInterval) { now = now + interval }

  /// Runs one cycle; the entry is what JACK clients read in the next one.
  @discardableResult
  mutating func cycle(asksTimebase: Bool? = nil) -> (decision: Decision, entry: TimebaseEntry?) {
    let located = isNewPosition
    isNewPosition = false
    let observedFrame = located ? frame - FrameCount(12_345) : frame
    let observation = Observation(
      jack: .cycle(
        transport, at: observedFrame, period: period, counted: serverFrame, from: now,
        lasting: periodDuration, latency: latency, seenBy: &watch, owner: owner,
        isSyncCallback: transport == .starting && asksUs),
      link: LinkObservation(
        tempo: tempo, beat: linkBeat(at: nextOutput), play: play,
        isEnabled: isEnabled, peers: peers),
      choices: reconciler.configuration.choices, command: command)
    self.observation = observation
    let decision = reconciler.reconcile(observation)
    command = nil
    if let edit = decision.link.isPlaying {
      linkIsPlaying = edit.isPlaying
      timeForIsPlaying = HostTime(microseconds: edit.time.microseconds)
    }
    let nextFrame = located || transport != .rolling ? frame : frame + period
    let entry = asksTimebase ?? true ? reconciler.entry(forFrame: nextFrame) : nil
    now = now + periodDuration
    serverFrame = serverFrame + period
    frame = nextFrame
    return (decision, entry)
  }
}

extension ServerRules {
  /// Those of jackd2, with a bound on how long a start can be held.
  static func holding(for longest: HostInterval) -> ServerRules {
    var rules = jackd2
    rules.longestHold = longest
    return rules
  }
}

extension Quantum {
  static let four = Quantum(barOf: .common)
}
