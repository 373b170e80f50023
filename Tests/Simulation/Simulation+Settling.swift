import MusicalTime
import Reconciliation

// Settling laws: each is judged once, at the end of a time in which nothing more has happened than it allows
// for. An event that ends that time before leaves it unasked.

extension Record {
  /// A roll with other peers on the bridge's own timebase, until it is judged where its frames have come to.
  struct Roll: Sendable {
    var began: HostTime<LinkClock>
    /// How far frames may be off by intent: the first beat is played whole in the nearest cycle.
    var intended: HostInterval
    var excuse: Excuse?
  }
}

extension Simulation {
  /// Why the bridge may not bring a roll into phase by its frames.
  private var framesGuard: Guard? { companyGuard ?? Guard.unaligned.when(!setup.alignsFrames) }

  /// An excuse for what waits for a client that is never ready: JACK gives up waiting, for all.
  private var neverReady: Excuse? {
    Excuse.slowClient.when(engine.slowClients.contains { $0.needs == nil })
  }

  // MARK: Where what rolls comes to

  /// A start has begun to roll in this cycle.
  func beginRoll(_ start: Record.Start) {
    // A roll that the bridge itself has interrupted goes on.
    guard record.roll == nil else { return }
    // In these worlds what is relocated while it rolls stays where it is put.
    let staysThere = !start.hasRested && setup.launch == .bar && setup.relocation == .roll
    let guarded = framesGuard ?? Guard.rolls.when(staysThere || isRealigned(since: start.began))
    guard isAsked(.rollsSettle, unless: guarded) else { return }
    let isWhole =
      setup.frameAlignment == .whole && setup.launch != .now && engine.frame.number <= engine.period
    let half = HostInterval(nanoseconds: periodDuration.nanoseconds / 2)
    record.roll = Record.Roll(
      began: now, intended: isWhole ? half : .zero,
      excuse: neverReady ?? Excuse.server.when(record.wasGivenUp) ?? untilLeaderIsKnown)
  }

  /// Whether a discipline has moved what rolls, which is ``Law/framesKept``'s from then on.
  private func isRealigned(since time: HostTime<LinkClock>) -> Bool {
    record.realignings.last > time - periodDuration * 4
  }

  /// Three seconds after it began to roll, frames are where a listener does not hear that they are off.
  func lookAtRollSettling() {
    guard let roll = record.roll else { return }
    // Where Link leads, what has begun to roll is not interrupted for a deadline that is missed then.
    let isDisturbed = record.lastMiss > roll.began - periodDuration
    let isOver =
      engine.motion == .stopped || framesGuard != nil || isRendering
      || max(record.lastShift, session.lastJump, record.lastDisturbance) > roll.began
      || record.lastLocate.time > roll.began - periodDuration * 3 || isRealigned(since: roll.began)
    guard !isOver, !isDisturbed else {
      record.roll = nil
      return ledger.count(.rollsSettle, unasked: .short)
    }
    guard engine.motion == .rolling, now > roll.began + .seconds(3) + periodDuration * 16 else { return }
    record.roll = nil
    let excuse = roll.excuse ?? neverReady
    guard isDue(.rollsSettle, unless: excuse) else { return }
    let error = phaseError(nominal(engine.frame), session.beat(at: output)).magnitude
    if error > roll.intended + .milliseconds(3.3) {
      violate(.rollsSettle, "frame \(engine.frame) is off by \(error)")
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
    let tick = HostInterval(nanoseconds: Int64(60e9 / other.beatsPerMinute / other.ticksPerBeat))
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
    if isAskedFor, (record.lastLocate.frame - frame).count.magnitude >= UInt64(engine.period) {
      violate(.restsWhereItIs, "it is put to \(frame), and was wanted at \(record.lastLocate.frame)")
    }
  }
}
