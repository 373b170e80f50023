import MusicalTime

/// Finds in Link's start/stop state what other peers have pressed.
///
/// A press is a state that Link has and that is not known yet: of another time, whether or not it changes the
/// session. The bridge's own commits show from the next cycle on, with their very time, so they are known
/// before. All other states were pressed by others. If Link goes on showing the state before, it has rejected
/// the bridge's commit, because a peer's is later.
struct StartStopEdges: Sendable {
  enum Press: Sendable, Equatable {
    case play(at: HostTime<LinkClock>)
    case stop
  }

  /// How long after joining a session its start/stop state can still arrive.
  static var settling: HostInterval { .seconds(1) }
  /// How long after that another bridge may repeat it, which it does half a second after peers have met, or
  /// when that bridge can distinguish its own changes from those of new peers.
  private static var repetition: HostInterval { .seconds(2) }
  /// How long a press may take to arrive: where messages are lost, Link repeats it every quarter of a second.
  private static var transit: HostInterval { .seconds(1) }
  /// The shortest interval between two commits of the bridge's own starts and stops. Where a program starts
  /// and stops again and again the last one counts. For as long Link, whose own thread takes a commit over,
  /// may show the state before.
  private static var spacing: HostInterval { .milliseconds(50) }

  /// The last start or stop, by others or by the bridge.
  private var known: PlayState?
  /// Link's last state, and the one before the bridge's last commit.
  private var shown: PlayState?
  private var replaced: PlayState?
  /// When the bridge last committed a start or stop.
  private var told: HostTime<LinkClock>?
  /// Whether the last start or stop is still to be committed.
  private var isUntold = false
  /// Until when the state of a session that was joined can arrive, and the time before which a press can be
  /// part of that state.
  private var joining: (until: HostTime<LinkClock>, before: HostTime<LinkClock>)?
  private var peers = 0

  @_noLocks
  init() {}

  /// Whether the session plays, or will as soon as it has the bridge's commit.
  var isPlaying: Bool { @_noLocks get { known?.isPlaying ?? false } }

  /// The time of the last press: where Link's tempo has changed since, it is another.
  var time: HostTime<LinkClock>? { @_noLocks get { known?.time } }

  /// Takes a cycle and finds a press. The first cycle only shows the state of affairs.
  ///
  /// Peers that show may be those of a session that the bridge `hasJoined`.
  @inline(__always) @_noLocks
  mutating func update(_ observation: Observation, hasJoined: Bool) -> Press? {
    let link = observation.link
    if link.peers > peers { join(observation, hasJoined: hasJoined) }
    peers = link.peers
    if let shown, shown.isIdentical(to: link.play), let known, known.isIdentical(to: shown) { return nil }
    return look(observation)
  }

  @_noLocks
  private mutating func look(_ observation: Observation) -> Press? {
    let play = observation.link.play
    guard let known else {
      known = play
      shown = play
      return nil
    }
    // The beat of the bridge's own commit is learnt as it is first shown. Where the bridge has just changed
    // the tempo, that of an older one is another until Link has mapped its time anew.
    if play.isSamePress(as: known) {
      let isLearnt = known.beat != PlayState.unknownBeat
      let beat = isLearnt && play.time == known.time ? known.beat : play.beat
      let press = PlayState(isPlaying: play.isPlaying, time: play.time, beat: beat)
      (self.known, shown) = (press, press)
      return nil
    }
    if mayShowOlder(observation), isOlder(play) { return nil }
    // Without peers Link maps the time of the known state anew, and that is all.
    if observation.link.peers == 0, play.isPlaying == known.isPlaying {
      (self.known, shown) = (play, play)
      return nil
    }
    return take(play, observation)
  }

  /// Whether Link may not show the last press yet.
  @_noLocks
  private func mayShowOlder(_ observation: Observation) -> Bool {
    isUntold || isTooSoon(observation)
  }

  /// Whether the last commit is so short a while ago that Link would not send another.
  @_noLocks
  private func isTooSoon(_ observation: Observation) -> Bool {
    guard let told else { return false }
    return (observation.jack.nextOutput - told).magnitude < StartStopEdges.spacing
  }

  /// Whether that is a press before the last one. Link may have mapped its time anew, and its beat in another tempo
  /// a cycle later than that: either is as it was.
  @_noLocks
  private mutating func isOlder(_ play: PlayState) -> Bool {
    if let shown, play.isSamePress(as: shown) {
      self.shown?.time = play.time
      return true
    }
    if let replaced, play.isSamePress(as: replaced) {
      self.replaced?.time = play.time
      return true
    }
    return false
  }

  /// Records a commit of the bridge's, and returns it; `nil` where Link has that state already.
  @_noLocks
  mutating func tell(
    _ isPlaying: Bool, at wanted: HostTime<LinkClock>, _ observation: Observation
  ) -> PlayEdit? {
    // Link counts microseconds.
    var time = HostTime<LinkClock>(microseconds: wanted.microseconds)
    if let known, known.isPlaying == isPlaying, known.time == time { return nil }
    // Link drops what changes nothing.
    if observation.link.play.time == time { time = HostTime(microseconds: time.microseconds &- 1) }
    return commit(isPlaying, at: time, observation)
  }

  /// Records a commit, and returns it where it is not too soon.
  @_noLocks
  private mutating func commit(
    _ isPlaying: Bool, at time: HostTime<LinkClock>, _ observation: Observation
  ) -> PlayEdit? {
    known = PlayState(isPlaying: isPlaying, time: time, beat: PlayState.unknownBeat)
    isUntold = true
    return tellNow(observation)
  }

  /// Whether the last start or stop is still to be committed.
  var isPending: Bool { @_noLocks get { isUntold } }

  /// Whether the last start or stop is committed in this cycle or a later one: it reaches all peers that are
  /// there now.
  @_noLocks
  func isToReachPeers(_ observation: Observation) -> Bool { isUntold || told == observation.jack.nextOutput }

  /// The commit of this cycle, if it is not too soon after the one before.
  @_noLocks
  mutating func tellNow(_ observation: Observation) -> PlayEdit? {
    guard isUntold, let known, !isTooSoon(observation) else { return nil }
    isUntold = false
    replaced = shown
    told = observation.jack.nextOutput
    return PlayEdit(isPlaying: known.isPlaying, time: known.time)
  }

  /// Returns the session's last press to commit it once more: Link does not pass it on to a peer that joins.
  /// The press keeps its time, but for the microsecond without which Link would not send it, so that another
  /// bridge sees that the press is older than its own joining.
  ///
  /// Link may round the time of a commit to another once the session has it: `nil` while Link may not show
  /// the last one yet.
  @_noLocks
  mutating func repeatPress(_ observation: Observation) -> PlayEdit? {
    guard let known, !mayShowOlder(observation) else { return nil }
    return commit(
      known.isPlaying, at: HostTime(microseconds: known.time.microseconds &- 1), observation)
  }

  /// Peers may have joined the session of the bridge and others, and a press of one of those may not have
  /// arrived yet. Where the bridge is the one that has joined, Link drops what was on its way in the session
  /// before.
  @_noLocks
  private mutating func join(_ observation: Observation, hasJoined: Bool) {
    let now = observation.jack.start
    let joinsOther = peers == 0 || hasJoined
    joining = (now + StartStopEdges.settling, joinsOther ? now : now - StartStopEdges.transit)
    // A session that is joined counts beats of its own, and a peer may press for the one that the last press had in the
    // session before.
    let play = observation.link.play
    if hasJoined, let known, play.isIdentical(to: known) { (self.known, shown) = (play, play) }
  }

  @_noLocks
  private mutating func take(_ state: PlayState, _ observation: Observation) -> Press? {
    let before = known?.time
    known = state
    shown = state
    isUntold = false
    if let joining, state.time < joining.before, let before {
      // That is the state that the session had before, unless a peer has started or stopped since.
      let isUnpressed = before < joining.before
      let end = isUnpressed ? joining.until + StartStopEdges.repetition : joining.until
      if observation.jack.nextOutput < end { return nil }
    }
    return state.isPlaying ? .play(at: state.time) : .stop
  }
}
