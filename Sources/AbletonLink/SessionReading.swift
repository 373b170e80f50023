public import MusicalTime

/// The values that an audio thread needs of every ``SessionState`` that it captures, see
/// ``AudioThreadAccess/captureSessionState(into:at:quantum:)``.
public struct SessionReading: Sendable, BitwiseCopyable {
  /// The session's tempo, see ``SessionState/tempo``.
  public var tempo: Tempo
  /// The beat at the time that was asked for, see ``SessionState/beat(at:quantum:)``.
  public var beat: BeatTime
  /// Whether the transport plays, see ``SessionState/isPlaying``.
  public var isPlaying: Bool
  /// When it starts or stops, or did, see ``SessionState/timeForIsPlaying``.
  public var timeForIsPlaying: HostTime<LinkClock>
  /// Which start or stop that is, see ``SessionState/beatForIsPlaying``.
  public var beatForIsPlaying: BeatTime

  @_noLocks
  init(
    tempo: Tempo, beat: BeatTime, isPlaying: Bool, timeForIsPlaying: HostTime<LinkClock>,
    beatForIsPlaying: BeatTime
  ) {
    self.tempo = tempo
    self.beat = beat
    self.isPlaying = isPlaying
    self.timeForIsPlaying = timeForIsPlaying
    self.beatForIsPlaying = beatForIsPlaying
  }
}
