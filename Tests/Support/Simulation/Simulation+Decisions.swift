import MusicalTime
import Reconciliation

// The laws of what is decided, and of what is published.

extension Simulation {
  func lookAt(_ decision: Decision, _ observation: Observation) {
    if let command = observation.command { lookAt(command, decision) }
    if isRendering, isDue(.renderedAlone, unless: nil) { lookAtRendering(decision, observation) }
    noteStop(decision, observation)
    if let request = decision.transport {
      let realigns = if case .framesRealigned = decision.correction { true } else { false }
      lookAt(request, observation, realigns: realigns)
    }
    if let play = decision.link.isPlaying { lookAt(play, observation) }
    // As the choice is made steering leaves the session's own tempo behind.
    if !record.tempoSync.sends, session.peers > 0,
      isDue(.nothingSent, unless: recent(.event, 1, since: record.lastSharing)), decision.link.tempo != nil
    {
      violate(.nothingSent, "the tempo is set")
    }
    if let edit = decision.link.tempo {
      lookAtPush(edit, observation)
      lookAtOwnersTempo(edit)
      let excuse =
        untilLeaderIsKnown ?? Excuse.owner.when(isLastWord(edit, observation))
        // The tempo that a discipline steered is the session's own again.
        ?? Excuse.wish.when(record.lastImposed == now)
      if record.hasSteered, edit.isSteering, mayLead(.link) {
        if isLastWord(edit, observation) {
          // The session's tempo is its own from then on: also a steered one that a peer repeats, or that a
          // session has which was not there to hear this. The bridge only knows its steps while Link leads on.
          if leader != .link || isGoneOwnersTempo(edit) {
            (record.steeredTempos, record.replacedTempo) = ([], nil)
          }
        } else {
          record.steeredTempos = record.steeredTempos.suffix(3) + [edit.tempo]
          record.replacedTempo = observation.link.tempo
        }
        lookAtSteeredTempo(edit)
      } else if isAsked(.tempoKept, unless: Guard.others.when(leader == .jack)),
        isDue(.tempoKept, unless: excuse)
      {
        record.wantedTempos -= 1
        if record.wantedTempos < 0 { violate(.tempoKept, "\(edit.tempo) is set while \(leader) leads") }
      }
      // The last word of a JACK that has led takes away what steering has put on the tempo, and no more.
      let step = edit.tempo.beatsPerMinute / observation.link.tempo.beatsPerMinute - 1
      if leader != .jack, !isLeaderKnown, step.magnitude > 0.02, record.wantedTempos == 0,
        isDue(.tempoKept, unless: lateWord ?? lateMeasurement(edit.tempo))
      {
        violate(.tempoKept, "\(edit.tempo) is set as JACK's lead ends")
      }
      if isDue(.commitsChange, unless: nil), edit.tempo.isSameOnTheWire(as: observation.link.tempo) {
        violate(.commitsChange, "the tempo is \(edit.tempo) already")
      }
      let age = observation.jack.nextOutput - edit.time
      if isDue(.editsInTime, unless: nil), age < .zero || age.nanoseconds > 2_200_000_000 {
        violate(.editsInTime, "a tempo of \(age) ago")
      }
    }
    if let edit = decision.link.beat {
      // A choice may wait for other commands.
      ledger.count(.gridKept, untilLeaderIsKnown)
      let isChosen = isPinned || observation.choices.mode == .jack
      if edit.isForced, !isChosen || !mayLead(.jack), record.lastImposed != now {
        violate(.gridKept, "a beat is forced")
      }
      // Peers that Link has not told of yet are not known to be there.
      let excuse = untilLeaderIsKnown ?? Excuse.arrival.when(session.shownPeers != session.peers)
      if record.lastImposed != now, isDue(.oneAuthority, unless: excuse) {
        if leader == .link, session.peers > 0 {
          violate(.oneAuthority, "Link leads, and is asked for a beat")
        }
        if leader == .neither { violate(.oneAuthority, "a beat is asked for while neither leads") }
      }
    }
    if leader == .jack, !decision.link.isEmpty, decision.link.tempo != nil || decision.link.beat != nil {
      lookAtSteering()
    }
    lookAtFollowing(observation)
    lookAtReports(decision)
  }

  /// Takes note of a stop that the bridge asks JACK for by itself, until it sees JACK rest. After a stop that
  /// has overtaken the bridge's own start, that may still show for a moment.
  private func noteStop(_ decision: Decision, _ observation: Observation) {
    let plays = engine.motion != .stopped
    if let (time, hasPlayed) = record.stopAsked {
      let isOver = !plays && (hasPlayed || now - time > .milliseconds(60) + periodDuration)
      record.stopAsked = isOver ? nil : (time, hasPlayed || plays)
    }
    guard case .stop = decision.transport else { return }
    // A user's stop of what plays waits for no answer.
    if case .stop = observation.command, plays, record.stopAsked == nil { return }
    record.stopAsked = (now, plays)
  }

  /// Why an owner's tempo may come as its lead ends: that has just changed, or was measured.
  private var lateWord: Excuse? {
    // A start needs the tempo of the owner that is still read.
    Excuse.motion.when(engine.motion == .starting)
      ?? recent(.owner, 4, since: max(record.lastTakeover, record.lastOwnersTempo ?? record.lastTakeover))
      ?? recent(.mode, 4, since: record.lastSelection)
  }

  /// Why the tempo that an owner plays may come as its lead ends: the bridge measures it as JACK rolls, from no more
  /// than a second of cycles, the first of which may stand still; and it is the session's once its peers have gone,
  /// as after a sleep of the machine.
  private func lateMeasurement(_ tempo: Tempo) -> Excuse? {
    guard let otherOwner else { return nil }
    let real = otherOwner.beatsPerMinute(at: ownersFrame, setup.rate)
    var since = max(record.lastCompany, record.lastDisturbance)
    if engine.motion == .rolling { since = max(since, rollBegan, record.lastOwnersStep?.time ?? rollBegan) }
    let isNew = now - since <= .seconds(1) + periodDuration * 8
    return Excuse.owner.when(isNew && (tempo.beatsPerMinute / real - 1).magnitude < 0.01)
  }

  /// While JACK renders nothing is decided but what the user wants of JACK.
  private func lookAtRendering(_ decision: Decision, _ observation: Observation) {
    if decision.holdsStart { violate(.renderedAlone, "a start is held") }
    if !decision.link.isEmpty { violate(.renderedAlone, "\(decision.link)") }
    switch (decision.transport, observation.command) {
    case (.none, _), (.start, .start), (.stop, .stop): break
    // It may have waited for a cycle in which nothing else was asked of JACK.
    case (.locate(let frame), _) where record.placesAsked.contains(frame): break
    case (.some(let request), _): violate(.renderedAlone, "\(request)")
    }
  }

  /// Whether it is what a side that has steered leaves the session with as it leads no more.
  private func isLastWord(_ edit: TempoEdit, _ observation: Observation) -> Bool {
    let tempo = observation.link.tempo.beatsPerMinute
    guard (edit.tempo.beatsPerMinute - tempo).magnitude < tempo * 1e-3 else { return false }
    // While JACK renders there are no notices.
    if now - max(record.ownerSince, record.leaderSince, record.returned) <= periodDuration * 4 { return true }
    return isGoneOwnersTempo(edit)
  }

  /// Whether it is the tempo of an owner that has gone: the bridge may know that by the silence, before it finds
  /// the timebase free.
  private func isGoneOwnersTempo(_ edit: TempoEdit) -> Bool {
    guard leader != .jack, !isLeaderKnown, let declared = record.declaredInLead else { return false }
    return Tempo(beatsPerMinute: declared)?.isSameOnTheWire(as: edit.tempo) ?? false
  }

  private func lookAt(
    _ request: TransportRequest, _ observation: Observation, realigns: Bool
  ) {
    switch request {
    case .start, .stop:
      var isPuttingOff = false
      if case .stop = request { isPuttingOff = setup.rules.longestHold != nil && engine.motion == .starting }
      if isPuttingOff {
        record.lastPutOff = now
        // JACK shows the two stops as one.
        if record.expected == false, record.lastPress.side == .jack, cycles - record.lastPress.cycle < 2 {
          record.expected = nil
        }
      }
      if let joined = record.joined, !isCalm(for: 5, since: joined) {
        // A start that would be held for longer than the server holds one is put off, and asked for when the
        // quantum is near: in the session's tempo that may be now.
        // And one that a peer has stamped for a time after the joining is obeyed.
        let isStamped = session.play.isPlaying && session.play.time > joined
        if isPuttingOff || isStamped || !isCalm(for: 25, since: record.lastPutOff) {
          excuseJoining(.server)
        } else {
          violate(.joinPressesNobody, "JACK is asked to \(request)")
        }
      }
      if chatter == nil { violate(.noChatter, "JACK is asked to \(request)") }
      if !record.sharing.receives, now - lastHeardPress > chatterSpan {
        violate(.syncOff, "JACK is asked to \(request)")
      }
    case .relocate(let frame):
      if isDue(.handsOff, unless: untilLeaderIsKnown), mode == .jack, leader == .jack {
        violate(.handsOff, "it is relocated to \(frame)")
      }
      if isDue(.oneAuthority, unless: untilLeaderIsKnown), leader == .neither {
        violate(.oneAuthority, "it is relocated while neither leads")
      }
      // By less than a period only another bridge locates: that is let be.
      let isBack =
        (record.restFrames + [record.lastLocate.frame]).contains {
          ($0 - frame).count.magnitude < engine.period
        }
      if engine.motion == .stopped {
        lookAtMoveAtRest(to: frame)
        if !isBack { violate(.movesOnce, "a resting transport is relocated to \(frame)") }
      }
      if realigns {
        lookAtRealigning(observation)
      } else if engine.motion == .rolling {
        record.interruptions += 1
        let most = mostInterruptions
        record.lastInterruption = now
        if isDue(.movesOnce, unless: nil), record.interruptions > most {
          violate(.movesOnce, "it is relocated for the \(record.interruptions)th time while it rolls")
        }
      }
      guard let start = record.start, start.guarded == nil, start.excuse == nil else { break }
      record.start?.isMoved = true
      let way = (frame.sinceZero - start.frame.sinceZero).count
      let quantum = session.timeline.tempo.frames(in: quantum.beats, at: setup.rate).count
      let furthest = start.isFar ? max(quantum.magnitude, UInt64(engine.period)) : UInt64(engine.period)
      if record.launch == .bar, way.magnitude > furthest {
        violate(.movesOnce, "a start at \(start.frame) is moved to \(frame)")
      }
    case .locate(let frame):
      if !record.placesAsked.contains(frame) { violate(.movesOnce, "nobody has asked for \(frame)") }
      // Others may have located since that was asked.
      record.lastLocate = (now, frame)
    }
  }

  /// How often a roll may have been corrected by now: once; and once more for each deadline that was missed
  /// as it began, and for each reason for which the last time could not know where it was to go.
  private var mostInterruptions: Int {
    let hasChangedHands = record.ownerSince > record.lastInterruption
    // Where a tempo map is relocated in, or a client takes the timebase unseen, another tempo holds than was
    // planned by.
    let hadAnotherTempo =
      jackShouldLead
      && record.lastOwnersStep.map { $0.time > record.lastInterruption - HostInterval.seconds(1) } ?? false
    // A client that needs time may not have shown it before.
    let reasons = [hasChangedHands, hadAnotherTempo, !engine.slowClients.isEmpty]
    return 1 + min(record.missesAtBeginning, 4) + reasons.count { $0 }
  }

  private func lookAt(_ play: PlayEdit, _ observation: Observation) {
    if !record.sharing.sends, now - record.lastSharing > periodDuration * 3 {
      violate(.syncOff, "Link is told \(play)")
    }
    // A peer that has come before JACK rendered may still have to learn that the session plays.
    let isToldLate = record.joined == record.returned && play.isPlaying == session.play.isPlaying
    if let joined = record.joined, session.peers > 0, !isCalm(for: 5, since: joined), !isToldLate {
      violate(.joinPressesNobody, "Link is told \(play)")
    }
    if chatter == nil { violate(.noChatter, "Link is told \(play)") }
    let ahead = play.time - observation.jack.nextOutput
    let longest = setup.longestHold + settling
    // The session's state is repeated by its own time: to other bridges it is no press.
    let isRepeated =
      play.isPlaying == observation.link.play.isPlaying
      && (play.time - observation.link.play.time).magnitude <= HostInterval(microseconds: 4)
    if isDue(.editsInTime, unless: nil), !isRepeated, ahead.nanoseconds < -1_000_000_000 || ahead > longest {
      violate(.editsInTime, "a press in \(ahead)")
    }
    let hasKeptTime = isCalm(for: 1, since: max(record.lastMiss, record.lastDisturbance))
    if let told = record.lastTold, hasKeptTime, now - told < HostInterval.milliseconds(45) - periodDuration {
      violate(.commitsChange, "a press is told \(now - told) after another one")
    }
    record.lastTold = now
    let had = observation.link.play
    if play.isPlaying == had.isPlaying, play.time.microseconds == had.time.microseconds {
      violate(.commitsChange, "Link is told \(play), which it has")
    }
    let isReminder = play.isPlaying == had.isPlaying
    // The commit is of a press, or where presses cross, the bridge's own may never have been seen.
    let excuse =
      Excuse.crossing.when(!session.isQuiet) ?? recent(.press, 2.5, since: record.lastPeerPress)
      ?? recent(.press, 2.5, since: record.lastLocalPress)
    guard isReminder, isDue(.commitsChange, unless: excuse) else { return }
    if !isRepeated, isDue(.joinPressesNobody, unless: nil) {
      violate(.joinPressesNobody, "Link is told \(play) of another time than \(had)")
    }
    record.reminders -= 1
    if record.reminders < 0 || !play.isPlaying {
      violate(.commitsChange, "Link is told \(play), which it has")
    }
  }

  /// Takes note of a commit; the beat has moved for all peers.
  func lookAtCommit(_ edit: LinkEdit, moved: Beats, peers: Int) {
    if edit.tempo != nil || edit.beat != nil {
      let isFirst = isCalm(for: 1.5, since: record.lastGridChange)
      record.lastMoved = isFirst ? moved.magnitude : record.lastMoved + moved.magnitude
      record.lastGridChange = now
      if moved.magnitude > .zero { record.lastShift = now }
    }
    // Alone the session's beat is made JACK's at a start: the two have one downbeat from then on. In another quantum
    // it is made JACK's as well, as far apart as the two are.
    if edit.beat != nil, peers == 0, leader == .link, record.rollingCycles < 8 { record.downbeat = .zero }
    if let tempo = edit.tempo {
      // A change that a discipline undoes, as JACK begins to lead, belongs to the session alone.
      let isDisciplines = tempo.isSteering && !isLeaderKnown
      record.tempoIsOurs = leader == .jack && !isDisciplines
    }
    guard peers > 0, leader != .jack, record.lastImposed != now, isDue(.gridKept, unless: untilLeaderIsKnown)
    else { return }
    if session.timeline.tempo.interval(of: moved).magnitude.nanoseconds > 1_000 {
      violate(.gridKept, "it moved by \(moved)")
    }
  }

  // MARK: JACK leads

  private func lookAtSteering() {
    // A tempo that glides costs one in a tenth of a second.
    if let otherOwner, otherOwner.isGliding(at: ownersFrame, setup.rate) { return }
    record.steering.commits += 1
    guard isDue(.steersRarely, unless: nil) else { return }
    // An owner that has lost frames is steered for, and left alone again.
    let (commits, since, misses) = record.steering
    let span = now - since
    let most = 12 + span.microseconds / 5e6 + Double(record.misses - misses) * 2
    if Double(commits) > most { violate(.steersRarely, "\(commits) commits in \(span)") }
  }

  private func lookAtFollowing(_ observation: Observation) {
    guard record.rollingCycles > 0, owner == .other, let other = otherOwner else { return }
    let guarded =
      Guard.yields.when(leader != .jack) ?? Guard.liar.when(other.honesty != .truthful)
      ?? Guard.company.when(!isOwnersPhase && !record.ownerHasTempo)
    guard isAsked(.followsTempo, unless: guarded) else { return }
    if !isOwnersPhase { ledger.count(.followsPhase, unasked: .company) }
    lookAtGlide(other)
    let excuse =
      recent(.event, 3, since: max(record.lastTempoEvent, record.lastOwnersStep?.time ?? record.ownerSince))
      ?? recent(.disturbance, 8, since: record.lastDisturbance)
      ?? recent(.miss, 5, since: record.lastMiss)
      ?? recent(.owner, 5, since: record.ownerSince) ?? Excuse.freewheel.when(isRendering)
      ?? recent(.motion, 5, since: rollBegan)
    guard isDue(.followsTempo, unless: excuse) else {
      if isOwnersPhase { ledger.count(.followsPhase, excuse) }
      return
    }
    let tempo = session.timeline.tempo
    let real = other.beatsPerMinute(at: ownersFrame, setup.rate) * (1 + setup.skew)
    if (tempo.beatsPerMinute - real).magnitude > max(0.05, real * 2e-3) {
      violate(.followsTempo, "Link has \(tempo), the owner \(real)")
    }
    guard isOwnersPhase, isDue(.followsPhase, unless: nil),
      let error = ownersPhaseError(other)?.magnitude
    else { return }
    let tick = other.tick(at: real)
    // Below two milliseconds Link is steered, in its own time, and not while JACK's clock is restless.
    if error > HostInterval.milliseconds(2.2) + tick { violate(.followsPhase, "it is off by \(error)") }
  }

  /// A glide in a world that has been calm before is followed all the way.
  private func lookAtGlide(_ other: SimulatedOwner) {
    guard let glide = record.glide, isOwnersPhase, other.isGliding(at: ownersFrame, setup.rate) else {
      return
    }
    let excuse =
      Excuse.event.when(record.lastEvent > glide + .seconds(0.5))
      ?? recent(.miss, 25, since: record.lastMiss) ?? recent(.owner, 12, since: record.ownerSince)
      ?? recent(.motion, 12, since: rollBegan) ?? Excuse.freewheel.when(isRendering)
    guard isDue(.ownersGlide, unless: excuse), let error = ownersPhaseError(other)?.magnitude else { return }
    let real = other.beatsPerMinute(at: ownersFrame, setup.rate)
    let tick = other.tick(at: real)
    // It is seen once in a cycle.
    let late = HostInterval(nanoseconds: periodDuration.nanoseconds / 4)
    if error > HostInterval.milliseconds(10) + tick + late {
      violate(.ownersGlide, "it is off by \(error)")
    }
  }

  /// Whether the session's phase is the owner's too, and not only its tempo.
  private var isOwnersPhase: Bool { session.peers == 0 || isPinned }

  var rollBegan: HostTime<LinkClock> { now - periodDuration * Int64(record.rollingCycles) }

  // MARK: Publication

  /// Bars are to begin where the quantum does.
  func rejoin() {
    guard record.bars.isApart || record.bars.isLost else { return }
    record.isRejoining = true
    record.bars.loosen()
  }

  /// The meter is the one that the user wants: while JACK rolls from the next bar on.
  private func lookAtMeter(_ entry: TimebaseEntry, _ observation: Observation) {
    let place = entry.position
    let isRolling = engine.motion == .rolling && !engine.isRelocating
    defer { record.lastBar = engine.motion == .stopped ? nil : place.bar }
    if !isRolling, place.meter == meter {
      record.bars.take(
        place, after: record.published?.position, near: nominal(engine.pendingFrame), quantum)
    }
    ledger.count(.meterPublished, nil)
    if place.meter != meter {
      guard place.meter == record.wantedMeter else {
        return violate(.meterPublished, "\(place.meter), not \(record.wantedMeter)")
      }
      // A roll that the bridge takes over has no bar before, whose meter would go on to its end.
      let isTakenOver = record.lastPublished < record.ownerSince
      guard isRolling, !isTakenOver, let last = record.lastBar else {
        return record.bars.restart(place.meter)
      }
      let isFirst = isFirst(place, observation)
      if isDue(.meterAtBar, unless: nil), !isFirst {
        violate(.meterAtBar, "\(place.meter) begins at \(place), after bar \(last)")
      }
      record.bars.begin(
        with: place, after: last, before: furthest(observation),
        with: mapped(session.beat(at: observation.jack.nextOutput)), quantum)
    } else if let last = record.lastBar, isRolling, place.bar > last, meter != record.wantedMeter,
      now - record.lastRegrid > periodDuration * 4
    {
      violate(.meterAtBar, "\(place) is in \(meter)")
    }
    // A position waits for a tenth of a second, or goes on at half of Link's speed for two.
    if now - max(record.lastTurn, record.lastShiftOfDownbeat) > periodDuration * 4 + .milliseconds(200) {
      record.isRejoining = false
    }
    if record.isRejoining, isRolling, let before = record.published?.position, before.meter == place.meter {
      let step = record.bars.position(place) - record.bars.position(before)
      // Bars stay where they are until Link has caught up.
      if !waits(step, for: beatsOfCycle), (step - beatsOfCycle).magnitude > Simulation.shortestStep {
        record.bars.rejoin(
          place, after: before, with: mapped(session.beat(at: observation.jack.nextOutput)), quantum)
        record.isRejoining = false
      }
    }
  }

  /// How far Link's beat goes in a cycle.
  private var beatsOfCycle: Beats {
    session.timeline.tempo.beats(in: FrameCount(Int64(engine.period)), at: setup.rate)
  }

  /// Whether a position waits for Link to catch up, or goes on at half of Link's speed meanwhile: it has gone on by so
  /// little while Link's beat has passed.
  private func waits(_ step: Beats, for passed: Beats) -> Bool {
    step >= .zero && step.doubleValue < 0.75 * passed.doubleValue
  }

  /// Whether a place is the first one in its bar: after one of a bar before, by no more than the way that Link's beat
  /// is gone since then. A user who moves the downbeat, or chooses another quantum, has bars begin elsewhere.
  private func isFirst(_ place: BarBeatTick, _ observation: Observation) -> Bool {
    guard let last = record.lastBar, let before = record.published else { return place.beat == 1 }
    guard !record.isRejoining, now - max(record.lastTurn, record.lastShiftOfDownbeat) > periodDuration * 4
    else {
      return place.bar > last
    }
    let from = position(before) - Simulation.shortestStep
    let link = mapped(session.beat(at: observation.jack.nextOutput))
    // A cycle may be as long as a quantum.
    let way = max(link.shifted(atOrAfter: from, byMultiplesOf: quantum) - from, beatsOfCycle)
    return place.bar > last && record.bars.inBar(place) < way + Simulation.shortestStep
  }

  /// A place beyond which no jump forward leads: in the time since the last one, and by less than a quantum.
  private func furthest(_ observation: Observation) -> BeatTime {
    let before = record.published.map { position($0) } ?? .zero
    let passed = max(now - record.lastPublished, observation.jack.nextOutput - record.lastOutput)
    return before + session.timeline.tempo.beats(in: passed) + quantum.beats + Simulation.shortestStep
  }

  /// A quantum that the user has chosen holds after a bar line, if it is chosen by the time that this is played.
  func lookAtBarLine() {
    // At rest it holds at once.
    if engine.motion == .stopped { return takeQuantum() }
    guard engine.motion == .rolling, record.motion == .rolling, let place = shown?.position,
      let last = record.shown?.position, readBar(place) > readBar(last)
    else { return }
    takeQuantum()
  }

  /// The bar that clients read: where they read whole ticks, one begins up to half a tick early.
  private func readBar(_ place: BarBeatTick) -> Int32 {
    let isEarly =
      setup.rules.wholeTicks != nil
      && record.bars.inBar(place) + halfTick(in: place.meter) >= place.meter.barLength
    return isEarly ? place.bar + 1 : place.bar
  }

  private func halfTick(in meter: Meter) -> Beats {
    let ticks = (setup.rules.wholeTicks ?? .standard).count
    return Beats(nanobeats: meter.beatLength.nanobeats / (2 * Int64(ticks)))
  }

  private func takeQuantum() {
    guard record.wantedQuantum != quantum else { return }
    (record.quantumBefore, record.quantum) = (quantum, record.wantedQuantum)
    (record.lastTurn, record.lastGridChange) = (now, now)
    rejoin()
  }

  func lookAt(_ entry: TimebaseEntry, _ observation: Observation) {
    let tempo = session.timeline.tempo
    let meterBefore = meter
    lookAtMeter(entry, observation)
    // Where clients read whole ticks, a bar begins up to half a tick early, and there a new meter counts from.
    record.turnsEarlyBy =
      meter == meterBefore ? .zero : halfTick(in: meterBefore) + Beats(nanobeats: 1)
    let expected = meter.beatsPerMinute(at: tempo)
    // While JACK renders it stays as it was. A discipline's share of the session's tempo, a thousandth and what is
    // rounded to whole microseconds, is not in the tempo by which frames are counted.
    let most = record.discipline == .tempo ? 1.1e-3 : 1e-6
    let isSession = (entry.beatsPerMinute - expected).magnitude <= most * expected
    if !isRendering, isDue(.tempoPublished, unless: nil), !isSession {
      violate(.tempoPublished, "\(entry.beatsPerMinute), not \(expected)")
    }
    // A deadline that is missed makes the cycle longer; where the server notices it late, the time is in the next one.
    let output = observation.jack.nextOutput
    let passed = max(periodDuration, now - record.lastPublished, output - record.lastOutput)
    let rendered = record.renderedTo.map { max(0, (engine.frame - $0).count) } ?? 0
    defer {
      (record.published, record.lastPublished, record.lastOutput) = (entry, now, output)
      record.renderedTo = isRendering ? engine.pendingFrame : nil
    }
    guard !isRendering, engine.motion == .rolling, !engine.isRelocating,
      engine.pendingFrame == engine.frame + engine.period
    else { return }
    let position = position(entry)
    let link = session.beat(at: output)
    let error = readError(position, link)
    // Before bar 1, by less than a frame, there is nothing to read.
    let isBeforeBar1 =
      position == .zero && error > .zero && error <= HostInterval(FrameCount(1), at: setup.rate)
    // Clients read thousandths of a tick.
    let half = Beats(nanobeats: meter.beatLength.nanobeats / (1_920 * 2_000) + 1)
    let rounding =
      max(HostInterval(nanoseconds: 1_000), tempo.interval(of: half))
      + tempo.interval(of: record.turnsEarlyBy)
    guard error.magnitude > rounding, !isBeforeBar1 else {
      ledger.count(.publishedInPhase, nil)
      return
    }
    let before = record.published.map {
      self.position($0) + tempo.beats(in: FrameCount(rendered), at: setup.rate)
    }
    let step = before.map { position - $0 } ?? tempo.beats(in: passed)
    if waits(step, for: tempo.beats(in: passed)) {
      // It waits for Link to catch up.
      record.lastHeld = now
      // Link's beat was ahead, as the tempo was a faster one: by more than half a quantum, where that
      // is short.
      let ahead = error >= .zero ? error : error + tempo.interval(of: quantum.beats)
      if ahead <= tempo.interval(of: record.waitsFor) {
        ledger.count(.publishedInPhase, nil)
        return
      }
      // So may a roll that has just begun, for a moment.
      let isMoment = error <= tempo.interval(of: Simulation.shortestStep)
      let excuse =
        Excuse.motion.when(isMoment && !isCalm(for: 0.25, since: rollBegan))
        // While a client hangs JACK does not ask again for the position of a start that was put off.
        ?? Excuse.hang.when(rollBegan <= hangEnds && !isCalm(for: 12, since: rollBegan))
        ?? recent(.grid, 2, since: record.lastGridChange)
        ?? recent(.disturbance, 3, since: record.lastDisturbance) ?? recent(.miss, 3, since: record.lastMiss)
      if isDue(.publishedInPhase, unless: excuse) {
        violate(.publishedInPhase, "it waits at \(position), Link is at \(link)")
      }
      return
    }
    // A bridge that takes the timebase back from an owner that leads goes on with that owner's last reading,
    // for a cycle; and a bridge that maps Link's beat alone may not know yet of peers that have come.
    let excuse =
      Excuse.owner.when(now - record.leaderSince <= periodDuration * 4)
      ?? Excuse.arrival.when(session.shownPeers != session.peers)
    guard isDue(.publishedInPhase, unless: excuse) else { return }
    violate(.publishedInPhase, "\(position) is \(error) ahead of Link's \(link)")
  }

  func lookAt(_ action: TimebaseAction) {
    switch action {
    case .none, .ask: break
    case .retake, .seize:
      ledger.count(.timebaseTheirs, nil)
      if takeover != .retake || mode == .jack {
        violate(.timebaseTheirs, "it is taken back")
      }
    case .release:
      ledger.count(.releasedAtRest, nil)
      if engine.motion != .stopped { violate(.releasedAtRest, "the transport is \(engine.motion)") }
    }
  }
}

extension HostInterval: CustomStringConvertible {
  /// The interval in microseconds.
  public var description: String { "\(microseconds) us" }
}

extension Command {
  var isTempo: Bool {
    switch self {
    case .proposeTempo, .nudgeTempo, .foundSession: true
    case .start, .stop, .locate, .imposeJACK, .shiftDownbeat, .realignFrames, .clientLeft: false
    }
  }
}
