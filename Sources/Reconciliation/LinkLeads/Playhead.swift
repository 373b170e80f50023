import MusicalTime

/// Where the music is, counted from bar 1 beat 1, in Link's beats.
///
/// While the transport moves, the position is Link's beat plus a whole number of quanta, chosen once at a
/// start or a locate so that it lies nearest to where frames and tempo put it; from then on Link alone moves
/// it, so a tempo change never changes the bar. While the transport rests, so does the position. Alone in a
/// session a start is not bound to Link: there, Link is mapped to the playhead as soon as it rolls.
struct Playhead: Sendable {
  private let quantum: Quantum
  private var state = State.unknown
  /// The frame at which the next entry begins if nobody relocates.
  private var expectedFrame: UInt32 = 0
  /// The frame the transport is at now.
  private var currentFrame: UInt32 = 0
  private var wasRolling = false
  /// The server's count of frames in the last cycle that we were let run in, and how many have passed since
  /// the one before.
  private var serverFrame: UInt32 = 0
  private var passed: UInt32 = 0
  /// How far the transport's frames were from the server's, as long as it goes on.
  private var steadyCourse: UInt32 = 0
  /// Whether the roll has just begun beyond where it was to, which may have been torn.
  private var hasBegunBeyond = false
  /// Whether the transport shows a frame that nobody has told us of: some servers show it before they ask.
  private var isRelocated = false
  /// The frame the last entry was for.
  private var publishedFrame: UInt32?
  /// The last entry's position: what is aimed at is not shown before JACK asks.
  private var publishedPosition = Beats.zero
  /// Whether the transport rolled when that was said.
  private var publishedRolling = false
  /// How far Link's beat may have stepped since the last entry for reasons other than a new grid.
  private var explainedStep = Playhead.remeasurement
  /// Where the position was when the transport last rested, until it rolls: a start may be taken back.
  private var rested: (frame: UInt32, position: Beats)?
  /// Whether that was done, and the playhead may still be on its way back.
  private var isTakenBack = false
  /// What Link's beat still has to catch up with.
  private var waitsFor = Beats.zero
  private var previousTempo: Tempo?
  private var previousLatency = HostInterval.zero

  private enum State: Sendable {
    /// Nothing has been published yet.
    case unknown
    /// The transport rests at a position.
    case resting(Beats)
    /// The position is Link's beat plus `offset`, at `target` when last published, for the instant `time`. It
    /// has Link's phase if it `isBound`.
    case moving(offset: Beats, target: Beats, published: Beats, time: HostTime<LinkClock>, isBound: Bool)
  }

  /// When the frame that an entry is for is heard, and what is planned for it.
  struct Roll: Sendable {
    var time: HostTime<LinkClock>
    /// The frame that a launch is planned from, and the position there but for whole quanta.
    var planned: (frame: UInt32, position: Beats)?
    /// Whether it is we who have put the playhead there.
    var isPlaced = false
    /// Whether what is planned is read as it is, however far from Link's phase the cycle is that is nearest
    /// to it.
    var isWhole = false
    /// Whether the position has Link's phase.
    var isBound = true

    @_noLocks
    init(
      time: HostTime<LinkClock>, planned: (frame: UInt32, position: Beats)? = nil, isPlaced: Bool = false,
      isWhole: Bool = false, isBound: Bool = true
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
  /// How long a tempo change may be on its way to us; until it arrives we have counted on at the old tempo.
  private static var tempoDelay: HostInterval { .milliseconds(250) }

  @_noLocks
  init(quantum: Quantum) {
    self.quantum = quantum
  }

  /// Takes note of a cycle, whether or not JACK will ask about the next one.
  @inline(__always) @_noLocks
  mutating func observe(_ now: CycleSnapshot, tempo: Tempo) {
    // Cycles that we were not let run in have passed all the same, however long they were.
    passed = now.serverFrame &- serverFrame
    serverFrame = now.serverFrame
    if now.transport.isRolling, wasRolling, goesOn(now) { expectedFrame = now.frame }
    let isRollingNow = now.transport.isRolling && !wasRolling
    let isExpected =
      now.frame == expectedFrame || (isRollingNow && hasComeOn(from: expectedFrame, now))
    // Of a locate to the very frame that rolls we may have been asked as in any other cycle: only that it is
    // still there tells.
    let isBackAtOnce = wasRolling && now.frame == currentFrame
    hasBegunBeyond = isRollingNow && now.frame != expectedFrame
    if !isExpected, isBackAtOnce || now.frame != publishedFrame { isRelocated = true }
    wasRolling = now.transport.isRolling
    if wasRolling {
      rested = nil
      isTakenBack = false
    }
    // What is torn is not where it goes on.
    if !isExpected || isRollingNow || now.frame == currentFrame &+ passed {
      steadyCourse = now.frame &- now.serverFrame
    }
    currentFrame = now.frame
    expectedFrame = now.transport.isRolling ? now.frame &+ now.period : now.frame
    explainedStep = explainedStep + step(from: previousTempo ?? tempo, to: tempo, now.outputLatency)
    previousTempo = tempo
    if now.outputLatency != previousLatency {
      explainedStep = explainedStep + tempo.beats(in: (now.outputLatency - previousLatency).magnitude)
      previousLatency = now.outputLatency
    }
    if !now.transport.isPlaying, case .moving(_, _, let published, _, _) = state {
      if let rested {
        // It has not rolled: what was shown was the beat of a start to come.
        state = .resting(rested.position)
        publishedFrame = rested.frame
        isTakenBack = true
      } else if publishedFrame == nil {
        // What was aimed at nobody has read.
        state = .unknown
      } else {
        state = .resting(published)
        rested = isExpected ? (now.frame, published) : nil
        // There are servers that ask with the frame of the cycle before.
        if isExpected { publishedFrame = now.frame }
      }
    }
  }

  /// What tells where a start would begin.
  struct Mark: Sendable {
    fileprivate let quantum: Quantum
    /// What was last published, and for which frame, if the transport rests there.
    fileprivate let shown: (frame: UInt32, position: Beats)?

    @_noLocks
    fileprivate init(quantum: Quantum, shown: (frame: UInt32, position: Beats)?) {
      self.quantum = quantum
      self.shown = shown
    }

    /// Where a start at `frame` begins.
    @_noLocks
    func place(at frame: UInt32, _ rate: SampleRate, _ tempo: Tempo, alignsFrames: Bool) -> Place {
      let nominal = nominal(frame, rate, tempo)
      // What was published of a start that is not yet under way, or of a relocation, is a first guess.
      guard let shown, frame == shown.frame else {
        return Place(frame: frame, beats: nominal, position: nominal)
      }
      // Frames decide about the phase, what was shown about the bar.
      return alignsFrames
        ? Place(
          frame: frame, beats: nominal,
          position: nominal.shifted(nearestTo: shown.position, byMultiplesOf: quantum))
        : Place(frame: frame, beats: shown.position, position: shown.position)
    }
  }

  /// Where we are.
  var mark: Mark {
    @_noLocks get {
      guard let publishedFrame, case .resting(let position) = state else {
        return Mark(quantum: quantum, shown: nil)
      }
      return Mark(quantum: quantum, shown: (publishedFrame, position))
    }
  }

  /// The position of the next cycle's first frame.
  @inline(__always) @_noLocks
  mutating func advance(
    toFrame frame: UInt32, _ now: CycleSnapshot, tempo: Tempo, alignsFrames: Bool, _ roll: Roll
  ) -> Beats {
    // Who has the timebase only since a start was wanted has not been there when somebody put the playhead
    // there.
    let isNew = publishedFrame == nil && !now.transport.isRolling
    let isExpected =
      frame == expectedFrame || frame == currentFrame
      || (now.transport.isRolling && isTorn(frame, from: expectedFrame, period: now.period))
    let relocated = isRelocated || isNew || !isExpected
    isRelocated = false
    let position: Beats
    if !now.transport.isPlaying {
      position = rest(atFrame: frame, relocated: relocated, now, tempo: tempo)
    } else if roll.isWhole, let planned = roll.planned, planned.frame == frame {
      if relocated, !roll.isPlaced { rested = (frame, planned.position) }
      position = startWhole(planned.position, now.linkBeat(at: roll.time, tempo: tempo), at: roll.time)
    } else if !relocated, case .moving(let offset, let target, let published, let time, let isBound) = state {
      let link = now.linkBeat(at: roll.time, tempo: tempo)
      // Before it rolls, what was shown was a prediction: it may turn out to have been too late.
      let shown =
        now.transport.isRolling ? publishedPosition : min(published, link + offset)
      switch (isBound, roll.isBound) {
      case (_, false):
        // Nobody can say when it rolls: until then it stays where it is.
        position = start(near: published, link, roll, now, tempo)
      case (false, true): position = join(link, at: roll.time, after: publishedPosition)
      case (true, true) where isBarsLate(link + offset, at: frame, now, tempo):
        position = join(
          link, at: roll.time, after: publishedPosition, goneOn: progress(to: frame, now.rate, tempo))
      case (true, true):
        position = follow(
          link, at: roll.time, tempo, offset: offset, target: target, published: shown, since: time,
          toFrame: frame, now)
      }
    } else if now.transport.isRolling, !relocated, let publishedFrame, hasComeOn(from: publishedFrame, now) {
      // What was read while it waited is not gone back behind.
      position = join(now.linkBeat(at: roll.time, tempo: tempo), at: roll.time, after: publishedPosition)
    } else {
      var wanted = mark.place(at: frame, now.rate, tempo, alignsFrames: alignsFrames).position
      // Somebody wants to start here. Should it be taken back, this is what rests.
      if relocated, !roll.isPlaced { rested = (frame, wanted) }
      if let planned = roll.planned, planned.frame == frame { wanted = planned.position }
      position = start(near: wanted, now.linkBeat(at: roll.time, tempo: tempo), roll, now, tempo)
    }
    explainedStep = Playhead.remeasurement
    publishedFrame = frame
    publishedPosition = position
    publishedRolling = now.transport.isRolling
    return position
  }

  /// Whether a roll begins so long after it was planned, because somebody was not ready, that whole quanta of
  /// Link's have passed: the bar is still the one that was read.
  @inline(__always) @_noLocks
  private func isBarsLate(_ next: Beats, at frame: UInt32, _ now: CycleSnapshot, _ tempo: Tempo) -> Bool {
    guard now.transport.isRolling, !publishedRolling, publishedFrame != nil else { return false }
    return next - publishedPosition - progress(to: frame, now.rate, tempo) >= quantum.beats
  }

  /// How far frames have gone on since the last entry.
  @_noLocks
  private func progress(to frame: UInt32, _ rate: SampleRate, _ tempo: Tempo) -> Beats {
    tempo.beats(in: FrameCount(Int64(frame &- (publishedFrame ?? frame))), at: rate)
  }

  /// How far what rolls has gone on since the last entry besides the cycle that is: somebody else may have
  /// had the timebase meanwhile.
  @_noLocks
  private func missed(before frame: UInt32, _ now: CycleSnapshot, _ tempo: Tempo) -> Beats {
    guard now.transport.isRolling, publishedRolling, let publishedFrame else { return .zero }
    let frames = Int32(bitPattern: frame &- publishedFrame &- now.period)
    return frames > 0 ? tempo.beats(in: FrameCount(Int64(frames)), at: now.rate) : .zero
  }

  /// Takes note of where a held start is going to begin: JACK may not ask again before it rolls.
  @_noLocks
  mutating func aim(at plan: LaunchPlan, _ now: CycleSnapshot, tempo: Tempo) {
    let link = now.linkBeat(at: plan.rollTime, tempo: tempo)
    if plan.isWhole {
      _ = startWhole(plan.position, link, at: plan.rollTime)
    } else {
      _ = start(near: plan.position, link, Roll(time: plan.rollTime), now, tempo)
    }
  }

  /// Has Link follow the playhead from here on: the beat that Link is to have at the start of the next cycle.
  @_noLocks
  mutating func mapLink(_ now: CycleSnapshot, tempo: Tempo) -> Beats {
    let current: Beats
    if let shown, let publishedFrame, hasComeOn(from: publishedFrame, now) {
      current = shown + tempo.beats(in: FrameCount(Int64(now.frame &- publishedFrame)), at: now.rate)
    } else {
      current = nominal(now.frame, now.rate, tempo)
    }
    let next = current + tempo.beats(in: FrameCount(Int64(now.period)), at: now.rate)
    state = .moving(
      offset: .zero, target: next, published: current, time: now.nextOutput, isBound: true)
    return next
  }

  /// Whether a roll that began at `frame` since the last cycle may have come to where it is now: there are
  /// servers on which a start that was waited for begins a period further, and cycles that we are not let run
  /// in.
  @_noLocks
  private func hasComeOn(from frame: UInt32, _ now: CycleSnapshot) -> Bool {
    now.frame &- frame <= max(passed, now.period)
  }

  /// Whether what rolls is where it is after the cycles that have passed.
  @inline(__always) @_noLocks
  private func goesOn(_ now: CycleSnapshot) -> Bool {
    if now.frame == currentFrame &+ passed || now.frame &- now.serverFrame == steadyCourse { return true }
    return (now.frame != currentFrame || hasBegunBeyond)
      && isTorn(now.frame, from: steadyCourse &+ now.serverFrame, period: now.period)
  }

  /// What JACK clients have last been shown.
  private var shown: Beats? {
    switch state {
    case .unknown: nil
    case .resting(let position): position
    case .moving(_, _, let published, _, _): published
    }
  }

  @_noLocks
  private mutating func rest(
    atFrame frame: UInt32, relocated: Bool, _ now: CycleSnapshot, tempo: Tempo
  ) -> Beats {
    if case .resting(let position) = state, !relocated, frame == publishedFrame { return position }
    let position: Beats
    if let rested, rested.frame == frame {
      position = rested.position
    } else {
      position = nominal(frame, now.rate, tempo)
    }
    state = .resting(position)
    if !isTakenBack || rested?.frame == frame {
      rested = (frame, position)
      isTakenBack = false
    }
    return position
  }

  @_noLocks
  private mutating func start(
    near wanted: Beats, _ link: Beats, _ roll: Roll, _ now: CycleSnapshot, _ tempo: Tempo
  ) -> Beats {
    waitsFor = .zero
    guard roll.isBound else {
      state = .moving(
        offset: wanted - link, target: wanted, published: wanted, time: roll.time, isBound: false)
      return wanted
    }
    // A start at bar 1 may be before it by what frames are rounded to, and still belongs there.
    let rounding = tempo.beats(in: FrameCount(1), at: now.rate)
    let nearest = link.shifted(nearestTo: wanted, byMultiplesOf: quantum)
    let position =
      nearest < -rounding ? link.shifted(atOrAfter: .zero, byMultiplesOf: quantum) : nearest
    state = .moving(
      offset: position - link, target: position, published: position, time: roll.time, isBound: true)
    return position
  }

  /// Begins at `position` itself, and with Link's phase from the next entry on.
  @_noLocks
  private mutating func startWhole(
    _ position: Beats, _ link: Beats, at time: HostTime<LinkClock>
  ) -> Beats {
    waitsFor = .zero
    let nearest = link.shifted(nearestTo: position, byMultiplesOf: quantum)
    state = .moving(offset: nearest - link, target: nearest, published: position, time: time, isBound: true)
    return position
  }

  /// Follows Link's beat without ever going back.
  ///
  /// A step back that a tempo or latency change or a re-measurement explains is waited out: the position
  /// holds until Link has caught up. A larger step is another grid, joined with a session: then the position
  /// jumps once, forward. So it does when what was shown of a start turns out to be far ahead, because JACK
  /// rolls before it was planned to.
  @inline(__always) @_noLocks
  private mutating func follow(
    _ link: Beats, at time: HostTime<LinkClock>, _ tempo: Tempo, offset: Beats, target: Beats,
    published: Beats, since last: HostTime<LinkClock>, toFrame frame: UInt32, _ now: CycleSnapshot
  ) -> Beats {
    let next = link + offset
    let step = next - target - tempo.beats(in: time - last)
    let wait = published - next
    guard step.magnitude <= explainedStep, wait <= explainedStep + waitsFor else {
      return join(link, at: time, after: published, goneOn: missed(before: frame, now, tempo))
    }
    return go(on: link, to: next, at: time, waiting: wait, after: published)
  }

  /// Takes Link's phase from here on, by a jump forward from where it would have gone on to; or by a moment's
  /// wait, where that is all it takes.
  @_noLocks
  private mutating func join(
    _ link: Beats, at time: HostTime<LinkClock>, after published: Beats, goneOn progress: Beats = .zero
  ) -> Beats {
    let next = link.shifted(
      atOrAfter: published + progress - Playhead.remeasurement, byMultiplesOf: quantum)
    return go(on: link, to: next, at: time, waiting: published - next, after: published)
  }

  /// Goes to `next`, where Link's beat is `link`; or stays where it is as long as `wait` is not over.
  @inline(__always) @_noLocks
  private mutating func go(
    on link: Beats, to next: Beats, at time: HostTime<LinkClock>, waiting wait: Beats, after published: Beats
  ) -> Beats {
    waitsFor = wait > .zero ? wait : .zero
    let position = wait > .zero ? published : next
    state = .moving(offset: next - link, target: next, published: position, time: time, isBound: true)
    return position
  }

  /// How far Link's beat steps when a tempo change reaches us late: it is counted from when the peer made it,
  /// and we publish ahead by the output latency.
  @_noLocks
  private func step(from old: Tempo, to new: Tempo, _ latency: HostInterval) -> Beats {
    guard old != new else { return .zero }
    let span = Playhead.tempoDelay + latency.magnitude
    return (new.beats(in: span) - old.beats(in: span)).magnitude
  }
}

// MARK: While nothing is heard

extension Playhead {
  /// The frame that was last published, and what was read there; of a start that has not rolled, or was taken
  /// back, what rests.
  var place: (frame: UInt32, position: Beats)? {
    @_noLocks get {
      if case .moving = state, !wasRolling, let rested { return rested }
      if case .resting(let position) = state { return publishedFrame.map { ($0, position) } }
      return publishedFrame.map { ($0, publishedPosition) }
    }
  }

  /// How far the transport's frames are from the server's, if it rolls.
  var course: UInt32? { @_noLocks get { wasRolling ? steadyCourse : nil } }

  /// Goes on from what others have published meanwhile, on its `course` if it rolls. What rolls on comes into
  /// Link's phase by a jump forward, as it does when a session is joined.
  @_noLocks
  mutating func resume(
    from shown: (frame: UInt32, position: Beats), course: UInt32?, _ now: JACKObservation
  ) {
    (publishedFrame, publishedPosition) = shown
    publishedRolling = now.transport.isRolling
    // What is going to roll may be taken back.
    rested = now.transport.isRolling ? nil : shown
    isTakenBack = false
    isRelocated = false
    serverFrame = now.serverFrame
    currentFrame = now.frame
    expectedFrame = now.frame
    wasRolling = now.transport.isRolling && now.frame == shown.frame
    state =
      wasRolling
      ? .moving(
        offset: .zero, target: shown.position, published: shown.position, time: now.nextOutput, isBound: false
      )
      : .resting(shown.position)
    guard wasRolling, let course else { return }
    // As if the cycle before this one had been seen: this one may be torn.
    steadyCourse = course
    serverFrame = now.serverFrame &- now.period
    currentFrame = course &+ serverFrame
    expectedFrame = currentFrame &+ now.period
  }
}

/// Whether a frame is a cycle or two from where it should be. A server that has stood still runs cycles at
/// once, while we read its count and its transport one after the other.
@_noLocks
func isTorn(_ frame: UInt32, from expected: UInt32, period: UInt32) -> Bool {
  let way = Int32(bitPattern: frame &- expected).magnitude
  return way <= 2 &* period && way % max(1, period) == 0
}

/// Where frames and tempo alone put `frame`: frame 0 is bar 1 beat 1.
@_noLocks
func nominal(_ frame: UInt32, _ rate: SampleRate, _ tempo: Tempo) -> Beats {
  tempo.beats(in: FrameCount(Int64(frame)), at: rate)
}
