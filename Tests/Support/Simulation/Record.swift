import MusicalTime
import Reconciliation

/// The laws' memory of the cycles before this one.
struct Record: Sendable {
  /// Where something was pressed.
  enum Side: Sendable { case jack, link }

  /// When anything last happened from outside.
  var lastEvent: HostTime<LinkClock>
  /// And other than a press, or what slow clients, a hanging one and the network do: what an owner's tempo and beat
  /// may have to be found anew after.
  var lastTempoEvent: HostTime<LinkClock>
  /// When the machine, the clocks or the period were last disturbed.
  var lastDisturbance: HostTime<LinkClock>
  /// Whether the server's clock is another than it was.
  var hasSlewed = false
  /// When a process last missed a deadline, and the time before that, and the cycles since then.
  var lastMiss: HostTime<LinkClock>
  var missBefore: HostTime<LinkClock>
  var cyclesSinceMiss = 0
  /// When the bridge was last let run.
  var lastRun: HostTime<LinkClock>
  /// When messages were last lost.
  var lastLoss: HostTime<LinkClock>
  /// How many deadlines were missed in all.
  var misses = 0
  /// When the session's grid or tempo last changed, for whatever reason, or what is read will have come to an offset.
  var lastGridChange: HostTime<LinkClock> { didSet { lastGridChange = max(lastGridChange, slewEnds) } }
  /// The session's tempo, and its beat at ``output``.
  var tempo: Tempo?
  var linkBeat: BeatTime?
  /// How far Link's beat has gone back at most from the position that waits for it: less and less, as the
  /// position goes on at half of Link's speed.
  var waitsFor = Beats.zero
  /// The slowest and the fastest tempo of those that came soon one after the other, and when the last of them did.
  var tempos: (range: ClosedRange<Tempo>, last: HostTime<LinkClock>)?
  /// How far the bridge's own commits have moved the beat lately.
  var lastMoved = Beats.zero
  /// When a start, a stop, a locate, or the arrival or departure of a peer last happened.
  var lastPress: (time: HostTime<LinkClock>, side: Side, cycle: Int)
  /// When a peer last came, and may not know what is played.
  var lastArrival: HostTime<LinkClock>
  /// When a peer last left.
  var lastDeparture: HostTime<LinkClock>
  /// When a peer was last there.
  var lastCompany: HostTime<LinkClock>
  /// When a peer last pressed something.
  var lastPeerPress: HostTime<LinkClock>
  /// When a JACK client or a user last pressed something.
  var lastLocalPress: HostTime<LinkClock>
  /// When a client has last asked for a start that JACK had begun, on a server that takes it.
  var lastRestart: HostTime<LinkClock>
  /// When the last client came that needs time, and whether there is or was one.
  var slowSince: HostTime<LinkClock>?
  var hasBeenSlow: Bool { slowSince != nil }
  /// The longest cycle that one was there in, and when one was there last that is never ready.
  var longestSlowCycle = HostInterval.zero
  var lastNeverReady: HostTime<LinkClock>?
  /// For how long a start has waited at most while a client was slow, which may have come meanwhile.
  var longestSlowWait = HostInterval.zero
  /// The user's choice for programs that count frames.
  var discipline: Discipline
  /// When a client that needs time was last there.
  var lastSlow: HostTime<LinkClock>
  /// The user's choice when starts roll, and when the user last made it, if ever.
  var launch: LaunchMode
  var lastChoice: HostTime<LinkClock>?
  /// The direction in which the user has starts and stops be shared, and when the user last chose another.
  var sharing: Sharing
  var sharesStartStop: Bool { sharing == .both }
  /// The direction in which the user has tempo be shared.
  var tempoSync = Sharing.both
  /// How bars are counted, and the bar that was published last while JACK rolls.
  var bars: CountedBars
  var lastBar: Int32?
  /// The meter and the quantum that the user wants, the quantum that holds, and when the user last chose one.
  var wantedMeter: Meter
  var wantedQuantum: Quantum
  var quantum: Quantum
  /// The quantum before that, and when it ended.
  var quantumBefore: Quantum
  var lastTurn: HostTime<LinkClock>
  var lastRegrid: HostTime<LinkClock>
  /// When JACK's count of frames has last begun anew, with another phase.
  var lastWrap: HostTime<LinkClock>
  /// How much later JACK's downbeat is than the session's.
  var downbeat = Beats.zero
  var lastShiftOfDownbeat: HostTime<LinkClock>
  /// Whether bars are about to begin where the quantum does.
  var isRejoining = false
  var lastSharing: HostTime<LinkClock>
  /// When the offset that the user has last chosen will have been come to, and the way from where it was, if only that
  /// has happened since.
  var slewEnds: HostTime<LinkClock>
  var slew: (way: HostInterval, since: HostTime<LinkClock>)?
  /// The tempo that a user's step is to give the session, and when the user asked for it.
  var nudged: (tempo: Double, since: HostTime<LinkClock>)?
  /// When the bridge has last imposed JACK on the session, at a user's word, and whether that is still to be judged.
  var lastImposed: HostTime<LinkClock>
  var isImposedUnjudged = false
  /// The last press while messages are lost, until it is judged.
  var lossyPress: (isPlaying: Bool, time: HostTime<LinkClock>)?
  /// The quantum that a peer has stamped a start with while messages are lost, and when.
  var lossyStamp: (stamp: HostTime<LinkClock>, time: HostTime<LinkClock>)?
  /// When the bridge and a session met, until a user presses something, and the sides that played two seconds
  /// later.
  var meeting: HostTime<LinkClock>?
  var met: (jack: Bool, peers: Bool)?
  var isMeetingJudged = false
  /// Whether that was ever to steer the session's tempo.
  var hasSteered: Bool
  /// The session's tempo but for what a discipline has put on it, and what that has last made of it, the newest
  /// last, where it has.
  var plainTempo: Tempo?
  var steeredTempos: [Tempo] = []
  /// And what the session had before that.
  var replacedTempo: Tempo?
  /// Whether frames are to be brought into phase once, at a user's command.
  var isRealigningWanted = false
  /// When what rolls was last relocated by a discipline, and what was read then, until it rolls on.
  var realigning: (output: HostTime<LinkClock>, position: BeatTime)?
  /// When that last was, and when before.
  var realignings: (last: HostTime<LinkClock>, before: HostTime<LinkClock>)
  /// How many of them in a row were spoilt, and whether that of the last one is still to show.
  var spoiltRealignings = 0
  var isRealigned = false
  /// The last cycle before what rolls in phase went back by whole quanta.
  var loop: Int?
  /// The play state that was pressed last, if that is beyond doubt.
  var expected: Bool?
  /// Whether the bridge, or the server, is new to the session, so that JACK and Link may differ until the
  /// next press.
  var mayDiffer = true
  /// Whether they might before JACK's last press.
  var mightDiffer = true
  /// And whether they might before the last press of a peer's that the bridge had not received yet.
  var differedUnheard = true
  /// When the bridge joined a session, if no side has pressed anything since nor for long before.
  var joined: HostTime<LinkClock>?
  /// When a start that a peer has pressed is to roll, unless the session and its peers rest since.
  var peersStart: HostTime<LinkClock>?
  /// When the bridge last asked JACK to stop, until it has seen JACK rest, and whether JACK has played since.
  var stopAsked: (time: HostTime<LinkClock>, hasPlayed: Bool)?
  /// How far ahead the last press was stamped.
  var ahead = HostInterval.zero
  /// The quantum that a peer has stamped a start with, until that is judged, and whatever became of it.
  var stamp: HostTime<LinkClock>?
  var lastStamps: [HostTime<LinkClock>] = []
  /// Where the transport rests, the position read there, if no client has just located, and the beats of a cycle as it
  /// came to rest.
  var rest: (frame: TransportFrame, shown: BeatTime?, cycle: Beats)?
  /// Where it has rested, or was located to while it rolled.
  var restFrames: [TransportFrame] = []
  /// In which cycle a start was cancelled that began there, and in which one last was, wherever it began.
  var takenBack: Int?
  var lastTakenBack = -100
  /// The same, until what is read there since has been looked at.
  var restsSince: Int?
  /// Whether JACK last stopped at frame 0, and no client has taken the playhead elsewhere since.
  var hasPlayedFrame0 = false
  /// The places where a user or client has lately wanted JACK to be.
  var placesAsked: [TransportFrame] = []
  /// When a client last located, and where to.
  var lastLocate: (time: HostTime<LinkClock>, frame: TransportFrame)
  /// A locate that the bridge has undone before it could know of it, and when that was.
  var crossedLocate: (frame: TransportFrame, cycle: Int)?
  /// How often a user has asked for a tempo that was not set yet.
  var wantedTempos = 0
  /// The press of a peer's that no notice has reported yet.
  var untoldPress: (isPlaying: Bool, time: HostTime<LinkClock>, isChange: Bool)?
  /// The roll together with other peers, until it has settled.
  var roll: Roll?
  /// When the session's tempo last changed, or its beat by a commit of the bridge.
  var lastShift: HostTime<LinkClock>
  /// How far an owner that leads was from Link when all was calm, and when that was.
  var ownersDistance: (error: HostInterval, since: HostTime<LinkClock>)?
  /// When a start was last cancelled, with any owner of the timebase.
  var lastUnrolled = -100
  var lastUnrolledTime: HostTime<LinkClock>
  /// When the session was last told a press.
  var lastTold: HostTime<LinkClock>?
  /// How often the bridge may still repeat to the session that it plays.
  var reminders = 0
  /// Since when the timebase has been whose it is.
  var ownerSince: HostTime<LinkClock>
  var previousOwner = TimebaseOwner.nobody
  /// When another client last owned it.
  var lastAnothers: HostTime<LinkClock>?
  /// Which side led in the last cycle, unless another has since; since when, and for how many cycles the transport has
  /// rolled with that owner.
  var leader: Leader? = .link
  var leaderSince: HostTime<LinkClock>
  var cyclesOfOwner = 0
  /// How much too early the meter may turn in the last entry.
  var turnsEarlyBy = Beats.zero
  /// When another client last took it, from whomever.
  var lastTakeover: HostTime<LinkClock>
  /// The owner's tempo in the cycle before.
  var ownersBeatsPerMinute = 0.0
  /// Since when the owner's tempo glides, if nothing had happened for a while before.
  var glide: HostTime<LinkClock>?
  /// When it last changed, between which two.
  var lastOwnersStep: (time: HostTime<LinkClock>, tempos: ClosedRange<Double>)?
  /// All that it was since it had been steady for some seconds.
  var ownersRange: ClosedRange<Double>?
  var lastSelection: HostTime<LinkClock>
  /// Whether the owner's tempo, or the user, has put Link's tempo into JACK's hands.
  var ownerHasTempo = false
  /// Whether it had before the owner's last change.
  var ownerHadTempo = false
  /// When the owner's tempo last changed, and when another side last changed the session's.
  var lastOwnersTempo: HostTime<LinkClock>?
  /// When an owner last changed the tempo of its song.
  var lastOwnersEdit: HostTime<LinkClock>?
  var lastPeersTempo: HostTime<LinkClock>
  /// The tempo that the owner last declared for JACK's clients to read, if it was asked yet.
  var declared: Double?
  /// The tempo that it last declared while it was to lead; `nil` where that was gliding.
  var declaredInLead: Double?
  /// Whether a notice has reported that the two differ, since they do.
  var isDifferenceTold = false
  /// Whether the owner has the timebase from another one, which no client can see: that may be a bridge of before.
  var isSuccession = false
  /// Whether a notice has reported that the owner publishes nothing.
  var isSilenceTold = false
  /// Whether the session's tempo is the one that the bridge has last set while JACK led.
  var tempoIsOurs = false
  /// When a change was last undone by a peer that had not seen it.
  var lastUndoing: HostTime<LinkClock>
  /// How often Link was steered since something was done, when that was, and how many deadlines had been
  /// missed by then.
  var steering: (commits: Int, since: HostTime<LinkClock>, misses: Int)

  /// When the transport's state last changed.
  var lastMotion: HostTime<LinkClock>

  // The cycle before.
  var linkPlayed = false
  var motion = TransportState.stopped
  var frame: TransportFrame = 0
  /// The frame that what clients read of an owner was of.
  var ownersFrame: TransportFrame = 0
  var shown: TimebaseEntry?
  var rollingCycles = 0
  /// For how many cycles no start has been held.
  var cyclesSinceHold = 8
  /// How long a cycle was before the period changed, and when that was.
  var periodBefore: (duration: HostInterval, time: HostTime<LinkClock>)?
  var output = HostTime<LinkClock>(nanoseconds: 0)
  var published: TimebaseEntry?
  /// The frame that it was published for while JACK renders: until the next one, the position goes on with frames.
  var renderedTo: TransportFrame?
  /// The first reading while JACK renders.
  var rendered: (frame: TransportFrame, position: BeatTime, beatsPerMinute: Double)?
  /// Whether a client has located while JACK renders, and whether the reading is from there.
  var locates = false
  var hasLocated = false
  /// The session's tempo before a peer came with another one as the last peer left, until that is judged.
  var succession: (tempo: Tempo, time: HostTime<LinkClock>)?
  /// Whether all of the owner's song up to here was heard. After a locate past a meter that was not, only the
  /// owner knows how many beats there are before.
  var isSongHeard = true
  /// The shortest beat of the owner before, where its song had more than one meter.
  var unitBefore: Beats?
  /// When JACK last kept time again.
  var returned: HostTime<LinkClock>
  /// When a position was last published.
  var lastPublished: HostTime<LinkClock>
  /// For when that was.
  var lastOutput: HostTime<LinkClock>
  /// When a position was last published that waits for Link.
  var lastHeld: HostTime<LinkClock>

  /// A start under way.
  struct Start: Sendable {
    var began: HostTime<LinkClock>
    /// Where the client that started puts the playhead.
    var frame: TransportFrame
    var isMoved = false
    /// The place that it is for, wherever the bridge puts the playhead before it rolls.
    var home: TransportFrame
    /// Whether it is the seam of a loop that stays in phase.
    var isLoop = false
    /// The frame that rolled before, if any did.
    var rolled: TransportFrame?
    /// Whether the quantum is further away than the server holds a start. A client that insists rolls before
    /// it, in phase.
    var isFar = false
    /// When JACK last waited for the bridge: from then on for other clients alone.
    var held: HostTime<LinkClock>
    /// For how many cycles it has been held, and how long the longest of them is.
    var cycles = 0
    var longestCycle: HostInterval
    /// Why it is not a start with other peers that the bridge brings into phase, and else why it may not be
    /// exact.
    var guarded: Guard?
    var excuse: Excuse?
    /// Whether the transport rested before, or rolled from such a start.
    var isFromRest: Bool
  }

  var start: Start?
  /// A roll from a start with other peers on the timebase of an owner that leads, until it is judged.
  struct OwnersRoll: Sendable {
    var began: HostTime<LinkClock>
    /// The frame that it is for.
    var home: TransportFrame
    /// How many beats the owner's was ahead of Link's as it began to roll, whole ones too, and whether that was in
    /// phase.
    var lead: (beats: Beats, isInPhase: Bool)?
  }

  var ownersRoll: OwnersRoll?
  /// Whether what rolls now had been held for as long as the server lets it be.
  var wasGivenUp = false
  /// When a start was last put off, because the server does not hold it for as long as it takes.
  var lastPutOff: HostTime<LinkClock>
  /// How often a roll was interrupted by us since the last press.
  var interruptions = 0
  /// When one last was.
  var lastInterruption: HostTime<LinkClock>
  /// How many deadlines were missed since then while it began, or just before, and when it has begun.
  var missesAtBeginning = 0
  var beginningEnds: HostTime<LinkClock>

  init(at time: HostTime<LinkClock>, _ setup: Setup) {
    discipline = setup.discipline
    launch = setup.launch
    sharing = setup.startStopSync ? .both : .off
    bars = CountedBars(setup.meter)
    (wantedMeter, wantedQuantum, quantum) = (setup.meter, setup.quantum, setup.quantum)
    quantumBefore = setup.quantum
    lastTurn = time - HostInterval.seconds(60)
    lastShiftOfDownbeat = lastTurn
    lastRegrid = time
    lastWrap = time
    lastSharing = time - HostInterval.seconds(60)
    lastImposed = time - HostInterval.seconds(60)
    slewEnds = time
    hasSteered = discipline == .tempo
    lastEvent = time
    lastTempoEvent = time
    lastDisturbance = time
    lastMiss = time
    missBefore = time
    lastRun = time
    lastPublished = time
    lastOutput = time
    lastLoss = time - HostInterval.seconds(10)
    lastPutOff = time - HostInterval.seconds(60)
    beginningEnds = time
    steering = (0, time, 0)
    returned = time
    lastGridChange = time
    lastHeld = time - HostInterval.seconds(10)
    // No press has happened yet that the bridge could have seen.
    lastPress = (time - HostInterval.seconds(1000), .jack, 0)
    lastLocate = (time, 0)
    lastArrival = time
    lastDeparture = lastPress.time
    lastCompany = time
    lastLocalPress = time
    lastRestart = time - HostInterval.seconds(60)
    lastPeerPress = lastPress.time
    lastMotion = time
    ownerSince = time
    leaderSince = time
    lastShift = time
    lastUnrolledTime = time
    lastSlow = lastPress.time
    lastInterruption = time
    // No locate was near them.
    realignings = (time - HostInterval.seconds(60), time - HostInterval.seconds(60))
    lastTakeover = time
    lastSelection = time
    lastPeersTempo = time
    lastUndoing = time
  }

  /// A process was not let run until `time`.
  mutating func missed(_ time: HostTime<LinkClock>) {
    missBefore = lastMiss
    lastMiss = max(lastMiss, time)
    cyclesSinceMiss = 0
    misses += 1
    excuseStart(.miss)
    if rollingCycles == 0 || time < beginningEnds { missesAtBeginning += 1 }
  }

  /// Something happens to a start that is under way.
  mutating func excuseStart(_ excuse: Excuse) {
    if start?.excuse == nil { start?.excuse = excuse }
  }

  mutating func disturbed(_ time: HostTime<LinkClock>) {
    lastDisturbance = time
    lastTempoEvent = time
    lastEvent = time
  }

  /// The bridge takes part in the session again.
  mutating func enabled(_ time: HostTime<LinkClock>) {
    lastEvent = time
    lastTempoEvent = time
    lastGridChange = time
    lastArrival = time
    reminders += 1
  }

  /// A cycle passes in which the bridge does not run.
  mutating func pass(_ engine: TransportEngine) {
    motion = engine.motion
    frame = engine.frame
    count(motion)
  }

  /// Counts a cycle in which the transport is as `motion` says.
  mutating func count(_ motion: TransportState) {
    rollingCycles = motion == .rolling ? rollingCycles + 1 : 0
    cyclesSinceHold = motion == .starting ? 0 : cyclesSinceHold + 1
  }
}

extension Simulation {
  /// Takes note of an event before it happens.
  func note(_ event: Event, at time: HostTime<LinkClock>) {
    let wasCalm =
      time - record.lastEvent > HostInterval.seconds(12)
      && time - max(record.lastDisturbance, record.lastMiss) > HostInterval.seconds(25)
    record.glide = if case .ownerGlides = event, wasCalm { time } else { nil }
    record.lastEvent = time
    if event.mayMoveTempo { record.lastTempoEvent = time }
    record.excuseStart(.event)
    record.interruptions = 0
    record.steering = (0, time, record.misses)
    record.missesAtBeginning = isCalm(for: 3, since: record.lastMiss) ? 0 : 1
    if record.stamp != nil {
      ledger.count(.rollsOnTime, unasked: .short)
      record.stamp = nil
    }
    if record.untoldPress != nil {
      ledger.count(.pressesTold, .event)
      record.untoldPress = nil
    }
    if record.crossedLocate != nil {
      ledger.count(.restsWhereItIs, unasked: .short)
      record.crossedLocate = nil
    }
    if record.loop != nil {
      ledger.count(.loopsRollOn, unasked: .short)
      record.loop = nil
    }
    if record.succession != nil {
      ledger.count(.successionKept, .event)
      record.succession = nil
    }
    endWaits(event)
    record.slew = nil
    if event.isPress { record.joined = nil }
    if let tempo = event.tempo { noteAsked(tempo) }
    switch event {
    case .clientStarts:
      // A server that takes each start asks all clients anew, as after a locate.
      if setup.rules.restartsRoll, engine.motion != .stopped { record.lastRestart = time }
      pressedLocally(true, at: time, isSeen: !engine.isWanted)
    case .clientStops: pressedLocally(false, at: time, isSeen: engine.isWanted)
    case .command(.start): pressedLocally(true, at: time, isSeen: true)
    case .command(.stop): pressedLocally(false, at: time, isSeen: true)
    case .peerStarts(let wait): pressedByPeer(true, at: time, ahead: wait)
    case .peerStartsOnQuantum(let wait):
      let stamp = session.quantum(setup.quantum, after: time + wait)
      let isNews =
        session.isNewsToPress(true, at: stamp) && !record.lastStamps.contains(stamp)
        && !repeatsPress(at: stamp)
      record.lastStamps = record.lastStamps.suffix(3) + [stamp]
      // Too short for who starts to be ready.
      let isShort = stamp - time <= .seconds(1.2)
      if rollsWithPeers, isAsked(.rollsOnTime, unless: Guard.short.when(isShort)) {
        let excuse = stampExcuse
        if session.network.isLossy {
          if isDue(.lossyStampsKept, unless: excuse) { record.lossyStamp = (stamp, time) }
        } else if excuse == nil {
          record.stamp = stamp
        } else {
          ledger.count(.rollsOnTime, excuse)
        }
      }
      let mightDiffer = record.mayDiffer
      pressedByPeer(true, at: time, ahead: stamp - time)
      // A press that leaves the session's state as it was to the microsecond shows nowhere.
      if !isNews {
        record.untoldPress = nil
        // The one that it repeats may have come while JACK rendered.
        if mightDiffer { (record.expected, record.mayDiffer) = (nil, true) }
      }
    case .peerStops: pressedByPeer(false, at: time)
    case .clientLocates(let frame), .command(.locate(let frame)):
      record.lastLocalPress = time
      // One that crosses a relocation to where the playhead was before.
      record.restFrames = record.restFrames.suffix(7) + [record.lastLocate.frame]
      record.lastLocate = (time, frame)
      record.placesAsked = record.placesAsked.suffix(7) + [frame]
      record.restsSince = nil
      // While it plays that is a start at another place, which may have to be put off.
      if engine.isWanted { record.joined = nil }
      record.rest = nil
      record.takenBack = nil
    // It is a locate to a frame by now.
    case .clientLocatesToChange: break
    case .clientLoops(let beats):
      // At rest, and where JACK has not played as many beats, it locates nowhere.
      guard let target = loopTarget(beats) else { break }
      record.lastLocalPress = time
      // A start from there that is cancelled goes back to where it was before that.
      record.restFrames = record.restFrames.suffix(6) + [record.lastLocate.frame, engine.frame]
      // The last press may be on its way.
      let isRolling = time - record.lastPress.time > HostInterval.milliseconds(500)
      record.loop = isLoopInPhase(beats) && isRolling ? cycles : nil
      record.lastLocate = (time, target)
    case .slowClient: record.slowSince = time
    case .slowClientsLeave:
      (record.slowSince, record.longestSlowCycle, record.longestSlowWait) = (nil, .zero, .zero)
    case .ownerTakes:
      record.lastTakeover = time
      record.ownerHasTempo = false
      // The tempo that Link was steered to for another owner belongs to no owner any more.
      record.tempoIsOurs = false
      // The order of owners does not show: a change of the next owner is taken for one of the owner before.
      let hadOther =
        owner == .other || record.previousOwner == .other
        || time - max(record.ownerSince, hangEnds) < HostInterval.seconds(1.5)
      record.lastOwnersTempo = hadOther ? time : nil
      record.isSuccession = hadOther
      if !hadOther { record.declared = nil }
      if owner != .other {
        // The bridge may have had it back for less than a cycle.
        record.leaderSince = time
        record.isDifferenceTold = false
        // While JACK's lead is pinned, no owner and a silent one are the same.
        if mode != .jack { record.isSilenceTold = false }
      }
    case .ownerReleases: break
    case .ownerChangesTempo, .ownerGlides: (record.lastOwnersTempo, record.lastOwnersEdit) = (time, time)
    // It is far ahead, and moves nothing.
    case .ownerChangesMeter: break
    case .peerChangesTempo(let tempo):
      record.lastGridChange = time
      // The last press of a session ten seconds before it was joined is of a beat, which at a tempo so much
      // faster was a moment ago.
      if tempo.beatsPerMinute > session.timeline.tempo.beatsPerMinute * 5 { excuseJoining(.grid) }
      record.ownerHasTempo = false
      record.lastPeersTempo = time
      // A peer that comes with a tempo of its own is taken for a session that the bridge has joined.
      if time - record.lastArrival < HostInterval.seconds(1.5) { record.mayDiffer = true }
    // Where it undoes something, that is seen.
    case .peerRepeats: break
    case .remeasured: record.lastGridChange = time
    case .peersJoin(let count, let merge):
      record.reminders += count
      noteSuccession(count, merge, at: time)
      if merge != nil { joinedSession(at: time) }
      record.lastGridChange = time
      record.ownerHasTempo = false
      if merge != nil { (record.lastPeersTempo, record.tempoIsOurs) = (time, false) }
      record.lastArrival = time
      // A press on its way is taken for their own state.
      if session.hasUnheardPress { (record.expected, record.mayDiffer) = (nil, true) }
      // The bridge commits to them what they do not know; unless they come as others go, and their number is
      // the same.
      if merge == nil {
        record.joined = nil
        if hidesArrival(at: time, since: record.lastDeparture) { record.mayDiffer = true }
        // A peer's tempo of just before is taken for that of a session that the bridge has joined.
        let span = HostInterval.milliseconds(150) + periodDuration * 3
        if time - record.lastPeersTempo < span { record.mayDiffer = true }
        // So is a beat of the bridge's own that Link undoes because they come.
        if time - record.lastShift < periodDuration * 3 { record.mayDiffer = true }
      }
    case .peersLeave(let count):
      if hidesArrival(at: time, since: record.lastArrival) { excuseJoining(.arrival) }
      record.lastDeparture = time
      record.lastGridChange = time
      // Their last press may never arrive.
      if time - record.lastPress.time < HostInterval.seconds(2) { record.expected = nil }
      if count >= session.others, session.hasUnheardPress, record.differedUnheard { record.mayDiffer = true }
    case .networkChanges(let delay, let loss):
      // A packet lost before may still be on its way.
      if session.network.isLossy { record.lastLoss = time }
      // A session's own state may come seconds after the session was joined, and look like a press.
      if SimulatedSession.Network(longest: delay, loss: loss).isLossy { excuseJoining(.crossing) }
    case .clientHangs, .command(.clientLeft): break
    case .command(.proposeTempo), .command(.nudgeTempo), .command(.foundSession):
      if case .command(.nudgeTempo(let step)) = event { noteNudge(step, at: time) }
      record.wantedTempos += 1
      record.ownerHasTempo = false
      record.lastGridChange = time
    // The cycle that takes it shows whether there is anything to impose.
    case .command(.imposeJACK): break
    case .command(.realignFrames): record.isRealigningWanted = true
    case .choice(.startStopSync(let sharing)): noteSharing(sharing, at: time)
    case .choice(.tempoSync(let sharing)):
      (record.tempoSync, record.lastSharing, record.lastSelection) = (sharing, time, time)
    case .choice(.meter(let meter)): (record.wantedMeter, record.lastRegrid) = (meter, time)
    case .choice(.quantum(let quantum)): (record.wantedQuantum, record.lastRegrid) = (quantum, time)
    case .command(.shiftDownbeat(let shift)): noteDownbeat(shift, at: time)
    case .choice(.launch(let launch)): (record.launch, record.lastChoice) = (launch, time)
    case .choice(.discipline(let discipline)):
      record.discipline = discipline
      if discipline == .tempo { record.hasSteered = true }
      record.lastGridChange = time
    case .choice(.mode):
      record.lastSelection = time
      record.ownerHasTempo = false
    case .offsetChanges(let interval): noteOffset(interval, at: time)
    case .latencyChanges:
      record.lastDisturbance = time
      record.lastGridChange = time
      record.lastShift = time
    case .stall(let interval, _):
      // One that comes during another adds to it.
      record.missed(max(record.lastMiss, time) + interval)
    case .machineSleeps:
      // As when a session is joined.
      record.expected = nil
      record.mayDiffer = true
      record.lastGridChange = max(record.lastGridChange, time)
      record.lastDisturbance = max(record.lastDisturbance, time)
    case .freewheel:
      record.lastDisturbance = max(record.lastDisturbance, time)
      forgetShared()
    case .clockSlews:
      record.lastDisturbance = max(record.lastDisturbance, time)
      record.hasSlewed = true
    case .periodChanges:
      record.periodBefore = (periodDuration, time)
      record.lastDisturbance = time
      record.lastGridChange = time
    case .serverDies(let interval):
      let before = record
      beginAgain(after: max(time, card.time) + interval)
      // The user's choices still hold.
      record.discipline = before.discipline
      record.hasSteered = before.discipline == .tempo
      (record.launch, record.sharing, record.tempoSync) = (before.launch, before.sharing, before.tempoSync)
      (record.wantedMeter, record.wantedQuantum) = (before.wantedMeter, before.wantedQuantum)
      record.quantum = before.wantedQuantum
      record.bars = CountedBars(before.wantedMeter)
    case .bridgeEnds(let interval):
      beginAgain(after: max(time, card.time) + interval)
      record.previousOwner = owner.isMe ? .nobody : owner
      // At rest JACK shows what the bridge before has published, also to the next one, which is another client.
      if owner == .other, !isReadingOthers { record.isSuccession = true }
    }
    noteSong(event)
  }

  /// The bridge, or the server, comes back and knows nothing of what was before; but for a peer's press that
  /// it still hears of.
  private func beginAgain(after time: HostTime<LinkClock>) {
    let back = max(bridgeReturns, time)
    let (lastPeerPress, hasSlewed) = (record.lastPeerPress, record.hasSlewed)
    // It ends in the middle of steering: a bridge that comes back takes what peers have kept of it for the
    // tempo that a user wants.
    if record.hasSteered, session.peers > 0 { noteAsked(session.timeline.tempo.beatsPerMinute) }
    record = Record(at: back, setup)
    record.lastPeerPress = lastPeerPress
    record.hasSlewed = hasSlewed
    record.lastEvent = back + HostInterval.milliseconds(600)
    record.lastTempoEvent = record.lastEvent
    record.lastGridChange = record.lastEvent
  }

  /// A user has JACK be heard later or earlier: what rolls comes to that gradually, from the next cycle on.
  private func noteOffset(_ offset: HostInterval, at time: HostTime<LinkClock>) {
    let way = (offset - self.offset).magnitude
    let isRolling = engine.motion == .rolling || engine.rollsNext
    let isAlone = isRolling && time >= record.slewEnds
    let end = max(record.slewEnds, time) + (isRolling ? way * 50 : .zero)
    record.slew = isAlone ? (way, time) : nil
    record.slewEnds = end
    record.lastGridChange = end
    record.lastShift = max(record.lastShift, end)
    record.lastEvent = end
    record.lastTempoEvent = end
  }

  /// A user shifts JACK's downbeat, by so many beats, while Link leads.
  private func noteDownbeat(_ shift: DownbeatShift, at time: HostTime<LinkClock>) {
    guard leader == .link else { return }
    record.isRealigningWanted = true
    switch shift {
    case .none: record.downbeat = .zero
    case .by(let count):
      record.downbeat = record.downbeat + Beats(nanobeats: meter.beatLength.nanobeats * Int64(count))
    case .here: break
    }
    rejoin()
    (record.lastShiftOfDownbeat, record.lastGridChange, record.lastEvent) = (time, time, time)
  }

  /// A user has starts and stops be shared in another direction, or in none.
  private func noteSharing(_ sharing: Sharing, at time: HostTime<LinkClock>) {
    guard sharing != record.sharing else { return }
    let isShared = sharing == .both
    (record.sharing, record.lastSharing) = (sharing, time)
    record.joined = nil
    record.expected = nil
    // The two sides may have been at odds for long, and stay so until the next press.
    guard isShared else { return }
    record.mayDiffer = true
    guard session.isEnabled, session.peers > 0 else { return }
    expectNoPress(since: time)
    noteMeeting(at: time)
  }

  /// Takes note of what keeps a part of the owner's song from being heard.
  private func noteSong(_ event: Event) {
    switch event {
    // JACK does not report that it is another owner's: its bars may be counted as those of the song before.
    case .ownerTakes:
      record.unitBefore = otherOwner?.shortestBeat
      record.isSongHeard = record.unitBefore == nil
    // A client's locate that is on its way may lead past it.
    case .ownerChangesMeter where now - record.lastLocate.time <= periodDuration * 4:
      record.isSongHeard = false
    case .clientLocates, .clientLoops, .command(.locate), .choice(.mode), .bridgeEnds, .serverDies,
      .machineSleeps:
      if otherOwner?.shortestBeat != nil { record.isSongHeard = false }
    default: break
    }
  }

  /// Takes note of a peer that comes as the last one leaves.
  private func noteSuccession(_ count: Int, _ merge: Event.Merge?, at time: HostTime<LinkClock>) {
    let gap = time - record.lastDeparture
    guard count == 1, session.others == 0, gap < HostInterval.seconds(1) else { return }
    // The tempo may be set once more, and has to be where nothing else happens. A peer that sets another one at once
    // looks like one that brings it.
    record.wantedTempos += 1
    guard merge != nil else { return }
    let wasCompany = record.lastDeparture - record.lastCompany <= periodDuration * 2
    let guarded =
      Guard.rests.when(engine.motion != .rolling) ?? Guard.others.when(!owner.isMe)
      ?? Guard.offline.when(!session.isEnabled) ?? Guard.alone.when(!wasCompany)
      ?? Guard.short.when(gap >= .milliseconds(500))
    guard isAsked(.successionKept, unless: guarded) else { return }
    let excuse =
      excuseOfJACK(disturbedFor: 2) ?? Excuse.motion.when(record.rollingCycles < 10)
      ?? Excuse.wish.when(!bridge.requests.isEmpty || record.wantedTempos > 1)
      // The bridge has never seen peers that come and go between two of its cycles.
      ?? Excuse.arrival.when(gap < periodDuration * 3 || session.isMeeting)
      ?? Excuse.miss.when(record.lastMiss > time - gap)
      ?? Excuse.arrival.when(hidesArrival(at: time - gap, since: record.lastArrival))
      ?? recent(.grid, 2, since: record.lastPeersTempo)
    guard isDue(.successionKept, unless: excuse) else { return }
    record.succession = (session.timeline.tempo, time)
  }

  /// Whether who comes as others go may not show: what shows is how many are there in a cycle.
  private func hidesArrival(at time: HostTime<LinkClock>, since other: HostTime<LinkClock>) -> Bool {
    time - other < periodDuration * 3 + HostInterval.milliseconds(300)
  }

  /// JACK and the session have met: from now on no side asks the other to start or to stop.
  private func expectNoPress(since time: HostTime<LinkClock>) {
    let launch = session.timeline.tempo.interval(of: quantum.beats) * 2 + record.ahead
    let isCalm = time - record.lastPress.time > HostInterval.seconds(3) + launch
    // The session's play state may be sent again and again, until it looks like a press.
    let excuse =
      Excuse.press.when(!isCalm) ?? recent(.press, 3, since: record.lastPeerPress)
      ?? Excuse.arrival.when(hidesArrival(at: time, since: record.lastDeparture)) ?? Excuse.wish.when(
        record.wantedTempos > 0)
      ?? Excuse.crossing.when(losesMessages)
      // A start that is held then may have to be stopped for longer than the server holds it.
      ?? Excuse.motion.when(engine.motion == .starting)
    record.joined = isDue(.joinPressesNobody, unless: excuse) ? time : nil
  }

  /// JACK and the session may differ from now on, until the next press.
  func joinedSession(at time: HostTime<LinkClock>) {
    expectNoPress(since: time)
    record.lastArrival = time
    record.mayDiffer = true
    record.expected = nil
    noteMeeting(at: time)
  }

  /// As JACK begins to render, and as it ends: what is pressed meanwhile, or is still on its way, goes
  /// nowhere.
  private func forgetShared() {
    record.rendered = nil
    record.locates = false
    record.hasLocated = false
    record.expected = nil
    record.mayDiffer = true
    // Nor does what a start has moved that was under way.
    record.rest = nil
    record.takenBack = nil
    excuseJoining(.freewheel)
  }

  /// A press after a session was joined, if one was, can no longer be distinguished from the session's own
  /// state.
  func excuseJoining(_ excuse: Excuse) {
    guard record.joined != nil else { return }
    ledger.count(.joinPressesNobody, excuse)
    record.joined = nil
  }

  /// JACK keeps time again, and finds a session as if it had joined it.
  func endedRendering() {
    record.disturbed(now)
    record.returned = now
    forgetShared()
    if session.isEnabled { record.joined = isDue(.joinPressesNobody, unless: renderingExcuse) ? now : nil }
  }

  private var renderingExcuse: Excuse? {
    Excuse.crossing.when(!session.isQuiet) ?? recent(.press, 3, since: record.lastPress.time)
      ?? recent(.arrival, 3, since: record.lastArrival)
  }

  /// Whether a peer's play for an instant is the one that the session has.
  private func repeatsPress(at time: HostTime<LinkClock>) -> Bool {
    session.play.isPlaying && (session.play.time - time).magnitude.nanoseconds < 1_000_000
  }

  /// A press of JACK's or the user's. A JACK client's request for the present state leads to no report.
  private func pressedLocally(_ wanted: Bool, at time: HostTime<LinkClock>, isSeen: Bool) {
    guard now >= bridgeReturns else { return }
    record.lastLocalPress = time
    // A press that is cancelled before a cycle of the bridge has seen it was none.
    let isUnseen = cycles - record.lastPress.cycle < 2 || record.lastPress.time > record.lastRun
    let isUndone = isSeen && record.lastPress.side == .jack && isUnseen
    let mayDiffer = record.mayDiffer || (isUndone && record.mightDiffer)
    if isSeen { record.mightDiffer = mayDiffer }
    defer { if isUndone { record.mayDiffer = mayDiffer } }
    if isSeen {
      pressed(wanted, on: .jack, at: time)
      // Together with the bridge's own stop, for a start that is put off, it does not show.
      if !wanted, time - record.lastPutOff < periodDuration * 5 { record.expected = nil }
      // A start that is put off is not what the transport shows, and who asks for it again presses nothing.
    } else if record.expected != wanted {
      record.expected = nil
    }
  }

  private func pressedByPeer(_ wanted: Bool, at time: HostTime<LinkClock>, ahead: HostInterval = .zero) {
    guard session.peers > 0 else { return }
    record.lastPeerPress = time
    guard sharesStartStop else { return }
    // A press for the instant that the session has already changes nothing, and shows nowhere.
    let isRepeated = wanted && repeatsPress(at: time + ahead)
    if wanted, !isRepeated { record.peersStart = time + ahead }
    record.differedUnheard = record.mayDiffer || (record.differedUnheard && session.hasUnheardPress)
    pressed(wanted, on: .link, at: time)
    record.ahead = ahead
    // Two that cross may come together.
    record.untoldPress =
      record.expected == wanted && session.isQuiet && !isRepeated
      ? (wanted, time, session.play.isPlaying != wanted) : nil
  }

  private func pressed(_ wanted: Bool, on side: Record.Side, at time: HostTime<LinkClock>) {
    // Two presses that cross on the way are whose they may be.
    let gap = time - record.lastPress.time
    let cyclesBetween = cycles - record.lastPress.cycle
    let isAlone =
      (gap > HostInterval.seconds(1) && cyclesBetween > 2)
      || (side == record.lastPress.side && gap > periodDuration * 10 && cyclesBetween > 10)
    record.lastPress = (time, side, cycles)
    record.ahead = .zero
    // Before the bridge is in the session no peer is there to hear it; and a press as they meet may be taken
    // for the session's state from before: joining is no press.
    let isBetween = !session.isEnabled || session.peers < session.others || isRendering
    guard !isBetween, time - record.lastArrival > HostInterval.seconds(1.5) else {
      record.expected = nil
      record.mayDiffer = true
      return
    }
    record.expected = isAlone ? wanted : nil
    record.mayDiffer = false
    if session.network.isLossy, session.peers > 0, sharesStartStop, isAlone {
      record.lossyPress = (wanted, time)
    }
  }

  /// Whether what is sent may take more than a quarter of a second.
  var losesMessages: Bool { session.network.isLossy || !isCalm(for: 2, since: record.lastLoss) }

  /// Whether a start that a peer stamps with the quantum's own time is to roll then: from where the first
  /// beat is.
  private var rollsWithPeers: Bool {
    let guarded =
      Guard.unsynced.when(!sharesStartStop) ?? Guard.launch.when(record.launch != .bar) ?? companyGuard
      ?? Guard.rolls.when(engine.motion != .stopped || engine.isWanted)
      ?? Guard.place.when(engine.frame != 0 || isReadElsewhere)
      ?? Guard.slow.when(!engine.slowClients.isEmpty)
    return isAsked(.rollsOnTime, unless: guarded)
  }

  /// Whether a playhead that is left alone rests where a roll that went on out of phase has ended, between two beats.
  private var isReadElsewhere: Bool {
    guard !setup.alignsFrames, owner.isMe, let shown else { return false }
    return position(shown).phase(in: quantum).offset != .zero
  }

  private var stampExcuse: Excuse? {
    excuseOfJACK(disturbedFor: 8) ?? recent(.press, 1, since: record.lastPress.time)
      ?? recent(.press, 1, since: record.lastLocate.time)
      ?? recent(.grid, 3, since: record.lastGridChange)
      ?? Excuse.crossing.when(!session.network.isLossy && losesMessages)
  }
}
