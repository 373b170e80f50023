import MusicalTime

/// Averages the cycles' measurements over one ``PhaseDrift/step``, at any period.
struct PhaseAverage: Sendable {
  private var start = HostTime<LinkClock>(nanoseconds: 0)
  private var sum = 0.0
  private var timeSum: Int64 = 0
  private var count: Int64 = 0

  @_noLocks
  init() {}

  /// Takes one value; the mean when the step is over.
  @_noLocks
  mutating func add(_ value: Double, at time: HostTime<LinkClock>) -> (
    value: Double, time: HostTime<LinkClock>
  )? {
    if count == 0 || time < start {
      self = PhaseAverage()
      start = time
    }
    sum += value
    timeSum &+= (time - start).nanoseconds
    count &+= 1
    guard time - start >= PhaseDrift.step else { return nil }
    let mean = (sum / Double(count), start + HostInterval(nanoseconds: timeSum / count))
    self = PhaseAverage()
    return mean
  }
}
