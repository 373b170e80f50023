import MusicalTime

/// How far JACK's frames have come off real time since the transport rolls.
///
/// A server that misses deadlines goes on counting where it stopped: the music that programs place by bar and
/// beat goes on with the session, and what they place by frames is late by what was lost, until the transport
/// starts anew. That is told once in a roll. A user who changes the offset while it rolls has frames be off by as much,
/// and is told so each time.
struct FrameLoss: Sendable {
  /// What is less may be the clock's.
  private static var least: HostInterval { @_noLocks get { .milliseconds(1) } }
  /// How long it has to last: what was only a late wake-up is made up for, and a start that has just begun is
  /// put right.
  private static var tellDelay: HostInterval { @_noLocks get { .seconds(1) } }
  /// The periods that may pass between two cycles that we are let run in.
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
  /// By how much another latency or offset has put frames off in this roll, and what was told of that.
  private var shifted = HostInterval.zero
  private var toldShift = HostInterval.zero
  private var shiftDue: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// Takes a cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - jack: What is seen of JACK.
  ///   - least: What of a loss is worth telling.
  ///   - tells: Whether there is anybody to be off.
  /// - Returns: What is to be told, if anything.
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

  /// What comes is another roll.
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
