import MusicalTime

/// Finds the instant of a quantised start, and the frame from which it is exact.
///
/// A transport can begin only where a cycle does. So it begins at the last edge before the instant, with the
/// playhead that much earlier. Where there is no room before the playhead, the ``FrameAlignment`` decides:
/// the playhead itself at the edge nearest to the instant, or that much later at the first edge after it.
struct LaunchPlanner {
  let configuration: Reconciler.Configuration
  let launch: LaunchMode
  let observation: Observation
  let clock: SampleClock.Reading
  let tempo: Tempo
  /// Whether bar and beat are ours to publish.
  let isOurs: Bool

  @_noLocks
  init(
    configuration: Reconciler.Configuration, launch: LaunchMode, observation: Observation,
    clock: SampleClock.Reading, tempo: Tempo, isOurs: Bool
  ) {
    self.configuration = configuration
    self.launch = launch
    self.observation = observation
    self.clock = clock
    self.tempo = tempo
    self.isOurs = isOurs
  }

  /// The plan for the first fitting instant that is not before `notBefore`, nor before the start of the cycle
  /// `cycles` after this one.
  @_noLocks
  func plan(_ place: Place, notBefore: HostTime<LinkClock>, cycles: Int64) -> LaunchPlan {
    // Well within a cycle: looked at again, it must not be found in the one before.
    let before = edge(after: cycles &- 1)
    let first = before + HostInterval(nanoseconds: (edge(after: cycles) - before).nanoseconds / 4)
    let earliest = notBefore > first ? notBefore : first
    let linkBeat = observation.linkBeat(at: earliest, tempo: tempo)
    let beat =
      switch launch {
      case .bar: place.beats.shifted(atOrAfter: linkBeat, byMultiplesOf: configuration.quantum)
      case .beat: place.beats.shifted(atOrAfter: linkBeat, byMultiplesOf: beatLength)
      case .now: linkBeat
      }
    return plan(place, atBeat: beat, moved: way(from: place, atBeat: beat))
  }

  /// The plan in which Link's `beat` and the place's beats plus `moved` come together.
  @_noLocks
  func plan(_ place: Place, atBeat beat: Beats, moved: Beats) -> LaunchPlan {
    let rate = observation.jack.rate
    let time = observation.time(ofLinkBeat: beat, tempo: tempo)
    let wait = time - observation.jack.nextOutput
    let period = clock.duration(of: FrameCount(Int64(observation.jack.period)), at: rate)
    var cycles = wait.nanoseconds > 0 ? wait.nanoseconds / max(1, period.nanoseconds) : 0
    var frame = place.frame.sinceZero.count
    var isWhole = false
    if configuration.alignsFrames {
      let target = frame &+ tempo.frames(in: moved, at: rate).count
      frame = target &- FrameCount(nearest: time - edge(after: cycles), at: rate).count
      if frame < 0 {
        isWhole = keepsWhole
        if !isWhole || edge(after: cycles &+ 1) - time < time - edge(after: cycles) { cycles &+= 1 }
        frame = target &- (isWhole ? 0 : FrameCount(nearest: time - edge(after: cycles), at: rate).count)
      } else if frame == 0, target == 0 {
        // A cycle begins on the beat itself, but for what frames are rounded to.
        isWhole = keepsWhole
      }
    } else if edge(after: cycles) < time {
      cycles &+= 1
    }
    let edge = edge(after: cycles)
    return LaunchPlan(
      beat: beat, time: time, moved: moved, rollTime: edge,
      frame: TransportFrame(UInt32(truncatingIfNeeded: frame < 0 ? 0 : frame)),
      position: place.position + moved + (isWhole ? .zero : tempo.beats(in: edge - time)), isWhole: isWhole)
  }

  /// Whether a start is for a beat that no program is to miss.
  private var keepsWhole: Bool {
    switch (configuration.frameAlignment, launch) {
    case (.whole, .bar), (.whole, .beat): isOurs
    case (.whole, .now), (.exact, _), (.off, _): false
    }
  }

  /// The plan to roll in the next cycle, from the place itself, whatever Link's phase is.
  @_noLocks
  func planHere(_ place: Place) -> LaunchPlan {
    let next = observation.jack.nextOutput
    return LaunchPlan(
      beat: observation.link.beat, time: next, moved: .zero, rollTime: next, frame: place.frame,
      position: place.position)
  }

  /// When the first frame of the cycle `cycles` after the next one is heard.
  @_noLocks
  func edge(after cycles: Int64) -> HostTime<LinkClock> {
    let frames = FrameCount(Int64(observation.jack.period) &* cycles)
    return observation.jack.nextOutput + clock.duration(of: frames, at: observation.jack.rate)
  }

  /// How far the playhead has to go within its bar to be where Link is.
  @_noLocks
  private func way(from place: Place, atBeat beat: Beats) -> Beats {
    switch launch {
    case .bar: return .zero
    case .beat, .now:
      let bar = place.beats - place.beats.phase(in: configuration.quantum).offset
      return bar + beat.phase(in: configuration.quantum).offset - place.beats
    }
  }

  private var beatLength: Quantum {
    let beat = Quantum(beatOf: configuration.meter)
    return beat.beats < configuration.quantum.beats ? beat : configuration.quantum
  }
}

extension Observation {
  /// Link's beat at `time`, which may be long after ``JACKObservation/nextOutput``.
  @_noLocks
  func linkBeat(at time: HostTime<LinkClock>, tempo: Tempo) -> Beats {
    link.beat + tempo.beats(in: time - jack.nextOutput)
  }

  /// When Link's beat will be, or was, `beat`.
  @_noLocks
  func time(ofLinkBeat beat: Beats, tempo: Tempo) -> HostTime<LinkClock> {
    jack.nextOutput + tempo.interval(of: beat - link.beat)
  }
}
