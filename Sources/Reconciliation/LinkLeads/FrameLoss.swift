import MusicalTime

/// How far JACK's frames have come off real time since the transport rolls.
///
/// A server that misses deadlines goes on counting where it stopped: the music that programs place by bar and
/// beat goes on with the session, and the music that they place by frames is late by the lost time, until the
/// transport starts anew. A notice reports that once in a roll. A user's change of the offset while it rolls
/// puts frames off by as much; a notice reports each.
struct FrameLoss: Sendable {
  /// A smaller loss may be the clock's.
  private static var least: HostInterval { @_noLocks get { .milliseconds(1) } }
  /// How long it has to last: a later cycle makes up for a late wake-up, and the bridge corrects a start that
  /// has just begun.
  private static var tellDelay: HostInterval { @_noLocks get { .seconds(1) } }
  /// The periods that may pass between two cycles in which JACK calls the bridge.
  private static var longestGap: Int64 { @_noLocks get { 64 } }
  /// How long the output latency may take to be known where a roll is joined.
  private static var acquaintance: HostInterval { @_noLocks get { .seconds(2) } }

  /// The next cycle's first frame, when it is heard, and the output latency, as the last cycle had them.
  private var last: (frame: TransportFrame, next: HostTime<LinkClock>, latency: HostInterval)?
  /// Until when another latency is none that has changed: the roll has been joined.
  private var knownFrom: HostTime<LinkClock>?
  private var hasRested = false
  private var lost = HostInterval.zero
  private var due: HostTime<LinkClock>?
  private var isTold = false
  /// By how much another latency or offset has put frames off in this roll, and the value last reported.
  private var shifted = HostInterval.zero
  private var toldShift = HostInterval.zero
  private var shiftDue: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// Takes a cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - jack: JACK's side of the observation.
  ///   - least: The smallest loss to report.
  ///   - tells: Whether frames are aligned with another peer, so that a loss matters.
  /// - Returns: The notice to report, or `nil`.
  @inline(__always) @_noLocks
  mutating func observe(
    _ jack: JACKObservation, least: HostInterval, tells: Bool
  ) -> TransportNotice? {
    guard jack.transport.isRolling else {
      if last != nil || !(hasRested || jack.transport.isPlaying) { startOver() }
      return nil
    }
    let before = last
    // Of the cycle to come, whose length may be another.
    let frame = jack.frame + jack.period
    last = (frame, jack.nextOutput, jack.outputLatency)
    guard let before else {
      if !hasRested { knownFrom = jack.nextOutput + FrameLoss.acquaintance }
      return nil
    }
    let frames = frame - before.frame
    guard (0...FrameLoss.longestGap &* Int64(jack.period)).contains(frames.count) else {
      // Relocated, by a server that does not stop for it.
      startOver()
      return nil
    }
    let shift = jack.outputLatency - before.latency
    let isKnown = knownFrom.map { $0 <= jack.nextOutput } ?? true
    if isKnown, shift.nanoseconds != 0 {
      shifted = shifted + shift
      shiftDue = jack.nextOutput + FrameLoss.tellDelay
    }
    let gap = jack.nextOutput - before.next - shift - HostInterval(frames, at: jack.rate)
    if gap.magnitude > FrameLoss.least {
      lost = lost + gap
      due = lost.magnitude > least ? jack.nextOutput + FrameLoss.tellDelay : nil
    }
    if let due, due <= jack.nextOutput {
      self.due = nil
      guard tells, !isTold else { return nil }
      isTold = true
      return .framesFellBehind(by: lost)
    }
    guard let shiftDue, shiftDue <= jack.nextOutput else { return nil }
    return shiftEnded(tells: tells)
  }

  /// Forgets the roll: the next one is another.
  @_noLocks
  private mutating func startOver() {
    self = FrameLoss()
    hasRested = true
  }

  /// The latency and the offset have come to where they are to be.
  @inline(never) @_noLocks
  private mutating func shiftEnded(tells: Bool) -> TransportNotice? {
    shiftDue = nil
    guard tells, (shifted - toldShift).magnitude > .audible else { return nil }
    toldShift = shifted
    return .framesShifted(by: shifted)
  }
}
