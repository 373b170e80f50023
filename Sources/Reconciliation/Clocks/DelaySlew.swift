import MusicalTime

/// The gradual change to another ``OutputDelay`` that the user wants, while JACK rolls.
///
/// A step would interrupt the music, and a step back would play beats twice. So the delay changes by
/// ``share`` of the time that passes: JACK's beats come by as much faster or slower than Link's for a while,
/// as when a DJ leans on a record. At 2 % that is a third of a semitone, programs that read the position in
/// each cycle go along, and 10 ms take half a second. While JACK is stopped or starting, nothing is heard,
/// and the delay changes at once: the next start has all of it.
struct DelaySlew: Sendable {
  /// One part in so many of the time that passes.
  private static var share: Int64 { @_noLocks get { 50 } }

  private var reached = HostInterval.zero
  private var hasBegun = false

  @_noLocks
  init() {}

  /// The delay of a cycle that lasts `span`, while it approaches `wanted`.
  @inline(__always) @_noLocks
  mutating func advance(to wanted: OutputDelay, over span: HostInterval, isPlaying: Bool) -> CycleDelay {
    let way = wanted.slewed - reached
    let step = HostInterval(nanoseconds: span.nanoseconds / DelaySlew.share)
    if hasBegun, isPlaying, way.magnitude > step {
      reached = way.nanoseconds > 0 ? reached + step : reached - step
    } else {
      reached = wanted.slewed
      hasBegun = true
    }
    return CycleDelay(now: wanted.stepped + reached, rest: wanted.slewed - reached)
  }
}
