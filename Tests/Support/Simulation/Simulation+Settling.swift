import MusicalTime
import Reconciliation

// Settling laws: each is judged once, at the end of a time in which nothing more has happened than it allows
// for. An event that ends that time before leaves it unasked.

extension Record {
  /// A roll with other peers on the bridge's own timebase, until it is judged where its frames have come to.
  struct Roll: Sendable {
    /// When clients were asked to be ready for it.
    var asked: HostTime<LinkClock>
    var began: HostTime<LinkClock>
    /// How far frames may be off by intent: the first beat is played whole in the nearest cycle.
    var intended: HostInterval
    var excuse: Excuse?
  }
}

extension Simulation {
  /// Why the bridge may not bring a roll into phase by its frames.
  private var framesGuard: Guard? { companyGuard ?? Guard.unaligned.when(!setup.alignsFrames) }

  /// An excuse for a start that has waited for a client that is never ready: JACK gives up waiting, for all.
  /// When that client leaves, the bridge cannot tell it from one that needs as long again.
  private func neverReady(since time: HostTime<LinkClock>) -> Excuse? {
    Excuse.slowClient.when(record.lastNeverReady.map { $0 >= time } ?? false)
  }

  // MARK: Where what rolls comes to

  /// A start has begun to roll in this cycle.
  func beginRoll(_ start: Record.Start) {
    // A roll that the bridge itself has interrupted goes on.
    guard record.roll == nil else { return }
    // In these worlds what is relocated while it rolls stays where it is put.
    let staysThere = start.rolled != nil && record.launch == .bar && setup.relocation == .roll
    let guarded = framesGuard ?? Guard.rolls.when(staysThere || isRealigned(since: start.began))
    guard isAsked(.rollsSettle, unless: guarded) else { return }
    let isWhole =
      setup.frameAlignment == .whole && record.launch != .now && engine.frame.number <= engine.period
    let half = HostInterval(nanoseconds: periodDuration.nanoseconds / 2)
    record.roll = Record.Roll(
      asked: start.began, began: now, intended: isWhole ? half : .zero,
      excuse: neverReady(since: start.began) ?? Excuse.server.when(record.wasGivenUp) ?? untilLeaderIsKnown
        // Peers show some cycles after they have come.
        ?? recent(.arrival, 0.1, since: record.lastArrival))
  }

  /// Whether a discipline has moved what rolls, which is ``Law/framesKept``'s from then on.
  private func isRealigned(since time: HostTime<LinkClock>) -> Bool {
    record.realignings.last > time - longestPlanned * 4
  }

  /// Three seconds after it began to roll, frames are where a listener does not hear that they are off.
  func lookAtRollSettling() {
    guard let roll = record.roll else { return }
    // Where Link leads, what has begun to roll is not interrupted for a deadline that is missed then.
    let isDisturbed = record.lastMiss > roll.began - periodDuration
    let isOver =
      engine.motion == .stopped || framesGuard != nil || isRendering
      || record.lastDisturbance > roll.began || isRealigned(since: roll.began)
      // From then on it is on its way, to where Link's beat was.
      || max(record.lastShift, session.lastJump, record.lastLocate.time) > roll.began - periodDuration * 3
      // A server that begins the start anew which a client asks for as it rolls has another roll then.
      || record.lastRestart > roll.began - periodDuration
      // And so has one that is asked to start in the cycle in which it is asked to stop.
      || (engine.motion == .starting && record.lastPress.time > roll.began)
      // Frames are as far off as the downbeat was moved.
      || record.lastShiftOfDownbeat > roll.began
    guard !isOver, !isDisturbed else {
      record.roll = nil
      return ledger.count(.rollsSettle, unasked: .short)
    }
    guard engine.motion == .rolling, now > roll.began + .seconds(3) + periodDuration * 16 else { return }
    record.roll = nil
    let excuse =
      roll.excuse ?? neverReady(since: roll.began)
      // JACK waits for it from when it comes, and the bridge counts from when clients were asked: after some seconds
      // that seems too long for an interruption.
      ?? Excuse.slowClient.when(
        record.slowSince.map { $0 > (roll.began - roll.asked > .seconds(3) ? roll.asked : roll.began) }
          ?? false)
    guard isDue(.rollsSettle, unless: excuse) else { return }
    let error = phaseError(nominal(engine.frame), session.beat(at: output)).magnitude
    if error > roll.intended + .milliseconds(3.3) {
      violate(.rollsSettle, "frame \(engine.frame) is off by \(error)")
    }
  }

  // MARK: When a start rolls

  /// A start rolls at the first instant of those that it waits for, after the last event that concerns it.
  func lookAtWait(_ start: Record.Start) {
    // A start that waits already goes on as it was planned.
    let isChosenAnew = record.lastChoice.map { $0 > start.began } ?? false
    guard isAsked(.startsInTime, unless: companyGuard ?? Guard.short.when(isChosenAnew)) else { return }
    let excuse =
      // JACK waits for a client for two seconds.
      neverReady(since: start.began - .seconds(2)) ?? Excuse.freewheel.when(isRendering) ?? untilLeaderIsKnown
      ?? Excuse.server.when(record.wasGivenUp || start.isFar)
    guard isDue(.startsInTime, unless: excuse) else { return }
    // A peer's start is of a beat, which in another tempo is another time. A client does not bring it
    // forward.
    let stamp =
      record.peersStart.map { max($0, due) }
      // Another bridge may have repeated a play that was stamped before this one came; and the
      // session's own play for this start is of a beat, too. So is one that was pressed while no server was there.
      ?? (session.repeatedPlay > start.began - .seconds(1) || session.lastStep > start.began
        || session.play.isPeers ? session.play.time : start.began)
    let news = max(
      record.lastEvent, record.lastShift, record.ownerSince, max(session.lastStep, session.lastHeard))
    let disturbance = max(record.lastMiss, record.lastDisturbance)
    // A client that starts in the cycle in which the bridge asks JACK to stop leaves JACK playing: for half a
    // second the bridge waits for JACK to stop.
    let undone = record.stopAsked.map { $0.time + .milliseconds(500) } ?? start.began
    let wait = now - max(start.began, stamp, news, disturbance, undone)
    let step = step.map { session.timeline.tempo.interval(of: $0.beats) } ?? .zero
    // It was planned by the cycles that there were then.
    let cycle = max(periodDuration, start.longestCycle)
    var longest = step + cycle * 10 + .milliseconds(50)
    if record.hasBeenSlow || !engine.slowClients.isEmpty {
      let needs = engine.slowClients.compactMap(\.needs).max() ?? 20
      // The bridge knows the time that a client needed, and that client counts cycles; and some are over until
      // JACK asks it, and until it rolls.
      let slow = max(periodDuration, record.longestSlowCycle) * Int64(needs * 2 + 6)
      let seen = HostInterval(nanoseconds: record.longestSlowWait.nanoseconds / 4 * 5)
      longest = longest + max(slow, seen) + step
      record.longestSlowWait = max(record.longestSlowWait, now - start.began)
    }
    // A clock that was disturbed has to be known again; where the playhead was placed by it, that may be missed, and
    // the start waits for the next instant.
    if disturbance > start.began - .seconds(3) { longest = longest * 2 + steadying }
    if wait > longest { violate(.startsInTime, "it has waited for \(wait), and may for \(longest)") }
    // Nor from rest before the beat that a peer has pressed it for, which in another tempo is at another
    // time; a client's start since may be for an earlier one. For what is heard just before it rolls it is too
    // late, and a press may be lost with the session that it was for. Where JACK waits for other clients
    // alone, a start is on its way for the press before, and would roll by now without them.
    let last = max(news, disturbance, session.lastHeard)
    guard start.rolled == nil, record.peersStart != nil, record.lastLocalPress < record.lastPeerPress,
      max(record.lastPeerPress, session.lastHeard) <= start.held, session.lastJump < record.lastPeerPress,
      session.play.isPlaying, session.play.isPeers, now - last > .milliseconds(100) + cycle * 6
    else { return }
    let early = session.play.time - output
    if early > .milliseconds(1) + cycle * 2 {
      violate(.startsInTime, "it rolls \(early) before its time")
    }
  }

  /// The distance in beats from one instant at which a start may roll to the next; `nil` where each may be one.
  private var step: Quantum? {
    switch record.launch {
    case .bar: return quantum
    case .beat:
      let beat = Quantum(beatOf: meter)
      return beat.beats < quantum.beats ? beat : quantum
    case .now: return nil
    }
  }

  /// How long a start waits at most for a clock that was disturbed.
  private var steadying: HostInterval {
    switch record.launch {
    case .bar: .seconds(5)
    case .beat: .seconds(1)
    case .now: .zero
    }
  }

  private var quantumLength: HostInterval { session.timeline.tempo.interval(of: quantum.beats) }

  // MARK: Where messages are lost

  /// Where messages are lost, the last press has reached all sides some seconds later.
  func lookAtLossyPress() {
    guard let press = record.lossyPress, now > max(press.time, due) + quantumLength + .seconds(5) else {
      return
    }
    record.lossyPress = nil
    let guarded =
      Guard.alone.when(session.peers == 0) ?? Guard.offline.when(!session.isEnabled)
      ?? Guard.unsynced.when(!sharesStartStop)
    guard isAsked(.lossyPressesArrive, unless: guarded) else { return }
    let excuse =
      Excuse.join.when(record.mayDiffer) ?? Excuse.freewheel.when(isRendering)
      ?? Excuse.disturbance.when(record.lastDisturbance > press.time) ?? neverReady(since: press.time)
      ?? Excuse.crossing.when(record.expected == nil || session.repeatedPlay > press.time)
    guard isDue(.lossyPressesArrive, unless: excuse) else { return }
    let all = [engine.motion != .stopped, session.play.isPlaying, session.peersPlay.isPlaying]
    if all.contains(!press.isPlaying) {
      violate(
        .lossyPressesArrive, "JACK, the session and its peers play: \(all), and are to: \(press.isPlaying)")
    }
  }

  /// Where messages are lost, a start that a peer stamps rolls on that quantum, or on the first one after the
  /// bridge has heard it.
  func lookAtLossyStamp() {
    guard let (stamp, pressed) = record.lossyStamp else { return }
    record.lossyStamp = nil
    let heard = session.lastHeard
    let excuse =
      Excuse.grid.when(session.lastStep >= pressed) ?? Excuse.miss.when(
        record.lastMiss > pressed - .seconds(1))
      ?? Excuse.crossing.when(heard < pressed)
    guard isDue(.lossyStampsKept, unless: excuse) else { return }
    let late = output - stamp
    let quanta = (Double(late.nanoseconds) / Double(quantumLength.nanoseconds)).rounded()
    let error = late - HostInterval(nanoseconds: Int64(quanta * Double(quantumLength.nanoseconds)))
    // The playhead has to be put in place, and clients need their time.
    let latest = max(stamp, heard + .milliseconds(500) + periodDuration * 12 + latency + quantumLength)
    // Its first beat may be played in the nearest cycle, where a quantum is shorter than that, too.
    let isEarly = late < .zero - min(periodDuration, quantumLength)
    if error.magnitude > periodDuration * 2 || isEarly || output > latest + periodDuration * 2 {
      violate(.lossyStampsKept, "it is off by \(late), and was heard \(heard - stamp) after its time")
    }
  }

  // MARK: After a join

  /// The bridge and a session have met: JACK and the session may differ, until a user presses something.
  func noteMeeting(at time: HostTime<LinkClock>) {
    endMeeting()
    if let excuse = Excuse.crossing.when(losesMessages) { return ledger.count(.differencesStay, excuse) }
    record.meeting = time
  }

  /// A user presses something, or the bridge and the session part.
  func endMeeting() {
    if record.meeting != nil, !record.isMeetingJudged { ledger.count(.differencesStay, unasked: .short) }
    (record.meeting, record.met, record.isMeetingJudged) = (nil, nil, false)
  }

  func lookAtMeeting() {
    guard let meeting = record.meeting else { return }
    // A start that is put off because the server does not hold it comes later, and so does one that the
    // session has stamped for later.
    let isLater =
      !isCalm(for: 40, since: record.lastPutOff) || (session.play.isPlaying && session.play.time > now)
    if session.peers == 0 || !session.isEnabled || isRendering || !record.mayDiffer || isLater
      || session.repeatedPlay > meeting
    {
      return endMeeting()
    }
    // A press of just before may be on its way.
    guard isCalm(for: 2, since: max(meeting, record.lastPress.time, due)) else { return }
    let state = (jack: engine.motion != .stopped, peers: session.peersPlay.isPlaying)
    guard let met = record.met else { return record.met = state }
    if met != state {
      violate(.differencesStay, "JACK and its peers played: \(met), and do now: \(state)")
    }
    guard !record.isMeetingJudged, isCalm(for: 8, since: max(meeting, record.lastPress.time, due)) else {
      return
    }
    record.isMeetingJudged = true
    ledger.count(.differencesStay, nil)
  }

  // MARK: Choices while the bridge runs

  /// An event ends the calm in which some laws are judged.
  func endWaits(_ event: Event) {
    if record.lossyPress != nil {
      ledger.count(.lossyPressesArrive, unasked: .short)
      record.lossyPress = nil
    }
    if record.lossyStamp != nil {
      ledger.count(.lossyStampsKept, unasked: .short)
      record.lossyStamp = nil
    }
    if record.nudged != nil {
      ledger.count(.nudgesHold, unasked: .short)
      record.nudged = nil
    }
    switch event {
    // A bridge tells peers that come what is played.
    case .peersJoin, .clientLocates, .clientLoops, .command(.locate), .freewheel, .serverDies, .bridgeEnds,
      .machineSleeps,
      .choice(.startStopSync):
      endMeeting()
    default: if event.isPress { endMeeting() }
    }
  }

  /// A user's step in the tempo.
  func noteNudge(_ step: TempoStep, at time: HostTime<LinkClock>) {
    // It keeps within Link's range.
    noteAsked(min(max(session.timeline.tempo.beatsPerMinute + step.beatsPerMinute, 20), 999))
    let guarded = Guard.others.when(leader != .link) ?? Guard.offline.when(isRendering)
    guard isAsked(.nudgesHold, unless: guarded) else { return }
    let excuse =
      untilLeaderIsKnown ?? Excuse.wish.when(record.wantedTempos > 0)
      ?? recent(.grid, 2, since: max(record.lastGridChange, record.lastUndoing))
    guard isDue(.nudgesHold, unless: excuse) else { return }
    record.nudged = (session.timeline.tempo.beatsPerMinute + step.beatsPerMinute, time)
  }

  /// Half a second after a step the session has the tempo that it was to make.
  func lookAtNudge() {
    guard let nudged = record.nudged, isCalm(for: 0.5, since: nudged.since) else { return }
    record.nudged = nil
    // It keeps within Link's range.
    let wanted = min(max(nudged.tempo, 20), 999)
    let tempo = session.timeline.tempo.beatsPerMinute
    // A discipline may steer it.
    if (tempo - wanted).magnitude > wanted * (record.hasSteered ? 1.1e-3 : 1e-4) {
      violate(.nudgesHold, "it is \(tempo), and was to be \(wanted)")
    }
  }

  /// The bridge takes a user's command in this cycle.
  func lookAt(_ command: Command, _ decision: Decision) {
    switch command {
    case .imposeJACK where isImposable:
      if record.isImposedUnjudged { ledger.count(.imposed, unasked: .short) }
      (record.lastImposed, record.isImposedUnjudged) = (now, true)
      (record.lastGridChange, record.lastShift) = (now, now)
      if leader == .jack { record.ownerHasTempo = true }
    case .shiftDownbeat(.here) where leader == .link && !isRendering: lookAtDownbeat(decision)
    default: break
    }
  }

  /// Whether there is something to impose: JACK rolls on the timebase of the side that leads.
  private var isImposable: Bool {
    guard engine.motion == .rolling, record.tempoSync.sends else { return false }
    return switch leader {
    case .link: owner.isMe
    case .jack: owner == .other
    case .neither: false
    }
  }

  /// A second after JACK was imposed on the session, that has JACK's tempo and beat.
  func lookAtImposed() {
    guard record.isImposedUnjudged else { return }
    let since = record.lastImposed
    let event = max(record.lastEvent, record.ownerSince, record.lastDisturbance, session.lastUndoing)
    // A peer's tempo that was on its way comes after it.
    let news = max(event, session.lastTempo.heard)
    guard max(news, record.lastMiss) < since, engine.motion == .rolling, !isRendering else {
      record.isImposedUnjudged = false
      return ledger.count(.imposed, unasked: .short)
    }
    guard isCalm(for: 1, since: since) else { return }
    record.isImposedUnjudged = false
    let error: HostInterval
    if leader == .jack {
      guard let other = otherOwner, other.honesty == .truthful, !record.isSuccession,
        let distance = ownersPhaseError(other)
      else { return ledger.count(.imposed, unasked: .liar) }
      let real = other.beatsPerMinute(at: ownersFrame, setup.rate)
      if (session.timeline.tempo.beatsPerMinute - real).magnitude > max(0.05, real * 2e-3) {
        violate(.imposed, "the session has \(session.timeline.tempo), the owner \(real)")
      }
      error = distance.magnitude - other.tick(at: real)
    } else {
      error = phaseError(nominal(engine.frame), session.beat(at: output)).magnitude
    }
    let excuse =
      untilLeaderIsKnown ?? recent(.owner, 4, since: record.ownerSince) ?? recent(
        .motion, 4, since: rollBegan)
      ?? recent(.disturbance, 12, since: record.lastDisturbance) ?? recent(.miss, 8, since: record.lastMiss)
    guard isDue(.imposed, unless: excuse) else { return }
    if error > .milliseconds(2.2) { violate(.imposed, "it is off by \(error)") }
  }

  /// A user has the downbeat be the beat that is heard as the cycle begins. Where that is half a beat away, it may be
  /// the next one, too.
  private func lookAtDownbeat(_ decision: Decision) {
    guard case .downbeatShifted(let told) = decision.answer else { return }
    let (beat, length) = (meter.beatLength.nanobeats, quantum.beats.nanobeats)
    let since = mapped(session.beat(at: card.time)).phase(in: quantum).offset.nanobeats
    let reported = Int64((told * Double(beat)).rounded())
    let shifts = [since / beat * beat, since / beat * beat + beat].filter {
      (record.downbeat.nanobeats + $0 - reported) % length == 0
    }
    let shift = shifts.min { ($0 - since).magnitude < ($1 - since).magnitude }
    // Soon after a missed deadline JACK's own clock may be that far from the cycle.
    let clock =
      isCalm(for: 3, since: record.lastMiss)
      ? .zero : HostInterval(nanoseconds: periodDuration.nanoseconds / 8)
    let most = beat / 2 + session.timeline.tempo.beats(in: .milliseconds(2) + clock).nanobeats
    // JACK's clock says when the cycle would have come in which one has been missed.
    let excuse = Excuse.miss.when(now - record.lastMiss < periodDuration)
    if isDue(.downbeatHeard, unless: excuse), shift.map({ ($0 - since).magnitude > most }) ?? true {
      violate(.downbeatHeard, "\(told) beats are reported, and the beat is \(since) nanobeats after the last")
    }
    record.downbeat = record.downbeat + Beats(nanobeats: shift ?? 0)
  }

  /// While JACK rolls, what is read comes to the offset that a user has chosen by a fiftieth of the time that passes.
  func lookAtSlew(_ position: BeatTime) {
    guard let slew = record.slew else { return }
    let isOver = now > record.slewEnds + .seconds(1) || record.rollingCycles < 4
    guard !isOver, max(session.lastStep, session.lastJump) < slew.since - .seconds(1) else {
      return record.slew = nil
    }
    let excuse =
      Excuse.owner.when(!owner.isMe || record.ownerSince > slew.since - .seconds(3))
      ?? Excuse.freewheel.when(isRendering) ?? recent(.disturbance, 3, since: record.lastDisturbance)
      // It comes nearer by cycles, and there were none while a deadline was missed.
      ?? recent(.miss, 3, since: record.lastMiss) ?? Excuse.miss.when(record.lastMiss > slew.since)
      ?? Excuse.miss.when(record.cyclesSinceMiss <= 16)
    guard isDue(.offsetComes, unless: excuse) else { return }
    let passed = HostInterval(nanoseconds: (now - slew.since).nanoseconds / 50)
    let way = passed < slew.way ? slew.way - passed : .zero
    // Phases are known by the quantum alone.
    let quantum = session.timeline.tempo.interval(of: quantum.beats)
    let beyond = HostInterval(nanoseconds: way.nanoseconds % max(1, quantum.nanoseconds))
    let left = min(beyond, quantum - beyond)
    let error = readError(position, session.beat(at: output)).magnitude
    if (error - left).magnitude > heardSoon + HostInterval(nanoseconds: periodDuration.nanoseconds / 16) {
      violate(.offsetComes, "\(now - slew.since) after the choice it is off by \(error), not by \(left)")
    }
  }

  /// A start rolls as the user has chosen since the bridge came: on a beat, on a bar, or at once.
  func lookAtChoice(_ start: Record.Start) {
    guard let choice = record.lastChoice else { return }
    let guarded =
      companyGuard ?? Guard.rolls.when(start.rolled != nil) ?? Guard.slow.when(record.hasBeenSlow)
      // A peer's start that a client's crosses may come to the bridge after it.
      ?? Guard.stamped.when(
        record.lastPress.side == .link || start.began - record.lastPeerPress < .seconds(1))
      ?? Guard.unaligned.when(!setup.alignsFrames && record.launch != .now)
      ?? Guard.short.when(record.lastEvent > start.began)
    guard isAsked(.choicesHold, unless: guarded) else { return }
    let excuse =
      excuseOfJACK(disturbedFor: 3) ?? recent(.event, 0.5, since: choice)
      ?? Excuse.grid.when(max(record.lastGridChange, session.lastStep) > start.began - .seconds(2))
      ?? Excuse.miss.when(record.lastMiss > start.began - .seconds(1))
      ?? Excuse.server.when(record.wasGivenUp || start.isFar)
    guard isDue(.choicesHold, unless: excuse) else { return }
    let wait = now - start.began
    guard let step else {
      if wait > .milliseconds(500) + periodDuration * 12 {
        violate(.choicesHold, "it has waited for \(wait)")
      }
      return
    }
    // It waits for a beat of the place where it was, and rolls where the quantum has Link's phase.
    let way = (nominal(start.frame) - mapped(session.beat(at: output))).shortest(
      around: step.common(with: quantum))
    let error = session.timeline.tempo.interval(of: way)
    if error.magnitude > periodDuration + .milliseconds(1) {
      violate(.choicesHold, "with launch \(record.launch) it is off by \(error)")
    }
  }

  // MARK: An owner that leads with other peers

  /// In calm, an owner in the session's tempo does not go away from Link: what is off by less than 10 ms is steered,
  /// and the rest stays as it is, but for what a sound card is off by.
  func lookAtOwnersDistance() {
    guard record.rollingCycles > 0, record.rollingCycles % 16 == 0, owner == .other, let other = otherOwner
    else { return }
    let guarded =
      leadersGuard ?? Guard.liar.when(other.honesty != .truthful) ?? Guard.alone.when(session.peers == 0)
      ?? Guard.tempo.when(!isNearOwnersTempo(other))
      ?? Guard.tempo.when(other.isGliding(at: ownersFrame, setup.rate))
    guard isAsked(.ownersStay, unless: guarded) else { return record.ownersDistance = nil }
    let last = max(record.lastEvent, record.lastMiss, record.lastDisturbance, record.lastMotion)
    let change = max(record.lastPeersTempo, session.lastJump, record.lastArrival, record.lastUndoing)
    let excuse =
      recent(.motion, 2, since: rollBegan) ?? recent(.owner, 4, since: record.ownerSince)
      ?? Excuse.freewheel.when(isRendering)
      ?? recent(.miss, 4, since: record.lastMiss) ?? recent(.event, 4, since: max(last, change))
    guard isDue(.ownersStay, unless: excuse), let error = ownersPhaseError(other) else {
      return record.ownersDistance = nil
    }
    guard let (before, since) = record.ownersDistance else { return record.ownersDistance = (error, now) }
    let tick = other.tick(at: other.beatsPerMinute)
    let drift = HostInterval(nanoseconds: Int64(Double((now - since).nanoseconds) * 4e-4))
    let most = max(before.magnitude, .milliseconds(10)) + tick + .milliseconds(1)
    let isSteered = before.magnitude < .milliseconds(9)
    // Without steering it goes away by as much as tempos are apart that look the same.
    guard isSteered || isInOwnersTempo(other) else { return record.ownersDistance = nil }
    if error.magnitude > (isSteered ? most : most + drift) {
      violate(.ownersStay, "it is off by \(error), and was by \(before) \(now - since) ago")
    }
  }

  /// Whether the session has the owner's tempo, but for what it is steered by.
  private func isNearOwnersTempo(_ other: SimulatedOwner) -> Bool {
    guard record.tempoIsOurs else { return isInOwnersTempo(other) }
    let tempo = session.timeline.tempo.beatsPerMinute
    return (other.beatsPerMinute(at: ownersFrame, setup.rate) - tempo).magnitude < tempo * 1.5e-3
  }

  /// The tempo that JACK sets as it leads is its owner's.
  func lookAtOwnersTempo(_ edit: TempoEdit) {
    guard let other = otherOwner, owner == .other else { return }
    let guarded = Guard.yields.when(leader != .jack) ?? Guard.liar.when(other.honesty != .truthful)
    guard isAsked(.ownersTempoSet, unless: guarded) else { return }
    let real = other.beatsPerMinute(at: ownersFrame, setup.rate)
    let known = [real, other.beatsPerMinute(at: engine.frame, setup.rate), declaredTempo]
    let tempo = edit.tempo.beatsPerMinute
    if known.contains(where: { (tempo - $0).magnitude <= max(0.1, $0 * 4e-3) }) {
      return ledger.count(.ownersTempoSet, nil)
    }
    // Or one that it had a moment ago, or has come by.
    if let range = record.ownersRange, range.lowerBound * 0.996...range.upperBound * 1.004 ~= tempo,
      !isCalm(for: 4, since: record.lastOwnersTempo ?? record.ownerSince)
    {
      return ledger.count(.ownersTempoSet, nil)
    }
    let excuse =
      untilLeaderIsKnown ?? Excuse.owner.when(record.isSuccession)
      ?? recent(.owner, 4, since: max(record.ownerSince, record.lastTakeover))
      ?? recent(.miss, 4, since: record.lastMiss)
      // The owner's own changes are noted as such, too.
      ?? Excuse.disturbance.when(
        !isCalm(for: 4, since: record.lastDisturbance)
          && record.lastDisturbance > record.lastOwnersTempo ?? record.ownerSince)
      ?? Excuse.event.when(other.isGliding(at: ownersFrame, setup.rate))
    guard isDue(.ownersTempoSet, unless: excuse) else { return }
    violate(.ownersTempoSet, "\(edit.tempo) is set, and the owner has \(real)")
  }

  // MARK: A playhead at rest

  /// The bridge moves a playhead that rests: back to where it was before a start that has just been
  /// cancelled.
  func lookAtMoveAtRest(to frame: TransportFrame) {
    let excuse =
      Excuse.miss.when(record.cyclesSinceMiss <= 16) ?? recent(.freewheel, 1, since: record.returned)
    guard isDue(.restsWhereItIs, unless: excuse) else { return }
    if cycles - record.lastUnrolled > 16 {
      return violate(.restsWhereItIs, "it is put to \(frame), and no start was taken back")
    }
    // Where a user or client wants it to be since then.
    let isAskedFor = record.lastLocate.time > record.lastUnrolledTime + periodDuration * 3
    let way = (record.lastLocate.frame - frame).count.magnitude
    guard isAskedFor, way >= UInt64(engine.period) else { return }
    // A server that shows a locate a cycle late has not shown one that has just come. The bridge undoes it
    // unknowingly, and has to make up for that.
    if setup.rules.relocationDelay > 1, record.lastLocate.time > card.time - periodDuration {
      record.crossedLocate = (record.lastLocate.frame, cycles)
    } else {
      violate(.restsWhereItIs, "it is put to \(frame), and was wanted at \(record.lastLocate.frame)")
    }
  }

  /// A client's locate that the bridge has crossed with one of its own counts.
  func lookAtCrossedLocate() {
    guard let (frame, cycle) = record.crossedLocate, cycles - cycle > 8 else { return }
    record.crossedLocate = nil
    let excuse = Excuse.miss.when(record.cyclesSinceMiss <= 8)
    guard isDue(.restsWhereItIs, unless: excuse), engine.frame != frame else { return }
    violate(.restsWhereItIs, "it is at \(engine.frame), and was wanted at \(frame)")
  }
}

extension Quantum {
  /// The longest span of which both are multiples.
  fileprivate func common(with other: Quantum) -> Quantum {
    var (longer, shorter) = (beats.nanobeats, other.beats.nanobeats)
    while shorter != 0 { (longer, shorter) = (shorter, longer % shorter) }
    return Quantum(beats: Double(longer) / 1e9) ?? self
  }
}
