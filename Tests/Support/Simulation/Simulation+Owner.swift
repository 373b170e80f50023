import MusicalTime
import Reconciliation

// JACK leads: changes that the session's tempo must not see, and the notices about it.

extension Simulation {
  /// A tempo that peers would notice.
  private static let notable = 1e-2

  /// The owner that leads, if it can be believed.
  private var honestLeader: SimulatedOwner? {
    guard jackShouldLead, let otherOwner, otherOwner.honesty == .truthful else { return nil }
    return otherOwner
  }

  /// Why it is not an owner that leads by itself.
  var leadersGuard: Guard? {
    switch leader {
    case .link: .ours
    case .neither: .yields
    case .jack: Guard.pinned.when(isPinned)
    }
  }

  /// A tempo that goes to Link while JACK leads.
  func lookAtPush(_ edit: TempoEdit, _ observation: Observation) {
    let before = observation.link.tempo.beatsPerMinute
    let isNotable = (edit.tempo.beatsPerMinute - before).magnitude > before * Simulation.notable / 2
    let guarded = leadersGuard ?? Guard.alone.when(session.peers == 0) ?? Guard.small.when(!isNotable)
    guard isAsked(.sessionKept, unless: guarded) else { return }
    // It has changed since, or changes in this very cycle.
    let isGliding = honestLeader?.isGliding(at: ownersFrame, setup.rate) == true
    let isImposed = record.lastImposed >= record.lastPeersTempo
    if isGliding || isImposed || record.lastOwnersTempo.map({ $0 >= record.lastPeersTempo }) ?? false {
      return ledger.count(.sessionKept, nil)
    }
    let excuse =
      Excuse.wish.when(!bridge.requests.isEmpty) ?? untilLeaderIsKnown
      ?? Excuse.liar.when(honestLeader == nil) ?? Excuse.owner.when(record.isSuccession)
      ?? recent(.arrival, 2, since: record.lastArrival) ?? recent(.mode, 2, since: record.lastSelection)
      ?? recent(.disturbance, 10, since: record.lastDisturbance)
      ?? recent(.crossing, 3, since: record.lastUndoing) ?? Excuse.freewheel.when(isRendering)
      // One that crosses a peer's may be the later one.
      ?? Excuse.crossing.when(
        record.lastOwnersTempo.map { $0 + .seconds(4) > record.lastPeersTempo } ?? false)
    guard isDue(.sessionKept, unless: excuse) else { return }
    violate(.sessionKept, "it had \(before), and gets \(edit.tempo.beatsPerMinute)")
  }

  /// A tempo that a peer undoes is the owner's again when it was fresh, once.
  func lookAtUndoing() {
    guard session.lastUndoing > record.lastUndoing else { return }
    let isAgain = session.lastUndoing - record.lastUndoing < HostInterval.seconds(5)
    // A late change is taken for a peer's.
    if isAgain || session.network.isBad { record.ownerHasTempo = false }
    record.lastUndoing = session.lastUndoing
    record.tempoIsOurs = false
    // A peer that comes and has a tempo of its own is taken for a session that the bridge has joined.
    if !isCalm(for: 1.5, since: record.lastArrival) { record.mayDiffer = true }
  }

  func lookAtOwner() {
    if session.lastStep == now { record.tempoIsOurs = false }
    lookAtDeclaration()
    lookAtDifference()
    lookAtSilence()
    lookAtRest()
  }

  /// The owner's declaration is known when JACK has asked for it.
  private func lookAtDeclaration() {
    // The bridge's last entry, which is read until the owner is asked, is no declaration of the owner's.
    guard isOwnersReading, isReadingOthers, reading.isValid else { return }
    // Also after the nonsense of another owner, and no change where it is the first one.
    let isAnother =
      record.declared.map { !((declaredTempo / $0 - 1).magnitude <= Simulation.notable / 10) } ?? false
    // One that glides is another one in the end.
    if isAnother, isCalm(for: 0.2, since: record.lastTakeover) { record.lastOwnersTempo = now }
    if isAnother || record.declared == nil { record.declared = declaredTempo }
    guard ownerShouldLead else { return }
    // A tempo that glides is not the one that was steered about.
    let isGliding = otherOwner?.isGliding(at: ownersFrame, setup.rate) == true
    record.declaredInLead = isGliding ? nil : declaredTempo
  }

  private func lookAtDifference() {
    guard honestLeader != nil, isReadingOthers, reading.isValid else { return }
    let link = session.timeline.tempo.beatsPerMinute
    let difference = (declaredTempo - link).magnitude
    guard difference > link * Simulation.notable else {
      // A difference that only becomes larger has been reported already; and readings while JACK renders are
      // not looked at.
      if difference < link * Simulation.notable / 10, !isRendering { record.isDifferenceTold = false }
      return
    }
    let guarded = Guard.pinned.when(isPinned) ?? Guard.alone.when(session.peers == 0)
    guard isAsked(.differenceTold, unless: guarded) else { return }
    if record.isDifferenceTold {
      ledger.count(.differenceTold, nil)
      return
    }
    let excuse =
      Excuse.owner.when(record.isSuccession) ?? recent(.event, 3, since: record.lastTempoEvent)
      // The bridge learns of a client that has taken the timebase by asking for it.
      ?? recent(.hang, 3, since: hangEnds)
      ?? recent(.disturbance, 25, since: record.lastDisturbance)
      ?? recent(.owner, 3, since: record.ownerSince) ?? recent(.motion, 3, since: record.lastMotion)
      ?? recent(.grid, 3, since: record.lastGridChange) ?? Excuse.freewheel.when(isRendering)
      ?? Excuse.motion.when(engine.motion == .starting || record.motion == .starting)
      // As long as it glides there is no tempo to compare.
      ?? Excuse.event.when(honestLeader?.isGliding(at: ownersFrame, setup.rate) == true)
    guard isDue(.differenceTold, unless: excuse) else { return }
    violate(.differenceTold, "JACK has \(declaredTempo), Link \(link), for three seconds")
  }

  private func lookAtSilence() {
    // With JACK's lead pinned, the bridge does not ask for the owner: none and a silent one are the same, and
    // reported as such once.
    guard jackShouldLead, mode != .jack, otherOwner?.honesty == .silent,
      engine.motion == .rolling
    else { return }
    let rolled = periodDuration * Int64(record.rollingCycles)
    let excuse =
      untilLeaderIsKnown ?? Excuse.owner.when(record.isSuccession)
      ?? recent(.hang, 12, since: hangEnds)
      ?? Excuse.freewheel.when(isRendering) ?? recent(.event, 12, since: record.lastEvent)
      ?? Excuse.motion.when(rolled.nanoseconds <= 12_000_000_000)
    guard isDue(.silenceTold, unless: record.isSilenceTold ? nil : excuse), !record.isSilenceTold else {
      return
    }
    violate(.silenceTold, "it has said nothing for twelve seconds")
  }

  private func lookAtRest() {
    let hasEnded = engine.motion == .stopped || owner == .me
    guard hasEnded, record.tempoIsOurs, otherOwner?.honesty == .truthful else { return }
    let excuse =
      recent(.event, 2, since: record.lastEvent)
      ?? recent(.motion, 4, since: record.lastMotion) ?? recent(.owner, 4, since: record.ownerSince)
      ?? recent(.disturbance, 15, since: record.lastDisturbance)
      ?? Excuse.event.when(record.declaredInLead == nil)
    // The tempo that it declares while no side follows it is not the one that was steered about.
    guard isDue(.plainTempoLeft, unless: excuse), let declared = record.declaredInLead else { return }
    let tempo = session.timeline.tempo
    // A tempo that is further away is another.
    guard (tempo.beatsPerMinute - declared).magnitude < declared * 9e-4 else { return }
    let isTempo = { Tempo(beatsPerMinute: $0)?.isSameOnTheWire(as: tempo) ?? false }
    // A tempo that a user or client has asked for has nothing put on it: an owner that glides away from it
    // may be gone a cycle later.
    guard !isTempo(declared), !askedTempos.contains(where: isTempo) else { return }
    violate(.plainTempoLeft, "it is \(tempo), of \(declared)")
  }
}
