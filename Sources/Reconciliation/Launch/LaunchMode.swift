/// When a start rolls if the session has other peers.
public enum LaunchMode: String, Sendable, BitwiseCopyable, CaseIterable {
  /// Until Link's phase in the quantum is the playhead's.
  case bar
  /// For the meter's next beat; the playhead is moved to the place in its bar that Link is at.
  case beat
  /// For nothing; the playhead is moved to the place in its bar that Link is at.
  case now
}

/// How a start may move the playhead so that programs that only count frames are in phase, too.
public enum FrameAlignment: String, Sendable, BitwiseCopyable, CaseIterable {
  /// The playhead is put earlier, by less than a period, so that frames are exact. Where there is nothing
  /// before it, it begins itself, in the cycle that is nearest to the beat: no program misses the beat that
  /// the start is for, and frames stay off by up to half a period. With another owner of the timebase, whose
  /// bar and beat go with its frames, ``exact``.
  case whole
  /// The playhead is put earlier, or where there is nothing before it, later: frames are exact, and the beat
  /// that the start is for may not be played.
  case exact
  /// The playhead stays where it is.
  case off
}

/// The reaction to a locate, while the transport rolls, to a place that would be out of phase with the
/// session.
public enum Relocation: String, Sendable, BitwiseCopyable, CaseIterable {
  /// The transport waits for its phase, as a start does.
  case wait
  /// It rolls on: bar, beat and tick are Link's, and frames are as far from that as they are.
  case roll
}
