import MusicalTime
import Reconciliation

/// What the laws remember of the cycles before this one.
struct Record: Sendable {
  /// Where something was pressed.
  enum Side: Sendable { case jack, link }

  /// When anything last happened from outside.
  var lastEvent: HostTime<LinkClock>
  /// When the machine, the clocks or the period were last disturbed.
  var lastDisturbance: HostTime<LinkClock>
  /// When the session's grid or tempo last changed, for whatever reason.
  var lastGridChange: HostTime<LinkClock>
  /// The session's tempo, and by when what was counted at a faster one has been made up for.
  var tempo: Tempo?
  var caughtUpBy: HostTime<LinkClock>
  /// When a start, a stop, a locate or somebody coming or going last happened.
  var lastPress: (time: HostTime<LinkClock>, side: Side, cycle: Int)
  /// When somebody last came, and may not know what is played.
  var lastArrival: HostTime<LinkClock>
  /// When a peer last pressed something.
  var lastPeerPress: HostTime<LinkClock>
  /// When a JACK client or a user last pressed something.
  var lastLocalPress: HostTime<LinkClock>
  /// Whether there is, or was, a client that needs time.
  var hasBeenSlow = false
  /// The last cycle before what rolls in phase went back by whole quanta.
  var loop: Int?
  /// What was pressed last, if that is beyond doubt.
  var expected: Bool?
  /// Whether the server is new or somebody has come, so that JACK and Link may differ until the next press.
  var jackMayDiffer = true
  /// How often a user has asked for a tempo that was not set yet.
  var wantedTempos = 0
  /// What a peer has pressed that nobody has been told of yet.
  var untoldPress: (isPlaying: Bool, time: HostTime<LinkClock>)?
  /// Whether people have been told that JACK leads since it does.
  var isLeadTold = false
  /// How often the session may be told once more that it plays.
  var reminders = 0
  /// Since when the timebase has been whose it is.
  var ownerSince: HostTime<LinkClock>
  var previousOwner = TimebaseOwner.nobody
  /// When another client last took it, from whomever.
  var lastTakeover: HostTime<LinkClock>
  /// The owner's tempo in the cycle before.
  var ownersBeatsPerMinute = 0.0
  var lastSelection: HostTime<LinkClock>
  /// Whether the owner's tempo, or the user, has put Link's tempo into JACK's hands.
  var ownerHasTempo = false
  /// When the owner's tempo last changed, and when the session's did by somebody else.
  var lastOwnersTempo: HostTime<LinkClock>?
  var lastPeersTempo: HostTime<LinkClock>
  /// The tempo that the owner last declared for JACK's clients to read.
  var declared = 0.0
  /// When a start on an owner's timebase rolled that could come into phase.
  var ownersLaunch: HostTime<LinkClock>?
  /// Whether people have been told that the two differ, since they do.
  var isDifferenceTold = false
  /// Whether the owner has the timebase from another one, which nobody can see.
  var isSuccession = false
  /// Whether people have been told that the owner says nothing.
  var isSilenceTold = false
  /// Whether the session's tempo is what we have last set while JACK led.
  var tempoIsOurs = false
  /// When somebody's change was last undone by a peer that had not seen it.
  var lastUndoing: HostTime<LinkClock>
  var commits: [HostTime<LinkClock>] = []

  /// When the transport's state last changed.
  var lastMotion: HostTime<LinkClock>

  // The cycle before.
  var linkPlayed = false
  var motion = TransportMotion.stopped
  var frame: UInt32 = 0
  var shown: TimebaseEntry?
  var rollingCycles = 0
  var output = HostTime<LinkClock>(nanoseconds: 0)
  var published: TimebaseEntry?
  var isHeld = false

  /// A start under way.
  struct Start: Sendable {
    var began: HostTime<LinkClock>
    /// Where the playhead is put by whoever started.
    var frame: UInt32
    var isMoved = false
    /// Whether it is the seam of a loop that stays in phase.
    var isLoop = false
    /// Whether the transport rested before.
    var hasRested = false
    /// Whether the tempo that another owner is going to have is what JACK's clients read.
    var tempoIsShown = false
    /// For how many cycles it has been held.
    var cycles = 0
    /// Whether everything has been as it should be for a start that is exact.
    var isClean: Bool
  }

  var start: Start?
  /// Whether what rolls now had been held for as long as the server lets it be.
  var wasGivenUp = false
  /// How often a roll was interrupted by us since the last press.
  var interruptions = 0

  init(at time: HostTime<LinkClock>) {
    lastEvent = time
    lastDisturbance = time
    lastGridChange = time
    caughtUpBy = time
    lastPress = (time, .jack, 0)
    lastArrival = time
    lastLocalPress = time
    lastPeerPress = time
    lastMotion = time
    ownerSince = time
    lastTakeover = time
    lastSelection = time
    lastPeersTempo = time
    lastUndoing = time
  }

  mutating func disturbed(_ time: HostTime<LinkClock>) {
    lastDisturbance = time
    lastEvent = time
  }

  /// Our program takes part in the session again.
  mutating func enabled(_ time: HostTime<LinkClock>) {
    lastEvent = time
    lastGridChange = time
    reminders += 1
  }
}

extension Simulation {
  /// Takes note of an event before it happens.
  func note(_ event: Event, at time: HostTime<LinkClock>) {
    record.lastEvent = time
    record.untoldPress = nil
    record.start?.isClean = false
    record.interruptions = 0
    switch event {
    case .clientStarts, .command(.start):
      record.lastLocalPress = time
      pressed(true, on: .jack, at: time, changes: !engine.isWanted)
    case .clientStops, .command(.stop):
      record.lastLocalPress = time
      pressed(false, on: .jack, at: time, changes: engine.isWanted)
    case .peerStarts:
      guard session.peers > 0, setup.startStopSync else { break }
      pressedByPeer(true, at: time)
    case .peerStops:
      guard session.peers > 0, setup.startStopSync else { break }
      pressedByPeer(false, at: time)
    case .clientLocates: record.lastLocalPress = time
    case .clientLoops(let beats):
      record.lastLocalPress = time
      record.loop = isLoopInPhase(beats) ? cycles : nil
    case .slowClient: record.hasBeenSlow = true
    case .slowClientsLeave: record.hasBeenSlow = false
    case .ownerTakes:
      record.lastTakeover = time
      record.ownerHasTempo = false
      // Who has it from whom does not show: what another owner says is a change of the one before.
      let hadOther =
        owner == .other || record.previousOwner == .other
        || time - record.ownerSince < HostInterval(nanoseconds: 1_500_000_000)
      record.lastOwnersTempo = hadOther ? time : nil
      record.isSuccession = hadOther
      if owner != .other {
        record.isDifferenceTold = false
        record.isSilenceTold = false
      }
    case .ownerReleases: break
    case .ownerChangesTempo: record.lastOwnersTempo = time
    case .peerChangesTempo:
      record.lastGridChange = time
      record.ownerHasTempo = false
      record.lastPeersTempo = time
    // Where it undoes something, that is seen.
    case .peerRepeats: break
    case .remeasured: record.lastGridChange = time
    case .peersJoin(let count, let merge):
      record.reminders += count
      record.lastGridChange = time
      record.ownerHasTempo = false
      if merge != nil { record.lastPeersTempo = time }
      record.expected = nil
      record.lastPress = (time, .link, cycles)
      record.lastArrival = time
      if let merge, merge.isPlaying { record.jackMayDiffer = true }
    case .peersLeave:
      record.lastGridChange = time
      // What they pressed last may never arrive.
      if time - record.lastPress.time < HostInterval(nanoseconds: 2_000_000_000) { record.expected = nil }
    case .networkChanges, .command(.clientLeft): break
    case .command(.proposeTempo), .command(.foundSession):
      record.wantedTempos += 1
      record.ownerHasTempo = false
      record.lastGridChange = time
    case .command(.select):
      record.lastSelection = time
      record.ownerHasTempo = false
    case .stall(let interval, _):
      // One that comes during another adds to it.
      record.lastDisturbance = max(record.lastDisturbance, time) + interval
    case .freewheel, .clockSlews: record.lastDisturbance = max(record.lastDisturbance, time)
    case .periodChanges:
      record.lastDisturbance = time
      record.lastGridChange = time
    case .serverDies(let interval):
      let back = max(time, card.time) + interval
      record = Record(at: back)
      record.lastEvent = back + HostInterval(nanoseconds: 600_000_000)
      record.lastGridChange = record.lastEvent
    }
  }

  /// A press reaches us as a change of the state that we have.
  private func pressedByPeer(_ wanted: Bool, at time: HostTime<LinkClock>) {
    let changes = session.peersPlay.isPlaying != wanted && session.play.isPlaying != wanted
    pressed(wanted, on: .link, at: time, changes: changes)
    record.lastPeerPress = time
    if !changes { record.expected = nil }
    // Two that cross may come together.
    record.untoldPress = record.expected == wanted && session.isQuiet ? (wanted, time) : nil
    // It may be taken for what the session had when we joined: joining presses nobody's button.
    if time - record.lastArrival < HostInterval(nanoseconds: 1_500_000_000) {
      record.jackMayDiffer = true
      record.expected = nil
    }
  }

  private func pressed(
    _ wanted: Bool, on side: Record.Side, at time: HostTime<LinkClock>, changes: Bool
  ) {
    // Two presses that cross on the way are whose they may be.
    let gap = time - record.lastPress.time
    let cyclesBetween = cycles - record.lastPress.cycle
    let isAlone =
      (gap > HostInterval(nanoseconds: 1_000_000_000) && cyclesBetween > 2)
      || (side == record.lastPress.side && gap > periodDuration * 10 && cyclesBetween > 10)
    record.lastPress = (time, side, cycles)
    if !isAlone { record.expected = nil }
    guard changes else {
      // A start that is put off is not what the transport shows.
      if record.expected != wanted { record.expected = nil }
      return
    }
    record.expected = isAlone ? wanted : nil
  }
}
