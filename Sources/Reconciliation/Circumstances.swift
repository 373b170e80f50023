import MusicalTime

/// What the transport's decisions rest on, in one cycle.
struct Circumstances {
  let observation: Observation
  /// The session's tempo, this cycle's own change included.
  let tempo: Tempo
  let clock: SampleClock
  let playhead: Playhead
  let configuration: Reconciler.Configuration

  @_noLocks
  init(
    observation: Observation, tempo: Tempo, clock: SampleClock, playhead: Playhead,
    configuration: Reconciler.Configuration
  ) {
    self.observation = observation
    self.tempo = tempo
    self.clock = clock
    self.playhead = playhead
    self.configuration = configuration
  }

  var motion: TransportMotion { @_noLocks get { observation.jack.transport } }

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

  /// Whether a start can be held, and whether there is something to hold it for.
  var canHold: Bool {
    @_noLocks get { observation.jack.awaitsUs && observation.jack.ownsTimebase && !isAlone }
  }

  /// The frame JACK shows, and the music there.
  var place: Place { @_noLocks get { place(at: observation.jack.frame) } }

  @_noLocks
  func place(at frame: UInt32) -> Place {
    playhead.place(at: frame, observation.jack.rate, tempo, alignsFrames: configuration.alignsFrames)
  }

  @_noLocks
  func planner(_ launch: Launch) -> LaunchPlanner {
    LaunchPlanner(
      configuration: configuration, launch: launch, observation: observation, clock: clock, tempo: tempo)
  }

  /// How long JACK may be asked to start ahead of the roll.
  var longestWait: HostInterval {
    @_noLocks get {
      observation.jack.ownsTimebase && !isAlone ? configuration.longestHold : period * 2
    }
  }

  /// How long a start that is wanted would wait.
  @_noLocks
  func wait(for wish: Transport.Wish, slowLead: HostInterval) -> HostInterval {
    let earliest = next + slowLead
    guard observation.jack.ownsTimebase, !isAlone else {
      return wish.notBefore > next ? wish.notBefore - next : .zero
    }
    let notBefore = wish.notBefore > earliest ? wish.notBefore : earliest
    return planner(configuration.launch).plan(place, notBefore: notBefore, cycles: 4).edge - next
  }
}
