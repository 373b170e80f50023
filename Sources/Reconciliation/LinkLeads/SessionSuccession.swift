import MusicalTime

/// Notices that the session's tempo was replaced because a peer came as the last one left.
///
/// When the last peer leaves, Link founds a session anew. Of two sessions whose ages differ by less than half
/// a second chance decides which one stays: a peer that comes at once can bring its own tempo, though no user
/// has set it.
struct SessionSuccession: Sendable {
  /// How long after the last peer has left a session that comes may be as new as the bridge's own, half a
  /// second, and the time until it shows: 0.55 s after that at most in 300 tries with Link 3.0.6, 3.1.2 and
  /// 4.0 on one machine.
  private static var window: HostInterval { .milliseconds(900) }
  /// How far apart a peer and the tempo of its session show at most. Link changes the tempo first.
  private static var delay: HostInterval { .milliseconds(100) }

  private enum State: Sendable {
    case alone
    case inCompany
    /// The last peer has left. A peer that comes until then, or whose tempo shows until then, replaces the
    /// session's tempo.
    case left(Session, until: HostTime<LinkClock>)
  }

  /// The session that the bridge has alone.
  private struct Session: Sendable {
    /// Its tempo in the cycle before: a discipline may steer it.
    var tempo: Tempo
    /// The tempo instead of which a peer's shows, where the peer does not yet.
    var replaced: Tempo?
  }

  private var state = State.alone

  @_noLocks
  init() {}

  /// Takes a cycle in which Link leads. Returns the tempo `before`, without a discipline's steering, where a peer
  /// has just replaced it while JACK rolls. A tempo that a user `sets` stays. The `lastEdit` is the change of the
  /// cycle before. Realtime-safe.
  @inline(__always) @_noLocks
  mutating func observe(
    _ observation: Observation, before: Tempo, lastEdit: TempoEdit?, sets: Bool
  ) -> Tempo? {
    switch state {
    case .alone:
      if observation.link.peers > 0 { state = .inCompany }
      return nil
    case .inCompany:
      if observation.link.peers == 0 {
        state = .left(
          Session(tempo: observation.link.tempo),
          until: observation.jack.nextOutput + SessionSuccession.window)
      }
      return nil
    case .left(var session, let end):
      if let lastEdit { session.tempo = lastEdit.tempo }
      return look(observation, before, session, until: end, sets: sets)
    }
  }

  @inline(never) @_noLocks
  private mutating func look(
    _ observation: Observation, _ before: Tempo, _ session: Session, until end: HostTime<LinkClock>,
    sets: Bool
  ) -> Tempo? {
    let (link, next) = (observation.link, observation.jack.nextOutput)
    guard link.isEnabled, next <= end else {
      state = .alone
      return nil
    }
    let isReplaced = !link.tempo.isSameOnTheWire(as: session.tempo)
    let replaced = session.replaced ?? (isReplaced ? before : nil)
    let session = Session(tempo: link.tempo, replaced: sets ? nil : replaced)
    guard link.peers > 0 else {
      state = .left(session, until: isReplaced ? next + SessionSuccession.delay : end)
      return nil
    }
    // Two peers that come together have a session of their own.
    let keeps = link.peers == 1 && !sets && observation.jack.transport.isRolling
    if keeps, case .none = session.replaced {
      state = .left(session, until: min(end, next + SessionSuccession.delay))
      return nil
    }
    state = .inCompany
    return keeps ? session.replaced : nil
  }
}
