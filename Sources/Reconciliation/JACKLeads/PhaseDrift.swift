import MusicalTime

/// The phase error and its drift, out of noisy measurements: a straight line fitted to all of them at first,
/// to the last sixteen seconds later on.
///
/// An alpha-beta filter whose gains, as long as the memory grows, are those of least squares.
struct PhaseDrift: Sendable {
  /// The time between two measurements the gains are made for.
  static var step: HostInterval { @_noLocks get { .milliseconds(50) } }
  private static var memory: Double { @_noLocks get { 320 } }
  /// The residual from which a single measurement counts as no more than this, in seconds.
  private static var largestSurprise: Double { @_noLocks get { 5e-4 } }
  /// How many such in a row, all on one side, are no noise: the line is another one.
  private static var mostSurprises: Int { @_noLocks get { 3 } }

  /// The error, in seconds.
  private(set) var error = 0.0
  /// How fast it grows, in seconds per second.
  private(set) var drift = 0.0
  private var count = 0.0
  /// How long the line is.
  private(set) var span = HostInterval.zero
  /// How many measurements in a row were far off it, negative where they were below.
  private var surprises = 0

  @_noLocks
  init() {}

  /// Takes the error, in seconds, that was measured so long after the last one.
  @_noLocks
  mutating func observe(_ measured: Double, after interval: HostInterval) {
    let elapsed = interval.seconds
    let predicted = error + drift * elapsed
    var surprise = measured - predicted
    if count >= 4 {
      let bound = PhaseDrift.largestSurprise
      if surprise > bound {
        surprise = bound
        surprises = surprises > 0 ? surprises &+ 1 : 1
      } else if surprise < -bound {
        surprise = -bound
        surprises = surprises < 0 ? surprises &- 1 : -1
      } else {
        surprises = 0
      }
      if surprises.magnitude >= UInt(PhaseDrift.mostSurprises) {
        self = PhaseDrift()
        error = measured
        count = 1
        return
      }
    }
    if count > 0 { span = span + interval }
    let scale = (count + 1) * (count + 2)
    error = predicted + surprise * 2 * (2 * count + 1) / scale
    if count > 0, elapsed > 0 { drift += surprise * 6 / scale / elapsed }
    if count < PhaseDrift.memory { count += 1 }
  }

  /// Link's tempo was changed on purpose: from now on one second of it lasts `ratio` seconds of before.
  @_noLocks
  mutating func linkSlowed(by ratio: Double) {
    drift = (1 + drift) * ratio - 1
  }
}
