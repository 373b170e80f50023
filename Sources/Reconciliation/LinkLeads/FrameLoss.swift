import MusicalTime

/// How far JACK's frames have come off real time since the transport rolls.
///
/// A server that misses deadlines goes on counting where it stopped: the music that programs place by bar and
/// beat goes on with the session, and what they place by frames is late by what was lost, until the transport
/// starts anew. That is told once in a roll.
struct FrameLoss: Sendable {
  /// What is less may be the clock's.
  private static var least: HostInterval { @_noLocks get { .milliseconds(1) } }
  /// How long it has to last: what was only a late wake-up is made up for, and a start that has just begun is
  /// put right.
  private static var tellDelay: HostInterval { @_noLocks get { .seconds(1) } }
  /// The periods that may pass between two cycles that we are let run in.
  private static var longestGap: Int64 { @_noLocks get { 64 } }

  private var last: (frame: TransportFrame, next: HostTime<LinkClock>)?
  private var lost = HostInterval.zero
  private var due: HostTime<LinkClock>?
  private var isTold = false

  @_noLocks
  init() {}

  /// Takes a cycle, and returns what was lost when it is to be told: positive where frames are late.
  @inline(__always) @_noLocks
  mutating func observe(_ jack: JACKObservation, tells: Bool) -> HostInterval? {
    guard jack.transport.isRolling else {
      if case .some = last { self = FrameLoss() }
      return nil
    }
    let before = last
    last = (jack.frame, jack.nextOutput)
    guard let before else { return nil }
    let frames = jack.frame - before.frame
    guard (0...FrameLoss.longestGap &* Int64(jack.period)).contains(frames.count) else {
      // Relocated, by a server that does not stop for it.
      self = FrameLoss()
      return nil
    }
    let gap = jack.nextOutput - before.next - HostInterval(frames, at: jack.rate)
    if gap.magnitude > FrameLoss.least {
      lost = lost + gap
      due = lost.magnitude > .audible ? jack.nextOutput + FrameLoss.tellDelay : nil
    }
    guard let due, due <= jack.nextOutput else { return nil }
    self.due = nil
    guard tells, !isTold else { return nil }
    isTold = true
    return lost
  }
}
