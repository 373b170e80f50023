import MusicalTime

/// All that one JACK cycle does to the world.
public struct Decision: Sendable, Equatable {
  /// What to ask of JACK's transport.
  public var transport: TransportRequest?
  /// Whether a transport that asks if it may roll has to wait.
  public var holdsStart = false
  /// What to change in the Link session.
  public var link = LinkEdit()
  /// What people should know.
  public var notices = Notices()

  /// Nothing to do.
  @_noLocks
  public init() {}
}

/// A request to JACK's transport.
public enum TransportRequest: Sendable, Hashable {
  /// Start it.
  case start
  /// Stop it.
  case stop
  /// Have it continue from `frame`, with the bar, beat and tick it shows.
  case relocate(frame: UInt32)
}

/// One change of the Link session. It is committed only when it changes something: a commit wakes Link's
/// thread, is heard by every peer, and makes the committing thread deaf to the network for a second.
public struct LinkEdit: Sendable, Equatable {
  /// The tempo to set.
  public var tempo: TempoEdit?
  /// Whether the session is to play.
  public var isPlaying: PlayEdit?
  /// Link's beat at ``JACKObservation/nextOutput``.
  public var beat: BeatEdit?

  /// No change.
  @_noLocks
  public init() {}

  /// Whether there is nothing to commit.
  public var isEmpty: Bool {
    @_noLocks get {
      if case .some = isPlaying { return false }
      if case .some = tempo { return false }
      if case .some = beat { return false }
      return true
    }
  }
}

/// A tempo for Link, and the instant around which its beats turn.
public struct TempoEdit: Sendable, BitwiseCopyable, Equatable {
  /// The tempo.
  public var tempo: Tempo
  /// When the beat stays what it is.
  public var time: HostTime<LinkClock>
  /// Whether it is the tempo that is there already, by so little off that nobody is meant to notice.
  public var isSteering: Bool

  /// A tempo from `time` on.
  @_noLocks
  public init(tempo: Tempo, time: HostTime<LinkClock>, isSteering: Bool = false) {
    self.tempo = tempo
    self.time = time
    self.isSteering = isSteering
  }
}

/// A beat for Link.
public struct BeatEdit: Sendable, BitwiseCopyable, Equatable {
  /// The beat.
  public var beat: Beats
  /// Whether other peers' beat is moved too. Otherwise it is asked for, which moves only who is alone.
  public var isForced: Bool

  /// A beat, asked for or forced.
  @_noLocks
  public init(beat: Beats, isForced: Bool) {
    self.beat = beat
    self.isForced = isForced
  }
}

/// A start or stop of the session.
public struct PlayEdit: Sendable, Equatable {
  /// Whether it is to play.
  public var isPlaying: Bool
  /// From when on: of a start, when the first frame is heard.
  public var time: HostTime<LinkClock>

  /// A start or stop at `time`.
  @_noLocks
  public init(isPlaying: Bool, time: HostTime<LinkClock>) {
    self.isPlaying = isPlaying
    self.time = time
  }
}

/// Something about the transport that people should know.
public enum TransportNotice: Sendable, BitwiseCopyable, Equatable {
  /// A Link peer pressed play.
  case peerPressedPlay
  /// A Link peer pressed stop.
  case peerPressedStop
  /// A Link peer pressed play or stop while JACK renders, which goes on.
  case pressIgnored(isPlaying: Bool)
  /// A start waits for so many of Link's beats.
  case launchWaits(Beats)
  /// A start is so far ahead that JACK rests until it is time.
  case launchPostponed(Beats)
  /// JACK rolled this much later than it was let go, and the playhead is moved to where it should be.
  case launchCorrected(late: HostInterval)
  /// The session's beat was moved by so much as JACK began to roll, and the playhead is moved to where it is
  /// now.
  case gridMoved(by: HostInterval)
  /// The owner of the timebase was so far from where it had shown to be before it rolled, and the playhead is
  /// moved.
  case ownerCorrected(HostInterval)
  /// A deadline that was missed while JACK began to roll has put it off by so much, and the playhead is
  /// moved.
  case launchDisturbed(by: HostInterval)
  /// JACK was relocated while it rolled, and rolls on so far from Link's phase.
  case rollsOn(HostInterval)
  /// So that no program misses the first beat, JACK began in the nearest cycle: frames stay so far ahead of
  /// Link.
  case framesStayOff(by: HostInterval)
  /// Frames are this much later than the session since JACK has lost time while it rolled.
  case framesFellBehind(by: HostInterval)
  /// JACK rolled this much later than it was let go, and it stays at that.
  case launchSpoilt(late: HostInterval)
}

/// What the timebase owner tells JACK about the next cycle.
public struct TimebaseEntry: Sendable, Hashable {
  /// The position of the next cycle's first frame.
  public var position: BarBeatTick
  /// The tempo in the meter's own beats per minute.
  public var beatsPerMinute: Double

  /// An entry.
  @_noLocks
  public init(position: BarBeatTick, beatsPerMinute: Double) {
    self.position = position
    self.beatsPerMinute = beatsPerMinute
  }
}
