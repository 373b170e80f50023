import MusicalTime
import Reconciliation

/// A deliberate mistake in the program, to show that the laws notice it.
///
/// Each is made where the program meets the world: in its observations, in its decisions, or in the user's
/// choices.
public enum Fault: String, Sendable, CaseIterable {
  // Faults of the cycle's observations.
  case currentCycleForNext = "the beat of this cycle is published for the next"
  case clocksConfused = "JACK's clock is taken for Link's"
  case latencyForgotten = "the output latency is left out"
  case latencySubtracted = "the output latency is counted the wrong way"
  case peersUnseen = "the bridge thinks it is alone"
  case pressesUnseen = "peers' starts and stops are not seen"
  case pressesInverted = "a start is taken for a stop"
  case tempoUnseen = "the session's tempo is not looked at"
  case renderUnseen = "that JACK renders is not noticed"
  case ownerMistaken = "another owner of the timebase is taken for ourselves"
  case pressesUnlessChanging = "a press that changes nothing in Link's state is not seen"
  case pressesHeardOfOtherLife = "what was pressed before we came is taken for a press"
  case startsStampedLate = "a start that is stamped with a quantum's time is taken for one after it"
  case echoTakenForPress = "what we told Link comes back as a press"

  // Faults of the user's choices.
  case quantumForMeter = "the quantum is published as the meter"
  case meterForQuantum = "the meter's bar is taken for the quantum"
  case syncForced = "start and stop travel although they must not"
  case launchUnquantised = "a start does not wait for its bar"
  case framesUnaligned = "a start does not move the playhead"
  case firstBeatLeftOut = "a start at frame 0 begins after it"
  case choicesUnheard = "a user's choice when starts roll is ignored while the bridge runs"
  case sharingUnheard = "starts and stops are shared as they were from the beginning, whatever a user chooses"
  case disciplineUnheard = "frames are kept in phase as they were from the beginning, whatever a user chooses"
  case sharingPresses = "starts and stops that are shared anew have JACK do at once what the session does"
  case offsetSteps = "what rolls comes at once to the offset that a user chooses"
  case offsetUnheard = "the offset that a user chooses is ignored while the bridge runs"
  case latencyUnheard = "the output latency is what it was from the beginning"
  case stepsUnheard = "a user's step in the tempo is ignored"

  // Faults of the requests to JACK.
  case startNotHeld = "a start rolls at once"
  case loopHeld = "a locate while JACK rolls waits like a start"
  case startWaitsOn = "a start waits for a second quantum"
  case startHeldForEver = "a start is never let go"
  case relocationOff = "a start is put a period too late"
  case relocationLost = "a start is not put where it has to be"
  case relocationAtRest = "a resting transport is moved"
  case takenBackLeft = "a start that is taken back leaves the playhead where it was to begin"
  case startRearmed = "a start is put elsewhere again and again, as two bridges would"
  case pressesWait = "what is pressed waits for a server that does not answer"
  case stopLost = "JACK is not told that a peer stopped"
  case startLost = "JACK is not told that a peer started"

  // Faults of the commits to Link.
  case toldUnlessHad = "Link is not told what our copy of it says already"
  case commandsAtRestUntold = "a user's stop is not told while JACK rests"
  case linkNotTold = "Link is not told what JACK does"
  case commitsAlways = "every cycle commits"
  case gridForced = "peers' beat is moved instead of asked for"
  case gridAsked = "Link is asked for the playhead's beat while it leads"
  case tempoScheduled = "a tempo is set for later"
  case tempoRounded = "the session's tempo is rounded"
  case staleTempoRepeated = "a tempo that peers have changed is said again, as two bridges would"
  case deferredTempoKept = "a tempo that JACK's lead has put off is set when that ends"
  case ownersTempoDropped = "the owner's tempo does not reach Link"
  case ownersTempoOff = "the owner's tempo reaches Link half a per cent off"
  case steeringLost = "Link is not steered to an owner"

  // Faults of what an owner of the timebase says, and of its effects.
  case joinPushes = "a session that is joined gets the owner's tempo at the next start"
  case restUnseen = "what the owner declares while it is stopped is not looked at"
  case imposesOnce = "a pinned JACK gives way to a peer's tempo"
  case undoneForGood = "an owner's change that a peer undoes is not said once more"
  case steeringLeft = "what steering has put on the tempo stays"
  case barsCounted = "an owner's beats are counted from its bars, whatever the meter was before"
  case silenceUntold = "that the owner publishes nothing is not told"

  // Faults of what is published.
  case periodLate = "what is published is a period late"
  case frozen = "what is published stands still"
  case framesTimesTempo = "the position is counted from frames"
  case tempoInQuarters = "the tempo is in quarter notes whatever the meter"
  case nothingPublished = "nothing is published"

  // Faults of the notices.
  case noticesOverwritten = "of what happens in one cycle only the last is told"

  // The timebase.
  case timebaseStolen = "the timebase is taken back from whoever has it"
  case timebaseAbandoned = "the timebase is not taken when nobody has it"
  case releasedRolling = "the timebase is given up while the transport rolls"
}

extension Fault {
  func bend(_ configuration: inout Reconciler.Configuration) {
    switch self {
    case .quantumForMeter:
      let beats = Int(configuration.quantum.doubleValue.rounded(.up))
      configuration.choices.meter = Meter(beatsPerBar: beats, beatType: 4) ?? .common
    case .meterForQuantum: configuration.choices.quantum = nil
    case .syncForced: configuration.choices.take(.startStopSync(.both))
    case .launchUnquantised: configuration.choices.take(.launch(.now))
    case .framesUnaligned: configuration.frameAlignment = .off
    case .firstBeatLeftOut:
      if configuration.frameAlignment == .whole { configuration.frameAlignment = .exact }
    default: break
    }
  }

  func bend(_ observation: inout Observation, _ world: Simulation) {
    switch self {
    case .currentCycleForNext:
      see(at: observation.jack.start + observation.jack.outputLatency, &observation, world)
    case .clocksConfused:
      see(at: HostTime(nanoseconds: world.loop.next.nanoseconds) + world.latency, &observation, world)
    case .offsetSteps:
      see(
        at: observation.jack.nextOutput - observation.jack.outputLatency + world.latency, &observation, world)
    case .offsetUnheard: see(at: observation.jack.nextOutput + world.offset, &observation, world)
    case .latencyUnheard:
      let periods = Int64((world.setup.hasLatency ? 2 : 0) - world.latencyPeriods)
      see(at: observation.jack.nextOutput + world.periodDuration * periods, &observation, world)
    case .latencyForgotten: see(at: observation.jack.nextOutput - world.latency, &observation, world)
    case .latencySubtracted:
      see(at: observation.jack.nextOutput - world.latency - world.latency, &observation, world)
    case .peersUnseen: observation.link.peers = 0
    case .pressesUnseen:
      observation.link.play = PlayState(isPlaying: false, time: .init(nanoseconds: 0), beat: .zero)
    case .pressesInverted:
      observation.link.play.isPlaying.toggle()
    case .pressesUnlessChanging:
      // As for one whom Link calls back: the time of what it has is that of the last change.
      if let before = world.seenPlay, before.isPlaying == observation.link.play.isPlaying {
        observation.link.play = before
      }
      world.seenPlay = observation.link.play
    case .pressesHeardOfOtherLife:
      // As for one that thinks it was there all the time.
      if world.session.peers > 0, world.now < world.session.lastMeeting + .seconds(2) {
        observation.link.play = world.session.peersState
        observation.link.play.time = observation.jack.nextOutput
      }
    case .startsStampedLate:
      observation.link.play.time = observation.link.play.time + .milliseconds(1)
    case .tempoUnseen: observation.link.tempo = .standard
    case .restUnseen:
      if observation.jack.transport != .rolling, observation.jack.timebase.position != nil {
        observation.jack.timebase.position = TimebaseReading.absent
      }
    case .choicesUnheard: observation.choices.launch = world.setup.launch
    case .sharingUnheard:
      observation.choices.take(.startStopSync(world.setup.startStopSync ? .both : .off))
    case .disciplineUnheard: observation.choices.take(.discipline(world.setup.discipline))
    case .stepsUnheard: if case .nudgeTempo = observation.command { observation.command = nil }
    case .renderUnseen: observation.jack.isFreewheeling = false
    case .ownerMistaken: observation.jack.timebase.owner = .me
    case .barsCounted:
      guard var reading = observation.jack.timebase.position, reading.isValid, reading.beatType == 4,
        world.otherOwner?.honesty == .truthful
      else { break }
      let beats = (reading.bar - 1) * Int32(reading.beatsPerBar) + reading.beat - 1
      (reading.bar, reading.beat, reading.beatsPerBar) = (beats / 4 + 1, beats % 4 + 1, 4)
      observation.jack.timebase.position = reading
    default: break
    }
  }

  private func see(at time: HostTime<LinkClock>, _ observation: inout Observation, _ world: Simulation) {
    observation.jack.nextOutput = time
    observation.link.beat = world.session.beat(at: time)
  }

  func bend(_ decision: inout Decision, _ observation: Observation, _ world: Simulation) {
    let jack = observation.jack
    switch self {
    case .echoTakenForPress:
      let isNews = observation.link.play.isPlaying != world.record.linkPlayed
      if isNews { decision.transport = observation.link.play.isPlaying ? .start : .stop }
    case .pressesUnlessChanging:
      if !observation.link.isEnabled { decision.link.isPlaying = nil }
    case .toldUnlessHad:
      if !observation.link.isEnabled { decision.link.isPlaying = nil }
      if decision.link.isPlaying?.isPlaying == observation.link.play.isPlaying {
        decision.link.isPlaying = nil
      }
    case .commandsAtRestUntold:
      if case .stop = observation.command, jack.transport == .stopped { decision.link.isPlaying = nil }
    case .sharingPresses:
      let isPlaying = observation.link.play.isPlaying
      if world.record.sharesStartStop, isPlaying != (jack.transport != .stopped),
        world.now - world.record.lastSharing < .milliseconds(500)
      {
        decision.transport = isPlaying ? .start : .stop
      }
    case .takenBackLeft:
      if case .relocate = decision.transport, jack.transport == .stopped { decision.transport = nil }
    case .startNotHeld: decision.holdsStart = false
    case .loopHeld:
      if let start = world.record.start, start.isLoop, start.cycles < 40, jack.isSyncCallback {
        decision.holdsStart = true
      }
    case .startWaitsOn:
      if let start = world.record.start,
        world.now - start.began < world.session.timeline.tempo.interval(of: world.setup.quantum.beats) * 2
      {
        decision.holdsStart = jack.isSyncCallback
      }
    case .startHeldForEver: decision.holdsStart = jack.isSyncCallback
    case .relocationOff:
      if case .relocate(let frame) = decision.transport {
        decision.transport = .relocate(frame: frame + jack.period)
      }
    case .startRearmed:
      if jack.isSyncCallback, world.cycles % 16 == 0 {
        decision.transport = .relocate(frame: jack.frame + jack.period)
        decision.holdsStart = true
      }
    case .pressesWait:
      if world.now < world.hangEnds {
        decision.transport = nil
        decision.link.isPlaying = nil
      }
    case .relocationLost:
      if case .relocate = decision.transport { decision.transport = nil }
    case .relocationAtRest:
      if jack.transport == .stopped, jack.frame != 0 { decision.transport = .relocate(frame: 0) }
    case .stopLost: if decision.transport == .stop { decision.transport = nil }
    case .startLost: if decision.transport == .start { decision.transport = nil }
    case .linkNotTold: decision.link.isPlaying = nil
    case .commitsAlways:
      decision.link.isPlaying =
        decision.link.isPlaying ?? PlayEdit(isPlaying: observation.link.play.isPlaying, time: jack.nextOutput)
    case .gridForced: decision.link.beat?.isForced = true
    case .gridAsked:
      if jack.transport == .starting, world.bridge.reconciler.leader == .link {
        decision.link.beat = BeatEdit(beat: .zero, isForced: false)
      }
    case .tempoScheduled:
      decision.link.tempo?.time = jack.nextOutput + HostInterval.seconds(1)
    case .tempoRounded:
      let tempo = observation.link.tempo
      guard let round = Tempo(beatsPerMinute: tempo.beatsPerMinute.rounded()), world.session.isQuiet,
        !round.isSameOnTheWire(as: tempo)
      else { break }
      decision.link.tempo = decision.link.tempo ?? TempoEdit(tempo: round, time: jack.nextOutput)
    case .joinPushes:
      guard world.bridge.reconciler.leader == .jack, jack.transport == .rolling,
        world.record.rollingCycles > 20,
        world.record.rollingCycles < 23, let owner = world.otherOwner, owner.honesty == .truthful,
        let tempo = Tempo(beatsPerMinute: owner.beatsPerMinute(at: jack.frame, world.setup.rate)),
        !tempo.isSameOnTheWire(as: observation.link.tempo)
      else { break }
      decision.link.tempo = TempoEdit(tempo: tempo, time: jack.nextOutput)
    case .imposesOnce:
      if world.mode == .jack, world.record.lastPeersTempo > world.record.lastSelection {
        decision.link.tempo = nil
      }
    case .undoneForGood:
      let isFresh = world.now - world.session.lastUndoing < HostInterval.seconds(3)
      let before = observation.link.tempo.beatsPerMinute
      if isFresh, let edit = decision.link.tempo,
        (edit.tempo.beatsPerMinute - before).magnitude > before * 1e-2
      {
        decision.link.tempo = nil
      }
    case .steeringLeft: if jack.transport == .stopped { decision.link.tempo = nil }
    case .silenceUntold:
      world.bridge.reports.removeAll { $0 == .grid(.silentOwner) }
    case .noticesOverwritten:
      if (decision.notices + world.bridge.reports).count > 1 { decision.press = nil }
    case .staleTempoRepeated:
      let tempo = observation.link.tempo
      if let before = world.seenTempo, before != tempo, world.bridge.reconciler.leader == .link {
        decision.link.tempo = decision.link.tempo ?? TempoEdit(tempo: before, time: jack.nextOutput)
      }
      world.seenTempo = tempo
    case .deferredTempoKept:
      switch world.bridge.reconciler.leader {
      case .jack: if case .proposeTempo(let tempo) = observation.command { world.seenTempo = tempo }
      case .link, .neither:
        guard let tempo = world.seenTempo, !tempo.isSameOnTheWire(as: observation.link.tempo) else { break }
        decision.link.tempo = TempoEdit(tempo: tempo, time: jack.nextOutput)
        world.seenTempo = nil
      }
    case .ownersTempoOff:
      if world.bridge.reconciler.leader == .jack, let edit = decision.link.tempo,
        let tempo = Tempo(beatsPerMinute: edit.tempo.beatsPerMinute * 1.0045)
      {
        decision.link.tempo?.tempo = tempo
      }
    case .steeringLost: if decision.link.tempo?.isSteering ?? false { decision.link.tempo = nil }
    case .ownersTempoDropped:
      if world.bridge.reconciler.leader == .jack { decision.link.tempo = nil }
    default: break
    }
  }

  func bend(_ entry: inout TimebaseEntry, _ world: Simulation) {
    let tempo = world.session.timeline.tempo
    switch self {
    case .periodLate:
      move(&entry, to: entry.position.position - tempo.beats(in: world.periodDuration))
    case .frozen: if let before = world.record.published { entry = before }
    case .framesTimesTempo:
      move(&entry, to: world.nominal(world.engine.askedFrame))
    case .tempoInQuarters: entry.beatsPerMinute = tempo.beatsPerMinute
    default: break
    }
  }

  func bend(_ action: inout TimebaseAction) {
    switch (self, action) {
    case (.timebaseStolen, .ask): action = .retake
    case (.timebaseAbandoned, .ask), (.timebaseAbandoned, .retake): action = .none
    case (.releasedRolling, .none): action = .release
    default: break
    }
  }

  private func move(_ entry: inout TimebaseEntry, to position: BeatTime) {
    entry.position = BarBeatTick(
      nearest: position, meter: entry.position.meter, ticksPerBeat: entry.position.ticksPerBeat)
  }
}
