import MusicalTime

extension TempoServo {
  /// The least time between two tempos of an owner that changes it all the time. ``ReplacedTempos`` counts on
  /// it.
  private static var shortestTempo: HostInterval { @_noLocks get { .milliseconds(100) } }
  /// The least time between two tempos of a servo that only gets better, or is not to be overruled: every peer hears
  /// each of them.
  static var pause: HostInterval { @_noLocks get { .seconds(1.1) } }
  /// How far a measured tempo may be off at least, as a part of it: so much JACK's clock strays while it
  /// catches up after a missed deadline and still counts as steady.
  private static var stray: Double { @_noLocks get { 1e-3 } }
  /// How far back a new tempo may be dated: as long as it may have taken to find it out.
  private static var longestDelay: HostInterval { @_noLocks get { .seconds(1.5) } }

  /// Takes over the owner's tempo when it changed, and when it is known better than it was at first.
  @_noLocks
  mutating func follow(
    _ owner: OwnerTempoEstimate, link sessionTempo: Tempo, offset: Double, time: HostTime<LinkClock>,
    isStarting: Bool
  ) -> Action? {
    guard let base else {
      self.base = owner
      return isImposed ? take(owner, link: sessionTempo, offset: offset, time: time) : nil
    }
    let isUndone = if case .undone = agreement { true } else { false }
    if isImposed || isUndone { return take(owner, link: sessionTempo, offset: offset, time: time) }
    let pause = if let commitTime { time - commitTime } else { TempoServo.pause }
    let difference = (owner.folded.tempo.beatsPerMinute - base.folded.tempo.beatsPerMinute).magnitude
    if owner.folded.doublings != base.folded.doublings || difference > tolerance(of: base, and: owner) {
      guard pause >= TempoServo.shortestTempo || (isStarting && hurries(at: time)) else { return nil }
      return take(owner, link: sessionTempo, offset: offset, time: time)
    }
    guard owner.uncertainty < base.uncertainty / 2 else { return nil }
    if isEngaged {
      guard pause >= TempoServo.pause else { return nil }
      // A smaller difference is within the uncertainty, which is a bound: steering removes it.
      if difference > owner.uncertainty / 3 {
        return take(owner, link: sessionTempo, offset: offset, time: time)
      }
    }
    self.base = owner
    return nil
  }

  /// Whether a start's tempo may follow the last one at once: not where a client starts and stops again and
  /// again.
  @_noLocks
  private mutating func hurries(at time: HostTime<LinkClock>) -> Bool {
    if let hurried, time - hurried < TempoServo.pause { return false }
    hurried = time
    return true
  }

  /// How far two estimates of one tempo may be apart.
  ///
  /// As long as the tempo is not Link's it is a change of the owner's that counts, and not that it is known
  /// better: a session would be overrun by a measurement.
  @_noLocks
  private func tolerance(of base: OwnerTempoEstimate, and owner: OwnerTempoEstimate) -> Double {
    let known = owner.uncertainty + base.uncertainty
    if isEngaged || (base.isDeclared && owner.isDeclared) { return known }
    return known + TempoServo.stray * base.folded.tempo.beatsPerMinute
  }

  /// Takes over a tempo that is known before a single beat was seen.
  @_noLocks
  mutating func take(
    _ owner: OwnerTempoEstimate, at time: HostTime<LinkClock>, insteadOf sessionTempo: Tempo
  ) -> Tempo {
    _ = take(owner, link: sessionTempo, offset: 0, time: time)
    return TempoServo.tempo(owner.folded.tempo.microsecondsPerBeat)
  }

  /// Whether Link has another tempo than the owner that is not about to be set anyway, a while after the
  /// bridge has last set one: it does not oppose a peer that imposes its own tempo in every cycle.
  @_noLocks
  func mayImpose(at time: HostTime<LinkClock>) -> Bool {
    guard !isEngaged, !isImposed else { return false }
    guard let commitTime else { return true }
    return time - commitTime > TempoServo.pause
  }

  @_noLocks
  private mutating func take(
    _ owner: OwnerTempoEstimate, link sessionTempo: Tempo, offset: Double, time: HostTime<LinkClock>
  ) -> Action {
    let tempo = TempoServo.tempo(owner.folded.tempo.microsecondsPerBeat)
    // Before, the beats had nothing to do with each other, and their distance has not come from a late tempo.
    let delay = isEngaged ? delay(offset, from: sessionTempo, to: tempo) : .zero
    isImposed = false
    // Once: a peer that changes the tempo again intends that.
    if case .undone = agreement { replaced.removeAll() } else { replaced.add(sessionTempo, at: time) }
    commitTime = time
    engage(committed: tempo.microsecondsPerBeat, base: owner)
    return .tempo(TempoEdit(tempo: tempo, time: time - delay))
  }

  /// How long ago Link would have had to change its tempo for its beat to be the owner's now.
  @_noLocks
  private func delay(_ offset: Double, from sessionTempo: Tempo, to tempo: Tempo) -> HostInterval {
    let gain = tempo.beatsPerMinute / sessionTempo.beatsPerMinute - 1
    let delay = offset / gain
    // An error that the change does not explain stays; it is steered or aligned.
    guard delay > 0, delay <= TempoServo.longestDelay.seconds else { return .zero }
    return HostInterval(nanoseconds: Int64(delay * 1e9))
  }

  /// The tempo of whole microseconds per beat. The fastest, 60060, is a little beyond Link's range and means
  /// 999.
  @_noLocks
  static func tempo(_ microsecondsPerBeat: Int64) -> Tempo {
    Tempo(clamping: 60e6 / Double(microsecondsPerBeat)) ?? .standard
  }
}
