import MusicalTime

/// How far JACK's frames have come off real time since the transport rolls.
///
/// A server that misses deadlines goes on counting where it stopped: the music that programs place by bar and
/// beat goes on with the session, and the music that they place by frames is late by the lost time, until the
/// transport starts anew. A change of the offset or of the output latency while it rolls puts frames off by as
/// much.
struct FrameLoss: Sendable {
  /// A smaller loss may be the clock's.
  private static var least: HostInterval { @_noLocks get { .milliseconds(1) } }
  /// How long the output latency may take to be known where a roll is joined.
  private static var acquaintance: HostInterval { @_noLocks get { .seconds(2) } }

  /// The next cycle's first frame, when it is heard, and the output latency, as the last cycle had them.
  private var last: (frame: TransportFrame, next: HostTime<LinkClock>, latency: HostInterval)?
  /// Until when another latency is none that has changed: the roll has been joined.
  private var knownFrom: HostTime<LinkClock>?
  private var hasRested = false
  /// The time that JACK has lost in this roll.
  private(set) var lost = HostInterval.zero
  /// By how much another latency or offset has put frames off in this roll; `nil` unless it rolls.
  var shift: HostInterval? { @_noLocks get { last == nil ? nil : shifted } }
  private var shifted = HostInterval.zero

  @_noLocks
  init() {}

  /// Takes a cycle. Realtime-safe.
  @inline(__always) @_noLocks
  mutating func observe(_ jack: JACKObservation) {
    guard jack.transport.isRolling else {
      if last != nil || !(hasRested || jack.transport.isPlaying) { startOver() }
      return
    }
    let before = last
    // Of the cycle to come, whose length may be another.
    let frame = jack.frame + jack.period
    last = (frame, jack.nextOutput, jack.outputLatency)
    guard let before else {
      if !hasRested { knownFrom = jack.nextOutput + FrameLoss.acquaintance }
      return
    }
    // By a server that does not stop for it.
    guard !jack.step.isLocated else { return startOver() }
    let frames = frame - before.frame
    let shift = jack.outputLatency - before.latency
    if knownFrom.map({ $0 <= jack.nextOutput }) ?? true { shifted = shifted + shift }
    let gap = jack.nextOutput - before.next - shift - HostInterval(frames, at: jack.rate)
    if gap.magnitude > FrameLoss.least { lost = lost + gap }
  }

  /// Forgets the roll: the next one is another.
  @_noLocks
  private mutating func startOver() {
    self = FrameLoss()
    hasRested = true
  }
}
