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
  private static var mostSurprises: UInt { @_noLocks get { 3 } }

  /// The error, in seconds.
  private(set) var error = 0.0
  /// How fast it grows, in seconds per second.
  private(set) var drift = 0.0
  private var count = 0.0
  /// When the line's first and last measurements were.
  private var first = HostTime<LinkClock>(nanoseconds: 0)
  private var last = HostTime<LinkClock>(nanoseconds: 0)
  /// How many measurements in a row were far off it, negative where they were below.
  private var surprises = 0

  @_noLocks
  init() {}

  /// How long the line is.
  var span: HostInterval { @_noLocks get { last - first } }

  /// Takes the error, in seconds, that was measured.
  @_noLocks
  mutating func observe(_ measured: Double, at time: HostTime<LinkClock>) {
    guard count > 0 else { return begin(measured, at: time) }
    let elapsed = (time - last).seconds
    last = time
    let predicted = error + drift * elapsed
    var surprise = measured - predicted
    if count >= 4 {
      let most = PhaseDrift.largestSurprise
      let side = surprise > most ? 1 : surprise < -most ? -1 : 0
      surprises = side == 0 || surprises &* side < 0 ? side : surprises &+ side
      surprise = max(-most, min(surprise, most))
      guard surprises.magnitude < PhaseDrift.mostSurprises else { return begin(measured, at: time) }
    }
    let scale = (count + 1) * (count + 2)
    error = predicted + surprise * 2 * (2 * count + 1) / scale
    if elapsed > 0 { drift += surprise * 6 / scale / elapsed }
    count = min(count + 1, PhaseDrift.memory)
  }

  @_noLocks
  private mutating func begin(_ measured: Double, at time: HostTime<LinkClock>) {
    self = PhaseDrift()
    (error, count, first, last) = (measured, 1, time, time)
  }

  /// Link's tempo was changed on purpose: from now on one second of it lasts `ratio` seconds of before.
  @_noLocks
  mutating func linkSlowed(by ratio: Double) {
    drift = (1 + drift) * ratio - 1
  }
}
