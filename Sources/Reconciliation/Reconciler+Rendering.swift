import MusicalTime

// JACK renders: it freewheels, as fast as its clients can, for an export. Frames are the music then, and
// nothing of it is heard. So bar, beat and tick go with the frames, at the tempo and from the place that they
// had when it began; Link is told nothing, and nothing of Link's reaches JACK. When it ends, all is as a join
// finds it: each side does what it does, and the next press makes both agree.

extension Reconciler {
  /// Takes a cycle in which JACK renders.
  @inline(never) @_noLocks
  mutating func render(_ observation: Observation) -> Decision {
    var decision = Decision()
    if rendering == nil {
      rendering = direction.rendering(at: tempo)
      decision.notices.tell(.rendering)
    }
    latest = CycleSnapshot(observation)
    if case .select(let wanted) = observation.command { mode = wanted }
    // The session is to have it when that is heard again.
    if let wanted = usersTempo(observation) { wantedTempo = wanted }
    let outcome = transport.render(observation, startStopSync: configuration.startStopSync)
    decision.transport = outcome.transport
    decision.notices.tell(outcome.notices)
    return decision
  }

  /// JACK keeps time again: in this cycle, and from here on.
  @_noLocks
  mutating func returnToTime(
    from rendering: Rendering, _ observation: Observation, _ decision: inout Decision
  ) {
    self.rendering = nil
    direction.resume(from: rendering, observation)
    decision.notices.tell(.renderingEnded)
  }
}

extension Transport {
  /// Takes a cycle in which JACK renders: whatever was on its way is given up, and what peers press is told
  /// and left alone.
  @_noLocks
  mutating func render(_ observation: Observation, startStopSync: Bool) -> Outcome {
    var outcome = Outcome()
    forgetCourse()
    if startStopSync {
      switch link.update(observation, timelineIsOurs: false) {
      case .none: break
      case .play: outcome.notice = .pressIgnored(isPlaying: true)
      case .stop: outcome.notice = .pressIgnored(isPlaying: false)
      }
    }
    switch observation.command {
    case .start: outcome.transport = .start
    case .stop: outcome.transport = .stop
    case .none, .proposeTempo, .foundSession, .select, .clientLeft: break
    }
    return outcome
  }
}
