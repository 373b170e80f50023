import MusicalTime

/// Which tempo to believe: the one declared, the one known from before, or the one of the beats.
extension OwnerTempo {
  /// Instants of the host clock jitter by less than this.
  private static var jitter: Double { @_noLocks get { 1e-4 } }
  /// A sample clock may be this much off, and the declared tempo with it.
  static var skew: Double { @_noLocks get { 2e-4 } }
  /// And what tells the time, while it is in doubt.
  private static var stray: Double { @_noLocks get { 1e-3 } }
  /// How long a declared tempo has to explain the beats before it counts.
  private static var proof: HostInterval { @_noLocks get { .milliseconds(40) } }
  /// A line shorter than this is not given up for a declaration, so that one that trembles does not keep
  /// lines short.
  private static var renewal: HostInterval { @_noLocks get { .milliseconds(250) } }

  @_noLocks
  mutating func note(_ beatsPerMinute: Double, at time: HostTime<LinkClock>) {
    guard (beatsPerMinute - declaration).magnitude > OwnerTempo.skew * declaration else { return }
    declaration = beatsPerMinute
    declared = time
  }

  /// Whether the declared tempo has lasted long enough to be held against the beats.
  private var hasLasted: Bool {
    @_noLocks get {
      guard let last else { return false }
      return last.time - declared >= OwnerTempo.proof
    }
  }

  /// Whether the declared tempo has lasted long enough to be held against the beats, and explains those of
  /// the line.
  @_noLocks
  private func isPlayed(on line: BeatLine.Fit, _ position: OwnerPosition) -> Bool {
    guard hasLasted else { return false }
    // Where the beats themselves were believed, and still can be, a similar declaration has to wait.
    if let known = estimate, !known.isDeclared, isStillBetter(known, than: line, position) { return false }
    return explains(position.declaredBeatsPerMinute / 60, line, position)
  }

  /// Whether a young line agrees with a tempo that is known better than its slope is.
  @_noLocks
  private func isStillBetter(
    _ known: OwnerTempoEstimate, than line: BeatLine.Fit, _ position: OwnerPosition
  ) -> Bool {
    guard line.span < OwnerTempo.sureMeasurement else { return false }
    let error = noise(position, speed: line.slope) / line.span.seconds
    return known.uncertainty < error * 60 * known.folded.scale
      && explains(known.beatsPerSecond, line, position)
  }

  /// Whether an owner whose declarations have been true declares another tempo: the beats from here on prove
  /// it.
  @inline(__always) @_noLocks
  func announcesTempo(_ position: OwnerPosition) -> Bool {
    guard let known = estimate, known.isDeclared, line.fit.span >= OwnerTempo.renewal else { return false }
    let difference = position.declaredBeatsPerMinute - known.folded.ownersBeatsPerMinute
    return difference.magnitude > 2 * OwnerTempo.skew * known.folded.ownersBeatsPerMinute
  }

  /// Whether the candidate is long enough to be believed.
  @_noLocks
  func proves(_ candidate: BeatLine.Fit, _ position: OwnerPosition) -> Bool {
    let slope = candidate.slope
    guard slope > 0, candidate.span >= OwnerTempo.proof else { return false }
    if isPlayed(on: candidate, position) { return true }
    guard isMeasured(by: candidate) else { return false }
    if let known = estimate, explains(known.beatsPerSecond, candidate, position) { return true }
    return noise(position, speed: slope) / candidate.span.seconds <= 0.01 * slope
  }

  /// Whether a line is long enough for its slope to count. One after whose beginning another tempo was declared
  /// may be two lines that pass for one.
  @_noLocks
  private func isMeasured(by line: BeatLine.Fit) -> Bool {
    line.span >= (declares(within: line) ? OwnerTempo.renewal : OwnerTempo.measurement)
  }

  /// Whether another tempo was declared after the line began.
  @_noLocks
  private func declares(within line: BeatLine.Fit) -> Bool {
    guard let last else { return false }
    return last.time - declared < line.span
  }

  /// Chooses the tempo of a line: the declared one, the one known from before, or the slope.
  @_noLocks
  mutating func adopt(_ line: BeatLine.Fit, _ position: OwnerPosition) {
    if isPlayed(on: line, position) {
      take(position.declaredBeatsPerMinute, uncertainty: line.slope * OwnerTempo.skew, isDeclared: true)
      return
    }
    // Until then what is known stands, and so does what is thought of its declarations.
    guard isMeasured(by: line) else { return }
    if let known = estimate, isStillBetter(known, than: line, position) {
      // What has only just been declared says nothing about whether earlier declarations were true.
      if hasLasted { estimate?.isDeclared = false }
      return
    }
    let error = noise(position, speed: line.slope) / line.span.seconds
    take(line.slope * 60, uncertainty: error, isDeclared: false)
  }

  @_noLocks
  mutating func take(_ beatsPerMinute: Double, uncertainty: Double, isDeclared: Bool) {
    guard let folded = FoldedTempo(beatsPerMinute: beatsPerMinute) else { return }
    estimate = OwnerTempoEstimate(
      folded: folded, uncertainty: uncertainty * 60 * folded.scale, isDeclared: isDeclared)
  }

  @_noLocks
  private func explains(_ speed: Double, _ line: BeatLine.Fit, _ position: OwnerPosition) -> Bool {
    let part = isClockInDoubt ? OwnerTempo.stray : OwnerTempo.skew
    let tolerance = noise(position, speed: line.slope) / line.span.seconds + part * line.slope
    return (speed - line.slope).magnitude <= tolerance
  }

  /// How far a position may be from the line, in beats.
  @_noLocks
  func noise(_ position: OwnerPosition, speed: Double) -> Double {
    1.5 * position.tickLength.doubleValue + OwnerTempo.jitter * speed.magnitude
  }
}
