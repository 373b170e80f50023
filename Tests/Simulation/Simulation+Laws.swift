import MusicalTime
import Reconciliation

// The laws. Everything here compares what came out of the program with the world as it is in truth; nothing asks the
// program what it thinks.

extension Simulation {
  func violate(_ law: Law, _ detail: @autoclosure () -> String) {
    guard violation == nil else { return }
    violation = Violation(law: law, time: now - beginning, detail: detail())
  }

  /// How long everything may take to settle after something has happened.
  private var settling: HostInterval {
    session.timeline.tempo.interval(of: setup.quantum.beats) * 2 + HostInterval(nanoseconds: 14_000_000_000)
  }

  func isCalm(for seconds: Double, since time: HostTime<LinkClock>) -> Bool {
    now - time >= HostInterval(nanoseconds: Int64(seconds * 1e9))
  }

  /// When what was pressed last is to happen. A peer's start is of a beat: with a slower tempo than it was pressed in, an
  /// owner's or a peer's, that is later.
  private var due: HostTime<LinkClock> {
    guard record.lastPress.side == .link, session.play.isPlaying else { return record.lastPress.time }
    return max(record.lastPress.time, session.play.time)
  }

  private var isSettled: Bool {
    now - max(record.lastEvent, due) > settling && isCalm(for: 3, since: record.lastMotion)
      && freewheelEnds == nil
  }

  /// When the first frame of this cycle is heard, in truth: by the sound card, whatever the server thinks.
  private var output: HostTime<LinkClock> { card.time + latency }

  /// How far the owner's beat is ahead of Link's in this cycle.
  func ownersPhaseError(_ other: SimulatedOwner) -> HostInterval? {
    Beats(other.beat(at: engine.frame, setup.rate)).map { phaseError($0, session.beat(at: output)) }
  }

  /// How far a position's phase is from Link's beat, in the session's tempo.
  private func phaseError(_ position: Beats, _ link: Beats) -> HostInterval {
    let distance = position.phase(in: setup.quantum).distance(from: link.phase(in: setup.quantum))
    return session.timeline.tempo.interval(of: distance)
  }

  private func nominal(_ frame: UInt32) -> Beats {
    session.timeline.tempo.beats(in: FrameCount(Int64(frame)), at: setup.rate)
  }

  /// What a stall of 300 ms, or a tempo change that is heard of a quarter of a second late, is at the fastest tempo,
  /// latencies apart.
  private static let longestStep = Beats(nanobeats: 5_000_000_000)
  /// What may be Link's own measurement.
  private static let shortestStep = Beats(nanobeats: 62_500_000)

  // MARK: At the beginning of a cycle

  func lookAtCycle() {
    let motion = engine.motion
    if owner != record.previousOwner {
      record.previousOwner = owner
      record.ownerSince = now
      record.ownerHasTempo = false
    }
    if let otherOwner, (engine.frame < otherOwner.lastChange) != (record.frame < otherOwner.lastChange) {
      lookAtOwnersChange(otherOwner)
    }
    record.ownersBeatsPerMinute = otherOwner?.beatsPerMinute(at: engine.frame, setup.rate) ?? 0
    // Whoever leads anew finds the session as it is.
    if bridge.reconciler.leader != .jack {
      record.ownerHasTempo = false
    } else {
      // What users wanted of the session as it was has been forgotten, but for what is still on its way.
      record.wantedTempos = bridge.commands.count { $0.isTempo }
    }
    if session.lastMeeting > record.lastArrival {
      joinedSession(at: session.lastMeeting)
      record.lastPeersTempo = now
      record.ownerHasTempo = false
      record.lastGridChange = now
    }
    lookAtUndoing()
    if session.lastStep > record.lastGridChange { record.lastGridChange = session.lastStep }
    lookAtTempo()
    lookAtTimebase()
    if motion == .rolling {
      // JACK counts frames in 32 bits.
      if engine.frame < engine.period || engine.frame > UInt32.max - 4 * 96_000 {
        record.disturbed(now)
        record.lastGridChange = now
      }
      lookAtRoll()
    }
    lookAtStart()
    lookAtOwnersRoll()
    lookAtOwner()
    lookAtRest()
    lookAtPresses()
    if isSettled {
      lookAtAgreement()
      record.wantedTempos = 0
    }
    if motion != record.motion { record.lastMotion = now }
    record.rollingCycles = motion == .rolling ? record.rollingCycles + 1 : 0
    record.cyclesSinceMiss = now < record.lastMiss ? 0 : record.cyclesSinceMiss + 1
    record.motion = motion
    record.frame = engine.frame
    record.shown = shown
    record.output = output
  }

  /// A slower tempo reaches us late: what was counted at the faster one until then is waited for.
  private func lookAtTempo() {
    let tempo = session.timeline.tempo
    defer { record.tempo = tempo }
    guard let before = record.tempo, before.beatsPerMinute > tempo.beatsPerMinute else { return }
    let late = HostInterval(nanoseconds: 250_000_000) + latency
    record.caughtUpBy = now + tempo.interval(of: before.beats(in: late) - tempo.beats(in: late))
  }

  /// The owner's tempo changes where the transport has come to.
  private func lookAtOwnersChange(_ other: SimulatedOwner) {
    // Before it is known, a tempo cannot change.
    let isKnown =
      jackShouldLead && other.honesty == .truthful && isCalm(for: 3, since: record.lastTakeover)
      && isCalm(for: 3, since: record.lastSelection) && isCalm(for: 3, since: rollBegan)
      // A peer's that crosses it may win.
      && isCalm(for: 3, since: record.lastGridChange)
    // After a relocation, nobody can say.
    let isReached = engine.motion == .rolling && engine.frame == record.frame &+ engine.period
    let before = record.ownersBeatsPerMinute
    let isAnother = (other.beatsPerMinute(at: engine.frame, setup.rate) - before).magnitude > before / 100
    record.ownerHasTempo = isKnown && isReached && isAnother
    record.lastOwnersTempo = now
    record.disturbed(now)
  }

  private func lookAtTimebase() {
    let since = now - record.ownerSince
    switch owner {
    case .nobody:
      let longest = HostInterval(nanoseconds: setup.rules == .pipewire ? 1_700_000_000 : 1_300_000_000)
      guard bridge.selection != .jack, since > longest, now - record.lastEvent > longest else { return }
      violate(.timebaseOurs, "nobody has had it for \(since)")
    case .me:
      guard engine.motion == .rolling, record.rollingCycles > 3, since > periodDuration * 4, shown == nil
      else { return }
      violate(.valid, "nothing is shown at frame \(engine.frame)")
    case .other: break
    }
  }

  private func lookAtRoll() {
    guard owner.isMe, let shown else { return }
    let position = shown.position.position
    let isOn = record.rollingCycles > 0 && engine.frame == record.frame &+ engine.period
    if isOn, let before = record.shown?.position.position {
      if position < before { violate(.monotone, "\(before) is followed by \(position)") }
      let step = position - before - session.timeline.tempo.beats(in: periodDuration)
      // A roll may begin later than was planned: on a server that begins it a period further, with a slow client.
      let mayBeLate =
        setup.rules == .pipewire || !engine.slowClients.isEmpty || record.wasGivenUp
        || !isCalm(for: 1.5, since: record.lastEvent)
      let isNew = mayBeLate && record.rollingCycles < 3
      let isExplained = now - record.lastGridChange < HostInterval(nanoseconds: 1_500_000_000)
      let bound =
        isExplained || isDisturbed(for: 3) || isNew || !isCalm(for: 3, since: record.ownerSince)
        ? setup.quantum.beats + Simulation.longestStep + session.timeline.tempo.beats(in: latency)
        : Simulation.shortestStep
      if step > bound { violate(.continuous, "\(before) is followed by \(position)") }
    }
    guard isOn, record.rollingCycles > 1, isCalm(for: 1.5, since: record.lastGridChange),
      isCalm(for: 0.5, since: record.lastDisturbance), freewheelEnds == nil,
      now - record.ownerSince > periodDuration * 4, !record.isHeld, record.cyclesSinceMiss > 4
    else { return }
    let error = phaseError(position, session.beat(at: output)).magnitude
    let isQuiet = isCalm(for: 0.5, since: record.lastMiss) && record.cyclesSinceMiss > 16
    // A clock that is slewed by up to a thousandth at once is followed in some seconds, in long cycles.
    let isSlewed = setup.rules == .pipewire && !isCalm(for: 15, since: record.lastDisturbance)
    let bound = isSlewed ? heardSoon + heardSoon : isQuiet ? heard : heardSoon
    if error > bound { violate(.readInPhase, "it is off by \(error)") }
  }

  /// How far what is read may be from what is heard: in the quiet, and from the fourth cycle after a missed deadline.
  /// The server's loop takes the mean of its wake-ups for the truth, and a fifth of the jitter is what they are late by.
  private var heard: HostInterval {
    // Of the longest cycles there are few wake-ups in a second to go by.
    let isLong = engine.period > 2048
    return HostInterval(nanoseconds: (isLong ? 300_000 : 100_000) + setup.jitter.nanoseconds / 4)
  }
  private var heardSoon: HostInterval { HostInterval(nanoseconds: 1_000_000) }

  private func isDisturbed(for seconds: Double) -> Bool {
    !isCalm(for: seconds, since: max(record.lastDisturbance, record.lastMiss))
  }

  /// Soon after a press, whatever else happens, both sides do the same, and what was pressed.
  private func lookAtPresses() {
    guard setup.startStopSync, session.isEnabled, !record.mayDiffer, freewheelEnds == nil else { return }
    let launch = session.timeline.tempo.interval(of: setup.quantum.beats) * 2 + record.ahead
    let bound = HostInterval(nanoseconds: 2_000_000_000) + launch
    // A locate while it rolls may have to wait as long as a start.
    let since = max(due, record.lastLocate.time, record.lastDisturbance, record.lastArrival)
    guard now - since > bound, session.isQuiet else { return }
    let isPlaying = engine.motion != .stopped
    if let expected = record.expected, isPlaying != expected {
      violate(.lastPressWins, "JACK \(isPlaying ? "plays" : "rests")")
    }
    if session.play.isPlaying != isPlaying {
      violate(.lastPressWins, "JACK \(isPlaying ? "plays" : "rests"), and Link does not")
    }
    // Those who join us are told half a second later what they cannot see; a start that is held then, only when it rolls.
    let isKnown =
      record.lastPress.time > record.lastArrival || session.peersPlay.stamp > record.lastArrival
      || session.play.stamp > record.lastArrival
    if session.peers > 0, isKnown, session.peersPlay.isPlaying != isPlaying {
      violate(.peersAgree, "they have \(session.peersPlay), we \(session.play)")
    }
  }

  private func lookAtAgreement() {
    guard let expected = record.expected, (engine.motion != .stopped) != expected else { return }
    violate(.lastPressWins, "JACK \(expected ? "rests" : "plays")")
  }

  /// A start that was taken back before it rolled leaves nothing behind.
  private func lookAtRest() {
    let isNewStart = record.motion != .starting && engine.motion == .starting
    if isNewStart || engine.motion == .stopped {
      for frame in [engine.frame, engine.pendingFrame] where !record.restFrames.contains(frame) {
        record.restFrames = record.restFrames.suffix(7) + [frame]
      }
    }
    switch (record.motion, engine.motion) {
    case (.starting, .stopped) where record.rest != nil && owner.isMe: record.takenBack = cycles
    case (_, .rolling):
      record.takenBack = nil
      record.rest = nil
    case (.stopped, .stopped):
      let span = periodDuration * 12
      if let began = record.takenBack {
        guard cycles - began > 12, let rest = record.rest else { break }
        if engine.frame != rest.frame {
          violate(.takenBackWhole, "it rests at \(engine.frame), and was at \(rest.frame)")
        }
        // Elsewhere it may have been counted at another tempo.
        if rest.frame == 0, rest.shown == .zero, let shown, shown.position.position != .zero {
          violate(.takenBackWhole, "\(shown.position.position) is read at frame 0")
        }
        record.takenBack = nil
      } else if now - record.lastLocate.time > span, engine.frame == record.frame {
        record.rest = (engine.frame, owner.isMe ? shown?.position.position : nil)
      }
    default: break
    }
    if owner != .me || !isCalm(for: 2, since: record.ownerSince) { record.takenBack = nil }
  }

  // MARK: Starts

  private func lookAtStart() {
    switch (record.motion, engine.motion) {
    case (.stopped, .starting), (.rolling, .starting):
      var start = Record.Start(
        began: now, frame: engine.pendingFrame, isClean: isCleanStart,
        isFromRest: record.motion == .stopped || record.ownersRoll != nil)
      start.hasRested = record.motion == .stopped
      start.tempoIsShown = isOwnersTempoShown
      start.isLoop = record.loop.map { cycles - $0 <= 3 } ?? false
      record.start = start
    case (_, .stopped): record.start = nil
    case (.starting, .starting):
      record.start?.cycles += 1
      if record.start?.isMoved == false { record.start?.frame = engine.pendingFrame }
      lookAtHeld()
    case (_, .rolling):
      if let start = record.start {
        lookAtLaunch(start)
        if start.isFromRest { lookAtOwnersStart() }
        if start.isLoop { lookAtSeam(start) }
        // In freewheel the cycles for which the server lets it be held are soon over.
        record.wasGivenUp =
          periodDuration * Int64(start.cycles + 4) > bridge.reconciler.configuration.longestHold
      }
      record.start = nil
    }
  }

  /// Whether a start that begins now can be held to the very instant.
  private var isCleanStart: Bool {
    setup.launch == .bar && session.peers > 0 && owner.isMe && bridge.told.isMe && session.isEnabled
      && bridge.reconciler.leader == .link && engine.slowClients.isEmpty && setup.rules == .jackd2
      && isCalm(for: 3, since: record.lastDisturbance) && isCalm(for: 1, since: record.lastMiss)
      && isCalm(for: 2, since: record.lastGridChange)
      && record.motion == .stopped && freewheelEnds == nil && isCalm(for: 3, since: record.ownerSince)
      && record.interruptions == 0
  }

  private func lookAtHeld() {
    guard let start = record.start, isSettled, !engine.slowClients.contains(where: { $0.needs == nil }) else {
      return
    }
    let slow = engine.slowClients.compactMap(\.needs).max() ?? 0
    if now - start.began > settling + periodDuration * Int64(slow * 4) {
      violate(.startEnds, "it has been held for \(now - start.began)")
    }
  }

  /// A start on the timebase of an owner that leads, in company and in the session's tempo, is to be in phase.
  private func lookAtOwnersStart() {
    guard let other = otherOwner, jackShouldLead, bridge.selection != .jack, other.honesty == .truthful,
      // One that is ahead of itself while it waits shows only when it rolls where it is: a matter of its own.
      other.lead == 0, session.peers > 0, setup.launch == .bar, setup.alignsFrames, isInOwnersTempo(other),
      engine.slowClients.isEmpty, setup.rules == .jackd2, isCalm(for: 3, since: record.ownerSince),
      isCalm(for: 3, since: record.lastDisturbance)
    else {
      record.ownersRoll = nil
      return
    }
    record.ownersRoll = record.ownersRoll ?? now
  }

  private func isInOwnersTempo(_ other: SimulatedOwner) -> Bool {
    let tempo = session.timeline.tempo.beatsPerMinute
    return (other.beatsPerMinute(at: engine.frame, setup.rate) - tempo).magnitude < tempo * 2e-4
  }

  /// Two quanta after the last deadline that was missed at its beginning, a roll with an owner is in phase.
  private func lookAtOwnersRoll() {
    guard let began = record.ownersRoll else { return }
    guard engine.motion == .rolling, let other = otherOwner, owner == .other, record.lastEvent < began,
      isInOwnersTempo(other)
    else {
      if engine.motion != .starting || owner != .other || record.lastEvent >= began {
        record.ownersRoll = nil
      }
      return
    }
    let beginning = session.timeline.tempo.interval(of: setup.quantum.beats) * 2
    // It is the beginning of a roll that is put right, and not what happens to it later.
    guard record.lastMiss - began < beginning - periodDuration * 4 else {
      record.ownersRoll = nil
      return
    }
    guard now - max(began, record.lastMiss) > max(beginning, HostInterval(nanoseconds: 500_000_000)) else {
      return
    }
    record.ownersRoll = nil
    guard let beat = Beats(other.beat(at: engine.frame, setup.rate)) else { return }
    let error = phaseError(beat, session.beat(at: output)).magnitude

    let tick = HostInterval(nanoseconds: Int64(60e9 / other.beatsPerMinute / other.ticksPerBeat))
    if error > HostInterval(nanoseconds: 3_000_000) + tick { violate(.ownersStart, "it is off by \(error)") }
  }

  private func lookAtLaunch(_ start: Record.Start) {
    if let stamp = record.stamp, session.lastStep < record.lastPress.time {
      let late = (output - stamp).magnitude
      if late > periodDuration * 2 { violate(.rollsOnTime, "it is off by \(late)") }
    }
    record.stamp = nil
    guard start.isClean, session.peers > 0, isCalm(for: 1, since: record.lastGridChange) else { return }
    let link = session.beat(at: output)
    let off = phaseError(nominal(start.frame), link).magnitude
    let period = HostInterval(nanoseconds: periodDuration.nanoseconds + 100_000)
    if setup.alignsFrames {
      if off > period { violate(.launchInPhase, "it is off by \(off)") }
      let error = phaseError(nominal(engine.frame), link).magnitude
      if error > heard + HostInterval(FrameCount(1), at: setup.rate) {
        violate(.framesInPhase, "frame \(engine.frame) is off by \(error)")
      }
    }
    if let shown, phaseError(shown.position.position, link).magnitude > heard {
      violate(.readInPhase, "in the first rolling cycle: \(phaseError(shown.position.position, link))")
    }
  }

  /// Whether nothing but a moment has to pass until what goes back by `beats` is in phase again.
  func isLoopInPhase(_ beats: Beats) -> Bool {
    guard isCleanRoll, setup.alignsFrames, record.motion == .rolling else { return false }
    let whole = beats.shifted(nearestTo: .zero, byMultiplesOf: setup.quantum)
    // Asked between two cycles: the frame is still that of the last one.
    let error = phaseError(nominal(engine.frame), session.beat(at: record.output)).magnitude
    return whole == .zero && error.nanoseconds < 1_000_000
  }

  /// Whether what rolls can be put into phase to the very instant.
  private var isCleanRoll: Bool {
    setup.launch == .bar && session.peers > 0 && owner.isMe && bridge.told.isMe && session.isEnabled
      && bridge.reconciler.leader == .link && engine.slowClients.isEmpty && setup.rules == .jackd2
      && isCalm(for: 8, since: record.lastDisturbance) && isCalm(for: 2, since: record.lastGridChange)
      && freewheelEnds == nil && isCalm(for: 3, since: record.ownerSince) && isCalm(for: 3, since: rollBegan)
  }

  private func lookAtSeam(_ start: Record.Start) {
    guard session.peers > 0, isCalm(for: 1, since: record.lastGridChange), record.lastEvent <= start.began
    else {
      return
    }
    // So far the program must not have learnt that somebody is slow: then it leaves them their time.
    if start.cycles > 12, !record.hasBeenSlow {
      violate(.loopsRollOn, "it was held for \(start.cycles) cycles")
    }
    let error = phaseError(nominal(engine.frame), session.beat(at: output)).magnitude
    if error.nanoseconds > 100_000 { violate(.framesInPhase, "frame \(engine.frame) is off by \(error)") }
  }

  // MARK: What is decided

  func lookAt(_ decision: Decision, _ observation: Observation, led before: Leader) {
    let leader = bridge.reconciler.leader
    if let request = decision.transport { lookAt(request, observation, leader) }
    if let play = decision.link.isPlaying { lookAt(play, observation) }
    if let edit = decision.link.tempo {
      lookAtPush(edit, observation, leader)
      if leader != .jack, before != .jack, !isLastWord(edit, observation) {
        record.wantedTempos -= 1
        if record.wantedTempos < 0 { violate(.tempoKept, "\(edit.tempo) is set while \(leader) leads") }
      }
      // The last word of a JACK that has led takes away what steering has put on the tempo, and no more.
      let step = edit.tempo.beatsPerMinute / observation.link.tempo.beatsPerMinute - 1
      if leader != .jack, before == .jack, step.magnitude > 0.02, record.wantedTempos == 0 {
        violate(.tempoKept, "\(edit.tempo) is set as JACK's lead ends")
      }
      if edit.tempo.isSameOnTheWire(as: observation.link.tempo) {
        violate(.commitsChange, "the tempo is \(edit.tempo) already")
      }
      let age = observation.jack.nextOutput - edit.time
      if age < .zero || age.nanoseconds > 2_200_000_000 { violate(.editsInTime, "a tempo of \(age) ago") }
    }
    if let edit = decision.link.beat {
      // A choice may wait for other commands.
      let isChosen = bridge.selection == .jack || bridge.commands.contains(.select(bridge.selection))
      if edit.isForced, !isChosen || leader != .jack {
        violate(.gridKept, "a beat is forced")
      }
      if leader != .jack, session.peers > 0 { violate(.oneAuthority, "Link leads, and is asked for a beat") }
      if leader == .neither { violate(.oneAuthority, "a beat is asked for while neither leads") }
    }
    if case .jack = leader, !decision.link.isEmpty, decision.link.tempo != nil || decision.link.beat != nil {
      lookAtSteering()
    }
    lookAtFollowing(observation)
    lookAt(decision.notices, led: leader)
  }

  /// Whether it is what JACK leaves Link with when its owner goes.
  private func isLastWord(_ edit: TempoEdit, _ observation: Observation) -> Bool {
    let tempo = observation.link.tempo.beatsPerMinute
    return now - record.ownerSince <= periodDuration * 4
      && (edit.tempo.beatsPerMinute - tempo).magnitude < tempo * 1e-3
  }

  private func lookAt(_ request: TransportRequest, _ observation: Observation, _ leader: Leader) {
    switch request {
    case .start, .stop:
      if let joined = record.joined, !isCalm(for: 5, since: joined) {
        violate(.joinPressesNobody, "JACK is asked to \(request)")
      }
      if isSettled { violate(.noChatter, "JACK is asked to \(request)") }
      if !setup.startStopSync, now - record.lastLocalPress > settling {
        violate(.syncOff, "JACK is asked to \(request)")
      }
    case .relocate(let frame):
      if bridge.selection == .jack, leader == .jack { violate(.handsOff, "it is relocated to \(frame)") }
      if leader == .neither { violate(.oneAuthority, "it is relocated while neither leads") }
      let isBack = record.restFrames.contains(frame) || frame == record.lastLocate.frame
      if engine.motion == .stopped, !isBack {
        violate(.movesOnce, "a resting transport is relocated to \(frame)")
      }
      if engine.motion == .rolling {
        record.interruptions += 1
        // Each deadline that is missed as a roll begins has it put right once more.
        if record.interruptions > 1, setup.rules == .jackd2,
          isCalm(for: 12, since: max(record.lastEvent, record.lastMiss))
        {
          violate(.movesOnce, "it is relocated for the \(record.interruptions)th time while it rolls")
        }
      }
      guard let start = record.start, start.isClean else { break }
      record.start?.isMoved = true
      let way = Int64(frame) - Int64(start.frame)
      if setup.launch == .bar, way.magnitude > UInt64(engine.period) {
        violate(.movesOnce, "a start at \(start.frame) is moved to \(frame)")
      }
    }
  }

  private func lookAt(_ play: PlayEdit, _ observation: Observation) {
    if !setup.startStopSync { violate(.syncOff, "Link is told \(play)") }
    if let joined = record.joined, session.peers > 0, !isCalm(for: 5, since: joined) {
      violate(.joinPressesNobody, "Link is told \(play)")
    }
    if isSettled { violate(.noChatter, "Link is told \(play)") }
    let ahead = play.time - observation.jack.nextOutput
    let longest = bridge.reconciler.configuration.longestHold + settling
    if ahead.nanoseconds < -1_000_000_000 || ahead > longest { violate(.editsInTime, "a press in \(ahead)") }
    let had = observation.link.play
    if play.isPlaying == had.isPlaying, play.time.microseconds == had.time.microseconds {
      violate(.commitsChange, "Link is told \(play), which it has")
    }
    // One that crosses a press wins, being later.
    let isReminder = play.isPlaying == had.isPlaying
    if isReminder, !isCalm(for: 0.5, since: record.lastPeerPress) { record.expected = nil }
    // It tells of a press, or where presses cross, what we told may never have been seen.
    guard isReminder, session.isQuiet, isCalm(for: 2.5, since: record.lastPeerPress),
      isCalm(for: 2.5, since: record.lastLocalPress)
    else { return }
    record.reminders -= 1
    if record.reminders < 0 || !play.isPlaying {
      violate(.commitsChange, "Link is told \(play), which it has")
    }
  }

  /// Takes note of a commit; the beat has moved for everybody.
  func lookAtCommit(_ edit: LinkEdit, moved: Beats, peers: Int) {
    if edit.tempo != nil || edit.beat != nil { record.lastGridChange = now }
    if edit.tempo != nil, case .jack = bridge.reconciler.leader {
      record.tempoIsOurs = true
    } else if edit.tempo != nil {
      record.tempoIsOurs = false
    }
    guard peers > 0, bridge.reconciler.leader != .jack else { return }
    if session.timeline.tempo.interval(of: moved).magnitude.nanoseconds > 1_000 {
      violate(.gridKept, "it moved by \(moved)")
    }
  }

  // MARK: JACK leads

  private func lookAtSteering() {
    record.commits.append(now)
    if record.commits.count > 12 { record.commits.removeFirst(record.commits.count - 12) }
    guard isCalm(for: 62, since: record.lastEvent), record.commits.count == 12,
      let first = record.commits.first, now - first < HostInterval(nanoseconds: 60_000_000_000)
    else { return }
    violate(.steersRarely, "12 commits in \(now - first)")
  }

  private func lookAtFollowing(_ observation: Observation) {
    guard isCalm(for: 12, since: record.lastEvent),
      isCalm(for: 25, since: max(record.lastDisturbance, record.lastMiss)),
      isCalm(for: 12, since: record.ownerSince), freewheelEnds == nil, jackShouldLead,
      record.rollingCycles > 0,
      isCalm(for: 12, since: rollBegan), let other = otherOwner, other.honesty == .truthful,
      session.peers == 0 || bridge.selection == .jack || record.ownerHasTempo
    else { return }
    let tempo = session.timeline.tempo
    let real = other.beatsPerMinute(at: engine.frame, setup.rate) * (1 + setup.skew)
    if (tempo.beatsPerMinute - real).magnitude > max(0.05, real * 2e-3) {
      violate(.followsTempo, "Link has \(tempo), the owner \(real)")
    }
    guard session.peers == 0 || bridge.selection == .jack else { return }
    guard let beat = Beats(other.beat(at: engine.frame, setup.rate)) else { return }
    let error = phaseError(beat, session.beat(at: output)).magnitude
    let tick = HostInterval(nanoseconds: Int64(60e9 / real / other.ticksPerBeat))
    // Below two milliseconds Link is steered, in its own time, and not while JACK's clock is restless.
    if error > HostInterval(nanoseconds: 2_200_000) + tick { violate(.followsPhase, "it is off by \(error)") }
  }

  /// Whether the user wants another owner of the timebase to lead.
  var jackShouldLead: Bool {
    owner == .other
      && (bridge.selection == .jack || Takeover(setup.takeover, while: bridge.selection) == .follow)
  }

  private var rollBegan: HostTime<LinkClock> { now - periodDuration * Int64(record.rollingCycles) }

  // MARK: What is published

  func lookAt(_ entry: TimebaseEntry, _ observation: Observation) {
    let tempo = session.timeline.tempo
    let expected = setup.meter.beatsPerMinute(at: tempo)
    if (entry.beatsPerMinute - expected).magnitude > 1e-6 * expected {
      violate(.tempoPublished, "\(entry.beatsPerMinute), not \(expected)")
    }
    if entry.position.meter != setup.meter { violate(.meterPublished, "\(entry.position.meter)") }
    defer { record.published = entry }
    record.isHeld = false
    guard engine.motion == .rolling, !engine.isRelocating,
      engine.pendingFrame == engine.frame &+ engine.period
    else { return }
    let position = entry.position.position
    let link = session.beat(at: observation.jack.nextOutput)
    let error = phaseError(position, link)
    guard error.magnitude.nanoseconds > 1_000 else { return }
    if position == record.published?.position.position {
      // It waits for Link to catch up.
      record.isHeld = true
      // So may a roll that has just begun, for a moment.
      let isMoment = error <= tempo.interval(of: Simulation.shortestStep)
      if isMoment, !isCalm(for: 0.25, since: rollBegan) { return }
      if isCalm(for: 2, since: max(record.lastGridChange, record.caughtUpBy)),
        isCalm(for: 3, since: max(record.lastDisturbance, record.lastMiss))
      {
        violate(.publishedInPhase, "it stands still at \(position), Link is at \(link)")
      }
      return
    }
    violate(.publishedInPhase, "\(position) is \(error) ahead of Link's \(link)")
  }

  func lookAt(_ errand: TimebaseErrand) {
    switch errand {
    case .none, .ask: break
    case .retake:
      if Takeover(setup.takeover, while: bridge.selection) != .retake || bridge.selection == .jack {
        violate(.timebaseTheirs, "it is taken back")
      }
    case .release:
      if engine.motion != .stopped { violate(.releasedAtRest, "the transport is \(engine.motion)") }
    }
  }
}

extension HostInterval: CustomStringConvertible {
  /// The interval in microseconds.
  public var description: String { "\(microseconds) us" }
}

extension Command {
  fileprivate var isTempo: Bool {
    switch self {
    case .proposeTempo, .foundSession: true
    case .start, .stop, .select, .clientLeft: false
    }
  }
}
