import MusicalTime

/// How far an owner's position while the transport rolls is from its position for the same frame while it waits.
/// Ardour's is three periods.
///
/// It is seen in the first rolling cycles. Before an owner has rolled it is guessed.
struct OwnersLead: Sendable {
  private typealias Place = (beat: BeatTime, frame: TransportFrame)

  private static var shortest: HostInterval { .milliseconds(1) }
  private static var longest: HostInterval { .milliseconds(250) }
  /// How many periods ahead of its own roll an owner may be that has not rolled yet, and how far from whole
  /// ones, in frames: the length of a tick.
  private static var mostPeriods: Int64 { @_noLocks get { 4 } }
  private static var rounding: UInt64 { @_noLocks get { 32 } }

  /// The distance, in time: at another tempo it is as many frames.
  private(set) var time = HostInterval.zero
  /// Whether that was seen, and is not only guessed.
  private var isSeen = false
  /// The position shown while the transport last waited.
  private var waiting: Place?
  /// The position that the owner shows while the transport rolls, and the first frame for which it showed
  /// that.
  private var shown: Place?
  /// Whether that has not moved, although it would have by a tick: as Ardour's, until the transport is where it was
  /// ahead to.
  private(set) var standsStill = false

  @_noLocks
  init() {}

  /// There is no position, or what was shown has nothing to do with what is from here on.
  @_noLocks
  mutating func interrupt() { (waiting, shown, standsStill) = (nil, nil, false) }

  /// The transport waits where it has been for some `cycles`. A position that is whole periods ahead of frames and
  /// the tempo that the owner declares is taken for one that will be late by as much at least, or by the `age` in
  /// periods of any owner's.
  @_noLocks
  mutating func waits(
    _ beat: BeatTime, _ jack: JACKObservation, for cycles: UInt32, tempo: Tempo?, age: Int64
  ) {
    interrupt()
    // After a relocation the position is for a while that of the frame before.
    guard cycles >= Follower.learning else { return }
    waiting = (beat, jack.frame)
    guard !isSeen, let tempo, jack.period > 0 else { return }
    let way = (tempo.frames(in: beat.sinceZero, at: jack.rate) - jack.frame.sinceZero).count
    let period = Int64(jack.period)
    let periods = (way &+ period / 2) / period
    let isWhole = (way &- periods &* period).magnitude < OwnersLead.rounding
    let lead = isWhole && periods <= OwnersLead.mostPeriods ? max(periods, age) : age
    time = .zero - HostInterval(FrameCount(lead &* period), at: jack.rate)
  }

  /// The transport rolls, and the position moves or not at `tempo`. It is compared with the one before the roll
  /// where the tempo that it is `played` at is known.
  @_noLocks
  mutating func rolls(_ beat: BeatTime, tick: Beats, _ jack: JACKObservation, tempo: Tempo, played: Tempo?) {
    // The first rolling cycle still shows a position that was published before it.
    if jack.step.wasRolling, let shown, shown.beat == beat {
      standsStill = tempo.beats(in: jack.frame.sinceZero - shown.frame.sinceZero, at: jack.rate) > tick
    } else {
      (shown, standsStill) = ((beat, jack.frame), false)
    }
    guard let before = waiting, jack.step.cycles &+ 1 >= Follower.learning, !standsStill else { return }
    waiting = nil
    guard let played else { return }
    let frames = jack.frame.sinceZero - before.frame.sinceZero
    let way = beat - before.beat - played.beats(in: frames, at: jack.rate)
    let seen = played.interval(of: way)
    // More than that is a locate of its own.
    guard seen.magnitude < OwnersLead.longest else { return }
    (time, isSeen) = (seen.magnitude < OwnersLead.shortest ? .zero : seen, true)
  }
}
