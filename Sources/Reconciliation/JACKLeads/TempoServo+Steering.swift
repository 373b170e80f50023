import MusicalTime

extension TempoServo {
  /// The error that steering leaves alone, in seconds.
  private static var deadBand: Double { @_noLocks get { 1e-4 } }
  /// From then on the error is steered away in seconds, not in minutes.
  private static var urgent: Double { @_noLocks get { 1.5e-4 } }
  /// The largest correction of the tempo, as a part of it.
  private static var strongest: Double { @_noLocks get { 5e-4 } }
  /// No sound card runs further off an owner's tempo, and no tempo that was measured is off by more.
  private static var largestDrift: Double { @_noLocks get { 1e-3 } }
  /// Shorter, the drift is not known well enough to act on.
  private static var shortestSpan: HostInterval { @_noLocks get { .seconds(1) } }

  /// Corrects the tempo when the error has left the dead band and does not come back by itself, and again
  /// when a strong correction has done its work.
  @_noLocks
  mutating func steer(_ committed: Int64, time: HostTime<LinkClock>, uncertainty: Double) -> Action {
    if let commitTime, time - commitTime < TempoServo.pause { return .none }
    guard phase.span >= TempoServo.shortestSpan else { return .none }
    // The owner's tempo in microseconds of Link's clock per beat, the error of the sample clock included.
    let exact = Double(committed) / (1 + credibleDrift)
    if closing != 0, phase.error * closing <= 0 {
      closing = 0
      let nearest = TempoServo.bounded(exact + 0.5)
      // The neighbour of the nearest tempo drifts slowly enough to be left until the other edge.
      let steps = nearest &- committed
      return steps > 1 || steps < -1 ? commit(nearest, insteadOf: committed, time: time) : .none
    }
    let size = phase.error.magnitude
    guard size > TempoServo.deadBand + uncertainty else { return .none }
    let isUrgent = size > TempoServo.urgent + uncertainty
    let side = phase.error > 0 ? 1.0 : -1.0
    // An error that shrinks at the largest allowed rate is left alone: a commit reaches every peer.
    let enough = min(size / (isUrgent ? 10 : 400), TempoServo.strongest * 0.8)
    guard -side * phase.drift < enough else { return .none }
    let wanted = size / (isUrgent ? 6 : 200)
    let correction = wanted < TempoServo.strongest ? wanted : TempoServo.strongest
    let target = exact * (1 - side * correction)
    closing = side
    return commit(
      TempoServo.bounded(side > 0 ? target : target + 1), insteadOf: committed, time: time)
  }

  /// The drift, as far as it can be one: a step of Link's beat that was measured on a short line looks like a
  /// large one.
  private var credibleDrift: Double {
    @_noLocks get { max(-TempoServo.largestDrift, min(phase.drift, TempoServo.largestDrift)) }
  }

  /// Restores the owner's tempo at a stop: no peer would change the tempo that steering has left.
  @_noLocks
  mutating func settle(on owner: OwnerTempoEstimate, time: HostTime<LinkClock>) -> Action {
    // A tempo that was measured is no better.
    guard owner.isDeclared, case .engaged(let committed) = agreement else { return .none }
    if let commitTime, time - commitTime < TempoServo.pause { return .none }
    return commit(owner.folded.tempo.microsecondsPerBeat, insteadOf: committed, time: time)
  }

  @_noLocks
  private mutating func commit(
    _ aim: Int64, insteadOf committed: Int64, time: HostTime<LinkClock>
  ) -> Action {
    let wanted = credible(aim)
    guard wanted != committed else { return .none }
    phase.linkSlowed(by: Double(wanted) / Double(committed))
    agreement = .engaged(wanted)
    commitTime = time
    return .tempo(TempoEdit(tempo: TempoServo.tempo(wanted), time: time, isSteering: true))
  }

  /// A tempo that steering can come to: not further from the owner's, however often it is steered.
  @_noLocks
  private func credible(_ microseconds: Int64) -> Int64 {
    guard let base else { return microseconds }
    let plain = base.folded.tempo.microsecondsPerBeat
    let reach = TempoServo.reach(of: plain, isDeclared: base.isDeclared)
    return max(plain &- reach, min(microseconds, plain &+ reach))
  }

  /// Whether steering can make one tempo of another that is declared: a tempo further away was set by a
  /// peer or user.
  @_noLocks
  static func canMake(_ session: Tempo, of plain: Tempo) -> Bool {
    let plain = plain.microsecondsPerBeat
    return (session.microsecondsPerBeat &- plain).magnitude <= reach(of: plain, isDeclared: true).magnitude
  }

  /// By how many microseconds steering can change a beat of so many.
  @_noLocks
  private static func reach(of plain: Int64, isDeclared: Bool) -> Int64 {
    // Never so little that no neighbour is left.
    plain / (isDeclared ? 1_000 : 500) &+ 2
  }

  /// The whole microseconds of a beat, within the range of Link's tempos, for any drift.
  @_noLocks
  private static func bounded(_ microseconds: Double) -> Int64 {
    // Also false for a value that is not a number.
    guard microseconds > 60_060 else { return 60_060 }
    return microseconds < 3_000_000 ? Int64(microseconds) : 3_000_000
  }
}
