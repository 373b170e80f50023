import MusicalTime

/// Finds the step of JACK's transport since the last cycle: the one place that does.
///
/// Frames that go on are on one ``Course``. A frame that is one or two whole periods off it is a torn read: a
/// server that has stood still runs cycles at once, while the bridge reads its count and its transport one
/// after the other, and may count a cycle in which its transport stays where it is. A relocation takes longer.
public struct TransportWatch: Sendable {
  private var motion: TransportState?
  private var frame: TransportFrame = 0
  private var serverFrame: ServerFrame = 0
  private var period: UInt32 = 0
  private var course = Course(of: 0, at: 0)
  private var cycles: UInt32 = 0
  /// Whether it has rolled since it was last stopped.
  private var hasRolled = false

  /// A watch that has seen nothing.
  @_noLocks
  public init() {}

  /// Takes a cycle. Of the first one nothing is known. Realtime-safe.
  @_noLocks
  public mutating func observe(
    _ now: TransportState, at frame: TransportFrame, counted serverFrame: ServerFrame, period: UInt32
  ) -> TransportStep {
    var step = TransportStep()
    defer {
      motion = now
      self.frame = frame
      self.serverFrame = serverFrame
      self.period = period
    }
    guard let before = motion else {
      hasRolled = now.isRolling
      course = Course(of: frame, at: serverFrame)
      return step
    }
    step.wasRolling = before.isRolling
    // A transport on its course has gone on from there: the last frame read may have been that of the next cycle.
    let onCourse = course.frame(at: serverFrame)
    let isOnCourse = before.isRolling && frame == onCourse
    let last = isOnCourse ? course.frame(at: self.serverFrame) : self.frame
    step.expected = before.isRolling ? last + self.period : last
    step.passed = serverFrame.frames(since: self.serverFrame)
    let goesOn = frame == self.frame + step.passed
    step.isLocated =
      switch (before.isRolling, now.isRolling) {
      case (true, true):
        !goesOn && frame != step.expected
          && !isTorn(frame, from: onCourse, period: period)
      // Where it can have come by rolling, it begins, or it has stopped.
      case (true, false), (false, true):
        frame != step.expected && !step.canHaveCome(from: self.frame, to: frame, period: period)
      case (false, false): frame != self.frame
      }
    // A frame of a torn read is not where it goes on.
    if step.isLocated || !before.isRolling || goesOn { course = Course(of: frame, at: serverFrame) }
    cycles = step.isLocated || before.isRolling != now.isRolling ? 0 : cycles &+ 1
    step.cycles = cycles
    compare(now, with: before, &step)
    return step
  }

  /// Compares the two states: a start is reported when it rolls, a stop at once.
  @inline(__always) @_noLocks
  private mutating func compare(
    _ now: TransportState, with before: TransportState, _ step: inout TransportStep
  ) {
    step.hasStarted = now.isRolling && !hasRolled
    step.hasTurned = before.isPlaying != now.isPlaying
    step.hasStopped = step.hasTurned && !now.isPlaying
    step.isTakenBack = step.hasStopped && !before.isRolling
    hasRolled = (hasRolled || now.isRolling) && !step.hasStopped
  }
}

/// Whether a frame is a cycle or two from where it should be, as a torn read is.
@_noLocks
func isTorn(_ frame: TransportFrame, from expected: TransportFrame, period: UInt32) -> Bool {
  let way = UInt32(truncatingIfNeeded: (frame - expected).count.magnitude)
  return way <= 2 &* period && way % max(1, period) == 0
}
