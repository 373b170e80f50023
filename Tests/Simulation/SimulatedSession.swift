import MusicalTime
import PropertyTesting
import Reconciliation

/// A Link session: what our program sees of it, what the other peers see, and the network between.
///
/// The rules are Link's: the timeline with the later beat and the button pressed last win; the audio thread sees its own
/// commits at once and other people's timelines only a second after its own, while the rest of the program learns of a
/// commit a little later.
struct SimulatedSession: Sendable {
  /// A tempo, and the beat at an instant of the session's own time.
  struct Timeline: Sendable, Equatable {
    var tempo: Tempo
    var beat: Beats
    var time: HostTime<LinkClock>
    /// The greater one wins.
    var stamp: Beats

    func beat(at time: HostTime<LinkClock>) -> Beats { beat + tempo.beats(in: time - self.time) }
  }

  struct Play: Sendable, Equatable {
    var isPlaying = false
    var time = HostTime<LinkClock>(nanoseconds: 0)
    var stamp = HostTime<LinkClock>(nanoseconds: 0)
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
    var timeline: Timeline?
    var play: Play?
    var due: HostTime<LinkClock>
  }

  /// How bad the network is.
  struct Network: Sendable {
    var delay: ClosedRange<Double> = 0.3...3
    /// Of how many messages one is lost. Link sends again a quarter of a second later.
    var loss = 1_000
  }

  var network = Network()
  /// Whether messages are lost, or late.
  var isBad: Bool { network.loss < 1_000 || network.delay.upperBound > 10 }
  /// How long a commit takes from the audio thread to the rest of the program, in milliseconds.
  var handOver: ClosedRange<Double> = 0.5...3
  /// Whether our program takes part.
  private(set) var isEnabled = true
  /// The number of other peers.
  private(set) var peers = 0
  /// What the audio thread sees.
  private(set) var timeline: Timeline
  private var ours: View
  private var theirs: View
  /// From our clock to the session's.
  private var ghost = HostInterval.zero
  private var deafUntil = HostTime<LinkClock>(nanoseconds: 0)
  private var wire: [Message] = []
  private var commits: [Commit] = []
  /// When something on the way arrives next.
  private var nextDue = HostTime<LinkClock>(nanoseconds: .max)
  /// What a peer is going to commit once more, and when.
  private var repeated: (timeline: Timeline, due: HostTime<LinkClock>)?
  /// When that last undid what somebody else had done.
  private(set) var lastUndoing = HostTime<LinkClock>(nanoseconds: 0)
  /// When our view of the beat last made a step, other than by our own commit.
  private(set) var lastStep = HostTime<LinkClock>(nanoseconds: 0)

  init(tempo: Tempo, at time: HostTime<LinkClock>) {
    timeline = Timeline(tempo: tempo, beat: .zero, time: time, stamp: .zero)
    ours = View(timeline: timeline)
    theirs = ours
  }

  // MARK: What our program sees

  func beat(at time: HostTime<LinkClock>) -> Beats { timeline.beat(at: time + ghost) }

  /// The start/stop state as all threads but the audio thread see it.
  var play: Play {
    var play = ours.play
    play.time = play.time - ghost
    return play
  }

  /// The start/stop state as the other peers see it.
  var peersPlay: Play { theirs.play }
  /// Whether nothing is on its way between us and the others.
  var isQuiet: Bool { wire.isEmpty && commits.isEmpty }

  // MARK: What our program does

  /// Commits an edit from the audio thread. Returns how far the beat at `next` moved for everybody.
  mutating func commit(
    _ edit: LinkEdit, at next: HostTime<LinkClock>, now: HostTime<LinkClock>, quantum: Quantum,
    _ random: inout Seeded
  ) -> Beats {
    let before = beat(at: next)
    var changed: Timeline?
    if let tempo = edit.tempo {
      let time = tempo.time + ghost
      timeline = Timeline(
        tempo: tempo.tempo, beat: timeline.beat(at: time), time: time, stamp: timeline.stamp)
      changed = timeline
    }
    var moved = beat(at: next) - before
    if let edit = edit.beat, edit.isForced || peers == 0 {
      let step = edit.beat - beat(at: next)
      timeline.beat = timeline.beat + step
      changed = timeline
      moved = moved + step
    }
    if changed != nil { deafUntil = now + HostInterval(nanoseconds: 1_000_000_000) }
    var commit = Commit(timeline: changed, due: now + random.interval(handOver))
    if let play = edit.isPlaying {
      commit.play = Play(isPlaying: play.isPlaying, time: play.time + ghost, stamp: now)
    }
    if let last = commits.last, last.due > commit.due { commit.due = last.due }
    commits.append(commit)
    nextDue = min(nextDue, commit.due)
    return moved
  }

  /// Leaves the session, or takes part again.
  mutating func setEnabled(_ isEnabled: Bool) {
    guard isEnabled != self.isEnabled else { return }
    self.isEnabled = isEnabled
    if !isEnabled { everybodyLeaves() }
  }

  // MARK: What others do

  mutating func peerPresses(
    _ isPlaying: Bool, at time: HostTime<LinkClock>, now: HostTime<LinkClock>, _ random: inout Seeded
  ) {
    guard peers > 0 else { return }
    theirs.play = Play(isPlaying: isPlaying, time: time + ghost, stamp: now)
    send(play: theirs.play, forUs: true, now, &random)
  }

  mutating func peerChangesTempo(to tempo: Tempo, now: HostTime<LinkClock>, _ random: inout Seeded) {
    guard peers > 0 else { return }
    let time = now + ghost
    let beat = theirs.timeline.beat(at: time)
    let stamp = max(theirs.timeline.stamp + Beats(nanobeats: 1_000), beat)
    theirs.timeline = Timeline(tempo: tempo.onTheWire, beat: beat, time: time, stamp: stamp)
    send(timeline: theirs.timeline, forUs: true, now, &random)
  }

  /// For a second after a commit a peer's audio thread, as ours, does not see what others do to the timeline.
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
    let stamp = max(theirs.timeline.stamp + Beats(nanobeats: 1_000), beat)
    theirs.timeline = Timeline(tempo: old.tempo.onTheWire, beat: beat, time: time, stamp: stamp)
    send(timeline: theirs.timeline, forUs: true, now, &random)
  }

  /// Others come; the first of them has a session of its own, and one of the two has to give way.
  mutating func join(
    _ count: Int, _ session: Timeline?, isPlaying: Bool, tellsPlay: Bool, now: HostTime<LinkClock>,
    _ random: inout Seeded
  ) {
    guard isEnabled else { return }
    let wereAlone = peers == 0
    peers += count
    guard wereAlone || session != nil else { return }
    if var session {
      session.stamp = max(session.stamp, ours.timeline.stamp + .one)
      theirs.timeline = session
      adopt(session, now)
      theirs.play = Play(isPlaying: isPlaying, time: now, stamp: HostTime(nanoseconds: 1))
      if tellsPlay, isPlaying {
        // What they have pressed long ago.
        let old = now - HostInterval(nanoseconds: 10_000_000_000)
        theirs.play = Play(
          isPlaying: true, time: old, stamp: max(old, ours.play.stamp + HostInterval(nanoseconds: 1)))
        send(play: theirs.play, forUs: true, now, &random)
      }
    } else {
      theirs = ours
      // Link does not tell those who join.
      theirs.play = Play()
    }
  }

  mutating func leave(_ count: Int) {
    peers = max(0, peers - count)
    if peers == 0 { everybodyLeaves() }
  }

  /// Link has measured anew how its time and ours go together.
  mutating func remeasure(by step: HostInterval, now: HostTime<LinkClock>) {
    guard peers > 0 else { return }
    ghost = ghost + step
    lastStep = now
  }

  // MARK: Time

  /// Delivers what is due.
  mutating func pass(to now: HostTime<LinkClock>, _ random: inout Seeded) {
    if timeline.stamp != ours.timeline.stamp, deafUntil <= now, commits.isEmpty {
      timeline = ours.timeline
      lastStep = now
    }
    guard nextDue <= now else { return }
    while let commit = commits.first, commit.due <= now {
      commits.removeFirst()
      hand(over: commit, now, &random)
    }
    for message in wire where message.due <= now { receive(message, now) }
    wire.removeAll { $0.due <= now }
    if let repeated, repeated.due <= now { commitAgain(repeated.timeline, now, &random) }
    nextDue = HostTime(nanoseconds: .max)
    if let repeated { nextDue = repeated.due }
    for message in wire { nextDue = min(nextDue, message.due) }
    if let commit = commits.first { nextDue = min(nextDue, commit.due) }
  }

  private mutating func hand(over commit: Commit, _ now: HostTime<LinkClock>, _ random: inout Seeded) {
    if var changed = commit.timeline {
      // Later than whatever came in the meantime: that is undone.
      changed.stamp = max(ours.timeline.stamp + Beats(nanobeats: 1_000), changed.beat(at: now + ghost))
      ours.timeline = changed
      if commits.allSatisfy({ $0.timeline == nil }) { timeline.stamp = changed.stamp }
      var sent = changed
      sent.tempo = changed.tempo.onTheWire
      send(timeline: sent, forUs: false, now, &random)
    }
    if let play = commit.play, play.stamp > ours.play.stamp {
      ours.play = play
      send(play: play, forUs: false, now, &random)
    }
  }

  private mutating func receive(_ message: Message, _ now: HostTime<LinkClock>) {
    if let timeline = message.timeline {
      if message.isForUs {
        if timeline.stamp > ours.timeline.stamp { adopt(timeline, now) }
      } else if timeline.stamp > theirs.timeline.stamp {
        theirs.timeline = timeline
      }
    }
    if let play = message.play {
      if message.isForUs {
        if play.stamp > ours.play.stamp { ours.play = play }
      } else if play.stamp > theirs.play.stamp {
        theirs.play = play
      }
    }
  }

  private mutating func adopt(_ timeline: Timeline, _ now: HostTime<LinkClock>) {
    ours.timeline = timeline
    guard deafUntil <= now, commits.isEmpty else { return }
    self.timeline = timeline
    lastStep = now
  }

  private mutating func everybodyLeaves() {
    peers = 0
    repeated = nil
    wire.removeAll(keepingCapacity: true)
  }

  private mutating func send(
    timeline: Timeline? = nil, play: Play? = nil, forUs: Bool, _ now: HostTime<LinkClock>,
    _ random: inout Seeded
  ) {
    guard peers > 0 else { return }
    var due = now + random.interval(network.delay)
    while random.oneIn(network.loss) { due = due + HostInterval(nanoseconds: 250_000_000) }
    // Everything that Link sends is the whole state: nothing overtakes.
    for message in wire where message.isForUs == forUs { due = max(due, message.due) }
    wire.append(Message(timeline: timeline, play: play, isForUs: forUs, due: due))
    nextDue = min(nextDue, due)
  }
}

extension Tempo {
  /// The tempo as peers receive it: in whole microseconds per beat.
  var onTheWire: Tempo { Tempo(clamping: 60e6 / Double(microsecondsPerBeat)) ?? self }
}
