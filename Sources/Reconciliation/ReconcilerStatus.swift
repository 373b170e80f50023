import MusicalTime

/// The part of a cycle's state that displays show besides its observation.
public struct ReconcilerStatus: Sendable, BitwiseCopyable {
  /// The side that leads tempo and beat.
  public var leader = Leader.link
  /// The tempo and phase of a timebase owner that leads.
  public var follow: FollowStatus?
  /// The start that is waited for.
  public var launch: PendingLaunch?
  /// How far programs that count frames are ahead of Link, in phase; `nil` unless Link leads and JACK rolls.
  public var frameError: HostInterval?

  /// The status before the first cycle.
  @_noLocks
  public init() {}
}

/// How Link follows JACK.
public struct FollowStatus: Sendable, BitwiseCopyable {
  /// JACK's tempo, and as what Link has it; `nil` as long as it is not known.
  public var tempo: FoldedTempo?
  /// How far JACK's beat is ahead of Link's, as it is heard; `nil` unless JACK rolls.
  public var phaseError: HostInterval?
  /// Whether the session has another tempo, and keeps it until JACK's changes.
  public var isDifferent: Bool

  @_noLocks
  init(tempo: FoldedTempo?, phaseError: HostInterval?, isDifferent: Bool) {
    self.tempo = tempo
    self.phaseError = phaseError
    self.isDifferent = isDifferent
  }
}

/// A start that is held until it is in phase.
public struct PendingLaunch: Sendable, BitwiseCopyable {
  /// When the first frame of the cycle is heard in which the transport is to roll.
  public var rollTime: HostTime<LinkClock>
  /// Link's beats until then, counted from when the next cycle is heard.
  public var beatsAhead: Beats
  /// Where the song is to begin, or to go on.
  public var beginning: BeatTime
  /// Link's beat there, which is not where the cycle begins in which the transport rolls.
  public var linkBeat: BeatTime

  @_noLocks
  init(
    rollTime: HostTime<LinkClock>, beatsAhead: Beats, beginning: BeatTime, linkBeat: BeatTime
  ) {
    self.rollTime = rollTime
    self.beatsAhead = beatsAhead
    self.beginning = beginning
    self.linkBeat = linkBeat
  }

  /// From how long before a start on what JACK clients are going to read is to be published anew, again and
  /// again.
  ///
  /// JACK asks about it once, when the start is planned, and that position is some microseconds off when it
  /// rolls. Cycles' times can be predicted this far to a few microseconds; and it needs a cycle to ask, and
  /// another to show. Thread-safe.
  public static func refreshLead(period: HostInterval) -> HostInterval {
    max(HostInterval.milliseconds(40), period * 3)
  }
}
