import MusicalTime

/// JACK leads: what another owner of the timebase publishes goes into Link, as far as it makes sense.
///
/// Its tempo is taken from the progress of its beats. Link is steered to it rarely: every change is heard by
/// all peers.
struct Follower: Sendable {
  /// A change of Link.
  enum Edit: Sendable {
    case tempo(TempoEdit)
    /// Set the tempo again that a peer has replaced, which is the owner's.
    case restore(TempoEdit, FoldedTempo)
    /// Move Link's beat by so much.
    case align(by: Beats)
  }

  /// How long an owner may publish nothing before steering stops.
  private static var pause: HostInterval { .milliseconds(500) }
  /// How long an owner may publish nothing and still be the same: longer than it takes to restore the tempo
  /// that steering has changed.
  private static var silence: HostInterval { .seconds(2) }

  /// After how many cycles an owner's position is where it stays. Ardour's stands still for three of the
  /// first five.
  static var learning: UInt32 { @_noLocks get { 8 } }
  private static var shortestLead: HostInterval { .milliseconds(1) }
  private static var longestLead: HostInterval { .milliseconds(250) }
  /// How many periods ahead of its own roll an owner may be that has not rolled yet, and how far from whole
  /// ones, in frames: the length of a tick.
  private static var mostPeriods: Int64 { @_noLocks get { 4 } }
  private static var rounding: UInt64 { @_noLocks get { 32 } }
  /// By which share an owner's tempo differs from the one that it declares: more than any sound card is off.
  private static var discrepancy: Double { 2e-3 }
  /// By which share tempos may differ that are the same.
  private static var inTempo: Double { 5e-3 }
  /// How many seconds the cut-off fraction of a tick takes to go through all values, up to where it does not
  /// average out at all.
  private static var tickAveraging: Double { @_noLocks get { 1 } }

  private var quantum: Quantum
  /// See ``ServerRules/ownersAge``.
  private let age: Int64
  private var ownersBeat = OwnersBeat()
  private var progress = OwnerTempo()
  private var servo: TempoServo
  /// The owner's position in this cycle; `nil` when it is invalid.
  private(set) var position: OwnerPosition?
  /// How far the owner's beat is ahead of Link's, as it is heard.
  private(set) var phaseError: HostInterval?
  private var wasAlone = false
  private var wasImposing = false
  /// The state of the owner's position and of the two tempos.
  private(set) var conditions = Conditions()
  /// Whether the transport has rolled in the cycle before, too: the position in the first rolling cycle was
  /// published while it waited.
  private var rollsOn = false
  /// For how many cycles before this one there has been a position, and nothing has interrupted them.
  private var heardFor: UInt32 = 0
  /// The frames in the last cycle, and in the one before it.
  private var periods: (UInt32, UInt32) = (0, 0)
  /// The position that the owner shows while the transport rolls, and the first frame for which it showed
  /// that.
  private var shown: (beat: BeatTime, frame: TransportFrame)?
  /// Whether that has not moved, although it would have by a tick: as Ardour's, until the transport is where it was
  /// ahead to.
  private(set) var standsStill = false
  /// The position shown while the transport last waited.
  private var waiting: (frame: TransportFrame, beat: BeatTime)?
  /// How far the owner's position while it rolls is from its position for the same frame while it waits.
  /// Ardour's is three periods.
  private var waitingLead = Beats.zero
  /// Whether that was seen, and is not only guessed.
  private var knowsLead = false
  /// The tempo that the owner declares while it is stopped, before its beats have been measured.
  private var declaration = StoppedDeclaration()
  /// Since when there has been no position.
  private var lostSince: HostTime<LinkClock>?

  @_noLocks
  init(quantum: Quantum, age: Int64) {
    self.quantum = quantum
    self.age = age
    servo = TempoServo(quantum: quantum)
  }

  /// Compares the phase over another span from now on.
  @_noLocks
  mutating func setQuantum(_ quantum: Quantum) {
    self.quantum = quantum
    servo.quantum = quantum
  }

  /// The owner's tempo, as Link can carry it.
  var tempo: FoldedTempo? { @_noLocks get { progress.estimate?.folded } }

  /// The tempo to leave the session with: steering has it off by a few millionths, and no peer would ever
  /// restore it.
  @_noLocks
  func plainTempo(insteadOf sessionTempo: Tempo) -> Tempo? {
    // A tempo that was measured is no better than what steering has made of it.
    guard servo.isEngaged, let estimate = progress.estimate, estimate.isDeclared else { return nil }
    let plain = estimate.folded.tempo
    guard !plain.isSameOnTheWire(as: sessionTempo) else { return nil }
    return plain.beatsPerMinute.isTempo(near: sessionTempo.beatsPerMinute) ? plain : nil
  }

  /// Whether the owner has published a position.
  var isHeard: Bool { @_noLocks get { if case .some = conditions.leader { true } else { false } } }

  /// The position in this cycle, as Link counts it. While the transport waits, and in its first rolling
  /// cycle, which still shows an earlier position, it includes the distance by which the following cycles
  /// will be ahead.
  @inline(__always) var beat: BeatTime? {
    @_noLocks get {
      guard let shownBeat else { return nil }
      return rollsOn ? shownBeat : shownBeat + waitingLead
    }
  }

  /// Where the owner is at the first frame of this cycle, and how fast it goes on, both as Link counts them.
  @_noLocks
  func place(at rate: SampleRate) -> SongPosition.Owner? {
    guard let position, let beat,
      let known = tempo ?? FoldedTempo(beatsPerMinute: position.declaredBeatsPerMinute)
    else { return nil }
    let age = position.age.count > 0 ? position.age : FrameCount(0)
    return SongPosition.Owner(
      beat: beat + known.tempo.beats(in: age, at: rate), tempo: known.tempo, meter: position.meter,
      barsFrom: known.fold(position.barsFrom))
  }

  /// Whether the owner has Link's tempo: otherwise there is no phase that a start could keep.
  @inline(__always) @_noLocks
  func isInTempo(with sessionTempo: Tempo) -> Bool {
    guard let position, let known = tempo ?? FoldedTempo(beatsPerMinute: position.declaredBeatsPerMinute)
    else {
      return false
    }
    return known.tempo.beatsPerMinute.isTempo(near: sessionTempo.beatsPerMinute, within: Follower.inTempo)
  }

  /// How far off the owner's beat may seem for as long as a phase is measured, in seconds, because its ticks
  /// are whole.
  ///
  /// The fraction that is cut off a tick takes all values as cycles go by, and averages out, unless a cycle
  /// is nearly a whole number of ticks long: then it creeps, and looks like a drift, until a tick more or
  /// less is seen.
  @_noLocks
  private func tickUncertainty(_ position: OwnerPosition, _ jack: JACKObservation, _ link: Tempo) -> Double {
    let tick = position.tickLength.doubleValue * 60 / (tempo?.ownersBeatsPerMinute ?? link.beatsPerMinute)
    let cycle = HostInterval(FrameCount(Int64(jack.period)), at: jack.rate).seconds
    // No more ticks than can be counted, at any declared tempo.
    guard tick > 1e-15, cycle > 0 else { return 0 }
    let creep = (cycle / tick - Double(Int64(cycle / tick + 0.5))).magnitude
    // Once around takes `cycle / creep`; of a shorter time a line leaves the square.
    let averaged = creep * Follower.tickAveraging
    return cycle < averaged ? tick * (cycle / averaged) * (cycle / averaged) : tick
  }

  private var shownBeat: BeatTime? {
    guard let position else { return nil }
    return tempo?.fold(position.beat) ?? position.beat
  }

  /// Takes a cycle.
  ///
  /// - Parameters:
  ///   - observation: The cycle's observation.
  ///   - imposes: Whether the user imposes JACK's tempo on the session.
  ///   - clock: Whether the cycles' times can be trusted. After a missed deadline, until it is known again
  ///     when cycles begin, every owner seems to have another tempo.
  /// - Returns: The change of the Link session, or `nil`.
  @_noLocks
  mutating func update(
    _ observation: Observation, imposes: Bool, clock: SampleClock.Reading
  ) -> Edit? {
    let jack = observation.jack
    let now = jack.start + jack.outputLatency
    read(jack.position, jack, isPinned: imposes)
    if case .some = position { conditions.leader = .jackLeads }
    rollsOn = jack.transport.isRolling && jack.step.wasRolling
    watchProgress(observation)
    learnLead(observation)
    heardFor = if case .some = position { heardFor &+ 1 } else { 0 }
    let reading: OwnerTempo.Reading
    progress.isClockInDoubt = !clock.isSettled
    let isAsOld = !changesAge(jack)
    if clock.isSteady, isAsOld {
      // As they are played, not as they are heard: latencies change.
      reading = progress(at: jack.start, rate: jack.rate)
    } else {
      progress.interrupt()
      reading = .unknown
    }
    if case .fault(let fault) = reading {
      conditions.owner = .fault(.progress(fault))
    } else if case .some = position {
      conditions.owner = nil
    }
    let isAlone = observation.link.peers == 0
    // A difference that was kept because of other peers, or without the user's request, is no longer kept.
    if (isAlone && !wasAlone) || (imposes && !wasImposing) {
      servo.realign()
      servo.impose()
    }
    if isAlone {
      // Peers that come and go between two cycles are seen by the tempo alone.
      if !servo.isEngaged { servo.impose() }
    } else if !imposes {
      // A tempo that was requested while the bridge was alone has not arrived in time.
      servo.withdraw()
    }
    // The user wants JACK's tempo in the session, also after a peer has changed it.
    var restored: FoldedTempo?
    if imposes, case .steady(let estimate) = reading, servo.mayImpose(at: now) {
      servo.impose()
      restored = estimate.folded
    }
    if wasAlone, !isAlone { declaration.joined() }
    wasAlone = isAlone
    wasImposing = imposes
    if let edit = takeDeclaration(observation, isAlone: isAlone, at: now) { return edit }
    let linkBeat = observation.link.beat - observation.link.tempo.beats(in: jack.nextOutput - now)
    var error: Beats?
    if jack.transport.isRolling, let beat {
      let distance = (beat - ahead(observation)).phase(in: quantum).distance(
        from: linkBeat.phase(in: quantum))
      error = distance
      phaseError = observation.link.tempo.interval(of: distance)
    } else {
      phaseError = nil
    }
    if let plain = leavePlain(insteadOf: observation.link.tempo, at: now) { return plain }
    let action = servo.update(
      error: error, owner: reading, link: observation.link.tempo, time: now, steers: clock.isSettled,
      isHeeded: isAlone || imposes, isStopped: !jack.transport.isPlaying,
      isStarting: jack.transport.isWaiting,
      uncertainty: position.map { tickUncertainty($0, jack, observation.link.tempo) } ?? 0)
    compareDeclaration(reading)
    compareTempos(reading, observation, imposes: imposes)
    switch action {
    case .none: return nil
    case .tempo(let edit):
      let edit = change(observation.link.tempo, to: edit)
      if let restored, case .tempo(let edit) = edit { return .restore(edit, restored) }
      return edit
    case .align(let distance): return .align(by: distance)
    }
  }

  /// A change of Link's tempo, if it is one: a peer may have set that very tempo.
  @_noLocks
  private func change(_ sessionTempo: Tempo, to edit: TempoEdit) -> Edit? {
    edit.tempo.isSameOnTheWire(as: sessionTempo) ? nil : .tempo(edit)
  }

  /// When the owner publishes nothing any more, steering stops, the tempo that steering has changed is
  /// restored, and the owner's data are forgotten: the next position may be another client's.
  @_noLocks
  private mutating func leavePlain(insteadOf sessionTempo: Tempo, at now: HostTime<LinkClock>) -> Edit? {
    guard case .none = position else {
      lostSince = nil
      return nil
    }
    let since = lostSince ?? now
    lostSince = since
    guard now - since > Follower.pause else { return nil }
    // The next owner's first declaration is no change.
    declaration = StoppedDeclaration()
    guard let estimate = progress.estimate else { return nil }
    if case .tempo(let edit) = servo.settle(on: estimate, time: now),
      let plain = change(sessionTempo, to: edit)
    {
      return plain
    }
    guard now - since > Follower.silence else { return nil }
    ownersBeat = OwnersBeat()
    progress = OwnerTempo()
    servo = TempoServo(quantum: quantum)
    waitingLead = .zero
    knowsLead = false
    conditions.declaration = nil
    return nil
  }

  /// Nothing was heard for a while: beats of before and beats from here on lie on two lines.
  @_noLocks
  mutating func interrupt() {
    progress.stop()
    ownersBeat.interrupt()
    heardFor = 0
    waiting = nil
    lostSince = nil
    servo.startOver()
  }

  /// The user wants JACK's tempo and phase in the session, once more.
  @_noLocks
  mutating func imposeAgain() { wasImposing = false }

  /// The user wants the session to have JACK's tempo and phase from the next cycle on: both, as far as they
  /// are known.
  @_noLocks
  mutating func impose(_ observation: Observation) -> (tempo: Tempo, beat: BeatTime)? {
    let jack = observation.jack
    guard let estimate = progress.estimate, let place = place(at: jack.rate) else { return nil }
    let tempo = servo.take(estimate, at: jack.nextOutput, insteadOf: observation.link.tempo)
    servo.realign()
    let way = jack.nextOutput - (jack.start + jack.outputLatency)
    return (tempo, place.beat + tempo.beats(in: way))
  }

  /// Before an owner has rolled only its declaration is known. A change of that counts from the start on:
  /// everything about the start is then in the new tempo, and in one commit with it.
  @_noLocks
  private mutating func takeDeclaration(
    _ observation: Observation, isAlone: Bool, at now: HostTime<LinkClock>
  ) -> Edit? {
    if case .some = progress.estimate {
      if case .some = declaration.estimate { declaration = StoppedDeclaration() }
      return nil
    }
    guard let position else { return nil }
    let motion = observation.jack.transport
    declaration.observe(
      position.declaredBeatsPerMinute, link: observation.link.tempo, at: now, observation.jack)
    guard motion.isPlaying, declaration.isChanged, !isAlone, let estimate = declaration.estimate else {
      return nil
    }
    declaration = StoppedDeclaration()
    progress.estimate = estimate
    let sessionTempo = observation.link.tempo
    let tempo = servo.take(estimate, at: observation.jack.nextOutput, insteadOf: sessionTempo)
    return change(sessionTempo, to: TempoEdit(tempo: tempo, time: observation.jack.nextOutput))
  }

  /// Whether the position is for a frame more or less than a cycle back: where it is as old as a cycle, and
  /// cycles have become longer or shorter. Takes a cycle.
  @_noLocks
  private mutating func changesAge(_ jack: JACKObservation) -> Bool {
    let (last, before) = periods
    periods = (jack.period, last)
    guard age > 0, last > 0 else { return false }
    return jack.period != last || (before > 0 && last != before)
  }

  /// Checks whether the owner's position moves as the transport rolls.
  @_noLocks
  private mutating func watchProgress(_ observation: Observation) {
    let frame = observation.jack.frame
    guard rollsOn, let position, let before = shown, position.beat == before.beat else {
      shown = position.map { ($0.beat, frame) }
      standsStill = false
      return
    }
    let way = frame.sinceZero - before.frame.sinceZero
    let tempo = tempo?.tempo ?? observation.link.tempo
    standsStill = tempo.beats(in: way, at: observation.jack.rate) > position.tickLength
  }

  /// Compares the owner's position in the first rolling cycles with the one before them.
  @_noLocks
  private mutating func learnLead(_ observation: Observation) {
    let jack = observation.jack
    guard let shownBeat else {
      waiting = nil
      return
    }
    guard jack.transport.isRolling else {
      // After a relocation the position is for a while that of the frame before.
      waiting = cyclesHeard(jack) >= Follower.learning ? (jack.frame, shownBeat) : nil
      if case .some = waiting, !knowsLead { guessLead(shownBeat, jack) }
      return
    }
    guard let before = waiting else { return }
    // The first rolling cycle still shows a position that was published before it.
    guard jack.step.cycles &+ 1 >= Follower.learning, !standsStill else { return }
    waiting = nil
    guard let tempo = tempoAsPlayed(with: observation.link.tempo) else { return }
    let frames = jack.frame.sinceZero - before.frame.sinceZero
    let way = shownBeat - before.beat - tempo.beats(in: frames, at: jack.rate)
    let time = tempo.interval(of: way).magnitude
    // More than that is a locate of its own.
    guard time < Follower.longestLead else { return }
    waitingLead = time < Follower.shortestLead ? .zero : way
    knowsLead = true
  }

  /// Before it has rolled: a position that is whole periods ahead of frames and tempo is taken for one that
  /// will be late by as much at least.
  @_noLocks
  private mutating func guessLead(_ shown: BeatTime, _ jack: JACKObservation) {
    guard let tempo = tempoAsDeclared, jack.period > 0 else { return }
    let way = (tempo.frames(in: shown.sinceZero, at: jack.rate) - jack.frame.sinceZero).count
    let period = Int64(jack.period)
    let periods = (way &+ period / 2) / period
    let isWhole = (way &- periods &* period).magnitude < Follower.rounding
    let lead = isWhole && periods <= Follower.mostPeriods ? max(periods, age) : age
    waitingLead = .zero - tempo.beats(in: FrameCount(lead &* period), at: jack.rate)
  }

  /// The owner's tempo, as Link counts it, unless the owner declares another than it plays; the session may
  /// have another.
  private var tempoAsDeclared: Tempo? {
    @_noLocks get {
      guard let declared = position?.declaredBeatsPerMinute,
        let known = tempo ?? FoldedTempo(beatsPerMinute: declared),
        known.ownersBeatsPerMinute.isTempo(near: declared, within: Follower.inTempo)
      else { return nil }
      return known.tempo
    }
  }

  /// That, or what its beats were seen to go on at, where that is the session's tempo: Ardour for ever declares the
  /// first tempo of its map.
  @_noLocks
  private func tempoAsPlayed(with sessionTempo: Tempo) -> Tempo? {
    if let declared = tempoAsDeclared { return declared }
    guard isInTempo(with: sessionTempo) else { return nil }
    return tempo?.tempo
  }

  /// A position may be of some frames before the cycle.
  @_noLocks
  private func ahead(_ observation: Observation) -> Beats {
    guard let position, position.age.count > 0 else { return .zero }
    return -observation.link.tempo.beats(in: position.age, at: observation.jack.rate)
  }

  @_noLocks
  private mutating func read(_ reading: TimebaseReading?, _ jack: JACKObservation, isPinned: Bool) {
    switch reading?.check() {
    case .position(let found): return position = ownersBeat.goOn(found, jack, for: cyclesHeard(jack))
    case .none, .absent: conditions.owner = silence(jack, isPinned: isPinned)
    case .fault(let fault): conditions.owner = .fault(.reading(fault))
    }
    position = nil
    if !jack.transport.isRolling { ownersBeat.interrupt() }
  }

  /// For how many cycles before this one the transport has gone on, or stood where it is, and had a position.
  @_noLocks
  private func cyclesHeard(_ jack: JACKObservation) -> UInt32 { min(heardFor, jack.step.cycles) }

  /// The condition that the lack of a position is.
  @_noLocks
  private func silence(_ jack: JACKObservation, isPinned: Bool) -> GridNotice? {
    // While it is stopped JACK asks no owner that has nothing new to publish.
    guard jack.transport.isRolling else { return nil }
    return switch jack.owner {
    // An owner that is gone publishes nothing either, until the bridge finds the timebase free.
    case .other: .silentOwner
    // Unless the mode is `jack`, the bridge takes the timebase as soon as it has no owner.
    case .me, .nobody: isPinned ? .noPosition : nil
    }
  }

  /// Takes the position. That of the first rolling cycle counts as one of a stop: it was published before the
  /// roll began, and may be of another frame.
  @_noLocks
  private mutating func progress(
    at now: HostTime<LinkClock>, rate: SampleRate
  ) -> OwnerTempo.Reading {
    guard let position else {
      progress.stop()
      return .unknown
    }
    guard rollsOn else { return progress.stop(declaring: position.declaredBeatsPerMinute) }
    return progress.observe(position, at: now - HostInterval(position.age, at: rate))
  }

  /// Compares the tempo that the owner plays with the one that it declares, while both are known.
  @_noLocks
  private mutating func compareDeclaration(_ reading: OwnerTempo.Reading) {
    guard rollsOn, case .steady(let estimate) = reading, let declared = position?.declaredBeatsPerMinute
    else { return }
    let played = estimate.folded.ownersBeatsPerMinute
    let tolerance = Follower.discrepancy * played + estimate.uncertainty / estimate.folded.scale
    let isAnother = !estimate.isDeclared && (played - declared).magnitude > tolerance
    conditions.declaration = isAnother ? .declaresAnotherTempo(declared: declared, played: played) : nil
  }

  /// Compares JACK's tempo with the session's, while both are known. The session's stays as it is because no
  /// user has changed it.
  @_noLocks
  private mutating func compareTempos(
    _ reading: OwnerTempo.Reading, _ observation: Observation, imposes: Bool
  ) {
    // JACK's tempo is the one that the session is going to have.
    if imposes { return conditions.tempo = nil }
    let known: OwnerTempoEstimate? =
      switch reading {
      case .steady(let estimate): estimate
      // Without other peers, the session gets JACK's tempo all the same.
      case .unknown, .changing, .fault: observation.link.peers > 0 ? declaration.estimate : nil
      }
    guard let estimate = known else { return }
    let (jack, link) = (estimate.folded.ownersBeatsPerMinute, observation.link.tempo)
    let distance = (estimate.folded.tempo.beatsPerMinute - link.beatsPerMinute).magnitude
    if servo.isEngaged || distance <= 0.05 + estimate.uncertainty {
      conditions.tempo = estimate.folded.isFolded ? .folded(estimate.folded) : nil
    } else {
      conditions.tempo =
        declaration.isChanged
        ? .tempoWaits(jack: jack, link: link) : .differentTempos(jack: jack, link: link)
    }
  }
}
