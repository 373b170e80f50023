import MusicalTime

/// One change of the Link session. It is committed only where it changes something: every commit reaches
/// every peer.
public struct LinkEdit: Sendable, BitwiseCopyable, Equatable {
  /// The tempo to set.
  public var tempo: TempoEdit?
  /// Whether the session is to play.
  public var isPlaying: PlayEdit?
  /// Link's beat at ``JACKObservation/nextOutput``.
  public var beat: BeatEdit?

  /// No change.
  @_noLocks
  public init() {}

  /// Whether it moves Link's beats.
  public var changesTimeline: Bool {
    @_noLocks get {
      if case .some = tempo { return true }
      if case .some = beat { return true }
      return false
    }
  }

  /// Whether there is nothing to commit.
  public var isEmpty: Bool {
    @_noLocks get {
      if case .some = isPlaying { return false }
      return !changesTimeline
    }
  }
}

/// A tempo for Link, and the instant around which its beats turn.
public struct TempoEdit: Sendable, BitwiseCopyable, Equatable {
  /// The tempo.
  public var tempo: Tempo
  /// The instant at which the beat stays continuous.
  public var time: HostTime<LinkClock>
  /// Whether it is the session's own tempo, off by so little that the difference cannot be noticed.
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
  public var beat: BeatTime
  /// Whether other peers' beat is moved too. Otherwise it is a request, which moves the beat only in a
  /// session without other peers.
  public var isForced: Bool

  /// A beat, asked for or forced.
  @_noLocks
  public init(beat: BeatTime, isForced: Bool) {
    self.beat = beat
    self.isForced = isForced
  }
}

/// A start or stop of the session.
public struct PlayEdit: Sendable, BitwiseCopyable, Equatable {
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
