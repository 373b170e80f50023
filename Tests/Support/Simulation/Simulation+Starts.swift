import MusicalTime
import Reconciliation

// The laws of starts: when they roll, and where.

extension Simulation {
  func lookAtStart() {
    switch (record.motion, engine.motion) {
    case (.stopped, .starting), (.rolling, .starting):
      var start = Record.Start(
        began: now, frame: engine.pendingFrame, home: engine.pendingFrame, held: now,
        longestCycle: longestPlanned, guarded: startGuard,
        excuse: startExcuse,
        isFromRest: record.motion == .stopped || (record.ownersRoll != nil && setup.relocation == .wait))
      start.rolled = record.motion == .rolling ? record.frame : nil
      start.isFar = isFar(start.frame)
      start.isLoop = record.loop.map { cycles - $0 <= 3 } ?? false
      record.start = start
    case (let before, .stopped):
      // A roll there that was only asked to start again stays at the beat that was read.
      if before == .starting, let start = record.start, owner.isMe {
        if start.rolled == engine.frame {
          ledger.count(.takenBackWhole, unasked: .rolls)
        } else {
          record.restsSince = cycles
        }
      }
      record.start = nil
      // A stop may come with a relocation by the bridge.
      if before == .starting || (before == .rolling && now - record.lastInterruption < periodDuration * 5) {
        (record.lastUnrolled, record.lastUnrolledTime) = (cycles, now)
      }
    case (.starting, .starting):
      let cycle = periodDuration
      record.start?.cycles += 1
      let locate = record.lastLocate
      if let start = record.start, locate.time > start.began { record.start?.home = locate.frame }
      if engine.isSyncCallback { record.start?.held = now }
      if let longest = record.start?.longestCycle { record.start?.longestCycle = max(longest, cycle) }
      if record.start?.isMoved == false { record.start?.frame = engine.pendingFrame }
      lookAtHeld()
    case (_, .rolling):
      if let start = record.start {
        let isForEver = engine.slowClients.contains { $0.needs == nil }
        ledger.count(.startEnds, Excuse.slowClient.when(isForEver))
        // In freewheel the cycles for which the server lets it be held are soon over.
        record.wasGivenUp =
          engine.hasGivenUp || periodDuration * Int64(start.cycles + 4) > setup.longestHold
        lookAtWait(start)
        lookAtLossyStamp()
        lookAtChoice(start)
        lookAtLaunch(start)
        if start.isFromRest {
          lookAtOwnersStart(start)
        } else if record.ownersRoll != nil {
          // It rolls on at once, as the user has chosen, and keeps what missed deadlines have it off by.
          ledger.count(.ownersStart, unasked: .rolls)
          record.ownersRoll = nil
        }
        if start.isLoop { lookAtSeam(start) }
        beginRoll(start)
        // A peer's start that is on its way is for the next one.
        if !session.hasUnheardPress { record.peersStart = nil }
      }
      record.start = nil
    }
  }

  /// Whether a start from `frame` cannot be held until it is due, or can hardly be.
  private func isFar(_ frame: TransportFrame) -> Bool {
    guard setup.rules.longestHold != nil else { return false }
    let link = mapped(session.beat(at: output))
    let due = nominal(frame).shifted(atOrAfter: link, byMultiplesOf: quantum)
    let wait = session.timeline.tempo.interval(of: due - link)
    // A start that is too near to be put in place is due a quantum later.
    let later =
      wait < periodDuration * 5 ? session.timeline.tempo.interval(of: quantum.beats) : .zero
    return wait + later > setup.longestHold - HostInterval.seconds(1)
  }

  /// Why a start that begins now is not one with other peers that waits for its bar, or the bridge may not
  /// bring it into phase.
  private var startGuard: Guard? {
    Guard.launch.when(record.launch != .bar) ?? companyGuard ?? Guard.rolls.when(record.motion != .stopped)
      ?? Guard.slow.when(!engine.slowClients.isEmpty)
  }

  /// The longest of the cycles by which a start may be planned that shows now: a relocation shows some cycles later.
  var longestPlanned: HostInterval {
    guard let (duration, time) = record.periodBefore, now - time <= duration * 4 else {
      return periodDuration
    }
    return max(periodDuration, duration)
  }

  /// Why the bridge is alone, or may not keep Link's phase.
  var companyGuard: Guard? {
    Guard.alone.when(session.peers == 0) ?? Guard.others.when(!owner.isMe)
      ?? Guard.offline.when(!session.isEnabled)
  }

  /// Why JACK may not do its part of something exact: after a disturbance, for so many seconds.
  func excuseOfJACK(disturbedFor seconds: Double) -> Excuse? {
    Excuse.slowClient.when(!engine.slowClients.isEmpty)
      ?? Excuse.freewheel.when(isRendering) ?? untilLeaderIsKnown
      ?? recent(.owner, 3, since: record.ownerSince)
      ?? recent(.disturbance, seconds, since: record.lastDisturbance)
  }

  /// Why it may not be held to the very instant.
  private var startExcuse: Excuse? {
    excuseOfJACK(disturbedFor: 3) ?? recent(.miss, 1, since: record.lastMiss)
      ?? recent(.grid, 2, since: record.lastGridChange)
      // The position that a start that was just cancelled has moved is being restored.
      ?? Excuse.event.when(record.interruptions > 0 || cycles - record.lastTakenBack <= 12)
  }

  private func lookAtHeld() {
    guard let start = record.start else { return }
    guard unsettled == nil, !engine.slowClients.contains(where: { $0.needs == nil }) else { return }
    let slow = engine.slowClients.compactMap(\.needs).max() ?? 0
    if now - start.began > settling + periodDuration * Int64(slow * 4) {
      violate(.startEnds, "it has been held for \(now - start.began)")
    }
  }

  /// A start on the timebase of an owner that leads, with other peers and in the session's tempo, is to be in
  /// phase.
  private func lookAtOwnersStart(_ start: Record.Start) {
    lookAtPlacesTempo(start)
    let guarded = ownersGuard ?? Guard.tempo.when(!isInOwnersTempo(otherOwner, from: start.home))
    let excuse =
      Excuse.slowClient.when(!engine.slowClients.isEmpty)
      // The positions and requests of the owner before are taken for the other's.
      ?? Excuse.owner.when(record.isSuccession) ?? recent(.owner, 3, since: record.ownerSince)
      ?? recent(.disturbance, 3, since: record.lastDisturbance)
    guard isAsked(.ownersStart, unless: guarded), excuse == nil else {
      if guarded == nil { ledger.count(.ownersStart, excuse) }
      record.ownersRoll = nil
      return
    }
    record.ownersRoll = record.ownersRoll ?? Record.OwnersRoll(began: now, home: start.home)
  }

  /// A start rolls some frames before the place that it is for, where the song may have another tempo.
  private func lookAtPlacesTempo(_ start: Record.Start) {
    guard let other = otherOwner, isAsked(.placesTempoHeld, unless: ownersGuard) else { return }
    let excuse =
      Excuse.event.when(max(record.lastPeersTempo, record.lastSelection) > start.began)
      // JACK asks no owner again for the place at which it waits.
      ?? Excuse.event.when(
        other.lastChange == start.home && record.lastOwnersEdit.map { $0 > record.lastLocate.time } ?? false)
      // A tempo that glides is another at each frame.
      ?? Excuse.event.when(other.isGliding(at: start.home, setup.rate))
      ?? Excuse.owner.when(record.isSuccession)
      ?? recent(.owner, 3, since: record.ownerSince)
    guard isDue(.placesTempoHeld, unless: excuse) else { return }
    if isInOwnersTempo(other, from: ownersFrame), !isInOwnersTempo(other, from: start.home) {
      violate(.placesTempoHeld, "it rolls at \(session.timeline.tempo), before frame \(start.home)")
    }
  }

  /// Why it is not an owner that can be believed which leads, with other peers, with starts that the bridge
  /// is to bring into phase.
  var ownersGuard: Guard? {
    leadersGuard ?? Guard.liar.when(otherOwner?.honesty != .truthful)
      ?? Guard.alone.when(session.peers == 0) ?? Guard.offline.when(!session.isEnabled)
      ?? Guard.launch.when(record.launch != .bar) ?? Guard.unaligned.when(!setup.alignsFrames)
  }

  /// Whether the session has the owner's tempo of this cycle, or of `home` where a start for that is some periods
  /// before it.
  func isInOwnersTempo(_ other: SimulatedOwner?, from home: TransportFrame? = nil) -> Bool {
    guard let other else { return false }
    let tempo = session.timeline.tempo.beatsPerMinute
    let home = home ?? ownersFrame
    let way = (home.sinceZero - ownersFrame.sinceZero).count
    let isBefore = way > 0 && way < 4 * Int64(engine.period)
    let place = isBefore ? home : ownersFrame
    return (other.beatsPerMinute(at: place, setup.rate) - tempo).magnitude < tempo * 2e-4
  }

  /// Two quanta after the last deadline that was missed at its beginning, a roll with an owner is in phase.
  func lookAtOwnersRoll() {
    guard let roll = record.ownersRoll else { return }
    let began = roll.began
    guard engine.motion == .rolling, let other = otherOwner, owner == .other,
      record.lastDisturbance < began, isInOwnersTempo(other, from: roll.home), ownersGuard == nil
    else {
      if engine.motion != .starting || owner != .other || record.lastDisturbance >= began {
        ledger.count(.ownersStart, unasked: .short)
        record.ownersRoll = nil
      }
      return
    }
    guard let error = ownersPhaseError(other)?.magnitude,
      let lead = BeatTime(other.beat(at: ownersFrame, setup.rate)).map({ $0 - session.beat(at: output) })
    else { return }
    let isInPhase = error <= HostInterval.milliseconds(3) + other.tick(at: other.beatsPerMinute)
    if roll.lead == nil, record.rollingCycles > 0 { record.ownersRoll?.lead = (lead, isInPhase) }
    let beginning = session.timeline.tempo.interval(of: quantum.beats) * 2
    // The beats that a locate has brought into the roll, or that were missed after it was corrected as often
    // as a start is.
    let excuse =
      Excuse.miss.when(record.interruptions >= 4)
      ?? Excuse.event.when(
        record.lastLocate.time > began - max(periodDuration * 4, HostInterval.milliseconds(200)))
      // The bridge corrects the beginning of a roll, and not what happens to it later.
      ?? Excuse.miss.when(record.lastMiss - began >= beginning - periodDuration * 4)
      // Nor is a roll with other peers moved when a session that was met only now moves the grid.
      ?? Excuse.grid.when(session.lastJump > began)
    if let excuse {
      ledger.count(.ownersStart, excuse)
      record.ownersRoll = nil
      return
    }
    // An owner's position is known some cycles later, and it takes some more to correct it.
    let time = max(beginning, HostInterval.milliseconds(500), periodDuration * 32)
    guard now - max(began, record.lastMiss) > time else { return }
    // A roll that has begun anew shows an owner's position of before for a cycle.
    guard record.rollingCycles > 0 else { return }
    record.ownersRoll = nil
    ledger.count(.ownersStart, nil)
    if !isInPhase { violate(.ownersStart, "it is off by \(error)") }
    let half = (other.shortestBeat ?? .one).nanobeats / 2
    // Where the song has not been heard it is not seen that a roll is whole beats off, by as much as its owner is
    // ahead of itself while it waits.
    let ahead = session.timeline.tempo.beats(in: FrameCount(Int64(other.lead.frames)), at: setup.rate)
    let mayBeOff = !record.isSongHeard && ahead.nanobeats >= half
    guard let first = roll.lead,
      isAsked(.ownersBeatsKept, unless: Guard.off.when(!first.isInPhase || mayBeOff)),
      isDue(
        .ownersBeatsKept,
        // PipeWire has a start that is asked for again wait for its quantum.
        unless: Excuse.event.when(record.lastRestart > began)
          ?? Excuse.miss.when(record.lastMiss > began - periodDuration * 4))
    else { return }
    let moved = (lead - first.beats).magnitude
    if moved.nanobeats >= half {
      violate(.ownersBeatsKept, "it was moved by \(moved) beats")
    }
  }

  private func lookAtLaunch(_ start: Record.Start) {
    if let stamp = record.stamp {
      // A start that misses its instant comes a quantum later.
      let excuse =
        Excuse.grid.when(session.lastStep >= record.lastPress.time)
        ?? Excuse.miss.when(stamp - record.lastMiss < HostInterval.seconds(1))
      let late = (output - stamp).magnitude
      if isDue(.rollsOnTime, unless: excuse), late > periodDuration * 2 {
        violate(.rollsOnTime, "it is off by \(late)")
      }
    }
    record.stamp = nil
    let guarded =
      start.guarded ?? Guard.alone.when(session.peers == 0)
      ?? Guard.short.when(record.lastEvent > start.began)
    guard isAsked(.launchInPhase, unless: guarded) else { return }
    let excuse =
      start.excuse ?? recent(.grid, 1, since: record.lastGridChange)
      // A user who says, while it is held, that JACK leads releases it where it is.
      ?? Excuse.mode.when(mode == .jack)
    let isWhole = isWhole(start)
    guard isDue(.launchInPhase, unless: excuse) else {
      if setup.alignsFrames { ledger.count(isWhole ? .firstBeatPlayed : .framesInPhase, excuse) }
      return
    }
    let link = session.beat(at: output)
    let off = phaseError(nominal(start.frame), link).magnitude
    let period = HostInterval(nanoseconds: periodDuration.nanoseconds + 100_000)
    if setup.alignsFrames {
      if off > period, !start.isFar { violate(.launchInPhase, "it is off by \(off)") }
      // A start that is far may be held all the same, and is then like any other.
      if isWhole, !start.isFar || engine.frame == start.frame { return lookAtFirstBeat(start, off: off) }
      let error = phaseError(nominal(engine.frame), link).magnitude
      if isDue(.framesInPhase, unless: nil), error > heard + HostInterval(FrameCount(1), at: setup.rate) {
        violate(.framesInPhase, "frame \(engine.frame) is off by \(error)")
      }
    }
    if let shown, readError(position(shown), link).magnitude > (hasKeptClock ? heard : heardSoon) {
      violate(.readInPhase, "in the first rolling cycle: \(readError(position(shown), link))")
    }
  }

  /// Whether there is no room before the place where a start begins, and it is to begin there all the same.
  private func isWhole(_ start: Record.Start) -> Bool {
    guard setup.frameAlignment == .whole else { return false }
    return start.frame == 0 || (start.frame.number < engine.period && engine.frame == start.frame)
  }

  /// A start at frame 0 begins there, in the cycle nearest to the beat, and it is that beat which is read.
  private func lookAtFirstBeat(_ start: Record.Start, off: HostInterval) {
    ledger.count(.firstBeatPlayed, nil)
    if engine.frame != start.frame { violate(.firstBeatPlayed, "it begins at frame \(engine.frame)") }
    let half = HostInterval(nanoseconds: periodDuration.nanoseconds / 2)
    if off > half + heard { violate(.firstBeatPlayed, "it is off by \(off)") }
    // To a tick. After frame 0 a cycle that begins on the beat itself, but for what frames are rounded to, needs no
    // room: it is Link's beat that is read there.
    let isExact = start.frame != 0 && off <= heard
    let frame = HostInterval(FrameCount(1), at: setup.rate)
    let most = HostInterval(nanoseconds: 1_000) + (isExact ? frame : .zero)
    guard let shown else { return }
    // Where a roll goes on out of phase after a locate, the bar goes on from the one that was read.
    let isBeginning = start.frame == 0 && setup.relocation != .roll
    let isElsewhere = isBeginning && (shown.position.bar, shown.position.beat) != (1, 1)
    if isElsewhere || phaseError(position(shown), nominal(start.frame)).magnitude > most {
      violate(.firstBeatPlayed, "\(shown.position) is read")
    }
  }

  /// Whether what goes back by `beats` is a loop that stays in phase.
  func isLoopInPhase(_ beats: Beats) -> Bool {
    let guarded =
      Guard.launch.when(record.launch != .bar) ?? companyGuard ?? Guard.unaligned.when(!setup.alignsFrames)
      ?? Guard.rests.when(record.motion != .rolling)
      ?? Guard.place.when(beats.shortest(around: quantum) != .zero)
    guard isAsked(.loopsRollOn, unless: guarded) else { return false }
    // Asked between two cycles: the frame is still that of the last one.
    let error = phaseError(nominal(engine.frame), session.beat(at: record.output)).magnitude
    guard isAsked(.loopsRollOn, unless: Guard.place.when(error.nanoseconds >= 1_000_000)) else {
      return false
    }
    if let excuse = rollExcuse {
      ledger.count(.loopsRollOn, excuse)
      return false
    }
    return true
  }

  /// Why it may not be kept so to the very instant.
  private var rollExcuse: Excuse? {
    excuseOfJACK(disturbedFor: 8) ?? recent(.grid, 2, since: record.lastGridChange)
      ?? recent(.motion, 3, since: rollBegan)
      ?? recent(.press, 1, since: record.lastLocate.time)
  }

  private func lookAtSeam(_ start: Record.Start) {
    let excuse =
      recent(.grid, 1, since: record.lastGridChange)
      // A start that is missed just as it is asked for, or as it rolls, is corrected afterwards.
      ?? Excuse.miss.when(record.lastMiss > start.began - periodDuration * 2)
      // A client that has been slow is left the time that was needed.
      ?? Excuse.slowClient.when(record.hasBeenSlow)
    let guarded =
      Guard.alone.when(session.peers == 0) ?? Guard.short.when(record.lastEvent > start.began)
    guard isAsked(.loopsRollOn, unless: guarded),
      isDue(.loopsRollOn, unless: excuse)
    else { return }
    if start.cycles > 12 {
      violate(.loopsRollOn, "it was held for \(start.cycles) cycles")
    }
    let error = phaseError(nominal(engine.frame), session.beat(at: output)).magnitude
    // The frames that a sound card has lost with a deadline are known within a second.
    let most = isCalm(for: 1, since: record.lastMiss) ? heard : heardSoon
    if error > most + HostInterval(FrameCount(1), at: setup.rate) {
      violate(.framesInPhase, "frame \(engine.frame) is off by \(error)")
    }
  }
}
