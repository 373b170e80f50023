import MusicalTime
import Reconciliation

// JACK leads: what must not become of the session's tempo, and what people are told of it.

extension Simulation {
  /// A tempo that peers would notice.
  private static let notable = 1e-2

  /// The owner that leads, if it can be believed.
  private var honestLeader: SimulatedOwner? {
    guard jackShouldLead, setup.rules == .jackd2, let otherOwner, otherOwner.honesty == .truthful else {
      return nil
    }
    return otherOwner
  }

  /// A tempo that goes to Link while JACK leads.
  func lookAtPush(_ edit: TempoEdit, _ observation: Observation, _ leader: Leader) {
    guard leader == .jack, bridge.selection != .jack, bridge.commands.isEmpty, session.peers > 0,
      !record.isSuccession,
      honestLeader != nil, isCalm(for: 2, since: record.lastArrival),
      isCalm(for: 2, since: record.lastSelection),
      isCalm(for: 10, since: record.lastDisturbance), isCalm(for: 3, since: record.lastUndoing),
      freewheelEnds == nil
    else { return }
    let before = observation.link.tempo.beatsPerMinute
    guard (edit.tempo.beatsPerMinute - before).magnitude > before * Simulation.notable / 2 else { return }
    // One that crosses a peer's may be the later one.
    if let change = record.lastOwnersTempo,
      change + HostInterval(nanoseconds: 4_000_000_000) > record.lastPeersTempo
    {
      return
    }
    violate(.sessionKept, "it had \(before), and gets \(edit.tempo.beatsPerMinute)")
  }

  /// What a peer undoes is the owner's again when it was fresh, once.
  func lookAtUndoing() {
    guard session.lastUndoing > record.lastUndoing else { return }
    let isAgain = session.lastUndoing - record.lastUndoing < HostInterval(nanoseconds: 5_000_000_000)
    // What is late is taken for a peer's change.
    if isAgain || session.isBad { record.ownerHasTempo = false }
    record.lastUndoing = session.lastUndoing
    record.tempoIsOurs = false
  }

  func lookAtOwner() {
    if session.lastStep == now { record.tempoIsOurs = false }
    lookAtDeclaration()
    lookAtDifference()
    lookAtSilence()
    lookAtRest()
    lookAtOwnersLaunch()
  }

  /// What an owner declares is known when JACK has asked for it.
  private func lookAtDeclaration() {
    guard owner == .other, reading.isValid else { return }
    let isAnother =
      (reading.beatsPerMinute - record.declared).magnitude > record.declared * Simulation.notable / 10
    if isAnother, isCalm(for: 0.2, since: record.lastTakeover) { record.lastOwnersTempo = now }
    record.declared = reading.beatsPerMinute
  }

  private func lookAtDifference() {
    guard honestLeader != nil, reading.isValid else { return }
    let link = session.timeline.tempo.beatsPerMinute
    guard (reading.beatsPerMinute - link).magnitude > link * Simulation.notable else {
      record.isDifferenceTold = false
      return
    }
    guard bridge.selection != .jack, !record.isSuccession, session.peers > 0,
      isCalm(for: 4, since: record.lastEvent),
      isCalm(for: 25, since: record.lastDisturbance), isCalm(for: 4, since: record.ownerSince),
      isCalm(for: 4, since: record.lastMotion), isCalm(for: 4, since: record.lastGridChange),
      freewheelEnds == nil, engine.motion != .starting, !record.isDifferenceTold
    else { return }
    violate(.differenceTold, "JACK has \(reading.beatsPerMinute), Link \(link), for four seconds")
  }

  private func lookAtSilence() {
    // Pinned, we do not ask who owns it: nobody and a silent one are the same, and told as such once.
    guard jackShouldLead, bridge.selection != .jack, otherOwner?.honesty == .silent, setup.rules == .jackd2,
      bridge.told == .other,
      engine.motion == .rolling, isCalm(for: 12, since: record.lastEvent),
      periodDuration * Int64(record.rollingCycles) > HostInterval(nanoseconds: 12_000_000_000),
      freewheelEnds == nil, !record.isSilenceTold
    else { return }
    violate(.silenceTold, "it has said nothing for twelve seconds")
  }

  private func lookAtRest() {
    let hasEnded = engine.motion == .stopped || owner == .me
    guard hasEnded, record.tempoIsOurs, otherOwner?.honesty == .truthful, setup.rules == .jackd2,
      isCalm(for: 4, since: record.lastEvent), isCalm(for: 4, since: record.lastMotion),
      isCalm(for: 4, since: record.ownerSince), isCalm(for: 25, since: record.lastDisturbance)
    else { return }
    let declared = record.declared
    guard let plain = Tempo(beatsPerMinute: declared) else { return }
    let tempo = session.timeline.tempo
    // What is further away is another tempo.
    guard (tempo.beatsPerMinute - declared).magnitude < declared * 9e-4 else { return }
    if !tempo.isSameOnTheWire(as: plain) { violate(.plainTempoLeft, "it is \(tempo), of \(declared)") }
  }

  private func lookAtOwnersLaunch() {
    if engine.motion == .rolling, record.motion == .starting, let start = record.start, isClean(start) {
      record.ownersLaunch = now
    }
    if engine.motion != .rolling { record.ownersLaunch = nil }
    guard let launch = record.ownersLaunch else { return }
    guard let other = honestLeader, record.lastEvent < launch, session.peers > 0,
      record.lastDisturbance < launch
    else {
      record.ownersLaunch = nil
      return
    }
    guard now - launch > HostInterval(nanoseconds: 2_000_000_000) else { return }
    record.ownersLaunch = nil
    let tempo = session.timeline.tempo.beatsPerMinute
    let real = other.beatsPerMinute(at: engine.frame, setup.rate)
    guard (tempo - real).magnitude < real * Simulation.notable / 4 else { return }
    guard let error = ownersPhaseError(other)?.magnitude else { return }
    let tick = HostInterval(nanoseconds: Int64(60e9 / real / other.ticksPerBeat))
    if error > HostInterval(nanoseconds: 3_000_000) + tick {
      violate(.ownersLaunchInPhase, "two seconds later it is off by \(error)")
    }
  }

  /// Whether the owner's tempo is known before it rolls.
  var isOwnersTempoShown: Bool {
    guard reading.isValid, let otherOwner else { return false }
    let real = otherOwner.beatsPerMinute(at: engine.pendingFrame, setup.rate)
    return (reading.beatsPerMinute - real).magnitude < real * 1e-4
  }

  /// Whether a start could be brought into phase with what the owner says.
  private func isClean(_ start: Record.Start) -> Bool {
    guard let other = honestLeader, other.lead == 0, bridge.selection != .jack, bridge.told == .other,
      setup.launch == .bar, setup.alignsFrames, session.peers > 0, session.isEnabled,
      engine.slowClients.isEmpty, freewheelEnds == nil,
      isCalm(for: 25, since: record.lastDisturbance), isCalm(for: 4, since: record.ownerSince),
      isCalm(for: 4, since: record.lastArrival), isCalm(for: 4, since: record.lastUndoing),
      isCalm(for: 4, since: record.lastPeersTempo), isCalm(for: 4, since: record.lastSelection),
      record.interruptions == 0, record.lastEvent <= start.began, start.hasRested,
      start.tempoIsShown
    else { return false }
    return true
  }
}
