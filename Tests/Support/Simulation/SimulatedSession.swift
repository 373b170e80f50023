import MusicalTime
import PropertyTesting
import Reconciliation

/// A Link session: the bridge's view of it, the other peers' view, and the network between.
///
/// The rules are Link's: the timeline with the later beat and the button pressed last win. The bridge's
/// decisions are committed by another thread a moment later; until then the cycle sees the session as it is
/// going to be, unless a peer is quicker. The state of a session at the time when it is joined is not
/// reported; a peer that leaves keeps its state. A start or a stop is of a beat: with another tempo, or
/// clocks measured anew, its time is another.
struct SimulatedSession: Sendable {
  /// A tempo, and the beat at an instant of the session's own time.
  struct Timeline: Sendable, Equatable {
    var tempo: Tempo
    var beat: BeatTime
    var time: HostTime<LinkClock>
    /// The greater one wins.
    var stamp: BeatTime

    func beat(at time: HostTime<LinkClock>) -> BeatTime { beat + tempo.beats(in: time - self.time) }
  }

  struct Play: Sendable, Equatable {
    var isPlaying = false
    /// By the bridge's clock.
    var time = HostTime<LinkClock>(nanoseconds: 0)
    /// The session's.
    var beat = BeatTime.zero
    /// By the session's clock: the later one wins.
    var stamp = HostTime<LinkClock>(nanoseconds: 0)
    /// Whether a peer has pressed it, and not the bridge.
    var isPeers = false
  }

  private struct View: Sendable {
    var timeline: Timeline
    var play = Play()
  }

  private struct Message: Sendable {
    var timeline: Timeline?
    var play: Play?
    var isForUs: Bool
    var due: HostTime<LinkClock>
  }

  private struct Commit: Sendable {
    var edit: SentEdit
    /// By the bridge's clock.
    var time: HostTime<LinkClock>
    var due: HostTime<LinkClock>
  }

  /// How bad the network is.
  struct Network: Sendable {
    var delay: ClosedRange<Double> = 0.3...3
    /// Of how many messages one is lost. Link sends again a quarter of a second later.
    var loss = 1_000
    /// Whether messages are lost, or late.
    var isBad: Bool { loss < 1_000 || delay.upperBound > 10 }
    /// Whether so many messages are lost that some are lost again and again.
    var isLossy: Bool { loss <= 100 }
  }

  var network = Network()
  /// Chooses when another bridge among the peers repeats that the session plays, after peers have met; `nil` where there
  /// is no other bridge.
  var otherBridge: Seeded?
  private var repeatsPlay: HostTime<LinkClock>?
  /// When another bridge last repeated it.
  private(set) var repeatedPlay = HostTime<LinkClock>(nanoseconds: 0)
  /// How long an edit takes from the cycle to the session, in milliseconds; one of twenty longer.
  var handOver: ClosedRange<Double> = 0.02...0.5
  var lateHandOver: ClosedRange<Double> = 0.5...20
  /// Whether the bridge takes part.
  private(set) var isEnabled = true
  /// The number of other peers in the bridge's session.
  private(set) var peers = 0 {
    didSet { (shownPeers, showsPeers) = (peers, nil) }
  }
  /// The number that Link tells.
  private(set) var shownPeers = 0
  /// When it tells of those who have come with a session of their own: their tempo shows first.
  private var showsPeers: HostTime<LinkClock>?
  /// Whether those of the network and the bridge are about to meet.
  var isMeeting: Bool { meets != nil }
  /// How many there are on the network: while the bridge takes no part, they have a session without it.
  private(set) var others = 0
  /// The cycle's view.
  private var view: View
  /// The timeline of that.
  var timeline: Timeline { view.timeline }
  /// When a button was last pressed in the bridge's session; `nil` as long as none was, as far as Link has
  /// told.
  private var sessionStamp: HostTime<LinkClock>?
  /// When those of the network and the bridge meet, and when they last did.
  private var meets: HostTime<LinkClock>?
  private(set) var lastMeeting = HostTime<LinkClock>(nanoseconds: 0)
  private var ours: View
  private var theirs: View
  /// From the bridge's clock to the session's.
  private var ghost = HostInterval.zero
  private var wire: [Message] = []
  private var commits: [Commit] = []
  /// When the last of them was done, by Link's clock, in microseconds.
  private var committed = HostTime<LinkClock>(nanoseconds: 0)
  /// When something on the way arrives next.
  private var nextDue = HostTime<LinkClock>(nanoseconds: .max)
  /// The change that a peer is going to commit once more, and when.
  private var repeated: (timeline: Timeline, due: HostTime<LinkClock>)?
  /// When that last undid another side's change.
  private(set) var lastUndoing = HostTime<LinkClock>(nanoseconds: 0)
  /// When the bridge has last repeated the session's state while a press of a peer's was on its way: for Link
  /// the repetition is the later one, which counts.
  private(set) var lastCrossing = HostTime<LinkClock>(nanoseconds: 0)
  /// How late the last tempo of a peer was when it got to us, and when that was.
  private(set) var lastTempo = (late: HostInterval.zero, heard: HostTime<LinkClock>(nanoseconds: 0))
  /// When a peer's start or stop last got to us.
  private(set) var lastHeard = HostTime<LinkClock>(nanoseconds: 0)
  /// When the bridge's view of the beat last made a step, other than by its own commit.
  private(set) var lastStep = HostTime<LinkClock>(nanoseconds: 0)
  /// How far it has jumped then, with what it had jumped just before.
  private(set) var lastWay = Beats.zero
  /// When it last made one that is heard.
  private(set) var lastJump = HostTime<LinkClock>(nanoseconds: 0)

  init(tempo: Tempo, at time: HostTime<LinkClock>) {
    ours = View(timeline: Timeline(tempo: tempo, beat: .zero, time: time, stamp: .zero))
    theirs = ours
    view = ours
  }

  // MARK: The bridge's view

  func beat(at time: HostTime<LinkClock>) -> BeatTime { timeline.beat(at: time + ghost) }

  /// The start/stop state as all threads but the audio thread see it.
  var play: Play { ours.play }

  /// The same as the audio thread sees it.
  var captured: PlayState { state(view.play) }

  /// The state of a session that the bridge has just joined, which Link does not tell.
  var peersState: PlayState { state(theirs.play) }

  private func state(_ play: Play) -> PlayState {
    let span = PlayState.beatsOfSession
    var beat = timeline.beat(at: play.time + ghost).sinceZero.nanobeats % span.nanobeats
    if beat < 0 { beat += span.nanobeats }
    return PlayState(
      isPlaying: play.isPlaying, time: play.time,
      beat: BeatTime(sinceZero: Beats(nanobeats: beat)).inMicrobeats)
  }

  /// When a beat of the session's is, by the bridge's clock: in whole microseconds, as Link counts.
  private func time(of beat: BeatTime, _ timeline: Timeline) -> HostTime<LinkClock> {
    let exact = timeline.time + timeline.tempo.interval(of: beat - timeline.beat) - ghost
    return HostTime(microseconds: exact.microseconds)
  }

  /// The start/stop state as the other peers see it.
  var peersPlay: Play { theirs.play }
  /// Whether what the others pressed last has not reached us.
  var hasUnheardPress: Bool { theirs.play.stamp > ours.play.stamp }
  /// Whether nothing is on its way between us and the others.
  var isQuiet: Bool { wire.isEmpty && commits.isEmpty }

  // MARK: The bridge's actions

  /// Takes an edit that a cycle has decided by what it had `seen`. Returns how far the beat at `next` moves
  /// for all peers.
  mutating func send(
    _ edit: LinkEdit, at next: HostTime<LinkClock>, seeing seen: LinkObservation, now: HostTime<LinkClock>,
    _ random: inout Seeded
  ) -> Beats {
    let before = beat(at: next)
    let delay = random.interval(random.oneIn(20) ? lateHandOver : handOver)
    var commit = Commit(
      edit: SentEdit(edit, at: next, in: Quantum(barOf: .common), seeing: seen), time: now, due: now + delay)
    if let last = commits.last { commit.due = max(last.due, commit.due) }
    commits.append(commit)
    nextDue = min(nextDue, commit.due)
    foresee()
    return beat(at: next) - before
  }

  /// Does to a view of the session what is left of an edit.
  private func apply(_ commit: Commit, to view: inout View, stamp: BeatTime) -> LinkEdit {
    let edit = commit.edit.remainder(tempo: view.timeline.tempo, isPlaying: view.play.isPlaying)
    var done = LinkEdit()
    if let tempo = edit.tempo {
      let time = tempo.time + ghost
      view.timeline = Timeline(
        tempo: tempo.tempo, beat: view.timeline.beat(at: time), time: time, stamp: stamp)
      done.tempo = tempo
    }
    if let beat = edit.beat, beat.isForced || peers == 0 {
      view.timeline.beat =
        view.timeline.beat + (beat.beat - view.timeline.beat(at: commit.edit.time + ghost))
      view.timeline.stamp = stamp
      done.beat = beat
    }
    if let play = edit.isPlaying,
      play.isPlaying != view.play.isPlaying || play.time.microseconds != view.play.time.microseconds
    {
      let time = HostTime<LinkClock>(microseconds: play.time.microseconds)
      view.play = Play(isPlaying: play.isPlaying, time: time, stamp: commit.time + ghost)
      done.isPlaying = play
    }
    return done
  }

  /// Has the cycle see the session with what is on its way to it.
  private mutating func foresee() {
    view = ours
    for commit in commits { _ = apply(commit, to: &view, stamp: ours.timeline.stamp) }
  }

  /// Leaves the session, or takes part again: then it is that of those who are there.
  mutating func setEnabled(_ isEnabled: Bool, now: HostTime<LinkClock>, _ random: inout Seeded) {
    guard isEnabled != self.isEnabled else { return }
    self.isEnabled = isEnabled
    meets = nil
    sessionStamp = nil
    if !isEnabled {
      everybodyLeaves()
    } else if others > 0 {
      meets = now + random.interval(20...600)
      nextDue = min(nextDue, now)
    }
  }

  /// The bridge's clock has stood still, and those of the others have not.
  mutating func sleep(for interval: HostInterval) {
    theirs.timeline.time = theirs.timeline.time - interval
  }

  /// The bridge is another process.
  mutating func restart(tempo: Tempo, now: HostTime<LinkClock>) {
    ours = View(timeline: Timeline(tempo: tempo, beat: .zero, time: now + ghost, stamp: .zero))
    commits = []
    view = ours
  }

  private mutating func meet(_ now: HostTime<LinkClock>) {
    setPeersLater(others, now)
    lastMeeting = now
    sessionStamp = nil
    repeatPlayLater(now)
    theirs.timeline.stamp = max(theirs.timeline.stamp, ours.timeline.stamp + .one)
    adopt(theirs.timeline, now)
  }

  /// Between the session's timeline and the number of its peers Link sends messages, for 0.1 ms or, where its thread is
  /// interrupted, for some milliseconds.
  private mutating func setPeersLater(_ count: Int, _ now: HostTime<LinkClock>) {
    let shown = shownPeers
    peers = count
    var random = Seeded(seed: UInt64(bitPattern: now.nanoseconds))
    let delay = random.interval(random.oneIn(10) ? 0...20 : 0...0.2)
    shownPeers = shown
    showsPeers = now + delay
  }

  // MARK: The other peers' actions

  mutating func peerPresses(
    _ isPlaying: Bool, at time: HostTime<LinkClock>, now: HostTime<LinkClock>, _ random: inout Seeded
  ) {
    guard others > 0 else { return }
    let beat = theirs.timeline.beat(at: time + ghost)
    theirs.play = Play(
      isPlaying: isPlaying, time: time, beat: beat.inMicrobeats, stamp: now + ghost, isPeers: true)
    send(play: theirs.play, forUs: true, now, &random)
  }

  /// Whether a press at `time` changes the start/stop state of the session: that is whether it plays, and the
  /// beat of the press, of which two mapped to a time and back are the same if they are within two of Link's
  /// microseconds.
  func isNewsToPress(_ isPlaying: Bool, at time: HostTime<LinkClock>) -> Bool {
    guard isPlaying == theirs.play.isPlaying else { return true }
    let way = (theirs.timeline.beat(at: time + ghost) - theirs.play.beat).magnitude
    return way > theirs.timeline.tempo.beats(in: HostInterval(microseconds: 2))
  }

  /// When the session is at a quantum after `time`, as the peers see it, in whole microseconds.
  func quantum(_ quantum: Quantum, after time: HostTime<LinkClock>) -> HostTime<LinkClock> {
    let now = theirs.timeline.beat(at: time + ghost)
    let beat = BeatTime.zero.shifted(atOrAfter: now, byMultiplesOf: quantum)
    return self.time(of: beat, theirs.timeline)
  }

  mutating func peerChangesTempo(to tempo: Tempo, now: HostTime<LinkClock>, _ random: inout Seeded) {
    guard others > 0 else { return }
    let time = now + ghost
    let beat = theirs.timeline.beat(at: time)
    let stamp = stamp(after: theirs.timeline, beat, isPeers: true)
    theirs.timeline = Timeline(tempo: tempo.onTheWire, beat: beat, time: time, stamp: stamp)
    send(timeline: theirs.timeline, forUs: true, now, &random)
  }

  /// For a second after a commit of its own a peer's audio thread does not see what others do to the timeline.
  mutating func peerRepeats(after interval: HostInterval, now: HostTime<LinkClock>) {
    guard peers > 0, repeated == nil else { return }
    repeated = (theirs.timeline, now + interval)
    nextDue = min(nextDue, now + interval)
  }

  private mutating func commitAgain(
    _ old: Timeline, _ now: HostTime<LinkClock>, _ random: inout Seeded
  ) {
    repeated = nil
    guard peers > 0, old.stamp != theirs.timeline.stamp else { return }
    lastUndoing = now
    let time = now + ghost
    let beat = old.beat(at: time)
    let stamp = stamp(after: theirs.timeline, beat, isPeers: true)
    theirs.timeline = Timeline(tempo: old.tempo.onTheWire, beat: beat, time: time, stamp: stamp)
    send(timeline: theirs.timeline, forUs: true, now, &random)
  }

  /// Others come; the first of them has a session of its own, and one of the two has to give way.
  mutating func join(
    _ count: Int, _ session: Timeline?, isPlaying: Bool, tellsPlay: Bool, now: HostTime<LinkClock>,
    _ random: inout Seeded
  ) {
    guard isEnabled, meets == nil else {
      // A session without us.
      if others == 0 {
        theirs.timeline = session ?? Timeline(tempo: .standard, beat: .zero, time: now + ghost, stamp: .zero)
        theirs.play = Play(isPlaying: isPlaying, stamp: now + ghost, isPeers: true)
      }
      others += count
      if isEnabled { meets = now }
      return
    }
    let wereAlone = peers == 0
    others += count
    if wereAlone, session != nil { setPeersLater(count, now) } else { peers += count }
    repeatPlayLater(now)
    guard wereAlone || session != nil else { return }
    if var session {
      session.stamp = max(session.stamp, ours.timeline.stamp + .one)
      theirs.timeline = session
      // Packets on their way are of the session that the bridge leaves.
      wire.removeAll(keepingCapacity: true)
      sessionStamp = nil
      adopt(session, now)
      // The press of theirs of long ago.
      let old = now - HostInterval.seconds(10)
      theirs.play = Play(
        isPlaying: isPlaying, time: old, beat: session.beat(at: old + ghost), stamp: old + ghost,
        isPeers: true)
      if tellsPlay, isPlaying { send(play: theirs.play, forUs: true, now, &random) }
    } else {
      theirs = ours
      // Link does not tell those who join.
      theirs.play = Play()
    }
  }

  mutating func leave(_ count: Int) {
    others = max(0, others - count)
    peers = min(peers, others)
    if others == 0 {
      meets = nil
      sessionStamp = nil
    }
    if peers == 0 { everybodyLeaves() }
  }

  /// Link has measured anew how its time and the bridge's go together.
  mutating func remeasure(by step: HostInterval, now: HostTime<LinkClock>) {
    guard peers > 0 else { return }
    let before = beat(at: now)
    ghost = ghost + step
    mapPlay()
    foresee()
    noteStep(from: before, now)
  }

  /// A bridge repeats the session's play half a second after peers have met, or somewhat later.
  private mutating func repeatPlayLater(_ now: HostTime<LinkClock>) {
    guard var random = otherBridge else { return }
    repeatsPlay = now + random.interval(random.oneIn(3) ? 500...2_500 : 500...520)
    otherBridge = random
  }

  private mutating func repeatPlay(_ now: HostTime<LinkClock>, _ random: inout Seeded) {
    repeatsPlay = nil
    guard peers > 0, theirs.play.isPlaying else { return }
    repeatedPlay = now
    // A start is of a beat, which in another tempo is another time.
    let start = self.time(of: theirs.play.beat, theirs.timeline)
    let time = HostTime<LinkClock>(microseconds: start.microseconds - 1)
    let beat = theirs.timeline.beat(at: time + ghost)
    // Earlier than an edit of the program's in this very cycle: of two that cross, one has to win.
    let stamp = now + ghost - HostInterval(nanoseconds: 1)
    let isPeers = theirs.play.isPeers
    theirs.play = Play(
      isPlaying: true, time: time, beat: beat.inMicrobeats, stamp: stamp, isPeers: isPeers)
    send(play: theirs.play, forUs: true, now, &random)
  }

  // MARK: Time

  /// Delivers what is due.
  mutating func pass(to now: HostTime<LinkClock>, _ random: inout Seeded) {
    if let time = meets, time <= now {
      meets = nil
      meet(now)
    }
    if let time = showsPeers, time <= now { (shownPeers, showsPeers) = (peers, nil) }
    if let time = repeatsPlay, time <= now { repeatPlay(now, &random) }
    guard nextDue <= now else { return }
    passMessages(to: now, &random)
    if let repeated, repeated.due <= now { commitAgain(repeated.timeline, now, &random) }
    nextDue = firstMessage
    if let repeated { nextDue = min(nextDue, repeated.due) }
    if let commit = commits.first { nextDue = min(nextDue, commit.due) }
    foresee()
  }

  /// Link's thread commits and hears when something is due, and not when a cycle of JACK's begins.
  private mutating func passMessages(to now: HostTime<LinkClock>, _ random: inout Seeded) {
    while true {
      let due = firstMessage
      if let commit = commits.first, commit.due <= min(due, now) {
        commits.removeFirst()
        hand(over: commit, now, &random)
      } else if due <= now, let index = wire.firstIndex(where: { $0.due == due }) {
        receive(wire.remove(at: index), now)
      } else {
        return
      }
    }
  }

  private var firstMessage: HostTime<LinkClock> {
    wire.reduce(HostTime(nanoseconds: .max)) { min($0, $1.due) }
  }

  private mutating func noteStep(from before: BeatTime, _ now: HostTime<LinkClock>) {
    let way = (beat(at: now) - before).magnitude
    // Those that come one soon after the other add up.
    lastWay = now - lastStep < .milliseconds(1_500) ? lastWay + way : way
    lastStep = now
    let step = timeline.tempo.interval(of: way)
    if step > .milliseconds(1) { lastJump = now }
  }

  private mutating func hand(over commit: Commit, _ now: HostTime<LinkClock>, _ random: inout Seeded) {
    var changed = ours
    var commit = commit
    // Link's clock, in microseconds, is not the same for two.
    let time = max(commit.due, committed + HostInterval(microseconds: 1))
    (commit.time, committed) = (time, time)
    // Later than whatever came in the meantime.
    let later = stamp(after: ours.timeline, ours.timeline.beat(at: time + ghost), isPeers: false)
    let edit = apply(commit, to: &changed, stamp: later)
    if changed.timeline != ours.timeline {
      ours.timeline = changed.timeline
      mapPlay()
      var sent = changed.timeline
      sent.tempo = sent.tempo.onTheWire
      send(timeline: sent, forUs: false, time, &random)
    }
    if case .some = edit.isPlaying, changed.play.stamp > ours.play.stamp || sessionStamp == nil {
      var play = changed.play
      play.beat = ours.timeline.beat(at: play.time + ghost)
      if peers > 0, hasUnheardPress, play.isPlaying == ours.play.isPlaying { lastCrossing = now }
      ours.play = play
      if isEnabled { sessionStamp = play.stamp }
      send(play: play, forUs: false, time, &random)
    }
  }

  /// The stamp of a timeline that replaces another from `beat` on. Those of peers are odd: of two that cross, one is
  /// the later, or each side would keep its own.
  private func stamp(after timeline: Timeline, _ beat: BeatTime, isPeers: Bool) -> BeatTime {
    let later = max(timeline.stamp + Beats(nanobeats: 1_000), beat).sinceZero.nanobeats
    return BeatTime(sinceZero: Beats(nanobeats: isPeers ? later | 1 : (later + 1) & ~1))
  }

  /// A start or a stop is of a beat of the session's, once the session has it.
  private mutating func mapPlay() {
    guard sessionStamp != nil else { return }
    ours.play.time = time(of: ours.play.beat, ours.timeline)
  }

  private mutating func receive(_ message: Message, _ now: HostTime<LinkClock>) {
    if let timeline = message.timeline {
      if message.isForUs {
        if timeline.stamp > ours.timeline.stamp {
          // Of two that come together the first is the later.
          let before = lastTempo.heard == now ? lastTempo.late : .zero
          lastTempo = (max(before, now + ghost - timeline.time), now)
          adopt(timeline, now)
        }
      } else if timeline.stamp > theirs.timeline.stamp {
        theirs.timeline = timeline
      }
    }
    if let play = message.play {
      if message.isForUs {
        if sessionStamp.map({ play.stamp > $0 }) ?? true {
          ours.play = play
          sessionStamp = play.stamp
          lastHeard = now
          mapPlay()
        }
      } else if play.stamp > theirs.play.stamp {
        theirs.play = play
      }
    }
  }

  private mutating func adopt(_ timeline: Timeline, _ now: HostTime<LinkClock>) {
    let before = beat(at: now)
    ours.timeline = timeline
    mapPlay()
    foresee()
    noteStep(from: before, now)
  }

  private mutating func everybodyLeaves() {
    peers = 0
    repeated = nil
    repeatsPlay = nil
    wire.removeAll(keepingCapacity: true)
  }

  private mutating func send(
    timeline: Timeline? = nil, play: Play? = nil, forUs: Bool, _ now: HostTime<LinkClock>,
    _ random: inout Seeded
  ) {
    guard peers > 0 else { return }
    var due = now + random.interval(network.delay)
    while random.oneIn(network.loss) { due = due + HostInterval.milliseconds(250) }
    // Link's thread takes no message meanwhile.
    if forUs, let showsPeers { due = max(due, showsPeers) }
    // Everything that Link sends is the whole state: nothing overtakes.
    for message in wire where message.isForUs == forUs { due = max(due, message.due) }
    wire.append(Message(timeline: timeline, play: play, isForUs: forUs, due: due))
    nextDue = min(nextDue, due)
  }
}

extension BeatTime {
  /// The beat as Link counts it: in whole microbeats, rounded towards zero.
  fileprivate var inMicrobeats: BeatTime {
    BeatTime(sinceZero: Beats(nanobeats: sinceZero.nanobeats / 1_000 * 1_000))
  }
}

extension Tempo {
  /// The tempo as peers receive it: in whole microseconds per beat.
  var onTheWire: Tempo { Tempo(clamping: 60e6 / Double(microsecondsPerBeat)) ?? self }
}

extension SimulatedSession.Network {
  /// A network in which a message takes `longest` milliseconds at most, and one of `loss` is lost.
  init(longest: Double, loss: Int) { self.init(delay: 0.3...max(1, longest), loss: max(2, loss)) }
}
