import MusicalTime

/// Link's start/stop state: the last press, with its time and beat.
public struct PlayState: Sendable, BitwiseCopyable {
  /// Whether the session plays.
  public var isPlaying: Bool
  /// Since when, or from when on.
  public var time: HostTime<LinkClock>
  /// The session's own beat at ``time``. Link keeps it, and not the time, when the tempo changes or the
  /// clocks of the peers are measured anew: so it shows whether this is the press that was seen before.
  public var beat: BeatTime

  /// A start or a stop.
  @inlinable @_noLocks
  public init(isPlaying: Bool, time: HostTime<LinkClock>, beat: BeatTime) {
    self.isPlaying = isPlaying
    self.time = time
    self.beat = beat
  }

  /// The beat of the bridge's own start or stop that Link has not shown yet: no other is near it.
  static var unknownBeat: BeatTime {
    @_noLocks get { BeatTime.zero - beatsOfSession - beatsOfSession - beatsOfSession }
  }
  /// How many beats a session's own beat counts before it begins again.
  public static var beatsOfSession: Beats { @_noLocks get { Beats(nanobeats: (1 << 20) * 1_000_000_000) } }
  /// The rounding error of Link when it maps a beat to a time and back, at its fastest tempo, with some
  /// margin.
  private static var rounding: Beats { @_noLocks get { Beats(nanobeats: 100_000) } }

  /// Whether both are written down alike: then they are what Link had before.
  @_noLocks
  func isIdentical(to other: PlayState) -> Bool { isPlaying == other.isPlaying && time == other.time }

  /// Whether both are the same press, however Link has mapped its time since.
  @_noLocks
  func isSamePress(as other: PlayState) -> Bool {
    guard isPlaying == other.isPlaying else { return false }
    if time == other.time { return true }
    let way = (beat - other.beat).magnitude
    return way < PlayState.rounding || (PlayState.beatsOfSession - way).magnitude < PlayState.rounding
  }
}
