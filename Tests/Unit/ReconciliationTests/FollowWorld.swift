import MusicalTime
import PropertyTesting
import Reconciliation

/// A timebase owner that plays on JACK's sample clock, a Link session, and what steers the one to the other.
struct FollowWorld {
  /// The tempo that the owner publishes.
  enum Declaration {
    case truth
    case lie(Double)
  }

  var ownerTempo = OwnerTempo()
  var servo = TempoServo(quantum: .four)
  var random: Seeded
  var period = 256
  /// How much faster the sample clock runs than the host clock.
  var skew = 0.0
  var ticksPerBeat = 1_920_000.0
  var declaration = Declaration.truth
  /// How far instants and measured errors are off at most, in seconds.
  var jitter = 0.0
  var noise = 0.0
  /// How far all measured errors are off, in seconds.
  var misreading = 0.0
  /// Whether the session's peers keep their grid against a request.
  var keepsGrid = false
  private(set) var tempo: Double
  private(set) var time = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
  private(set) var reading = OwnerTempo.Reading.unknown
  private(set) var commits: [HostTime<LinkClock>] = []
  private(set) var alignments = 0
  private(set) var linkTempo: Tempo
  private var ownerBeat = 0.0
  private var linkBeat = BeatTime.zero
  private var linkTime = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)

  init(tempo: Double, link: Tempo? = nil, seed: UInt64 = 1) {
    self.tempo = tempo
    linkTempo = link ?? .standard
    random = Seeded(seed: seed)
  }

  var seconds: Double { Double(time.nanoseconds - 1_000_000_000_000) / 1e9 }

  /// How far the owner's beat is ahead of Link's, in microseconds, without noise and ticks.
  var error: Double {
    let exact = BeatTime(ownerBeat) ?? .zero
    let folded = ownerTempo.estimate?.folded.fold(exact) ?? exact
    let distance = (folded - linkBeat(at: time)).shortest(around: .four)
    return distance.doubleValue * 60e6 / linkTempo.beatsPerMinute
  }

  func linkBeat(at time: HostTime<LinkClock>) -> BeatTime {
    linkBeat + linkTempo.beats(in: time - linkTime)
  }

  mutating func changeTempo(to beatsPerMinute: Double) { tempo = beatsPerMinute }

  mutating func locate(by beats: Double) { ownerBeat += beats }

  mutating func setLink(_ tempo: Tempo, at instant: HostTime<LinkClock>? = nil) {
    let instant = instant ?? time
    linkBeat = linkBeat(at: instant)
    linkTime = instant
    // Peers run at the tempo of Link's protocol.
    linkTempo = Tempo(clamping: 60e6 / Double(tempo.microsecondsPerBeat)) ?? tempo
  }

  mutating func shiftLink(by beats: Beats) { linkBeat = linkBeat + beats }

  /// The owner's position now, in 4/4.
  var published: TimebaseReading {
    let whole = ownerBeat.rounded(.down)
    let declared = if case .lie(let tempo) = declaration { tempo } else { tempo }
    return TimebaseReading(
      isValid: true, bar: Int32(whole / 4) + 1, beat: Int32(whole.truncatingRemainder(dividingBy: 4)) + 1,
      tick: Int32((ownerBeat - whole) * ticksPerBeat), beatsPerBar: 4, beatType: 4,
      ticksPerBeat: ticksPerBeat, beatsPerMinute: declared)
  }

  /// Runs one rolling cycle, `moving` or with a frozen position.
  @discardableResult
  mutating func cycle(moving: Bool = true) -> TempoServo.Action {
    let nominal = Double(period) / 48_000
    time = time + HostInterval(nanoseconds: Int64(nominal / (1 + skew) * 1e9))
    if moving { ownerBeat += nominal * tempo / 60 }
    guard case .position(let position) = published.check() else { return .none }
    let wobble = jitter == 0 ? 0 : Int64(.random(in: -jitter...jitter, using: &random) * 1e9)
    reading = ownerTempo.observe(position, at: time + HostInterval(nanoseconds: wobble))
    let folded = ownerTempo.estimate?.folded.fold(position.beat) ?? position.beat
    let scatter = noise == 0 ? 0 : Double.random(in: -noise...noise, using: &random)
    let off = (misreading + scatter) * linkTempo.beatsPerMinute / 60
    let error = folded - linkBeat(at: time) + (Beats(off) ?? .zero)
    let action = servo.update(error: error, owner: reading, link: linkTempo, time: time)
    apply(action)
    return action
  }

  /// Runs one cycle in which the transport is stopped.
  mutating func rest() {
    time = time + HostInterval(nanoseconds: Int64(Double(period) / 48_000 * 1e9))
    guard case .position(let position) = published.check() else { return }
    reading = ownerTempo.stop(declaring: position.declaredBeatsPerMinute)
    apply(servo.update(error: nil, owner: reading, link: linkTempo, time: time))
  }

  private mutating func apply(_ action: TempoServo.Action) {
    switch action {
    case .none: break
    case .tempo(let edit):
      commits.append(time)
      setLink(edit.tempo, at: edit.time)
    case .align(let distance):
      alignments += 1
      if !keepsGrid { shiftLink(by: distance) }
    }
  }

  mutating func run(seconds duration: Double, _ each: (borrowing FollowWorld) -> Void = { _ in }) {
    let end = seconds + duration
    while seconds < end {
      cycle()
      each(self)
    }
  }
}
