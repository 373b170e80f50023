import MusicalTime

/// Finds in Link's start/stop state what other peers have pressed.
///
/// A press is a state that Link has and that is not known yet: of another time, whether or not it changes
/// what the session does. What we tell Link comes back with the very time that we gave, so it is known
/// before.
///
/// What the cycle sees is the truth, but for the second after we have told Link something: then it sees what
/// we told. In that time Link's reports to the rest of the program are looked at as well. They come late, but in
/// order: until they have shown what we told last, what was known once is left out of them; from then on whatever
/// differs was pressed by others, also with the stamp of an earlier press. After that time whatever Link has holds:
/// if it has taken somebody else's word instead of ours, that was pressed last.
struct StartStopEdges: Sendable {
  enum Press: Sendable, Equatable {
    case play(at: HostTime<LinkClock>)
    case stop
  }

  /// How long after joining a session its start/stop state can still arrive.
  static var settling: HostInterval { .seconds(1) }
  /// How long after that another bridge may repeat it, which it does half a second after peers have met, or when that
  /// bridge can tell what it has changed itself from what they have brought.
  private static var repetition: HostInterval { .seconds(2) }
  /// How long a press may be on its way to us: where messages are lost, Link says it again every quarter of a
  /// second.
  private static var transit: HostInterval { .seconds(1) }
  /// How far apart presses of ours are told to Link at least. Where a program starts and stops again and again the last
  /// press counts.
  private static var spacing: HostInterval { .milliseconds(50) }
  /// How long Link may take to report to the rest of the program what we have told it.
  private static var echo: HostInterval { .milliseconds(300) }

  /// What was pressed last, by others or by us.
  private var known: PlayState?
  /// What was pressed before that.
  private var older: (PlayState?, PlayState?)
  /// What the cycle last saw and understood, and what was last reported.
  private var seen: PlayState?
  private var reported: PlayState?
  /// When we told Link something that it may not have taken yet.
  private var told: HostTime<LinkClock>?
  /// Whether Link has reported that.
  private var isEchoed = false
  /// Whether Link is still to be told what was pressed last.
  private var isUntold = false
  /// When we told it what we have told anew since.
  private var toldBefore: HostTime<LinkClock>?
  /// Until when the state of a session that was joined can arrive, and what is older than that state can be.
  private var joining: (until: HostTime<LinkClock>, before: HostTime<LinkClock>)?
  private var peers = 0

  @_noLocks
  init() {}

  /// Whether the session plays, or will as soon as it has heard us.
  var isPlaying: Bool { @_noLocks get { known?.isPlaying ?? false } }

  /// The time of what was pressed last: where Link's tempo has changed since, it is another.
  var time: HostTime<LinkClock>? { @_noLocks get { known?.time } }

  /// Takes a cycle and finds what was pressed. The first cycle only shows the state of affairs.
  ///
  /// While `timelineIsOurs`, we have changed the timeline and see our own: times that others have pressed at
  /// cannot be told from times that were mapped anew.
  @inline(__always) @_noLocks
  mutating func update(_ observation: Observation, timelineIsOurs: Bool) -> Press? {
    let link = observation.link
    if link.peers > peers { join(observation) }
    peers = link.peers
    if case .none = told, let seen, seen.isIdentical(to: link.play) {
      reported = link.reportedPlay
      if !timelineIsOurs, seen.beat != link.play.beat { learnBeat(of: link.play) }
      return nil
    }
    return look(observation, timelineIsOurs: timelineIsOurs)
  }

  /// The same press on another timeline: the one before was ours, or a session has been joined since.
  @_noLocks
  private mutating func learnBeat(of state: PlayState) {
    seen = state
    if let known, known.isIdentical(to: state) { self.known = state }
  }

  @_noLocks
  private mutating func look(_ observation: Observation, timelineIsOurs: Bool) -> Press? {
    let (link, now) = (observation.link, observation.jack.nextOutput)
    let before = reported
    reported = link.reportedPlay
    guard let known else {
      known = link.play
      seen = link.play
      return nil
    }
    if let told, now - told < LinkObservation.localModGracePeriod {
      // What was to be heard of a session that was joined is hidden, and comes later.
      extendJoining(now)
      if link.play.isPlaying == known.isPlaying, link.play.time == known.time {
        // Which beat it is, we did not know. Where we move the grid afterwards Link keeps the beat, and not
        // the time.
        if known.beat == PlayState.unknownBeat { self.known = link.play }
        seen = link.play
      }
      if !isUntold, link.reportedPlay.isSamePress(as: known) { isEchoed = true }
      // With nobody there it is an echo of ours, which Link may have mapped anew since.
      guard link.peers > 0, let before, !before.isIdentical(to: reported ?? before),
        link.reportedPlay.isPlaying != known.isPlaying,
        isEchoed || (!wasKnown(link.reportedPlay) && !mayBeEcho(link.reportedPlay, now))
      else { return nil }
      return take(link.reportedPlay, observation)
    }
    told = nil
    let isNews = link.play.isPlaying != known.isPlaying
    if !isNews {
      if let seen, seen.isIdentical(to: link.play) { return nil }
      if timelineIsOurs {
        extendJoining(now)
        // Of the same beat it is known, whatever we have made of its time.
        guard link.play.isSamePress(as: known) else { return nil }
      }
    }
    seen = link.play
    // With nobody there Link may map the time of what we know anew, and that is all.
    if !isNews, link.peers == 0 || link.play.isSamePress(as: known) {
      self.known = link.play
      return nil
    }
    return take(link.play, observation)
  }

  /// Takes note that Link is told, and returns what; `nil` when it is what Link was told, or has said, last.
  ///
  /// What is pressed `again` is told again as long as we would not see that a peer has pressed something else
  /// meanwhile.
  @_noLocks
  mutating func tell(
    _ isPlaying: Bool, at wanted: HostTime<LinkClock>, again: Bool, _ observation: Observation
  ) -> PlayEdit? {
    // Link counts microseconds.
    var time = HostTime<LinkClock>(microseconds: wanted.microseconds)
    if let known, known.isPlaying == isPlaying, known.time == time {
      guard again, case .some = told else { return nil }
      time = HostTime(microseconds: time.microseconds &- 1)
    }
    // The cycle may still see what we have said before, though others have pressed since: Link drops what
    // changes nothing in that.
    let before = observation.link.play
    if before.isPlaying == isPlaying, before.time == time {
      time = HostTime(microseconds: time.microseconds &- 1)
    }
    // No two presses of ours are alike, so that a report tells which of them it shows.
    for _ in 0..<3 where wasTold(isPlaying, time) { time = HostTime(microseconds: time.microseconds &- 1) }
    let press = PlayState(isPlaying: isPlaying, time: time, beat: PlayState.unknownBeat)
    // Link never hears of a press that another one replaces before it is told.
    if isUntold { known = press } else { remember(press) }
    isUntold = true
    return tellNow(observation)
  }

  /// Whether Link is still to be told what was pressed last.
  var isPending: Bool { @_noLocks get { isUntold } }

  /// What Link is to be told in this cycle, if it is not too soon after the press before.
  @_noLocks
  mutating func tellNow(_ observation: Observation) -> PlayEdit? {
    let now = observation.jack.nextOutput
    guard isUntold, let known else { return nil }
    if let told, (now - told).magnitude < StartStopEdges.spacing { return nil }
    isUntold = false
    isEchoed = false
    toldBefore = told
    told = now
    return PlayEdit(isPlaying: known.isPlaying, time: known.time)
  }

  /// Returns the session's last press to tell it once more: Link does not pass it on to a peer that joins. The
  /// press keeps its time, but for the microsecond without which Link would not send it, so that another bridge
  /// sees that the press is older than its own joining.
  @_noLocks
  mutating func repeatPress(_ observation: Observation) -> PlayEdit? {
    guard let known, !isUntold else { return nil }
    let shown = observation.link.play
    // A peer may have pressed play again since, for later; and the cycle may not see the last press yet.
    let isLater = shown.isPlaying && shown.time > known.time
    var time = HostTime<LinkClock>(microseconds: (isLater ? shown.time : known.time).microseconds &- 1)
    if observation.link.play.time == time { time = HostTime(microseconds: time.microseconds &- 1) }
    self.known = PlayState(isPlaying: known.isPlaying, time: time, beat: known.beat)
    isEchoed = false
    toldBefore = told
    told = observation.jack.nextOutput
    return PlayEdit(isPlaying: known.isPlaying, time: time)
  }

  /// Where others were there already they may have joined us, and what one of them has just pressed may be on
  /// its way, or hidden from us since we have told Link something ourselves.
  @_noLocks
  private mutating func join(_ observation: Observation) {
    let now = observation.jack.start
    let unheard = min(now, told ?? now) - StartStopEdges.transit
    joining = (now + StartStopEdges.settling, peers == 0 ? now : unheard)
  }

  @_noLocks
  private mutating func extendJoining(_ now: HostTime<LinkClock>) {
    guard let joining, now < joining.until else { return }
    self.joining = (max(joining.until, now + StartStopEdges.transit), joining.before)
  }

  @_noLocks
  private mutating func take(_ state: PlayState, _ observation: Observation) -> Press? {
    let before = known?.time
    remember(state)
    isUntold = false
    if let joining, state.time < joining.before, let before {
      // That is what the session had before, unless somebody has pressed something since.
      let isUnpressed = before < joining.before
      let end = isUnpressed ? joining.until + StartStopEdges.repetition : joining.until
      if observation.jack.nextOutput < end { return nil }
    }
    return state.isPlaying ? .play(at: state.time) : .stop
  }

  @_noLocks
  private mutating func remember(_ state: PlayState) {
    older = (known, older.0)
    known = state
  }

  /// Whether it may be what we have told Link before that, and taken back, as the session's timeline has it:
  /// while we see our own we cannot know. If it is a peer's, it shows when Link shows all again.
  @_noLocks
  private func mayBeEcho(_ state: PlayState, _ now: HostTime<LinkClock>) -> Bool {
    guard let toldBefore, let press = older.0, press.isPlaying == state.isPlaying else { return false }
    return now - toldBefore < StartStopEdges.echo
  }

  @_noLocks
  private func wasTold(_ isPlaying: Bool, _ time: HostTime<LinkClock>) -> Bool {
    let press = PlayState(isPlaying: isPlaying, time: time, beat: PlayState.unknownBeat)
    if let known, known.isIdentical(to: press) { return true }
    if let before = older.0, before.isIdentical(to: press) { return true }
    if let before = older.1, before.isIdentical(to: press) { return true }
    return false
  }

  @_noLocks
  private func wasKnown(_ state: PlayState) -> Bool {
    if let known, state.isSamePress(as: known) { return true }
    if let press = older.0, state.isSamePress(as: press) { return true }
    if let press = older.1, state.isSamePress(as: press) { return true }
    return false
  }
}
