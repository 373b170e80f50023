import MusicalTime

/// Where a cycle of a port is: in frames, and in steps of the song, which are the beats of a click or the clocks
/// of a MIDI clock.
struct PortPosition: Sendable {
  /// The least distance of two events is this part of a step.
  private static var densest: Double { @_noLocks get { 3 } }

  private var clock = FrameClock()
  /// How many frames the cycle has.
  private(set) var period: Int64 = 0
  /// The position at the first frame: a whole number of steps, and the fraction.
  private(set) var whole: Int64 = 0
  private(set) var rest = 0.0
  private(set) var framesPerStep = 1.0
  /// The frame of the last event, counted from the first one of the cycle.
  private(set) var last = Int64.min / 2

  /// Takes a cycle, and returns how many frames have passed since the last one.
  @_noLocks
  mutating func begin(_ cycle: SongCycle) -> Int64 {
    let before = clock.last
    let now = clock.extend(cycle.serverFrame)
    let passed = before.map { (now - $0).count } ?? 0
    period = Int64(cycle.period)
    last = last &- passed
    // The server counts anew.
    if passed < 0 { forget() }
    return passed
  }

  /// Goes by a cycle's tempo, with `parts` steps in as many beats as `length`.
  @_noLocks
  mutating func go(by cycle: SongCycle, length: Beats, parts: Int64 = 1) {
    let steps = Double(length.nanobeats) / 1e9 / Double(parts)
    framesPerStep = cycle.rate.hertz * 60 * steps / cycle.tempo.beatsPerMinute
  }

  /// The first frame is at `position`.
  @_noLocks
  mutating func place(at position: BeatTime, length: Beats, parts: Int64 = 1) {
    (whole, rest) = PortPosition.count(position, length, parts)
  }

  /// Goes on from the cycle before as while the transport rolls.
  @_noLocks
  mutating func advance(by frames: Int64) {
    rest += Double(max(frames, 0)) / framesPerStep
    let steps = Int64(rest)
    whole &+= steps
    rest -= Double(steps)
  }

  /// How many steps the first frame is beyond the step of that number.
  @_noLocks
  func steps(since number: Int64) -> Double { Double(whole &- number) + rest }

  /// The first frame that is not too near to the last event.
  var free: Int64 {
    @_noLocks get { last &+ max(1, Int64(framesPerStep / PortPosition.densest)) }
  }

  /// The number of the first step that is to come, or is no more than so many frames late; upwards, but for
  /// what frames are rounded to.
  @_noLocks
  func first(late: Double, rounding: Double = 0) -> Int64 {
    whole &+ ceiling(rest + (max(Double(free), -late) - rounding) / framesPerStep)
  }

  /// An event begins at that frame of the cycle.
  @_noLocks
  mutating func note(at offset: Int64) { last = offset }

  /// After any earlier event none is too near.
  @_noLocks
  mutating func forget() { last = Int64.min / 2 }

  /// A position in steps.
  @_noLocks
  static func count(
    _ position: BeatTime, _ length: Beats, _ parts: Int64 = 1
  ) -> (whole: Int64, rest: Double) {
    let (whole, part) = position.sinceZero.nanobeats.quotientAndRemainder(dividingBy: length.nanobeats)
    // Counted from a length before that, the part is not negative.
    let (steps, left) = ((part &+ length.nanobeats) &* parts).quotientAndRemainder(
      dividingBy: length.nanobeats)
    return ((whole &- 1) &* parts &+ steps, Double(left) / Double(length.nanobeats))
  }
}

/// The least whole number that is not below `value`. `Double.rounded` is an opaque call, which real-time
/// checks reject.
@inline(__always) @_noLocks
func ceiling(_ value: Double) -> Int64 {
  let cut = Int64(value)
  return Double(cut) < value ? cut &+ 1 : cut
}
