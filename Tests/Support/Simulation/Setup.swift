import MusicalTime
import PropertyTesting
import Reconciliation

/// How a simulated world is from the beginning.
public struct Setup: Sendable, Equatable {
  /// The seed of all that is left to chance.
  var seed: UInt64
  var rules: TransportRules
  var period: UInt32
  var rate: SampleRate
  /// How much faster the sound card runs than it says.
  var skew: Double
  /// How late the server wakes up at most.
  var jitter: HostInterval
  /// How long it is from one missed deadline to the next, on average, from the beginning to the end; zero for
  /// never.
  var misses: HostInterval
  /// How far JACK's clock is from Link's, and how much faster it runs.
  var clockOffset: HostInterval
  var clockSkew: Double
  /// Whether JACK clients hear what they play two periods later, and the bridge counts that in.
  var hasLatency: Bool
  var tempo: Tempo
  var quantum: Quantum
  var meter: Meter
  var launch: LaunchMode
  var startStopSync: Bool
  var frameAlignment: FrameAlignment
  var mode: SyncMode
  var takeover: Takeover?
  var relocation: Relocation
  var discipline: Discipline
  /// Whether another bridge is among the peers: when peers meet it repeats that the session plays.
  var hasOtherBridge: Bool

  /// How long a server's answer about the timebase is on its way to the bridge, while cycles go on.
  var answerDelay: HostInterval { HostInterval.milliseconds([0, 0, 1, 20][Int(seed % 4)]) }

  /// Periods are as common as they are in studios: the small ones take most of the time.
  private static let periods: [UInt32] = [
    64, 128, 256, 256, 512, 512, 512, 1024, 1024, 1024, 1024, 2048, 2048, 4096,
  ]

  /// A world that is as usual but for what is named.
  public init(
    seed: UInt64 = 1, rules: TransportRules = .jackd2, period: UInt32 = 256,
    rate: SampleRate = .standard,
    skew: Double = 0, jitter: HostInterval = .zero, misses: HostInterval = .zero,
    clockOffset: HostInterval = .zero, clockSkew: Double = 0,
    hasLatency: Bool = true, tempo: Tempo = .standard, quantum: Quantum? = nil, meter: Meter = .common,
    launch: LaunchMode = .bar, startStopSync: Bool = true, frameAlignment: FrameAlignment = .whole,
    mode: SyncMode = .auto,
    takeover: Takeover? = nil, relocation: Relocation = .wait, discipline: Discipline = .off,
    hasOtherBridge: Bool = false
  ) {
    self.seed = seed
    self.rules = rules
    self.period = period
    self.rate = rate
    self.skew = skew
    self.jitter = jitter
    self.misses = misses
    self.clockOffset = clockOffset
    self.clockSkew = clockSkew
    self.hasLatency = hasLatency
    self.tempo = tempo
    self.quantum = quantum ?? Quantum(barOf: meter)
    self.meter = meter
    self.launch = launch
    self.startStopSync = startStopSync
    self.frameAlignment = frameAlignment
    self.mode = mode
    self.takeover = takeover
    self.relocation = relocation
    self.discipline = discipline
    self.hasOtherBridge = hasOtherBridge
  }

  /// The world of a seed.
  init(seed: UInt64, _ random: inout Seeded) {
    self.seed = seed
    rules = random.oneIn(5) ? (random.oneIn(2) ? .modernPipewire : .pipewire) : .jackd2
    period = random.pick(Setup.periods)
    rate = random.oneIn(4) ? SampleRate(hertz: random.pick([44_100, 96_000])) ?? .standard : .standard
    skew = random.oneIn(3) ? 0 : (random.fraction() - 0.5) * 2e-4
    jitter = random.oneIn(4) ? .zero : random.interval(0...0.3)
    clockOffset = rules.sharesClock ? .zero : .milliseconds(249.6)
    clockSkew = rules.sharesClock ? 0 : (random.fraction() - 0.5) * 1e-5
    hasLatency = !random.oneIn(4)
    tempo = Setup.tempo(&random)
    meter = random.pick([
      .common, .common, Meter("3/4") ?? .common, Meter("6/8") ?? .common, Meter("5/4") ?? .common,
    ])
    quantum = Quantum(barOf: meter)
    if random.oneIn(4), let other = Quantum(beats: random.pick([1, 2, 4, 8, 3])) { quantum = other }
    launch = random.pick([.bar, .bar, .bar, .beat, .now])
    startStopSync = !random.oneIn(8)
    frameAlignment =
      random.oneIn(5) ? random.pick([.off, .off, .exact]) : random.pick([.whole, .whole, .exact])
    mode = random.pick([.auto, .auto, .auto, .link, .jack])
    takeover = random.oneIn(4) ? random.pick(Takeover.allCases) : nil
    misses = random.oneIn(4) ? random.interval(Setup.missIntervals) : .zero
    relocation = random.oneIn(3) ? .roll : .wait
    // Of its own, so that all else is what it was in the histories that are known.
    var another = Seeded(seed: seed &* 15_485_863 &+ 11)
    discipline = another.oneIn(4) ? another.pick([.relocate, .relocate, .tempo]) : .off
    hasOtherBridge = another.oneIn(3)
  }

  /// From one missed deadline to the next, on average, in milliseconds.
  private static let missIntervals = 300.0...10_000

  /// The machine is so busy that deadlines are missed.
  mutating func missDeadlines() {
    guard misses == .zero else { return }
    var random = Seeded(seed: seed &* 104_729 &+ 7)
    misses = random.interval(Setup.missIntervals)
  }

  /// Whether a start may move the playhead.
  var alignsFrames: Bool { frameAlignment != .off }

  /// A tempo in a peer's session: mostly one that music has.
  static func tempo(_ random: inout Seeded) -> Tempo {
    let range = random.oneIn(10) ? 20.0...999 : 60...200
    return (Tempo(clamping: .random(in: range, using: &random)) ?? .standard).onTheWire
  }

  var latency: HostInterval {
    hasLatency ? HostInterval(FrameCount(Int64(period) * 2), at: rate) : .zero
  }
}
