import MusicalTime

/// The source of the position of a frame in the music.
enum PositionSource {
  /// The bridge's own playhead: Link leads.
  case playhead(Playhead.Mark)
  /// The position that another timebase owner publishes for a frame: JACK leads, and asks Link for its phase.
  /// An owner that stands still as it rolls is not where it publishes.
  case owner(frame: TransportFrame, beat: BeatTime, standsStill: Bool)
  /// The timebase owner publishes nothing at the moment: it may be gone, or has not been read yet.
  case unheard
  /// Nothing that Link's phase could be asked for.
  case none
}

/// The facts of one cycle on which the transport's decisions rest.
struct LaunchContext {
  let configuration: Reconciler.Configuration
  let observation: Observation
  /// The session's tempo, this cycle's own change included.
  let tempo: Tempo
  let clock: SampleClock.Reading
  let source: PositionSource
  /// How long before a roll the playhead has to be in place, for clients that are slow to be ready.
  var slowLead = HostInterval.zero

  @_noLocks
  init(
    observation: Observation, tempo: Tempo, clock: SampleClock.Reading, source: PositionSource,
    configuration: Reconciler.Configuration
  ) {
    self.observation = observation
    self.tempo = tempo
    self.clock = clock
    self.source = source
    self.configuration = configuration
  }

  /// The same facts with the whole of the offset that the user has chosen, as where JACK waits: a transport that is
  /// relocated rolls on with all of it, although what rolls comes to it gradually.
  var withWholeOffset: LaunchContext {
    @_noLocks get {
      let rest = observation.jack.delay.rest
      guard rest != .zero else { return self }
      var whole = observation
      whole.jack.delay = CycleDelay(now: observation.jack.delay.now + rest)
      whole.jack.nextOutput = observation.jack.nextOutput + rest
      whole.link.beat = observation.link.beat + tempo.beats(in: rest)
      var context = LaunchContext(
        observation: whole, tempo: tempo, clock: clock, source: source, configuration: configuration)
      context.slowLead = slowLead
      return context
    }
  }

  var motion: TransportState { @_noLocks get { observation.jack.transport } }

  /// When the next cycle is heard: the earliest instant that can still be decided about.
  var next: HostTime<LinkClock> { @_noLocks get { observation.jack.nextOutput } }

  /// From when on all clients can be ready.
  var ready: HostTime<LinkClock> { @_noLocks get { next + slowLead } }

  /// How long a cycle lasts.
  var period: HostInterval {
    @_noLocks get {
      clock.duration(of: FrameCount(Int64(observation.jack.period)), at: observation.jack.rate)
    }
  }

  /// Whether the session has no other peer.
  var isAlone: Bool { @_noLocks get { observation.link.peers == 0 } }

  /// Whether there is a position that a start can bring into phase with Link.
  var canAlign: Bool {
    @_noLocks get {
      switch source {
      case .playhead, .owner: true
      case .unheard, .none: false
      }
    }
  }

  /// Whether the music is an owner's whose position does not move as it rolls: its real position is unknown.
  var ownerStandsStill: Bool {
    @_noLocks get {
      switch source {
      case .owner(_, _, let standsStill): standsStill
      case .playhead, .unheard, .none: false
      }
    }
  }

  /// Whether a start can be held, and whether there is something to hold it for.
  var canHold: Bool {
    @_noLocks get {
      observation.jack.isSyncCallback && canAlign && !isAlone && !configuration.rules.followsMaster
    }
  }

  /// The frame JACK shows, and the music there.
  var place: Place { @_noLocks get { place(at: observation.jack.frame) } }

  /// The music at any frame.
  @_noLocks
  func place(at frame: TransportFrame) -> Place {
    let rate = observation.jack.rate
    switch source {
    case .playhead(let mark):
      return mark.place(at: frame, rate, tempo, alignsFrames: configuration.alignsFrames)
    case .owner(let known, let beat, _):
      let there = beat + tempo.beats(in: frame.sinceZero - known.sinceZero, at: rate)
      return Place(frame: frame, beat: there, position: there)
    case .unheard, .none: return Place(frame: frame, beat: .zero, position: .zero)
    }
  }

  /// The music at a place that was found before, which may be at another tempo now; the bar stays.
  @_noLocks
  func place(again old: Place) -> Place {
    var new = place(at: old.frame)
    if case .playhead = source, !configuration.alignsFrames { return old }
    new.position = new.beat.shifted(nearestTo: old.position, byMultiplesOf: configuration.quantum)
    return new
  }

  /// The music at the first frame of the next cycle, if the transport rolls there: by frames, where the
  /// bridge may relocate, also where JACK's count of them has begun again since `origin`.
  @_noLocks
  private func beatAtNext(since origin: TransportFrame) -> BeatTime {
    let jack = observation.jack
    switch source {
    case .playhead, .unheard, .none:
      let next = jack.frame + jack.period
      return nominal(origin, jack.rate, tempo) + tempo.beats(in: next - origin, at: jack.rate)
    case .owner:
      return place.beat + tempo.beats(in: FrameCount(Int64(jack.period)), at: jack.rate)
    }
  }

  @_noLocks
  func planner(_ mode: LaunchMode) -> LaunchPlanner { LaunchPlanner(self, mode) }

  /// How long JACK may be asked to start ahead of the roll.
  var longestWait: HostInterval {
    @_noLocks get {
      canAlign && !isAlone ? configuration.longestHold : period * 2
    }
  }

  /// How long a start that is wanted would wait.
  @_noLocks
  func wait(for request: StartRequest) -> HostInterval {
    guard canAlign, !isAlone else { return request.notBefore > next ? request.notBefore - next : .zero }
    return plan(request, place, configuration.choices.launch, cycles: 6).rollTime - next
  }

  /// The plan for the first instant that fits the request, once all clients can be ready, and not before the
  /// cycle after so many more.
  @_noLocks
  func plan(_ request: StartRequest, _ place: Place, _ mode: LaunchMode, cycles: Int64 = 4) -> LaunchPlan {
    return planner(mode).plan(
      place, notBefore: request.notBefore > ready ? request.notBefore : ready, cycles: cycles)
  }

  /// The plan to go on as soon as it is possible, in phase by as much as has passed.
  @_noLocks
  func planOn(_ place: Place) -> LaunchPlan {
    let planner = planner(.now)
    let linkBeat = observation.linkBeat(at: planner.ready(after: 4), tempo: tempo)
    let target = linkBeat.shifted(atOrAfter: place.beat, byMultiplesOf: configuration.quantum)
    return planner.plan(place, atBeat: linkBeat, moved: target - place.beat)
  }

  /// The plan for a roll, `seen` at a place, to be where it would be by then, or at the nearest place to that
  /// which is in phase; not before an instant, nor before the cycle after so many more.
  @_noLocks
  func planToMend(
    _ place: Place, seen: HostTime<LinkClock>, notBefore: HostTime<LinkClock>, cycles: Int64
  ) -> LaunchPlan {
    let planner = planner(.now)
    let ready = planner.ready(after: cycles)
    let quantum = configuration.quantum
    // Well within a cycle: rounded, it must not be found in the one before.
    let time =
      (ready > notBefore ? ready : notBefore) + HostInterval(nanoseconds: period.nanoseconds / 4)
    let linkBeat = observation.linkBeat(at: time, tempo: tempo)
    let natural = place.beat + tempo.beats(in: time - seen)
    let nearest = linkBeat.shifted(nearestTo: natural, byMultiplesOf: quantum)
    let target = nearest < .zero ? linkBeat.shifted(atOrAfter: .zero, byMultiplesOf: quantum) : nearest
    return planner.plan(place, atBeat: linkBeat, moved: target - place.beat)
  }

  /// How far a place is from Link's phase.
  @_noLocks
  func distance(of place: Place, at time: HostTime<LinkClock>) -> Beats {
    let linkBeat = observation.linkBeat(at: time, tempo: tempo)
    return place.beat.phase(in: configuration.quantum).distance(
      from: linkBeat.phase(in: configuration.quantum))
  }

  /// How far the position by frames and tempo at the next cycle is from Link, in time.
  ///
  /// JACK's 32-bit count of frames begins again after a day at 48 kHz, and the music goes on: of a roll the
  /// frames are counted from `origin`, where it was planned from.
  @_noLocks
  func frameError(since origin: TransportFrame) -> HostInterval {
    let quantum = configuration.quantum
    let beat = beatAtNext(since: origin)
    return tempo.interval(
      of: beat.phase(in: quantum).distance(from: observation.link.beat.phase(in: quantum)))
  }

  /// How far the position by frames and tempo at the next cycle is from Link, in time.
  var frameError: HostInterval { @_noLocks get { frameError(since: observation.jack.frame) } }
}
