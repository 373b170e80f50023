import MusicalTime
import Reconciliation

// The laws of a discipline: programs that count frames stay with the session while they roll.

extension Simulation {
  /// The longest time from where frames are off to where they are not: some are looked at again and again.
  private var longestRealigning: HostInterval {
    // Where a client has located just as frames were brought into phase, that was in vain.
    let isLocated = [record.realignings.last, record.realignings.before].contains {
      (record.lastLocate.time - $0).magnitude < HostInterval.seconds(1)
    }
    // Each time in vain makes the patience four times as long, three times at most. The relocation itself may
    // have made a client miss its deadline.
    let vain = min(3, max(isLocated ? 1 : 0, record.spoiltRealignings))
    return HostInterval.seconds(1) * (1 << Int64(2 * vain)) + .seconds(2.5)
      + session.timeline.tempo.interval(of: quantum.beats)
  }

  /// A relocation is spoilt where something puts frames off before the roll after it could be seen, so that
  /// they are off again from its beginning: a missed deadline, another period or latency, a step of
  /// Link's beat, or another quantum.
  private func countSpoiltRealignings() {
    // A render hides the outcome of those before it.
    if engine.motion == .stopped || isRendering {
      (record.isRealigned, record.spoiltRealignings) = (false, 0)
    }
    // It shows from the third cycle on, and the bridge looks from the second cycle of the roll on.
    guard record.isRealigned, engine.motion == .rolling, record.rollingCycles > 1,
      now - record.realignings.last > periodDuration * 4
    else { return }
    record.isRealigned = false
    // The bridge learns of a missed deadline from the third cycle on.
    let isMissed = record.lastMiss > record.realignings.last - periodDuration * 3
    // It sees all else in the cycle that comes next.
    let isMoved = max(record.lastDisturbance, session.lastJump, record.lastTurn) > record.realignings.last
    let half = HostInterval(nanoseconds: Setup.disciplineThreshold.nanoseconds / 2)
    let isSpoilt = (isMissed || isMoved) && frameError.magnitude > half - heardSoon
    record.spoiltRealignings = isSpoilt ? record.spoiltRealignings + 1 : 0
  }

  /// Frames are within the threshold, but for a bar or two after whatever puts them off.
  func lookAtFrames() {
    // Nothing that is asked for at rest is done later.
    if engine.motion == .stopped { record.isRealigningWanted = false }
    guard engine.motion == .rolling else { return }
    if record.frame.sinceZero.count - engine.frame.sinceZero.count > 1 << 31 { record.lastWrap = now }
    let guarded =
      Guard.undisciplined.when(record.discipline == .off) ?? Guard.launch.when(record.launch != .bar)
      ?? companyGuard ?? Guard.unaligned.when(!setup.alignsFrames)
      ?? Guard.slow.when(!engine.slowClients.isEmpty)
    let span = longestRealigning
    // Where the server has given up holding a start, that is corrected first.
    let beginning = record.wasGivenUp ? span : span - .seconds(4)
    let begins = Guard.begins.when(now - rollBegan <= beginning)
    guard isAsked(.framesKept, unless: guarded ?? begins) else { return }
    let excuse =
      Excuse.freewheel.when(isRendering)
      ?? Excuse.grid.when(now - record.lastGridChange <= span)
      ?? Excuse.owner.when(now - record.ownerSince <= span)
      // The bridge tries again when such a client has left.
      ?? Excuse.slowClient.when(now - record.lastSlow <= span)
      ?? Excuse.event.when(now - max(record.lastTempoEvent, record.lastLocate.time, record.lastWrap) <= span)
      // A server that interrupts a roll for a client's start has it go on from where it was, if the user wants that.
      ?? Excuse.event.when(setup.relocation == .roll && now - record.lastRestart <= span)
      // The bridge waits until deadlines that are missed again and again are over.
      ?? Excuse.miss.when(now - max(record.lastMiss, record.lastDisturbance) <= span)
    guard isDue(.framesKept, unless: excuse) else { return }
    // A roll that begins with its first beat begins in the nearest cycle, and is corrected a bar later.
    let isWhole = setup.frameAlignment == .whole && now - rollBegan <= span
    let half = HostInterval(nanoseconds: periodDuration.nanoseconds / 2)
    let error = frameError.magnitude
    if error > Setup.disciplineThreshold + .milliseconds(3) + (isWhole ? half : .zero) {
      violate(.framesKept, "frame \(engine.frame) is off by \(error)")
    }
  }

  /// How far what counts frames is from Link.
  private var frameError: HostInterval { phaseError(nominal(engine.frame), session.beat(at: output)) }

  /// Where a program that counts frames is, at the session's tempo but for what a discipline has put on it.
  func nominal(_ frame: TransportFrame) -> BeatTime {
    let tempo = record.plainTempo ?? session.timeline.tempo
    return BeatTime(sinceZero: tempo.beats(in: frame.sinceZero, at: setup.rate))
  }

  /// The session has another tempo: one that was asked for, or one that a discipline has made of it.
  func notePlainTempo(_ tempo: Tempo) {
    if let plain = record.plainTempo {
      let isNear =
        (tempo.beatsPerMinute - plain.beatsPerMinute).magnitude < plain.beatsPerMinute * 1e-3
      // A peer that has not seen what came after it may send it again: also once it was restored.
      let steered = record.steeredTempos
      if !steered.isEmpty, ([plain] + steered).contains(where: { tempo.isSameOnTheWire(as: $0) }) {
        if tempo.isSameOnTheWire(as: plain) { record.plainTempo = tempo }
        return
      }
      if let replaced = record.replacedTempo, isNear, tempo.isSameOnTheWire(as: replaced) { return }
    }
    record.plainTempo = tempo
    record.lastShift = now
    record.steeredTempos = []
    record.replacedTempo = nil
  }

  /// A discipline steers the session's tempo, by as little as no owner's would be off.
  func lookAtSteeredTempo(_ edit: TempoEdit) {
    let tempo = edit.tempo.beatsPerMinute
    guard isDue(.tempoKept, unless: Excuse.liar.when(hasBeenLiedTo)) else { return }
    // Or what a measured owner has left, which may be some thousandths from its own.
    let plain = record.plainTempo.map { [$0.beatsPerMinute] } ?? []
    if !(askedTempos + plain).contains(where: { (tempo - $0).magnitude < $0 * 1.1e-3 }) {
      violate(.tempoKept, "\(edit.tempo) is steered to")
    }
  }

  /// A discipline relocates the rolling transport.
  func lookAtRealigning(_ observation: Observation) {
    // Once for each command.
    let isWanted = record.isRealigningWanted
    record.isRealigningWanted = false
    guard isWanted || record.discipline != .off, session.peers > 0, engine.motion == .rolling else {
      return violate(.realignsAtBars, "nobody wants it")
    }
    // By the whole of an offset, also where what is read has not come to it yet: what is left of it comes by itself.
    let error = frameError.magnitude
    // The bridge learns of a missed deadline from the third cycle on.
    let excuse = Excuse.miss.when(now - record.lastMiss <= periodDuration * 3)
    if isDue(.realignsAtBars, unless: excuse),
      error < (isWanted || record.discipline == .tempo ? .zero : Setup.disciplineThreshold - heardSoon)
    {
      violate(.realignsAtBars, "they are off by \(error)")
    }
    // They have to have been off for a second.
    if !isWanted, now - record.realignings.last < .seconds(1) {
      violate(.realignsAtBars, "they were put there \(now - record.realignings.last) ago")
    }
    record.realignings = (now, record.realignings.last)
    record.isRealigned = true
    record.realigning = shown.map { (output, position($0)) }
  }

  /// A transport that a discipline has relocated rolls on: at a bar line, with the bar that would have been
  /// read there.
  func lookAtRealigned() {
    countSpoiltRealignings()
    guard let before = record.realigning else { return }
    guard engine.motion == .rolling else {
      if engine.motion == .stopped { record.realigning = nil }
      return
    }
    guard record.rollingCycles == 0 else {
      // It rolls on until the relocation shows.
      if output - before.output > periodDuration * 4 { record.realigning = nil }
      return
    }
    record.realigning = nil
    let excuse =
      Excuse.miss.when(max(record.lastMiss, record.lastDisturbance) > before.output - latency - .seconds(1))
      ?? Excuse.grid.when(record.lastGridChange > before.output - latency - .seconds(1))
      // A client's relocation shows two cycles after it was asked for.
      ?? Excuse.event.when(
        max(record.lastEvent, record.lastLocate.time) > before.output - latency - periodDuration * 2)
      // The bridge may not have been let run meanwhile.
      ?? Excuse.miss.when(output - before.output > periodDuration * 8)
      ?? Excuse.slowClient.when(record.hasBeenSlow || !engine.slowClients.isEmpty)
      ?? Excuse.freewheel.when(isRendering)
      ?? untilLeaderIsKnown
    guard isDue(.realignsAtBars, unless: excuse) else { return }
    let link = mapped(session.beat(at: output))
    let bar = BeatTime.zero.shifted(nearestTo: link, byMultiplesOf: quantum)
    let tempo = session.timeline.tempo
    if tempo.interval(of: link - bar).magnitude > periodDuration * 2 {
      violate(.realignsAtBars, "it rolls on at Link's \(link)")
    }
    let expected = before.position + tempo.beats(in: output - before.output)
    let length = Quantum(barOf: meter)
    // Where numbers of bars say nothing about positions, the place in the bar does.
    let way = shown.map {
      record.bars.isLoose ? (position($0) - expected).shortest(around: length) : position($0) - expected
    }
    if let shown, let way, way.magnitude > Simulation.shortestStep {
      violate(.realignsAtBars, "\(position(shown)) is read, not \(expected)")
    }
  }
}
