import MusicalTime

/// Where the transport is when a start is wanted.
struct Place: Sendable, Equatable {
  /// The frame.
  var frame: TransportFrame
  /// The beat that has to be in phase with Link: the position by frames and tempo alone, or the one that JACK
  /// clients read.
  var beat: BeatTime
  /// The position that JACK clients read there.
  var position: BeatTime

  @_noLocks
  init(frame: TransportFrame, beat: BeatTime, position: BeatTime) {
    self.frame = frame
    self.beat = beat
    self.position = position
  }
}

/// When and where the transport is to begin to roll.
struct LaunchPlan: Sendable, Equatable {
  /// Link's beat at ``time``.
  var beat: BeatTime
  /// When the playhead is to be heard, moved by ``moved``: Link's beat is then ``beat``.
  var time: HostTime<LinkClock>
  /// How far the playhead is moved to be where Link is in the bar.
  var moved: Beats
  /// The session's tempo that it holds for.
  var tempo: Tempo
  /// When the first frame of the cycle is heard in which the transport begins to roll.
  var rollTime: HostTime<LinkClock>
  /// The transport's frame in that cycle.
  var frame: TransportFrame
  /// The position that JACK clients are to read in that cycle, up to whole quanta.
  var position: BeatTime
  /// Whether the playhead begins itself, in the cycle nearest to ``time``: nothing is there before it.
  var isWhole = false
  /// Whether it is for the instant after one that was missed.
  var isMissed = false

  @_noLocks
  init(
    beat: BeatTime, time: HostTime<LinkClock>, moved: Beats, tempo: Tempo, rollTime: HostTime<LinkClock>,
    frame: TransportFrame, position: BeatTime, isWhole: Bool = false
  ) {
    self.beat = beat
    self.time = time
    self.moved = moved
    self.tempo = tempo
    self.rollTime = rollTime
    self.frame = frame
    self.position = position
    self.isWhole = isWhole
  }

  /// Where the playhead is at ``time``, but for whole quanta.
  var beginning: BeatTime {
    @_noLocks get { isWhole ? position : position - tempo.beats(in: rollTime - time) }
  }

  /// How far frames are going to be ahead of Link by intent.
  var lead: HostInterval { @_noLocks get { isWhole ? time - rollTime : .zero } }
}
