import MusicalTime

/// Finds the instant of a quantised start, and the frame from which it is exact.
///
/// A transport can begin only where a cycle does. So it begins at the last edge before the instant, with the
/// playhead that much earlier. Where there is no room before the playhead, the ``FrameAlignment`` decides:
/// the playhead itself at the edge nearest to the instant, or that much later at the first edge after it.
struct LaunchPlanner {
  let context: LaunchContext
  /// When the start may roll.
  let mode: LaunchMode

  @_noLocks
  init(_ context: LaunchContext, _ mode: LaunchMode) {
    self.context = context
    self.mode = mode
  }

  /// The plan for the first fitting instant that is not before `notBefore`, nor before the start of the cycle
  /// `cycles` after this one.
  @_noLocks
  func plan(_ place: Place, notBefore: HostTime<LinkClock>, cycles: Int64) -> LaunchPlan {
    // Well within a cycle: looked at again, it must not be found in the one before.
    let before = edge(after: cycles &- 1)
    let first = before + HostInterval(nanoseconds: (edge(after: cycles) - before).nanoseconds / 4)
    let earliest = notBefore > first ? notBefore : first
    let linkBeat = context.observation.linkBeat(at: earliest, tempo: context.tempo)
    let beat =
      switch mode {
      case .bar: place.beat.shifted(atOrAfter: linkBeat, byMultiplesOf: context.configuration.quantum)
      case .beat: place.beat.shifted(atOrAfter: linkBeat, byMultiplesOf: beatLength)
      case .now: linkBeat
      }
    return plan(place, atBeat: beat, moved: way(from: place, atBeat: beat))
  }

  /// The plan in which Link's `beat` and the place's beat, moved by `moved`, come together.
  @_noLocks
  func plan(_ place: Place, atBeat beat: BeatTime, moved: Beats) -> LaunchPlan {
    let rate = context.observation.jack.rate
    let moved = context.configuration.alignsFrames ? moveWithinCount(place, moved) : moved
    let time = context.observation.time(ofLinkBeat: beat, tempo: context.tempo)
    let wait = time - context.next
    var cycles = wait.nanoseconds > 0 ? wait.nanoseconds / max(1, context.period.nanoseconds) : 0
    var frame = place.frame.sinceZero.count
    var isWhole = false
    if context.configuration.alignsFrames {
      let target = frame &+ context.tempo.frames(in: moved, at: rate).count
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
      beat: beat, time: time, moved: moved, tempo: context.tempo, rollTime: edge,
      frame: TransportFrame(UInt32(truncatingIfNeeded: frame < 0 ? 0 : frame)),
      position: place.position + moved + (isWhole ? .zero : context.tempo.beats(in: edge - time)),
      isWhole: isWhole)
  }

  /// The plan of before, from where the place is now.
  @_noLocks
  func plan(_ before: LaunchPlan, again place: Place) -> LaunchPlan {
    var plan = plan(place, atBeat: before.beat, moved: before.moved)
    plan.isMissed = before.isMissed
    return plan
  }

  /// Whether a start is for a beat that every program is to play in full: where the bridge publishes bar and
  /// beat.
  private var keepsWhole: Bool {
    switch (context.configuration.frameAlignment, mode, context.source) {
    case (.whole, .bar, .playhead), (.whole, .beat, .playhead): true
    case (.whole, _, _), (.exact, _, _), (.off, _, _): false
    }
  }

  /// The plan to roll in the next cycle, from the place itself, at any phase of Link's.
  @_noLocks
  func planHere(_ place: Place) -> LaunchPlan {
    let next = context.next
    return LaunchPlan(
      beat: context.observation.link.beat, time: next, moved: .zero, tempo: context.tempo, rollTime: next,
      frame: place.frame, position: place.position)
  }

  /// When the first frame of the cycle `cycles` after the next one is heard.
  @_noLocks
  func edge(after cycles: Int64) -> HostTime<LinkClock> {
    let frames = FrameCount(Int64(context.observation.jack.period) &* cycles)
    return context.next + context.clock.duration(of: frames, at: context.observation.jack.rate)
  }

  /// The first instant from the start of the cycle `cycles` after the next one on at which all clients can be
  /// ready.
  @_noLocks
  func ready(after cycles: Int64) -> HostTime<LinkClock> {
    let (ready, first) = (context.ready, edge(after: cycles))
    return ready > first ? ready : first
  }

  /// How far the playhead has to go within its bar to be where Link is.
  @_noLocks
  private func way(from place: Place, atBeat beat: BeatTime) -> Beats {
    switch mode {
    case .bar: return .zero
    case .beat, .now:
      let bar = place.beat - place.beat.phase(in: context.configuration.quantum).offset
      return bar + beat.phase(in: context.configuration.quantum).offset - place.beat
    }
  }

  /// How far the playhead is moved: beyond the end of JACK's count of frames the same phase is a quantum before, and
  /// before its beginning a quantum after.
  @_noLocks
  private func moveWithinCount(_ place: Place, _ moved: Beats) -> Beats {
    let frame =
      place.frame.sinceZero + context.tempo.frames(in: moved, at: context.observation.jack.rate)
    if frame.count < 0 { return moved + context.configuration.quantum.beats }
    return frame.count > Int64(UInt32.max) ? moved - context.configuration.quantum.beats : moved
  }

  private var beatLength: Quantum {
    let beat = Quantum(beatOf: context.configuration.meter)
    return beat.beats < context.configuration.quantum.beats ? beat : context.configuration.quantum
  }
}

extension Observation {
  /// Link's beat at `time`, which may be long after ``JACKObservation/nextOutput``.
  @_noLocks
  func linkBeat(at time: HostTime<LinkClock>, tempo: Tempo) -> BeatTime {
    link.beat + tempo.beats(in: time - jack.nextOutput)
  }

  /// When Link's beat will be, or was, `beat`.
  @_noLocks
  func time(ofLinkBeat beat: BeatTime, tempo: Tempo) -> HostTime<LinkClock> {
    jack.nextOutput + tempo.interval(of: beat - link.beat)
  }
}
