import MusicalTime

/// Where the music is, counted from bar 1 beat 1, in Link's beats.
///
/// While the transport moves, the position is Link's beat plus a whole number of quanta, chosen once at a start or
/// a locate so that it lies nearest to where frames and tempo put it; from then on Link alone moves it, so a tempo
/// change never changes the bar. While the transport rests, so does the position.
struct Playhead: Sendable {
  private let quantum: Quantum
  private var state = State.unknown
  /// The frame at which the next entry begins if nobody relocates.
  private var expectedFrame: UInt32 = 0
  /// The frame the transport is at now.
  private var currentFrame: UInt32 = 0
  /// The frame the last entry was for.
  private var publishedFrame: UInt32?
  /// How far Link's beat may have stepped since the last entry for reasons other than a new grid.
  private var explainedStep = Playhead.remeasurement
  private var previousTempo: Tempo?
  private var previousLatency = HostInterval.zero

  private enum State: Sendable {
    /// Nothing has been published yet.
    case unknown
    /// The transport rests at a position.
    case resting(Beats)
    /// The position is Link's beat plus `offset`, at `target` when last published, for the instant `time`.
    case moving(offset: Beats, target: Beats, published: Beats, time: HostTime<LinkClock>)
  }

  /// The step that Link's own regular measurements of the network may cause: a sixteenth of a beat.
  private static var remeasurement: Beats { Beats(nanobeats: 62_500_000) }
  /// How long a tempo change may be on its way to us; until it arrives we have counted on at the old tempo.
  private static var tempoDelay: HostInterval { HostInterval(nanoseconds: 250_000_000) }

  init(quantum: Quantum) {
    self.quantum = quantum
  }

  /// Takes note of a cycle, whether or not JACK will ask about the next one.
  @_noLocks
  mutating func observe(_ observation: Observation, tempo: Tempo) {
    let jack = observation.jack
    currentFrame = jack.frame
    expectedFrame = jack.transport.isRolling ? jack.frame &+ jack.period : jack.frame
    explainedStep = explainedStep + step(from: previousTempo ?? tempo, to: tempo, jack.outputLatency)
    explainedStep = explainedStep + tempo.beats(in: (jack.outputLatency - previousLatency).magnitude)
    previousTempo = tempo
    previousLatency = jack.outputLatency
    if !jack.transport.isPlaying, case .moving(_, _, let published, _) = state {
      state = .resting(published)
    }
  }

  /// The position of the next cycle's first frame.
  @_noLocks
  mutating func advance(toFrame frame: UInt32, _ observation: Observation, tempo: Tempo) -> Beats {
    let relocated = frame != expectedFrame && frame != currentFrame
    let position: Beats
    if !observation.jack.transport.isPlaying {
      position = rest(atFrame: frame, relocated: relocated, observation, tempo: tempo)
    } else if !relocated, case .moving(let offset, let target, let published, let time) = state {
      position = follow(observation, tempo, offset: offset, target: target, published: published, time: time)
    } else {
      position = start(atFrame: frame, relocated: relocated, observation, tempo: tempo)
    }
    explainedStep = Playhead.remeasurement
    publishedFrame = frame
    return position
  }

  /// Where frames and tempo alone put `frame`: frame 0 is bar 1 beat 1.
  @_noLocks
  private func nominal(_ frame: UInt32, _ rate: SampleRate, _ tempo: Tempo) -> Beats {
    tempo.beats(in: FrameCount(Int64(frame)), at: rate)
  }

  @_noLocks
  private mutating func rest(
    atFrame frame: UInt32, relocated: Bool, _ observation: Observation, tempo: Tempo
  ) -> Beats {
    if case .resting(let position) = state, !relocated, frame == publishedFrame { return position }
    let position = nominal(frame, observation.jack.rate, tempo)
    state = .resting(position)
    return position
  }

  @_noLocks
  private mutating func start(
    atFrame frame: UInt32, relocated: Bool, _ observation: Observation, tempo: Tempo
  ) -> Beats {
    var wanted = nominal(frame, observation.jack.rate, tempo)
    if case .resting(let position) = state, !relocated, frame == publishedFrame { wanted = position }
    let beat = observation.link.beat
    let nearest = beat.shifted(nearestTo: wanted, byMultiplesOf: quantum)
    let position = nearest < .zero ? beat.shifted(atOrAfter: .zero, byMultiplesOf: quantum) : nearest
    move(to: position, published: position, observation)
    return position
  }

  /// Follows Link's beat without ever going back.
  ///
  /// A step back that a tempo or latency change or a re-measurement explains is waited out: the position holds until
  /// Link has caught up. A larger step is another grid, joined with a session: then the position jumps once, forward.
  @_noLocks
  private mutating func follow(
    _ observation: Observation, _ tempo: Tempo, offset: Beats, target: Beats, published: Beats,
    time: HostTime<LinkClock>
  ) -> Beats {
    let beat = observation.link.beat
    let next = beat + offset
    let step = next - target - tempo.beats(in: observation.jack.nextOutput - time)
    guard step.magnitude <= explainedStep else {
      let position = beat.shifted(atOrAfter: published, byMultiplesOf: quantum)
      move(to: position, published: position, observation)
      return position
    }
    let position = next < published ? published : next
    move(to: next, published: position, observation)
    return position
  }

  @_noLocks
  private mutating func move(to target: Beats, published: Beats, _ observation: Observation) {
    state = .moving(
      offset: target - observation.link.beat, target: target, published: published,
      time: observation.jack.nextOutput)
  }

  /// How far Link's beat steps when a tempo change reaches us late: it is counted from when the peer made it, and
  /// we publish ahead by the output latency.
  @_noLocks
  private func step(from old: Tempo, to new: Tempo, _ latency: HostInterval) -> Beats {
    guard old != new else { return .zero }
    let span = Playhead.tempoDelay + latency.magnitude
    return (new.beats(in: span) - old.beats(in: span)).magnitude
  }
}
