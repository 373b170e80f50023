import MusicalTime

/// Which tempo to believe: the one declared, the one known from before, or the one of the beats.
extension OwnerTempo {
  /// Instants of the host clock jitter by less than this.
  private static var jitter: Double { @_noLocks get { 1e-4 } }
  /// A sample clock may be this much off, and the declared tempo with it.
  static var skew: Double { @_noLocks get { 2e-4 } }
  /// And the clock, while it is in doubt.
  private static var stray: Double { @_noLocks get { 1e-3 } }
  /// How long a declared tempo has to explain the beats before it counts.
  private static var proof: HostInterval { @_noLocks get { .milliseconds(40) } }
  /// A line shorter than this is not given up for a declaration, so that one that trembles does not keep
  /// lines short.
  private static var renewal: HostInterval { @_noLocks get { .milliseconds(250) } }

  /// How long the tempo that is declared first has to go on explaining the beats, once it is believed.
  private static var endurance: HostInterval { @_noLocks get { .milliseconds(100) } }

  /// Compares the declared tempo with the beats since the last cycle.
  @_noLocks
  mutating func hear(_ point: BeatLine.Point, _ position: OwnerPosition) {
    var passed: (beats: Double, interval: HostInterval)?
    var speed = 0.0
    if let last {
      let (beats, interval) = ((point.position - last.position).doubleValue, point.time - last.time)
      passed = (beats, interval)
      speed = beats / interval.seconds
    }
    // A clock that strays makes beats too many or too few by so much, as long as those are remembered.
    let stray = isClockInDoubt ? OwnerTempo.stray * OwnersWord.memory * speed.magnitude : 0
    word.hear(
      position.declaredBeatsPerMinute, at: point.time, passed: passed,
      noise: noise(position, speed: speed) + stray)
  }

  /// Whether the declared tempo has lasted long enough to be held against the beats.
  private var hasLasted: Bool {
    @_noLocks get {
      guard let last else { return false }
      return last.time - word.since >= OwnerTempo.proof
    }
  }

  /// Whether the owner, whose declarations have been true, declares that its tempo glides, and the beats do not
  /// contradict that: they have left the line to that side, or the line is long and began at another tempo. Its
  /// slope would be that of a while ago, and contradict a true declaration.
  @inline(__always) @_noLocks
  func isToldTempo(at point: BeatLine.Point, _ position: OwnerPosition) -> Bool {
    guard word.isKept, word.glideLength >= OwnerTempo.proof, line.count > 0,
      candidate.count == 0, let known = estimate, known.isDeclared
    else { return false }
    if line.fit.span >= OwnerTempo.renewal { return declares(within: line.fit) }
    let difference = position.declaredBeatsPerMinute - known.folded.ownersBeatsPerMinute
    guard difference.magnitude > 2 * OwnerTempo.skew * known.folded.ownersBeatsPerMinute else { return false }
    let residual = line.residual(of: point, speed: known.beatsPerSecond)
    return residual.magnitude > noise(position, speed: known.beatsPerSecond)
      && (residual > 0) == (difference > 0)
  }

  /// Whether the last beats, though they are on no line, have gone at the tempos that were declared meanwhile: for
  /// a moment where declarations have been true, longer where nothing is known of them.
  var hasKeptWord: Bool {
    @_noLocks get {
      guard let last else { return false }
      return word.keptFor(at: last.time) >= (word.isKept ? OwnerTempo.proof : OwnerTempo.renewal)
    }
  }

  /// Whether the beats have gone as a tempo that was declared to glide for as long as beats are measured: that
  /// measurement is no better, and is of a moment. One that is declared to stay has to explain them for longer.
  var hasKeptGlide: Bool {
    @_noLocks get {
      guard let last, word.glideLength >= OwnerTempo.measurement else { return false }
      return word.keptFor(at: last.time) >= OwnerTempo.measurement
    }
  }

  /// Whether the declared tempo has lasted long enough to be held against the beats, and explains those of
  /// the line.
  @_noLocks
  private func isPlayed(on line: BeatLine.Fit, _ position: OwnerPosition) -> Bool {
    guard hasLasted else { return false }
    let speed = position.declaredBeatsPerMinute / 60
    guard let known = estimate else {
      // More closely than needed, so that the choice is not undone within the endurance.
      let span = line.span.seconds
      return explains(speed, line, position, by: span / (span + OwnerTempo.endurance.seconds))
    }
    // Where the beats themselves were believed, and still can be, a similar declaration has to wait.
    if !known.isDeclared, isStillBetter(known, than: line, position) { return false }
    return explains(speed, line, position)
  }

  /// Whether a young line agrees with a tempo that is known better than its slope is.
  @_noLocks
  private func isStillBetter(
    _ known: OwnerTempoEstimate, than line: BeatLine.Fit, _ position: OwnerPosition
  ) -> Bool {
    guard line.span < OwnerTempo.sureMeasurement, let slope = measured(by: line, position) else {
      return false
    }
    return known.uncertainty < slope.uncertainty && explains(known.beatsPerSecond, line, position)
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
    if let known = estimate {
      if explains(known.beatsPerSecond, candidate, position) { return true }
    } else if candidate.span < OwnerTempo.renewal,
      explains(position.declaredBeatsPerMinute / 60, candidate, position)
    {
      // It may be the one declared.
      return false
    }
    return noise(position, speed: slope) / candidate.span.seconds <= 0.01 * slope
  }

  /// Whether a line is long enough for its slope to count. One after whose beginning another tempo was declared
  /// may be two lines that pass for one, unless the tempo glides and its declarations are not true.
  @_noLocks
  private func isMeasured(by line: BeatLine.Fit) -> Bool {
    let isKnown = if case .some = estimate { true } else { false }
    let isVague = isKnown && !word.isKept && word.glideLength >= OwnerTempo.proof
    let mayBeTwo = declares(within: line) && !isVague
    return line.span >= (mayBeTwo ? OwnerTempo.renewal : OwnerTempo.measurement)
  }

  /// Whether another tempo was declared after the line began.
  @_noLocks
  private func declares(within line: BeatLine.Fit) -> Bool {
    guard let last else { return false }
    return last.time - word.since < line.span
  }

  /// Chooses the tempo of a line: the declared one, the one known from before, or the slope.
  @_noLocks
  mutating func adopt(_ line: BeatLine.Fit, _ position: OwnerPosition) {
    if isPlayed(on: line, position) {
      word.prove()
      takeDeclared(position.declaredBeatsPerMinute)
      return
    }
    // Until then the known tempo holds, and so does the trust in its declarations.
    guard isMeasured(by: line) else { return }
    if let known = estimate, isStillBetter(known, than: line, position) {
      // A tempo that has only just been declared does not show whether earlier declarations were true.
      if hasLasted { estimate?.isDeclared = false }
      return
    }
    if hasLasted { word.doubt() }
    estimate = measured(by: line, position) ?? estimate
  }

  /// The tempo is the declared one, up to the error of a sound card.
  @_noLocks
  mutating func takeDeclared(_ beatsPerMinute: Double) {
    let error = beatsPerMinute / 60 * OwnerTempo.skew
    estimate =
      OwnerTempoEstimate(beatsPerMinute: beatsPerMinute, uncertainty: error, isDeclared: true) ?? estimate
  }

  /// The tempo of the beats of a line.
  @_noLocks
  private func measured(by line: BeatLine.Fit, _ position: OwnerPosition) -> OwnerTempoEstimate? {
    OwnerTempoEstimate(
      beatsPerMinute: line.slope * 60, uncertainty: noise(position, speed: line.slope) / line.span.seconds,
      isDeclared: false)
  }

  @_noLocks
  private func explains(
    _ speed: Double, _ line: BeatLine.Fit, _ position: OwnerPosition, by share: Double = 1
  ) -> Bool {
    let part = isClockInDoubt ? OwnerTempo.stray : OwnerTempo.skew
    let tolerance = share * noise(position, speed: line.slope) / line.span.seconds + part * line.slope
    return (speed - line.slope).magnitude <= tolerance
  }

  /// How far a position may be from the line, in beats.
  @_noLocks
  func noise(_ position: OwnerPosition, speed: Double) -> Double {
    1.5 * position.tickLength.doubleValue + OwnerTempo.jitter * speed.magnitude
  }
}
