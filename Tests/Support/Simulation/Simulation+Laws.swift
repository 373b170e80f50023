import MusicalTime
import Reconciliation

// The laws. Everything here compares what came out of the program with the world as it is in truth; nothing
// asks the program what it thinks.

extension Simulation {
  func violate(_ law: Law, _ detail: @autoclosure () -> String) {
    guard violation == nil else { return }
    violation = Violation(law: law, time: now - beginning, detail: detail())
  }

  /// How long everything may take to settle after something has happened.
  var settling: HostInterval {
    session.timeline.tempo.interval(of: quantum.beats) * 2 + HostInterval.seconds(14)
  }

  func isCalm(for seconds: Double, since time: HostTime<LinkClock>) -> Bool {
    now - time >= HostInterval(nanoseconds: Int64(seconds * 1e9))
  }

  /// When what was pressed last is to happen. A peer's start is of a beat: with a slower tempo than it was
  /// pressed in, an owner's or a peer's, that is later.
  var due: HostTime<LinkClock> {
    guard session.play.isPlaying else { return record.lastPress.time }
    return max(record.lastPress.time, session.play.time)
  }

  /// How long after a press the bridge may still ask a side to start or to stop for it: until the next
  /// quantum, and some seconds for what is lost on the way.
  var chatterSpan: HostInterval {
    session.timeline.tempo.interval(of: quantum.beats) + HostInterval.seconds(4)
  }

  /// The last press on any side while starts and stops were shared, or in JACK.
  var lastHeardPress: HostTime<LinkClock> { max(record.lastLocalPress, record.lastPress.time) }

  /// Why the bridge may still ask a side to start or to stop for an event of before.
  var chatter: Excuse? {
    Excuse.event.when(now - max(record.lastEvent, due) <= chatterSpan)
      ?? recent(.motion, 3, since: record.lastMotion) ?? Excuse.freewheel.when(isRendering)
  }

  var unsettled: Excuse? {
    Excuse.event.when(now - max(record.lastEvent, due) <= settling)
      ?? recent(.motion, 3, since: record.lastMotion) ?? Excuse.freewheel.when(isRendering)
  }

  /// When the first frame of this cycle is heard, in truth: by the sound card, whatever the server thinks.
  var output: HostTime<LinkClock> { card.time + latency }

  /// How far the owner's beat is ahead of Link's in this cycle, for those who read it: on some servers what it
  /// says of a frame is read in the cycle after that.
  func ownersPhaseError(_ other: SimulatedOwner) -> HostInterval? {
    guard let beat = BeatTime(other.beat(at: ownersFrame, setup.rate)) else { return nil }
    let link = session.beat(at: output)
    let units = [other.shortestBeat, record.unitBefore].compactMap { $0 }
    guard !record.isSongHeard, let unit = units.min() else { return phaseError(beat, link) }
    // Whole beats are not known; what is less than one is.
    let distance = (beat - link).nanobeats
    let half = unit.nanobeats / 2
    let rest = (distance + half) % unit.nanobeats
    return session.timeline.tempo.interval(
      of: Beats(nanobeats: (rest < 0 ? rest + unit.nanobeats : rest) - half))
  }

  /// How far a position's phase is from Link's beat, in the session's tempo.
  func phaseError(_ position: BeatTime, _ link: BeatTime) -> HostInterval {
    phaseError(position, link, in: quantum)
  }

  /// How far the phase of a position that clients read is from Link's beat.
  ///
  /// Some cycles after a bar line another quantum holds. And where numbers of bars say nothing about the quantum,
  /// the place in the bar does, if the one is a part of the other.
  func readError(_ position: BeatTime, _ link: BeatTime) -> HostInterval {
    let error = readError(position, link, in: quantum)
    guard now - record.lastTurn <= periodDuration * 4 else { return error }
    let before = readError(position, link, in: record.quantumBefore)
    return before.magnitude < error.magnitude ? before : error
  }

  private func readError(_ position: BeatTime, _ link: BeatTime, in quantum: Quantum) -> HostInterval {
    guard record.bars.isLoose else { return phaseError(position, link, in: quantum) }
    let (bar, length) = (Quantum(barOf: meter), quantum.beats.nanobeats)
    // Bars begin there some cycles after the bar line.
    if record.isRejoining || record.bars.isLost { return .zero }
    let isPart = bar.beats.nanobeats % length == 0 || length % bar.beats.nanobeats == 0
    guard isPart else { return .zero }
    return phaseError(record.bars.place(of: position), link, in: bar.beats.nanobeats < length ? bar : quantum)
  }

  private func phaseError(_ position: BeatTime, _ link: BeatTime, in quantum: Quantum) -> HostInterval {
    let distance = position.phase(in: quantum).distance(from: mapped(link).phase(in: quantum))
    return session.timeline.tempo.interval(of: distance)
  }

  /// The beats of a stall of 300 ms, or of a tempo change that arrives a quarter of a second late, at the
  /// fastest tempo, latencies apart.
  static let longestStep = Beats(nanobeats: 5_000_000_000)
  /// The step that may be Link's own measurement.
  static let shortestStep = Beats(nanobeats: 62_500_000)

  // MARK: At the beginning of a cycle

  func lookAtCycle() {
    let motion = engine.motion
    ledger.leader = leader
    if owner != record.previousOwner {
      record.previousOwner = owner
      record.ownerSince = now
      record.cyclesOfOwner = 0
      record.rendered = nil
      record.ownerHasTempo = false
    }
    if owner == .other { record.lastAnothers = now }
    if !engine.slowClients.isEmpty {
      record.longestSlowCycle = max(record.longestSlowCycle, periodDuration)
      record.lastSlow = now
    }
    if engine.slowClients.contains(where: { $0.needs == nil }) { record.lastNeverReady = now }
    if leader != record.leader { (record.leader, record.leaderSince) = (leader, now) }
    if motion == .rolling { record.cyclesOfOwner += 1 }
    if let otherOwner {
      let change = otherOwner.lastChange.number
      if (engine.frame.number < change) != (record.frame.number < change) { lookAtOwnersChange(otherOwner) }
    }
    let ownersBefore = record.ownersBeatsPerMinute
    record.ownersBeatsPerMinute = otherOwner?.beatsPerMinute(at: engine.frame, setup.rate) ?? 0
    askOwnersTempo(after: ownersBefore)
    // A side that leads anew finds the session as it is.
    if leader != .jack {
      record.ownerHasTempo = false
    } else if !isRendering || owner == .other {
      // Earlier wishes of users for the session have been forgotten, but for those still on their way. The
      // side that leads after a render shows when it is over.
      record.wantedTempos = bridge.requests.count { $0.command.isTempo }
    }
    lookAtSong()
    if session.others > 0 { record.lastCompany = now }
    if session.lastMeeting > record.lastArrival {
      joinedSession(at: session.lastMeeting)
      record.lastPeersTempo = now
      record.ownerHasTempo = false
      record.lastGridChange = now
    }
    lookAtUndoing()
    // It has been relocated before the peer could be seen.
    if let (_, time) = record.succession, motion != .rolling, now - time <= periodDuration * 3 {
      ledger.count(.successionKept, unasked: .rests)
      record.succession = nil
    }
    if let (tempo, time) = record.succession, isCalm(for: 0.5, since: time) {
      record.succession = nil
      // A discipline may steer it, before and after.
      let isKept =
        session.timeline.tempo.isSameOnTheWire(as: tempo)
        || record.hasSteered
          && (session.timeline.tempo.beatsPerMinute / tempo.beatsPerMinute - 1).magnitude < 1e-3
      if engine.motion == .rolling, !isKept {
        violate(.successionKept, "it was \(tempo), and is \(session.timeline.tempo)")
      }
    }
    if session.lastStep > record.lastGridChange { record.lastGridChange = session.lastStep }
    lookAtTempo()
    lookAtTimebase()
    // By a period the server itself goes back as the timebase changes hands: to what was just read, or near it.
    if isRendering, engine.isRelocating,
      (engine.pendingFrame - engine.frame).count.magnitude > UInt64(engine.period)
    {
      record.locates = true
    }
    if motion == .rolling {
      if isFrameCountAtItsEnd {
        record.disturbed(now)
        record.lastGridChange = now
      }
      lookAtRoll()
    }
    if !session.peersPlay.isPlaying, !session.play.isPlaying { record.peersStart = nil }
    lookAtStart()
    lookAtRollSettling()
    lookAtRealigned()
    lookAtFrames()
    lookAtOwnersRoll()
    lookAtOwner()
    lookAtOwnersDistance()
    lookAtRest()
    lookAtCrossedLocate()
    lookAtPresses()
    lookAtLossyPress()
    lookAtMeeting()
    lookAtNudge()
    lookAtImposed()
    lookAtQuiet()
    if motion != record.motion {
      record.lastMotion = now
      if motion == .rolling {
        let beginning = session.timeline.tempo.interval(of: quantum.beats) * 2 + .seconds(1)
        // A roll that is corrected begins anew, in another tempo, too.
        record.beginningEnds = max(record.beginningEnds, now + beginning)
      }
    }
    lookAtBarLine()
    record.count(motion)
    record.cyclesSinceMiss = now < record.lastMiss ? 0 : record.cyclesSinceMiss + 1
    record.motion = motion
    record.frame = engine.frame
    record.ownersFrame = ownersFrame
    record.shown = shown
    record.output = output
  }

  /// A meter that begins while JACK renders, or while there is no bridge, is not heard; nor is one that begins
  /// before what is read anew can be distinguished from a locate, or in the cycle in which a roll is started again.
  private func lookAtSong() {
    let isReadAnew = now - record.returned <= periodDuration * 4
    let isRestarted = record.motion == .rolling && engine.motion == .starting
    guard isRendering || isReadAnew || isRestarted, let otherOwner else { return }
    if otherOwner.beginsMeter(after: record.ownersFrame, upTo: ownersFrame, setup.rate) {
      record.isSongHeard = false
    }
  }

  /// JACK counts frames in 32 bits.
  private var isFrameCountAtItsEnd: Bool {
    let end = UInt32.max - 4 * 96_000
    let (now, before) = (engine.frame.number, record.frame.number)
    return now > end || (before > end && now < 4 * 96_000)
  }

  /// When no event has happened for long, no side does anything.
  private func lookAtQuiet() {
    _ = isDue(.noChatter, unless: chatter)
    let isQuiet = unsettled == nil
    if !record.sharing.sends || !record.sharing.receives {
      _ = isDue(.syncOff, unless: Excuse.press.when(now - lastHeardPress <= chatterSpan))
    }
    if isQuiet {
      lookAtAgreement()
      record.wantedTempos = 0
    }
  }

  private func lookAtTempo() {
    let tempo = session.timeline.tempo
    let before = record.tempo ?? tempo
    if tempo != record.tempo {
      noteTempos(tempo)
      notePlainTempo(tempo)
      lookAtTempo(tempo)
    }
    record.tempo = tempo
    noteWait(from: before, to: tempo)
  }

  /// Link's beat goes back where a slower tempo reaches us late, or where a peer has undone a faster one. The
  /// position waits until Link has caught up, and goes on at half of Link's speed meanwhile.
  ///
  /// A step that nothing of that kind explains is of another grid, as is one of more than half a quantum for
  /// a tempo that was undone, or that was lost on its way and sent again: the position does not wait for it.
  private func noteWait(from before: Tempo, to tempo: Tempo) {
    let beat = session.beat(at: output)
    defer { record.linkBeat = beat }
    let passed = output - record.output
    let step = beat - (record.linkBeat ?? beat) - before.beats(in: passed)
    let isLate = record.tempos.map { !isCalm(for: 1.5, since: $0.last) } ?? false
    let late = isLate ? lateBeats() : .zero
    let half = Beats(nanobeats: quantum.beats.nanobeats / 2)
    let isUndone = !isCalm(for: 1, since: session.lastUndoing)
    let undone = isUndone ? half : .zero
    let isHeard = session.lastTempo.heard == now
    let lost = isHeard ? min(lateBeats(by: session.lastTempo.late), half) : .zero
    guard step.magnitude <= max(late, undone, lost) + Simulation.shortestStep else {
      record.waitsFor = .zero
      return
    }
    let slewed = Beats(nanobeats: tempo.beats(in: passed).nanobeats / 2)
    record.waitsFor = max(.zero, max(.zero, record.waitsFor - slewed) - step)
  }

  private func noteTempos(_ tempo: Tempo) {
    let before = record.tempo ?? tempo
    let recent =
      record.tempos.flatMap { isCalm(for: 1.5, since: $0.last) ? nil : $0.range } ?? before...before
    record.tempos = (min(recent.lowerBound, tempo)...max(recent.upperBound, tempo), now)
  }

  /// With any other event, it is a tempo that was asked for: but for what steering puts on it.
  private func lookAtTempo(_ tempo: Tempo) {
    let isNobodys =
      !askedTempos.contains { (tempo.beatsPerMinute - $0).magnitude < $0 * 1e-2 }
      && !isOnTheWay(tempo.beatsPerMinute)
    if isDue(.tempoAsked, unless: Excuse.liar.when(hasBeenLiedTo)), isNobodys {
      violate(.tempoAsked, "it is \(tempo)")
    }
  }

  /// Whether it is what a cycle shows in which the owner's tempo changes from one to another.
  private func isOnTheWay(_ tempo: Double) -> Bool {
    guard let change = record.lastOwnersStep else { return false }
    // The bridge measures the tempo of an owner that does not declare it, and the owner may stop meanwhile.
    guard otherOwner?.honesty == .liesAboutTempo || !isCalm(for: 1, since: change.time) else { return false }
    // In long cycles a glide's tempos are far apart, and the tempo that is measured is of some cycles.
    let isGliding = otherOwner?.isGliding(at: engine.frame, setup.rate) ?? false
    return (isGliding ? record.ownersRange ?? change.tempos : change.tempos).contains(tempo)
  }

  /// A user or client has asked for a tempo, in beats per minute.
  func noteAsked(_ beatsPerMinute: Double) {
    if !askedTempos.contains(beatsPerMinute) { askedTempos.append(beatsPerMinute) }
  }

  private func askOwnersTempo(after before: Double) {
    guard let otherOwner else { return }
    if otherOwner.honesty == .garbage { hasBeenLiedTo = true }
    let tempo = record.ownersBeatsPerMinute
    if before > 0, tempo > 0, before != tempo {
      let isFirst = record.lastOwnersStep.map { isCalm(for: 4, since: $0.time) } ?? true
      let range = isFirst ? nil : record.ownersRange
      let (least, most) = (min(before, tempo), max(before, tempo))
      record.ownersRange = min(range?.lowerBound ?? least, least)...max(range?.upperBound ?? most, most)
      record.lastOwnersStep = (now, min(before, tempo)...max(before, tempo))
    }
    if otherOwner.honesty == .liesAboutTempo { noteAsked(otherOwner.lie) }
    let isGliding = otherOwner.isGliding(at: engine.frame, setup.rate)
    func note(_ asked: Double) {
      if isGliding, let last = askedTempos.last, (asked - last).magnitude < asked * 1e-3 { return }
      noteAsked(asked)
    }
    // Its tempo of the place that a locate goes to may hold for a cycle, and that of the place at which it waits.
    if otherOwner.honesty == .truthful, isOwnersReading, reading.isValid { note(declaredTempo) }
    note(tempo)
  }

  /// The tempo that clients read, in quarter notes per minute.
  var declaredTempo: Double { reading.beatsPerMinute * 4 / Double(reading.beatType) }

  /// The owner's tempo changes where the transport has come to.
  private func lookAtOwnersChange(_ other: SimulatedOwner) {
    // Before it is known, a tempo cannot change.
    let isKnown =
      jackShouldLead && other.honesty == .truthful && isCalm(for: 3, since: record.lastTakeover)
      && isCalm(for: 3, since: record.lastSelection) && isCalm(for: 3, since: rollBegan)
      // A peer's that crosses it may win.
      && isCalm(for: 3, since: record.lastGridChange)
    // After a relocation, no client can say.
    let isReached =
      engine.motion == .rolling && !isRendering && engine.frame == record.frame + engine.period
    let before = record.ownersBeatsPerMinute
    let tempo = other.beatsPerMinute(at: engine.frame, setup.rate)
    let isAnother = (tempo - before).magnitude > before / 100
    // A tempo that is undone before it could be measured has not been.
    let isTakenBack =
      isAnother
      && record.lastOwnersStep.map { step in
        now - step.time < .milliseconds(80) + periodDuration * 3
          && (tempo == step.tempos.lowerBound || tempo == step.tempos.upperBound)
      } ?? false
    let hasTempo = isTakenBack ? record.ownerHadTempo : isKnown && isAnother
    record.ownerHadTempo = record.ownerHasTempo
    record.ownerHasTempo = isReached && hasTempo
    record.lastOwnersTempo = now
    record.disturbed(now)
  }

  private func lookAtTimebase() {
    let since = now - record.ownerSince
    switch owner {
    case .nobody:
      // It is looked after once a second, and some cycles have to show that it is gone.
      let pause = HostInterval.seconds(setup.rules.refusesTimebase ? 1.1 : 1.5)
      let longest = pause + periodDuration * 8
      let isLeft = mode == .jack || record.tempoSync == .off
      guard isAsked(.timebaseOurs, unless: Guard.pinned.when(isLeft)) else { return }
      let excuse =
        Excuse.event.when(now - record.lastEvent <= longest) ?? Excuse.hang.when(now - hangEnds <= longest)
        // Nothing shows before it rolls.
        ?? Excuse.motion.when(now - rollBegan <= longest)
      if isDue(.timebaseOurs, unless: excuse), since > longest {
        violate(.timebaseOurs, "nobody has had it for \(since)")
      }
    case .me:
      ledger.count(.timebaseOurs, nil)
      guard engine.motion == .rolling else { return }
      let excuse =
        Excuse.motion.when(record.rollingCycles <= 3) ?? Excuse.owner.when(since <= periodDuration * 4)
        // The bridge may have it, and not have been let run since.
        ?? Excuse.miss.when(record.cyclesSinceMiss <= 4 && since < .seconds(1))
        // While a client hung it has given it up and wanted it again: both come at once.
        ?? Excuse.hang.when(now >= hangEnds && hasJustHung)
      if isDue(.valid, unless: excuse), shown == nil {
        violate(.valid, "nothing is shown at frame \(engine.frame)")
      }
    case .other: break
    }
  }

  private func lookAtRoll() {
    guard owner.isMe, let shown else { return }
    let position = position(shown)
    let isOn = record.rollingCycles > 0 && engine.frame == record.frame + engine.period
    if isOn, let before = record.shown.map({ self.position($0) }) {
      // A place that was located to in cycles that were missed has not been read before it rolls.
      let isUnread =
        record.rollingCycles < 3 && record.lastMiss > record.lastLocate.time - periodDuration
        && !isCalm(for: 1, since: record.lastLocate.time)
      // Where a roll begins alone, Link's beat becomes the playhead's, when the bridge is let run.
      let isUnseen = Excuse.miss.when(
        record.rollingCycles < 24 && record.lastMiss > rollBegan - periodDuration)
      // The reading while a start was held, before JACK began to render, was the count to it.
      let isCount = Excuse.freewheel.when(isRendering && record.rollingCycles < 2)
      if isDue(.monotone, unless: isUnseen ?? Excuse.miss.when(isUnread) ?? isCount), position < before {
        violate(.monotone, "\(before) is followed by \(position)")
      }
      let step = position - before - session.timeline.tempo.beats(in: periodDuration)
      // A roll may begin later than was planned: on a server that begins it a period further, with a slow
      // client.
      let mayBeLate =
        setup.rules.rollOffset > 0 || !engine.slowClients.isEmpty || record.wasGivenUp
        || !isCalm(for: 1.5, since: record.lastEvent)
      let disturbance =
        recent(.disturbance, 3, since: record.lastDisturbance) ?? recent(.miss, 3, since: record.lastMiss)
        ?? recent(.owner, 3, since: record.ownerSince)
      let excuse =
        Excuse.miss.when(isUnread)
        // The position at the beginning of a roll is asked for once more just before.
        ?? Excuse.hang.when(record.rollingCycles < 3 && hasJustHung)
        ?? Excuse.motion.when(mayBeLate && record.rollingCycles < 3)
        ?? recent(.grid, 1.5, since: record.lastGridChange) ?? disturbance
      // As far as its beat has jumped, unless that is so far that the nearest bar is another. A lost packet
      // that is sent again comes so late that it is taken for another session's grid.
      let way = session.lastWay + record.lastMoved
      let quarter = Beats(nanobeats: quantum.beats.nanobeats / 4)
      let isShort = session.timeline.tempo.interval(of: way) < .milliseconds(200)
      let isKnown =
        excuse == .grid && disturbance == nil && !losesMessages
        && isCalm(for: 1.5, since: max(record.lastTurn, record.lastShiftOfDownbeat))
      // A user who imposes JACK moves the beat for all, also back: clients go along forwards at once, to
      // where its phase is next.
      let isImposed = isKnown && now - record.lastImposed <= periodDuration * 4
      let isNear = isKnown && way < quarter && isShort
      let jump =
        isImposed
        ? quantum.beats - Simulation.shortestStep + lateBeats() : isNear ? way + lateBeats() : .zero
      let bound =
        isDue(.continuous, unless: isImposed || isNear ? nil : excuse)
        ? Simulation.shortestStep + jump
        : quantum.beats + Simulation.longestStep + session.timeline.tempo.beats(in: latency)
      let first = record.rollingCycles == 1 && setup.frameAlignment == .whole ? periodDuration : .zero
      if step > bound + session.timeline.tempo.beats(in: first), excuse != .hang, !isUnread, !isRendering {
        violate(.continuous, "\(before) is followed by \(position)")
      }
    }
    if !isOn {
      record.rendered = nil
      record.hasLocated = record.locates
    }
    guard isOn, record.rollingCycles > 1 else { return }
    if isRendering { return lookAtRendered(shown) }
    lookAtSlew(position)
    let excuse =
      recent(.grid, 1.5, since: record.lastGridChange)
      ?? recent(.disturbance, 0.5, since: record.lastDisturbance)
      ?? Excuse.miss.when(record.cyclesSinceMiss <= 4)
      ?? Excuse.owner.when(now - record.ownerSince <= periodDuration * 4)
      ?? Excuse.grid.when(now - record.lastHeld <= periodDuration * 2)
    guard isDue(.readInPhase, unless: excuse) else { return }
    let error = readError(position, session.beat(at: output)).magnitude
    let isQuiet = isCalm(for: 0.5, since: record.lastMiss) && record.cyclesSinceMiss > 16
    // A clock that is slewed by up to a thousandth at once is followed in some seconds, in long cycles.
    let isSlewed = !setup.rules.sharesClock && !isCalm(for: 15, since: record.lastDisturbance)
    // The server's own times, which are believed as long as wake-ups bear them out, still swing for some
    // seconds.
    let swing = HostInterval(nanoseconds: isCalm(for: 3, since: record.lastMiss) ? 0 : 100_000)
    let isExact = isQuiet && hasKeptClock
    // A miss may cost the server almost as many frames as show at once, and the one after it, too.
    let isDouble = !isQuiet && !isCalm(for: 0.5, since: record.missBefore)
    let bound =
      isSlewed || isDouble ? heardSoon + heardSoon : isExact ? heard + swing : heardSoon
    if error > bound + session.timeline.tempo.interval(of: record.turnsEarlyBy) {
      violate(.readInPhase, "it is off by \(error)")
    }
  }

  /// Whether the server's clock has gone on as it was. One that was slewed is not followed all the way:
  /// wake-ups of half a second are taken for those of a clock as fast as it was.
  var hasKeptClock: Bool { setup.rules.sharesClock || !record.hasSlewed }

  /// Frames and position go together, at the tempo that is published.
  private func lookAtRendered(_ shown: TimebaseEntry) {
    let excuse =
      Excuse.miss.when(record.cyclesSinceMiss <= 4) ?? Excuse.server.when(!setup.rules.asksWithNextFrame)
      ?? recent(.owner, 0.1, since: record.ownerSince)
    guard isDue(.renderedByFrames, unless: excuse) else { return }
    let position = position(shown)
    guard let tempo = Tempo(beatsPerMinute: shown.beatsPerMinute * 4 / Double(meter.beatType)) else {
      return
    }
    // Where a client has located frames and tempo alone tell where it is: frame 0 is bar 1.
    let nominal = BeatTime(sinceZero: tempo.beats(in: engine.frame.sinceZero, at: setup.rate))
    let (frame, before, beatsPerMinute) =
      record.rendered ?? (engine.frame, record.hasLocated ? nominal : position, shown.beatsPerMinute)
    record.rendered = (frame, before, beatsPerMinute)
    if shown.beatsPerMinute != beatsPerMinute { violate(.renderedByFrames, "its tempo has changed") }
    let way = engine.frame - frame
    let error = position - before - tempo.beats(in: way, at: setup.rate)
    if tempo.interval(of: error).magnitude.nanoseconds > 2_000 {
      violate(.renderedByFrames, "frame \(engine.frame) reads \(position), and \(frame) \(before)")
    }
  }

  /// How far what is read may be from what is heard: in the quiet, and from the fourth cycle after a missed
  /// deadline. The server's loop takes the mean of its wake-ups for the truth, and a fifth of the jitter is
  /// what they are late by.
  var heard: HostInterval {
    // Of the longest cycles there are few wake-ups in a second to go by.
    let isLong = engine.period > 2048
    return HostInterval(nanoseconds: (isLong ? 300_000 : 100_000) + setup.jitter.nanoseconds / 4)
  }
  var heardSoon: HostInterval { .milliseconds(1) }

  /// Soon after a press, whatever else happens, both sides do the same, and what was pressed.
  private func lookAtPresses() {
    // Another bridge repeats a play that it has not heard the stop of: for Link that is the later one. Where the
    // stop was lost on its way that may be seconds later, and the bridge takes it for the play of before: the
    // two sides differ until the next press.
    if session.repeatedPlay == now, record.expected == false {
      record.expected = nil
      if losesMessages { record.mayDiffer = true }
    }
    if session.lastCrossing == now { pressWasCrossed() }
    let guarded =
      Guard.unsynced.when(!sharesStartStop) ?? Guard.offline.when(!session.isEnabled)
      ?? Guard.differs.when(record.mayDiffer)
    guard isAsked(.lastPressWins, unless: guarded) else { return }
    let launch = session.timeline.tempo.interval(of: quantum.beats) + record.ahead
    let bound = HostInterval.seconds(2) + launch
    // A locate while it rolls may have to wait as long as a start, and so may a start for which the server begins anew.
    let asked = max(due, record.lastLocate.time, record.lastRestart)
    let excuse =
      Excuse.freewheel.when(isRendering)
      ?? Excuse.press.when(now - asked <= bound) ?? putOff(since: asked, for: bound)
      ?? Excuse.disturbance.when(now - record.lastDisturbance <= bound)
      // A start to come is of a beat, which in another tempo is another time.
      ?? Excuse.grid.when(session.play.isPlaying && now - record.lastPeersTempo <= bound)
      ?? Excuse.arrival.when(now - record.lastArrival <= bound) ?? Excuse.crossing.when(!session.isQuiet)
      // One of the seconds may pass on the way. Packets that are lost more often than that are heard later.
      ?? Excuse.crossing.when(now - session.lastHeard <= bound - .seconds(1))
    let isPlaying = engine.motion != .stopped
    if isDue(.lastPressWins, unless: excuse ?? Excuse.crossing.when(record.expected == nil)),
      isPlaying != record.expected
    {
      violate(.lastPressWins, "JACK \(isPlaying ? "plays" : "rests")")
    }
    if isDue(.sidesAgree, unless: excuse), session.play.isPlaying != isPlaying {
      violate(.sidesAgree, "JACK \(isPlaying ? "plays" : "rests"), and Link does not")
    }
    guard isAsked(.peersAgree, unless: Guard.alone.when(session.peers == 0)) else { return }
    // The bridge commits to peers that join half a second later what they cannot see; a start that is held
    // then, only when it rolls.
    let isHeld = Excuse.motion.when(engine.motion == .starting || engine.motion != record.motion)
    if isDue(
      .peersAgree,
      unless: excuse ?? isHeld ?? recent(.motion, 2, since: record.lastMotion)),
      session.peersPlay.isPlaying != isPlaying
    {
      violate(.peersAgree, "they have \(session.peersPlay), we \(session.play)")
    }
  }

  /// A server holds no start for longer than five seconds. One that would have to wait longer, as for slow clients, is
  /// put off once.
  private func putOff(since asked: HostTime<LinkClock>, for bound: HostInterval) -> Excuse? {
    guard let longest = setup.rules.longestHold else { return nil }
    return .server.when(record.lastPutOff - asked <= longest && now - record.lastPutOff <= bound + longest)
  }

  /// The bridge has repeated the session's state while a peer's press was on its way: that counts no more.
  private func pressWasCrossed() {
    if record.expected != session.play.isPlaying { record.expected = nil }
    guard record.untoldPress != nil else { return }
    ledger.count(.pressesTold, .crossing)
    record.untoldPress = nil
  }

  /// After any state before a start that was cancelled frame 0 is bar 1; unless it was played, as of a roll of one
  /// cycle, which begins as late as the cycle does that is the nearest. A locate to where the playhead rests changes
  /// nothing.
  private func lookAtFrame0() {
    guard engine.frame == 0, owner.isMe else { return }
    let excuse =
      Excuse.motion.when(record.hasPlayedFrame0) ?? Excuse.hang.when(hasJustHung)
      ?? recent(.owner, 2, since: record.ownerSince)
      // While JACK renders it is left alone, also by what puts a start back.
      ?? Excuse.freewheel.when(isRendering)
    if isDue(.takenBackWhole, unless: excuse), let shown, position(shown) != .zero {
      violate(.takenBackWhole, "\(position(shown)) is read at frame 0")
    }
  }

  /// Whether the bridge has been let run since it was asked. A server that asks once, whether or not the
  /// bridge runs, may have asked in vain, and does so again when it is next looked after.
  private var hasAnswered: Bool {
    record.cyclesSinceMiss > 4 && (setup.rules.asksLate || isCalm(for: 1.5, since: record.lastMiss))
  }

  /// The beats that are counted at one tempo until another arrives, and at that one meanwhile.
  private func lateBeats(by delay: HostInterval = .milliseconds(250)) -> Beats {
    guard let tempos = record.tempos?.range else { return .zero }
    let late = delay + latency + periodDuration
    return tempos.upperBound.beats(in: late) - tempos.lowerBound.beats(in: late)
  }

  /// Whether the playhead was where it is in the cycle before, and will be in the next.
  private var isAtRest: Bool { engine.frame == record.frame && engine.frame == engine.pendingFrame }

  /// Whether that is where frames and tempo put the playhead, but for whole quanta: from there a start goes on that
  /// has no peer to be in phase with.
  private func isFrames(_ position: BeatTime) -> Bool {
    let frames = nominal(engine.frame).shifted(nearestTo: position, byMultiplesOf: quantum)
    return session.peers == 0 && (position - frames).magnitude <= Beats(nanobeats: 1_000)
  }

  private func lookAtAgreement() {
    guard let expected = record.expected, (engine.motion != .stopped) != expected else { return }
    violate(.lastPressWins, "JACK \(expected ? "rests" : "plays")")
  }

  /// The beats of a period since `time` at the fastest one of the last tempos, and some rounding.
  private func periodOfBeats(since time: HostTime<LinkClock>) -> Beats {
    let tempo = record.tempos?.range.upperBound ?? session.timeline.tempo
    let before = record.periodBefore.flatMap { $0.time > time ? $0.duration : nil } ?? .zero
    return tempo.beats(in: max(periodDuration, before)) + Beats(nanobeats: 1_000_000)
  }

  /// A start that was cancelled before it rolled leaves nothing behind.
  private func lookAtRest() {
    let isNewStart = record.motion != .starting && engine.motion == .starting
    if isNewStart || engine.motion == .stopped {
      for frame in [engine.frame, engine.pendingFrame] where !record.restFrames.contains(frame) {
        record.restFrames = record.restFrames.suffix(7) + [frame]
      }
    }
    // From where the bridge takes it for a start it comes back.
    if engine.frame != 0, engine.motion == .rolling || engine.frame == record.lastLocate.frame {
      record.hasPlayedFrame0 = false
    }
    // Located to where it has just begun to roll.
    if record.motion == .rolling, engine.motion == .starting, engine.frame == 0, record.frame == 0 {
      record.hasPlayedFrame0 = true
    }
    switch (record.motion, engine.motion) {
    case (.rolling, .stopped): record.hasPlayedFrame0 = engine.frame == 0
    case (.starting, .stopped) where owner.isMe:
      record.lastTakenBack = cycles
      if record.rest == nil { ledger.count(.takenBackWhole, .press) } else { record.takenBack = cycles }
    case (_, .starting), (_, .rolling):
      record.restsSince = nil
      // Another owner of the timebase in between decides where it rests.
      if !owner.isMe { record.rest = nil }
      guard engine.motion == .rolling else { break }
      record.takenBack = nil
      record.rest = nil
    case (.stopped, .stopped):
      let span = periodDuration * 12
      if let since = record.restsSince, cycles - since > 12, hasAnswered, isAtRest {
        record.restsSince = nil
        lookAtFrame0()
      }
      if let began = record.takenBack {
        // Nor can it be put back by who is not let run.
        guard cycles - began > 12, record.cyclesSinceMiss > 12, hasAnswered, let rest = record.rest else {
          break
        }
        record.takenBack = nil
        // The reading goes back when the server can be asked for it.
        guard isDue(.takenBackWhole, unless: Excuse.hang.when(hasJustHung)) else { break }
        if engine.frame != rest.frame {
          violate(.takenBackWhole, "it rests at \(engine.frame), and was at \(rest.frame)")
        }
        if let before = rest.shown, let shown {
          let off = (position(shown) - before).magnitude
          // Servers that ask for the frame that has just been played are asked a period later.
          let most = setup.rules.asksWithNextFrame ? Beats.zero : rest.cycle
          if off > most, !isFrames(position(shown)) {
            violate(.takenBackWhole, "\(position(shown)) is read at frame \(engine.frame), and was \(before)")
          }
        }
      } else if now - record.lastLocate.time > span, cycles - record.lastTakenBack > 12, isAtRest {
        // Where JACK does not ask, as while a client hangs, or in cycles that were missed before it stopped, what is
        // read is of the place before.
        let isRead = owner.isMe && now > hangEnds && record.lastMotion - record.lastMiss > span
        let cycle = periodOfBeats(since: max(record.lastMotion, record.lastLocate.time))
        record.rest = (engine.frame, isRead ? shown.map { position($0) } : nil, cycle)
      }
    default: break
    }
    if record.takenBack != nil, owner != .me || !isCalm(for: 2, since: record.ownerSince) {
      ledger.count(.takenBackWhole, .owner)
      record.takenBack = nil
    }
  }
}
