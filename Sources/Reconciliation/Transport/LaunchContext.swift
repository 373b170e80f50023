import MusicalTime

/// What tells where in the music a frame is.
enum PositionSource {
  /// Our own playhead: Link leads.
  case playhead(Playhead.Mark)
  /// What another owner of the timebase says of a frame: JACK leads, and asks Link for its phase.
  case owner(frame: UInt32, beats: Beats)
  /// Nothing that Link's phase could be asked for.
  case none
}

/// What the transport's decisions rest on, in one cycle.
struct LaunchContext {
  let configuration: Reconciler.Configuration
  let observation: Observation
  /// The session's tempo, this cycle's own change included.
  let tempo: Tempo
  let clock: SampleClock.Reading
  let source: PositionSource

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

  var motion: TransportState { @_noLocks get { observation.jack.transport } }

  /// When the next cycle is heard: the earliest instant that can still be decided about.
  var next: HostTime<LinkClock> { @_noLocks get { observation.jack.nextOutput } }

  /// How long a cycle lasts.
  var period: HostInterval {
    @_noLocks get {
      clock.duration(of: FrameCount(Int64(observation.jack.period)), at: observation.jack.rate)
    }
  }

  /// Whether nobody else is in the session.
  var isAlone: Bool { @_noLocks get { observation.link.peers == 0 } }

  /// Whether there is a position that a start can bring into phase with Link.
  var canAlign: Bool {
    @_noLocks get {
      switch source {
      case .playhead, .owner: true
      case .none: false
      }
    }
  }

  /// Whether a start can be held, and whether there is something to hold it for.
  var canHold: Bool { @_noLocks get { observation.jack.isSyncCallback && canAlign && !isAlone } }

  /// The frame JACK shows, and the music there.
  var place: Place { @_noLocks get { place(at: observation.jack.frame) } }

  /// The music at any frame.
  @_noLocks
  func place(at frame: UInt32) -> Place {
    let rate = observation.jack.rate
    switch source {
    case .playhead(let mark):
      return mark.place(at: frame, rate, tempo, alignsFrames: configuration.alignsFrames)
    case .owner(let known, let beats):
      let there = beats + tempo.beats(in: FrameCount(Int64(frame) &- Int64(known)), at: rate)
      return Place(frame: frame, beats: there, position: there)
    case .none: return Place(frame: frame, beats: .zero, position: .zero)
    }
  }

  /// The music at a place that was found before, which may be at another tempo now; the bar stays.
  @_noLocks
  func place(again old: Place) -> Place {
    var new = place(at: old.frame)
    if case .playhead = source, !configuration.alignsFrames { return old }
    new.position = new.beats.shifted(nearestTo: old.position, byMultiplesOf: configuration.quantum)
    return new
  }

  /// The music at the first frame of the next cycle, if the transport rolls there: by frames, where we have a
  /// say.
  var beatsNext: Beats {
    @_noLocks get {
      let jack = observation.jack
      switch source {
      case .playhead, .none:
        return tempo.beats(in: FrameCount(Int64(jack.frame &+ jack.period)), at: jack.rate)
      case .owner:
        return place.beats + tempo.beats(in: FrameCount(Int64(jack.period)), at: jack.rate)
      }
    }
  }

  @_noLocks
  func planner(_ launch: Launch) -> LaunchPlanner {
    let isOurs =
      switch source {
      case .playhead: true
      case .owner, .none: false
      }
    return LaunchPlanner(
      configuration: configuration, launch: launch, observation: observation, clock: clock, tempo: tempo,
      isOurs: isOurs)
  }

  /// How long JACK may be asked to start ahead of the roll.
  var longestWait: HostInterval {
    @_noLocks get {
      canAlign && !isAlone ? configuration.longestHold : period * 2
    }
  }

  /// How long a start that is wanted would wait.
  @_noLocks
  func wait(for startRequest: Transport.StartRequest, slowLead: HostInterval) -> HostInterval {
    let earliest = next + slowLead
    guard canAlign, !isAlone else {
      return startRequest.notBefore > next ? startRequest.notBefore - next : .zero
    }
    let notBefore = startRequest.notBefore > earliest ? startRequest.notBefore : earliest
    return planner(configuration.launch).plan(place, notBefore: notBefore, cycles: 6).rollTime - next
  }
}
