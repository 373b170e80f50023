import MusicalTime

/// The tempo of the client that owns JACK's timebase, taken from the progress of its beats against host time.
///
/// The tempo it declares is only a candidate: it counts as long as it explains the beats, also while it
/// changes in every cycle. Positions that fit neither the line through the last ones nor the declared tempo
/// begin a new line. A single one is an outlier and forgotten; several that agree are a locate when they
/// progress as before, and a new tempo when they do not.
public struct OwnerTempo: Sendable {
  /// A fault in the progress of the beats.
  public enum Fault: Sendable, BitwiseCopyable, Equatable {
    /// The transport rolls, the position stays.
    case doesNotMove
    /// The position goes back all the time.
    case goesBack
    /// No tempo lasts long enough to be one.
    case unsteady
  }

  /// The state of the estimate after a cycle.
  public enum Reading: Sendable, Equatable {
    /// Too little has been seen.
    case unknown
    /// The beats progress at one tempo.
    case steady(OwnerTempoEstimate)
    /// The last beats do not fit the tempo known so far: soon there is another one, or there was a locate.
    case changing
    /// There is no tempo.
    case fault(Fault)
  }

  /// The newest tempo, also while the reading is another.
  public internal(set) var estimate: OwnerTempoEstimate?
  var line = BeatLine()
  var candidate = BeatLine()
  var last: BeatLine.Point?
  /// When the position last changed.
  private var moved = HostTime<LinkClock>(nanoseconds: 0)
  /// The owner's declarations.
  var word = OwnersWord()
  /// When positions began not to fit, with never ``calm`` in between.
  private var disturbedSince: HostTime<LinkClock>?
  private var lastMisfit = HostTime<LinkClock>(nanoseconds: 0)
  /// Whether the clock may stray, as it does for seconds after a missed deadline: the declared tempo then
  /// counts in spite of small contradictions.
  var isClockInDoubt = false

  /// How long beats have to be seen before their own tempo counts.
  static var measurement: HostInterval { @_noLocks get { .milliseconds(80) } }
  /// From then on a measured tempo is worth more than one known from before a locate.
  static var sureMeasurement: HostInterval { @_noLocks get { .milliseconds(500) } }
  private static var calm: HostInterval { @_noLocks get { .milliseconds(100) } }
  private static var longestDisturbance: HostInterval { @_noLocks get { .milliseconds(500) } }
  private static var longestGap: HostInterval { @_noLocks get { .seconds(1) } }
  private static var stillness: HostInterval { @_noLocks get { .milliseconds(250) } }

  /// Nothing known of the owner.
  @_noLocks
  public init() {}

  /// Takes the position of one cycle in which the transport rolls. Realtime-safe.
  ///
  /// - Parameters:
  ///   - position: The owner's position, as ``TimebaseReading/check()`` returns it.
  ///   - time: The instant the position is for: its ``OwnerPosition/age`` is taken off already.
  /// - Returns: The state of the estimate.
  @_noLocks
  public mutating func observe(_ position: OwnerPosition, at time: HostTime<LinkClock>) -> Reading {
    let point = (time: time, position: position.beat)
    if let last {
      guard time > last.time else { return reading(at: time, position) }
      if last.position != point.position { moved = time }
      if time - last.time > OwnerTempo.longestGap { stop() }
    } else {
      moved = time
    }
    hear(point, position)
    last = point
    if isToldTempo(at: point, position) {
      follow(position, from: point)
    } else {
      if announcesTempo(position) {
        line = BeatLine()
        candidate = BeatLine()
      }
      if !extendLine(with: point, position) { extendCandidate(with: point, position) }
    }
    if time - lastMisfit > OwnerTempo.calm { disturbedSince = nil }
    return reading(at: time, position)
  }

  /// Records that the clock has been disturbed: beats before and beats from here on lie on two lines, though
  /// the tempo is the same. Realtime-safe.
  @_noLocks
  public mutating func interrupt() {
    word.interrupt()
    line = BeatLine()
    candidate = BeatLine()
    disturbedSince = nil
  }

  /// Takes note that the transport is stopped: the next positions are a new line. Realtime-safe.
  @_noLocks
  public mutating func stop() {
    interrupt()
    last = nil
  }

  /// Takes the tempo declared while the transport is stopped: it counts when the owner's beats have kept to
  /// its declarations, also when it stopped within a glide, or when it is the measured one. Realtime-safe.
  ///
  /// - Parameter beatsPerMinute: The tempo, in quarter notes per minute.
  /// - Returns: The state of the estimate.
  @_noLocks
  public mutating func stop(declaring beatsPerMinute: Double) -> Reading {
    let isTrue = word.isKept || hasKeptWord || hasKeptGlide
    stop()
    guard let before = estimate else { return .unknown }
    // One that was measured and is now declared is the declared one.
    if before.isDeclared || isTrue || before.isNear(beatsPerMinute) {
      takeDeclared(beatsPerMinute)
    }
    if let estimate { return .steady(estimate) }
    return .unknown
  }

  @_noLocks
  private mutating func extendLine(with point: BeatLine.Point, _ position: OwnerPosition) -> Bool {
    guard line.count > 0, let speed = estimate?.beatsPerSecond else { return false }
    // Over a short time the tempo that was adopted is better than the slope, over a long one the slope.
    let used = line.fit.span < OwnerTempo.sureMeasurement ? speed : line.fit.slope
    let span = line.fit.span
    let reach = span > .zero ? 1 + 2 * line.timeSinceNewest(point).seconds / span.seconds : 1
    let residual = line.residual(of: point, speed: used)
    guard residual.magnitude <= noise(position, speed: speed) * reach else {
      if candidate.count == 0 { misfit(at: point.time) }
      return false
    }
    if candidate.count > 0 { candidate = BeatLine() }
    // One that is given up for another tempo in the next cycle may be two lines by now.
    if line.append(point), !announcesTempo(position) { adopt(line.fit, position) }
    return true
  }

  @_noLocks
  private mutating func extendCandidate(with point: BeatLine.Point, _ position: OwnerPosition) {
    // In the first cycles of a roll a position may stand still, and the bridge may not be let run in the next ones.
    guard candidate.append(point), candidate.count >= 3, !candidate.hangsOnFirst else { return }
    guard candidate.isStraight(within: noise(position, speed: candidate.fit.slope)) else {
      if hasKeptWord { return follow(position, from: point) }
      misfit(at: point.time)
      candidate = BeatLine(from: point)
      return
    }
    guard proves(candidate.fit, position) else {
      if hasKeptWord { follow(position, from: point) }
      return
    }
    line = candidate
    candidate = BeatLine()
    adopt(line.fit, position)
  }

  /// The owner's tempo is the one that it declares, from this point on.
  @_noLocks
  private mutating func follow(_ position: OwnerPosition, from point: BeatLine.Point) {
    line = BeatLine(from: point)
    candidate = BeatLine()
    word.prove()
    takeDeclared(position.declaredBeatsPerMinute)
  }

  @_noLocks
  private mutating func misfit(at time: HostTime<LinkClock>) {
    lastMisfit = time
    if case .none = disturbedSince { disturbedSince = time }
  }

  @inline(__always) @_noLocks
  private func reading(at time: HostTime<LinkClock>, _ position: OwnerPosition) -> Reading {
    // Two ticks may pass before one is seen to move.
    let stillness = OwnerTempo.stillness + Tempo.slowest.interval(of: position.tickLength) * 2
    if time - moved > stillness { return .fault(.doesNotMove) }
    if candidate.fit.slope < 0, candidate.fit.span >= OwnerTempo.measurement { return .fault(.goesBack) }
    if let since = disturbedSince, time - since > OwnerTempo.longestDisturbance { return .fault(.unsteady) }
    if line.count > 0, candidate.count == 0, let estimate { return .steady(estimate) }
    if case .none = estimate { return .unknown }
    return .changing
  }
}
