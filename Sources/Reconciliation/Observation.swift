import MusicalTime

/// All that one JACK cycle knows of the world. With the reconciler's own memory, it determines the
/// ``Decision``.
public struct Observation: Sendable {
  /// JACK's transport in this cycle.
  public var jack: JACKObservation
  /// Link's session at the instant the decision is for.
  public var link: LinkObservation
  /// The user's choices, as they are by the command.
  public var choices: Choices
  /// The user's command, if any.
  public var command: Command?

  /// An observation.
  @inlinable @_noLocks
  public init(jack: JACKObservation, link: LinkObservation, choices: Choices, command: Command? = nil) {
    self.jack = jack
    self.link = link
    self.choices = choices
    self.command = command
  }
}

/// JACK's side of an ``Observation``.
public struct JACKObservation: Sendable {
  /// The transport's state in this cycle.
  public var transport: TransportState
  /// The transport's position at the first frame of this cycle.
  public var frame: TransportFrame
  /// The step of the transport since the cycle before.
  public var step: TransportStep
  /// The number of frames in a cycle.
  public var period: UInt32
  /// The server's sample rate.
  public var rate: SampleRate
  /// The server's own count of frames at the start of this cycle, which is never relocated.
  public var serverFrame: ServerFrame
  /// When this cycle began, on Link's clock.
  public var start: HostTime<LinkClock>
  /// When the first frame of the *next* cycle is heard: that cycle's start, as ``CycleClock`` foresees it, on
  /// Link's clock, plus ``outputLatency``.
  public var nextOutput: HostTime<LinkClock>
  /// The time from a cycle's start to its first frame being heard, less the user's offset, and what is left of a
  /// gradual change of that.
  public var delay: CycleDelay

  /// The position that JACK clients read in this cycle, and its publisher.
  public var timebase: TimebaseObservation
  /// Whether JACK asks in this cycle if the transport may roll, and waits if not.
  public var isSyncCallback: Bool
  /// Whether JACK runs as fast as it can, as for an export: frames are the music then, and nothing is heard.
  public var isFreewheeling: Bool

  /// One cycle of JACK.
  @inlinable @_noLocks
  public init(
    transport: TransportState, frame: TransportFrame, step: TransportStep, period: UInt32, rate: SampleRate,
    serverFrame: ServerFrame, start: HostTime<LinkClock>, nextOutput: HostTime<LinkClock>,
    delay: CycleDelay, timebase: TimebaseObservation, isSyncCallback: Bool,
    isFreewheeling: Bool = false
  ) {
    self.transport = transport
    self.frame = frame
    self.step = step
    self.period = period
    self.rate = rate
    self.serverFrame = serverFrame
    self.start = start
    self.nextOutput = nextOutput
    self.delay = delay
    self.timebase = timebase
    self.isSyncCallback = isSyncCallback
    self.isFreewheeling = isFreewheeling
  }

  /// The time from a cycle's start to its first frame being heard, less the user's offset.
  @inlinable public var outputLatency: HostInterval { @_noLocks get { delay.now } }
}

/// JACK's timebase in a cycle.
public struct TimebaseObservation: Sendable {
  /// The publisher of the position that JACK clients read.
  public var owner: TimebaseOwner
  /// That position; `nil` when the bridge has published it.
  public var position: TimebaseReading?
  /// Whether that is the bridge's last entry all the same, which JACK shows until it asks the owner.
  public var isLeftBehind: Bool

  /// One reading of the timebase.
  @inlinable @_noLocks
  public init(owner: TimebaseOwner, position: TimebaseReading?, isLeftBehind: Bool = false) {
    self.owner = owner
    self.position = position
    self.isLeftBehind = isLeftBehind
  }
}

/// Link's side of an ``Observation``: the session as it is, but for the bridge's edits that are on their way
/// to it. These are seen as they will be committed, see ``SentEdit``.
public struct LinkObservation: Sendable {
  /// The session's tempo.
  public var tempo: Tempo
  /// Link's beat, encoded for the bridge's quantum, at ``JACKObservation/nextOutput``.
  public var beat: BeatTime
  /// The last start or stop.
  public var play: PlayState
  /// Whether others can join the session.
  public var isEnabled: Bool
  /// The number of other peers in the session.
  public var peers: Int

  /// One reading of Link.
  @inlinable @_noLocks
  public init(
    tempo: Tempo, beat: BeatTime, play: PlayState, isEnabled: Bool, peers: Int
  ) {
    self.tempo = tempo
    self.beat = beat
    self.play = play
    self.isEnabled = isEnabled
    self.peers = peers
  }
}
