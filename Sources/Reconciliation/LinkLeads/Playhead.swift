import MusicalTime

/// Where the music is, counted from bar 1 beat 1, in Link's beats.
///
/// While the transport moves, the position is Link's beat plus a whole number of quanta, chosen once at a
/// start or a locate so that it lies nearest to where frames and tempo put it; from then on Link alone moves
/// it, so a tempo change never changes the bar. While the transport is stopped, so is the position. Alone in
/// a session a start is not bound to Link: there, Link is mapped to the playhead as soon as it rolls.
struct Playhead: Sendable {
  private var quantum: Quantum
  private var state = State.unknown
  /// Whether the transport shows a frame that JACK has not asked about: some servers show it before they ask.
  private var isRelocated = false
  private var entry: Entry?
  /// How far the latency has moved what is published since the last entry.
  private var latencyStep = Beats.zero
  private var tempos = RecentTempos()
  /// Where the position was when the transport was last stopped, until it rolls: a start may be cancelled.
  private var lastStop: (frame: TransportFrame, position: BeatTime)?
  /// The distance that Link's beat still has to catch up.
  private var waitsFor = Beats.zero
  /// Whether the position goes on meanwhile, at half of Link's speed.
  private var isSlewing = false
  private var previousLatency = HostInterval.zero

  /// Whether the position holds, or goes on slowly, until Link has caught up with the position that was read
  /// already.
  var isWaiting: Bool {
    @inline(__always) @_noLocks get { if case .moving = state { waitsFor > .zero } else { false } }
  }

  /// The last entry.
  private struct Entry: Sendable, BitwiseCopyable {
    /// The frame it was for.
    var frame: TransportFrame
    /// Its position: a planned one does not show before JACK asks.
    var position: BeatTime
    /// Whether the transport rolled when it was published.
    var isRolling: Bool
    /// Whether it was for a locate, as far as the frame that JACK asked about showed.
    var isLocate: Bool

    @_noLocks
    init(frame: TransportFrame, position: BeatTime, isRolling: Bool, isLocate: Bool = false) {
      self.frame = frame
      self.position = position
      self.isRolling = isRolling
      self.isLocate = isLocate
    }
  }

  private enum State: Sendable {
    /// Nothing has been published yet.
    case unknown
    /// The transport is stopped at a position.
    case stopped(BeatTime)
    /// The position is Link's beat plus `offset`, at `target` when last published, for the instant `time`. It
    /// has Link's phase if it `isBound`.
    case moving(
      offset: Beats, target: BeatTime, published: BeatTime, time: HostTime<LinkClock>, isBound: Bool)
  }

  /// When the frame of an entry is heard, and the plan for it.
  struct Roll: Sendable {
    var time: HostTime<LinkClock>
    /// The frame that a launch is planned from, and the position there but for whole quanta.
    var planned: (frame: TransportFrame, position: BeatTime)?
    /// Whether the bridge has put the playhead there.
    var isPlaced: Bool
    /// Whether the planned position is published unchanged, however far from Link's phase the cycle is that
    /// is nearest to it.
    var isWhole: Bool
    /// Whether the position has Link's phase.
    var isBound: Bool

    @_noLocks
    init(
      time: HostTime<LinkClock>, planned: (frame: TransportFrame, position: BeatTime)? = nil,
      isPlaced: Bool = false, isWhole: Bool = false, isBound: Bool = true
    ) {
      self.time = time
      self.planned = planned
      self.isPlaced = isPlaced
      self.isWhole = isWhole
      self.isBound = isBound
    }
  }

  /// The step that Link's own regular measurements of the network may cause: a sixteenth of a beat.
  private static var remeasurement: Beats { Beats(nanobeats: 62_500_000) }
  /// For how long the position may hold: where Link takes longer to catch up, the position goes on at half of
  /// Link's speed. The beat of JACK clients would stand still for seconds otherwise, where the tempo falls and they
  /// are heard much later than they play.
  private static var longestStandstill: HostInterval { .milliseconds(100) }

  @_noLocks
  init(quantum: Quantum) {
    self.quantum = quantum
  }

  /// Takes note of a cycle, whether or not JACK will ask about the next one, with the session's tempo and the
  /// one that it has from now on.
  @inline(__always) @_noLocks
  mutating func observe(_ cycle: CycleSnapshot, session sessionTempo: Tempo, tempo: Tempo) {
    if cycle.step.wasRolling, !cycle.transport.isRolling, !cycle.step.isLocated { rest(cycle, tempo) }
    // Of a locate by some periods, or to the very frame that rolls, JACK has asked as in any other cycle: only
    // the frame in this one shows it.
    let isAnswered = if let entry { entry.isLocate && entry.frame == cycle.frame } else { false }
    if cycle.step.isLocated, !isAnswered { isRelocated = true }
    if cycle.transport.isRolling { lastStop = nil }
    tempos.observe(sessionTempo, then: tempo, at: cycle.nextOutput)
    if cycle.outputLatency != previousLatency {
      latencyStep = latencyStep + tempo.beats(in: (cycle.outputLatency - previousLatency).magnitude)
      previousLatency = cycle.outputLatency
    }
    if !cycle.transport.isPlaying, case .moving(_, _, let published, _, _) = state {
      if let lastStop {
        // It has not rolled: the position that was shown was the beat of a start to come.
        state = .stopped(lastStop.position)
        entry?.frame = lastStop.frame
      } else if case .none = entry {
        // The planned position was never published.
        state = .unknown
      } else {
        state = .stopped(published)
        // Elsewhere since a relocation about which JACK is still going to ask.
        lastStop = isRelocated ? nil : (cycle.frame, published)
        // There are servers that ask with the frame of the cycle before.
        if !isRelocated { entry?.frame = cycle.frame }
      }
    }
  }

  /// The user moves the session's grid.
  @_noLocks
  mutating func gridWasMoved() { tempos.gridWasMoved() }

  /// The user moves JACK's downbeat later by so much, and Link's beat, as JACK sees it, is less from now on. Whole
  /// quanta of that change nothing but the count of Link's beats.
  @_noLocks
  mutating func downbeatWasMoved(by later: Beats) {
    gridWasMoved()
    guard case .moving(let offset, let target, let published, let time, let isBound) = state else { return }
    let whole = later - later.shortest(around: quantum)
    state = .moving(
      offset: offset + whole, target: target, published: published, time: time, isBound: isBound)
  }

  /// The facts from which the place of a start follows.
  struct Mark: Sendable {
    /// How the position is known.
    fileprivate enum Known: Sendable {
      /// Nothing.
      case nothing
      /// The position last published, and its frame: the transport is stopped there.
      case shown(frame: TransportFrame, position: BeatTime)
      /// How far the position is from Link's beat: the transport moves, and is bound to that.
      case offset(Beats)
    }

    fileprivate let quantum: Quantum
    fileprivate let known: Known

    @_noLocks
    fileprivate init(quantum: Quantum, _ known: Known) {
      self.quantum = quantum
      self.known = known
    }

    /// The position that is read where Link's beat is `linkBeat`, as long as no client relocates; `nil`
    /// unless it moves with Link.
    @_noLocks
    func position(at linkBeat: BeatTime) -> BeatTime? {
      if case .offset(let offset) = known { linkBeat + offset } else { nil }
    }

    /// Where a start at `frame` begins.
    @_noLocks
    func place(at frame: TransportFrame, _ rate: SampleRate, _ tempo: Tempo, alignsFrames: Bool) -> Place {
      let nominal = nominal(frame, rate, tempo)
      // The entry published for a start that is not yet under way, or for a relocation, is a first guess.
      guard case .shown(let there, let position) = known, there == frame else {
        return Place(frame: frame, beat: nominal, position: nominal)
      }
      // Frames decide about the phase, the position that was shown about the bar.
      return alignsFrames
        ? Place(
          frame: frame, beat: nominal, position: nominal.shifted(nearestTo: position, byMultiplesOf: quantum))
        : Place(frame: frame, beat: position, position: position)
    }
  }

  /// Where the playhead is.
  var mark: Mark {
    @_noLocks get {
      switch state {
      case .stopped(let position):
        guard let entry else { return Mark(quantum: quantum, .nothing) }
        return Mark(quantum: quantum, .shown(frame: entry.frame, position: position))
      case .moving(let offset, _, _, _, let isBound):
        return Mark(quantum: quantum, isBound ? .offset(offset) : .nothing)
      case .unknown: return Mark(quantum: quantum, .nothing)
      }
    }
  }

  /// The position of the next cycle's first frame.
  @inline(__always) @_noLocks
  mutating func advance(
    toFrame frame: TransportFrame, _ cycle: CycleSnapshot, tempo: Tempo, alignsFrames: Bool, _ roll: Roll
  ) -> BeatTime {
    // A bridge that has taken the timebase only since the start was requested did not own it when the client
    // located there.
    let isNew = if case .none = entry { !cycle.transport.isRolling } else { false }
    let seemsToGoOn =
      frame == cycle.nextFrame || frame == cycle.frame
      || (cycle.transport.isRolling && isTorn(frame, from: cycle.nextFrame, period: cycle.period))
    let relocated = isRelocated || isNew || !seemsToGoOn
    isRelocated = false
    let published = entry?.position ?? .zero
    // A client wants to start here. If the start is cancelled, this is where it stops: unless it has stopped at this
    // very frame before, and nothing but the start has taken it away from there.
    let isBegun = relocated && (isNew || !roll.isPlaced) && lastStop?.frame != frame
    let position: BeatTime
    if !cycle.transport.isPlaying {
      position = stay(atFrame: frame, relocated: relocated, isPlaced: roll.isPlaced, cycle, tempo: tempo)
    } else if roll.isWhole, let planned = roll.planned, planned.frame == frame {
      if isBegun { lastStop = (frame, planned.position) }
      position = startWhole(planned.position, cycle.linkBeat(at: roll.time, tempo: tempo), at: roll.time)
    } else if !relocated, case .moving(let offset, let target, let planned, let time, let isBound) = state {
      let linkBeat = cycle.linkBeat(at: roll.time, tempo: tempo)
      // Before it rolls, the position that was shown was a prediction: it may turn out to have been too late.
      let shown =
        cycle.transport.isRolling ? published : min(planned, linkBeat + offset)
      switch (isBound, roll.isBound) {
      case (_, false):
        // The time of the roll is unknown: until then it stays where it is.
        position = start(near: planned, linkBeat, roll, cycle, tempo)
      case (false, true):
        position = join(linkBeat, at: roll.time, after: published, cycle, tempo)
      case (true, true) where isBarsLate(linkBeat + offset, at: frame, cycle, tempo):
        position = join(
          linkBeat, at: roll.time, after: published, goneOn: progress(to: frame, cycle.rate, tempo), cycle,
          tempo)
      case (true, true):
        position = follow(
          linkBeat, at: roll.time, tempo, offset: offset, target: target, published: shown, since: time,
          toFrame: frame, cycle)
      }
    } else if cycle.transport.isRolling, !relocated, let entry,
      cycle.canHaveCome(from: entry.frame)
    {
      // The position does not go back behind the one that was read while it waited.
      position = join(
        cycle.linkBeat(at: roll.time, tempo: tempo), at: roll.time, after: published, cycle, tempo)
    } else {
      var wanted = mark.place(at: frame, cycle.rate, tempo, alignsFrames: alignsFrames).position
      if isBegun { lastStop = (frame, wanted) }
      if let planned = roll.planned, planned.frame == frame { wanted = planned.position }
      let linkBeat = cycle.linkBeat(at: roll.time, tempo: tempo)
      // JACK asks about a client's locate while it still rolls, and once more before it rolls on from there.
      // Where it stops instead it does not ask again: the position of the place itself is read there then.
      let mayRest = isBegun && cycle.transport.isRolling && !seemsToGoOn
      position =
        mayRest
        ? startWhole(wanted, linkBeat, at: roll.time) : start(near: wanted, linkBeat, roll, cycle, tempo)
    }
    latencyStep = .zero
    entry = Entry(
      frame: frame, position: position, isRolling: cycle.transport.isRolling, isLocate: relocated)
    return position
  }

  /// Whether a roll begins so long after it was planned, because a client was not ready, that whole quanta of
  /// Link's have passed: the bar is still the one that was read.
  @inline(__always) @_noLocks
  private func isBarsLate(
    _ next: BeatTime, at frame: TransportFrame, _ cycle: CycleSnapshot, _ tempo: Tempo
  ) -> Bool {
    guard cycle.transport.isRolling, let entry, !entry.isRolling else { return false }
    return next - entry.position - progress(to: frame, cycle.rate, tempo) >= quantum.beats
  }

  /// How far frames have gone on since the last entry.
  @_noLocks
  private func progress(to frame: TransportFrame, _ rate: SampleRate, _ tempo: Tempo) -> Beats {
    tempo.beats(in: FrameCount(Int64(frame.frames(since: entry?.frame ?? frame))), at: rate)
  }

  /// How far a rolling position has gone on since the last entry besides this cycle: another client may have
  /// owned the timebase meanwhile.
  @_noLocks
  private func missed(before frame: TransportFrame, _ cycle: CycleSnapshot, _ tempo: Tempo) -> Beats {
    guard cycle.transport.isRolling, let entry else { return .zero }
    let frames = frame - (entry.frame + cycle.period)
    return frames.count > 0 ? tempo.beats(in: frames, at: cycle.rate) : .zero
  }

  /// Shares its phase over another span from the next entry on. A rolling position then comes into phase by a jump
  /// forward, as it does when a session is joined.
  @_noLocks
  mutating func setQuantum(_ quantum: Quantum) {
    self.quantum = quantum
    if case .moving(let offset, let target, let published, let time, _) = state {
      state = .moving(offset: offset, target: target, published: published, time: time, isBound: false)
    }
  }

  /// Takes note of where a held start is going to begin: JACK may not ask again before it rolls.
  @_noLocks
  mutating func aim(at plan: LaunchPlan, _ cycle: CycleSnapshot, tempo: Tempo) {
    let linkBeat = cycle.linkBeat(at: plan.rollTime, tempo: tempo)
    if plan.isWhole {
      _ = startWhole(plan.position, linkBeat, at: plan.rollTime)
    } else {
      _ = start(near: plan.position, linkBeat, Roll(time: plan.rollTime), cycle, tempo)
    }
  }

  /// Has Link follow the playhead from here on: the beat that Link is to have at the start of the next cycle.
  @_noLocks
  mutating func mapLink(_ cycle: CycleSnapshot, tempo: Tempo) -> BeatTime {
    let current: BeatTime
    if let shown, let entry, cycle.canHaveCome(from: entry.frame) {
      let frames = FrameCount(Int64(cycle.frame.frames(since: entry.frame)))
      current = shown + tempo.beats(in: frames, at: cycle.rate)
    } else {
      current = nominal(cycle.frame, cycle.rate, tempo)
    }
    let next = current + tempo.beats(in: FrameCount(Int64(cycle.period)), at: cycle.rate)
    // That is the position that clients read here, also where JACK did not ask the bridge because another
    // client's timebase was silent.
    entry = Entry(frame: cycle.frame, position: current, isRolling: true)
    state = .moving(
      offset: .zero, target: next, published: current, time: cycle.nextOutput, isBound: true)
    return next
  }

  /// The position that JACK clients have last been shown.
  private var shown: BeatTime? {
    switch state {
    case .unknown: nil
    case .stopped(let position): position
    case .moving(_, _, let published, _, _): published
    }
  }

  /// The transport has stopped. Where it can have come to this frame by rolling, it stops there, in the bar
  /// that was read: at the frame of the last cycle on some servers, and further on where JACK has skipped the
  /// bridge.
  @inline(never) @_noLocks
  private mutating func rest(_ cycle: CycleSnapshot, _ tempo: Tempo) {
    guard !isRelocated, case .moving(_, _, let published, _, _) = state else { return }
    let position = published + tempo.beats(in: cycle.frame - cycle.step.expected, at: cycle.rate)
    state = .stopped(position)
    lastStop = (cycle.frame, position)
    entry = Entry(frame: cycle.frame, position: entry?.position ?? position, isRolling: true)
  }

  @_noLocks
  private mutating func stay(
    atFrame frame: TransportFrame, relocated: Bool, isPlaced: Bool, _ cycle: CycleSnapshot, tempo: Tempo
  ) -> BeatTime {
    // A start that did not roll may have taken it elsewhere.
    if case .stopped(let position) = state, !relocated, frame == entry?.frame { return position }
    let position: BeatTime
    if let lastStop, lastStop.frame == frame {
      position = lastStop.position
    } else {
      position = nominal(frame, cycle.rate, tempo)
    }
    state = .stopped(position)
    // Where only the bridge has put the playhead it is on its way back.
    if !isPlaced { lastStop = (frame, position) }
    return position
  }

  @_noLocks
  private mutating func start(
    near wanted: BeatTime, _ linkBeat: BeatTime, _ roll: Roll, _ cycle: CycleSnapshot, _ tempo: Tempo
  ) -> BeatTime {
    (waitsFor, isSlewing) = (.zero, false)
    guard roll.isBound else {
      state = .moving(
        offset: wanted - linkBeat, target: wanted, published: wanted, time: roll.time, isBound: false)
      return wanted
    }
    // A start at bar 1 may be before it by what frames are rounded to, and still belongs there.
    let rounding = tempo.beats(in: FrameCount(1), at: cycle.rate)
    let nearest = linkBeat.shifted(nearestTo: wanted, byMultiplesOf: quantum)
    let position =
      nearest < BeatTime.zero - rounding
      ? linkBeat.shifted(atOrAfter: .zero, byMultiplesOf: quantum) : nearest
    state = .moving(
      offset: position - linkBeat, target: position, published: position, time: roll.time, isBound: true)
    return position
  }

  /// Begins at `position` itself, and with Link's phase from the next entry on.
  @_noLocks
  private mutating func startWhole(
    _ position: BeatTime, _ linkBeat: BeatTime, at time: HostTime<LinkClock>
  ) -> BeatTime {
    (waitsFor, isSlewing) = (.zero, false)
    let nearest = linkBeat.shifted(nearestTo: position, byMultiplesOf: quantum)
    state = .moving(
      offset: nearest - linkBeat, target: nearest, published: position, time: time, isBound: true)
    return position
  }

  /// Follows Link's beat without ever going back.
  ///
  /// A step back that a tempo or latency change or a re-measurement explains is waited out, up to half a quantum: the
  /// position holds until Link has caught up, or goes on at half of its speed where that takes long. A larger step
  /// is another grid, joined with a session, or left again: then the position jumps once, forward, unless the
  /// grid is behind by no more than the position may hold. So it does when the position shown for a start
  /// turns out to be ahead, because JACK rolls before it was planned to.
  @inline(__always) @_noLocks
  private mutating func follow(
    _ linkBeat: BeatTime, at time: HostTime<LinkClock>, _ tempo: Tempo, offset: Beats, target: BeatTime,
    published: BeatTime, since last: HostTime<LinkClock>, toFrame frame: TransportFrame,
    _ cycle: CycleSnapshot
  ) -> BeatTime {
    let next = linkBeat + offset
    let step = next - target - tempo.beats(in: time - last)
    let wait = published - next
    let explained = explainedStep(cycle)
    guard step.magnitude <= explained, wait <= min(explained + waitsFor, halfQuantum) else {
      return join(
        linkBeat, at: time, after: published, goneOn: missed(before: frame, cycle, tempo), cycle, tempo)
    }
    return go(
      on: linkBeat, to: next, at: time, waiting: wait, after: published,
      slewing: progress(to: frame, cycle.rate, tempo))
  }

  /// Takes Link's phase from here on, by a jump forward from where it would have gone on to; or by a wait of a
  /// moment, where that is all it takes.
  ///
  /// A position that holds has no bar of this grid yet that a change of tempo could move. It therefore joins
  /// anew in each cycle: with a slower tempo the moment may have become seconds.
  @_noLocks
  private mutating func join(
    _ linkBeat: BeatTime, at time: HostTime<LinkClock>, after published: BeatTime,
    goneOn progress: Beats = .zero, _ cycle: CycleSnapshot, _ tempo: Tempo
  ) -> BeatTime {
    let standstill = cycle.step.wasRolling ? tempo.beats(in: Playhead.longestStandstill) : .zero
    let moment = min(max(Playhead.remeasurement, standstill), halfQuantum)
    let next = linkBeat.shifted(atOrAfter: published + progress - moment, byMultiplesOf: quantum)
    let wait = published - next
    return go(on: linkBeat, to: next, at: time, waiting: wait, after: published, isBound: wait <= .zero)
  }

  /// Goes to `next`, where Link's beat is `link`; or, as long as `wait` is not over, stays where it is, or goes on by
  /// half of the `progress` of its frames. A position that goes on slowly is bound to its bar.
  @inline(__always) @_noLocks
  private mutating func go(
    on linkBeat: BeatTime, to next: BeatTime, at time: HostTime<LinkClock>, waiting wait: Beats,
    after published: BeatTime, slewing progress: Beats = .zero, isBound: Bool = true
  ) -> BeatTime {
    waitsFor = wait > .zero ? wait : .zero
    let lasts = tempos.latest.map { $0.interval(of: waitsFor) } ?? .zero
    isSlewing = waitsFor > .zero && (isSlewing || lasts > Playhead.longestStandstill)
    let half = isSlewing && progress > .zero ? Beats(nanobeats: progress.nanobeats / 2) : .zero
    let position = wait > .zero ? published + half : next
    state = .moving(
      offset: next - linkBeat, target: next, published: position, time: time, isBound: isBound || isSlewing)
    return position
  }

  /// No longer wait is worth the bar: from there on the jump to the nearest one is shorter.
  private var halfQuantum: Beats {
    @_noLocks get { Beats(nanobeats: quantum.beats.nanobeats / 2) }
  }

  /// How far Link's beat may have stepped since the last entry for reasons other than a new grid.
  @_noLocks
  private func explainedStep(_ cycle: CycleSnapshot) -> Beats {
    Playhead.remeasurement + latencyStep
      + tempos.step(at: cycle.nextOutput, ahead: cycle.outputLatency, most: halfQuantum)
  }
}

// MARK: While nothing is heard

extension Playhead {
  /// The frame that was last published, and its position; for a start that has not rolled, or was cancelled,
  /// where it stops.
  @_noLocks
  func place(whileRolling isRolling: Bool) -> (frame: TransportFrame, position: BeatTime)? {
    if case .moving = state, !isRolling, let lastStop { return lastStop }
    guard let entry else { return nil }
    if case .stopped(let position) = state { return (entry.frame, position) }
    return (entry.frame, entry.position)
  }

  /// Goes on from the position that other clients have published meanwhile. A rolling position comes into Link's
  /// phase by a jump forward, as it does when a session is joined.
  @_noLocks
  mutating func resume(from shown: (frame: TransportFrame, position: BeatTime), _ jack: JACKObservation) {
    entry = Entry(
      frame: shown.frame, position: shown.position, isRolling: jack.transport.isRolling, isLocate: true)
    // A start that has not rolled yet may be cancelled.
    lastStop = jack.transport.isRolling ? nil : shown
    isRelocated = false
    state =
      jack.transport.isRolling && jack.frame == shown.frame
      ? .moving(
        offset: .zero, target: shown.position, published: shown.position, time: jack.nextOutput,
        isBound: false
      )
      : .stopped(shown.position)
  }
}

/// Where frames and tempo alone put `frame`: frame 0 is bar 1 beat 1.
@_noLocks
func nominal(_ frame: TransportFrame, _ rate: SampleRate, _ tempo: Tempo) -> BeatTime {
  BeatTime(sinceZero: tempo.beats(in: frame.sinceZero, at: rate))
}
