import MusicalTime

/// JACK leads: what another owner of the timebase publishes goes into Link, as far as it makes sense.
///
/// Its tempo is taken from the progress of its beats. Link is steered to it rarely: every change is heard by
/// all peers.
///
/// Its answers of every cycle are inlined: a call would first copy its three kilobytes.
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
  /// For how many cycles after a relocation the position may be that of the frame before.
  private static var seam: UInt32 { @_noLocks get { 2 } }
  /// By which share an owner's tempo differs from the one that it declares: more than any sound card is off.
  private static var discrepancy: Double { 2e-3 }
  /// By which share tempos may differ that are the same.
  private static var inTempo: Double { 5e-3 }
  /// How many seconds the cut-off fraction of a tick takes to go through all values, up to where it does not
  /// average out at all.
  private static var tickAveraging: Double { @_noLocks get { 1 } }

  /// The positions that the owner publishes.
  private enum Publication: Sendable {
    /// Nothing is known of them.
    case unknown
    /// There has been no position since an instant.
    case silence(since: HostTime<LinkClock>)
    /// The position in this cycle. For so many before it the transport has gone on, or stood where it is, and had one.
    case position(OwnerPosition, after: UInt32)
  }

  /// See ``ServerRules/ownersAge``.
  private let age: Int64
  private var ownersBeat = OwnersBeat()
  private var progress = OwnerTempo()
  private var servo: TempoServo
  private var publication = Publication.unknown
  private var lead = OwnersLead()
  /// The tempo that the owner declares while it is stopped, before its beats have been measured.
  private var declaration = StoppedDeclaration()
  /// How far the owner's beat is ahead of Link's, as it is heard.
  private(set) var phaseError: HostInterval?
  /// The state of the owner's position and of the two tempos.
  private(set) var conditions = Conditions()
  /// The position where the transport last rested, and the frame that it is of.
  private var rest: (position: OwnerPosition, frame: TransportFrame)?
  /// Whether the position is that of where a start is for, and the frame is still before that.
  private var isBeforeHome = false
  /// Whether the position is of the roll: in its first cycle it was published while the transport waited.
  private var rollsOn = false
  /// The peers and the mode in the cycle before.
  private var last = (isAlone: false, imposes: false)
  /// The frames in the last cycle, and in the one before it.
  private var periods: (UInt32, UInt32) = (0, 0)

  @_noLocks
  init(quantum: Quantum, age: Int64) {
    self.age = age
    servo = TempoServo(quantum: quantum)
  }

  /// Compares the phase over another span from now on.
  @_noLocks
  mutating func setQuantum(_ quantum: Quantum) { servo.quantum = quantum }

  /// The owner's position in this cycle; `nil` when it is invalid.
  var position: OwnerPosition? {
    @_noLocks get { if case .position(let position, _) = publication { position } else { nil } }
  }

  /// Whether the position stands still while the transport rolls.
  var standsStill: Bool { @_noLocks get { lead.standsStill } }

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
    return TempoServo.canMake(sessionTempo, of: plain) ? plain : nil
  }

  /// Whether the owner has published a position.
  var isHeard: Bool { @_noLocks get { if case .some = conditions.leader { true } else { false } } }

  /// The position in this cycle, as Link counts it. While the transport waits, and in its first rolling
  /// cycle, which still shows an earlier position, it includes the distance by which the following cycles
  /// will be ahead.
  @inline(__always) var beat: BeatTime? {
    @_noLocks get {
      guard let shownBeat, !rollsOn, let knownTempo else { return shownBeat }
      return shownBeat + knownTempo.tempo.beats(in: lead.time)
    }
  }

  /// Where the owner is at the first frame of this cycle, and how fast it goes on, both as Link counts them.
  @inline(__always) @_noLocks
  func place(at rate: SampleRate) -> SongPosition.Owner? {
    guard let position, let beat, let known = knownTempo else { return nil }
    return SongPosition.Owner(
      beat: beat + known.tempo.beats(in: position.age, at: rate), tempo: known.tempo, meter: position.meter,
      barsFrom: known.fold(position.barsFrom))
  }

  /// Whether the owner has Link's tempo: otherwise there is no phase that a start could keep.
  @inline(__always) @_noLocks
  func isInTempo(with sessionTempo: Tempo) -> Bool {
    guard case .some = position, let known = knownTempo else { return false }
    return known.tempo.beatsPerMinute.isTempo(near: sessionTempo.beatsPerMinute, within: Follower.inTempo)
  }

  /// How far off the owner's beat may seem for as long as a phase is measured, in seconds, because its ticks
  /// are whole.
  ///
  /// The fraction that is cut off a tick takes all values as cycles go by, and averages out, unless a cycle
  /// is nearly a whole number of ticks long: then it creeps, and looks like a drift, until a tick more or
  /// less is seen.
  @inline(__always) @_noLocks
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

  /// The owner's tempo, as Link can carry it: as it is declared until it is measured.
  private var knownTempo: FoldedTempo? {
    @inline(__always) @_noLocks get {
      tempo ?? position.flatMap { FoldedTempo(beatsPerMinute: $0.declaredBeatsPerMinute) }
    }
  }

  private var shownBeat: BeatTime? {
    @inline(__always) @_noLocks get {
      guard let position else { return nil }
      return tempo?.fold(position.beat) ?? position.beat
    }
  }

  /// Takes a cycle.
  ///
  /// - Parameters:
  ///   - observation: The cycle's observation.
  ///   - home: The frame that a start is for, where the cycle's is near it.
  ///   - imposes: Whether the user imposes JACK's tempo on the session.
  ///   - clock: Whether the cycles' times can be trusted. After a missed deadline, until it is known again
  ///     when cycles begin, every owner seems to have another tempo.
  /// - Returns: The change of the Link session, or `nil`.
  @_noLocks
  mutating func update(
    _ observation: Observation, home: TransportFrame?, imposes: Bool, clock: SampleClock.Reading
  ) -> Edit? {
    let jack = observation.jack
    let now = jack.start + jack.outputLatency
    read(jack.timebase.position, jack, home: home, at: now, isPinned: imposes)
    if case .some = position { conditions.leader = .jackLeads }
    rollsOn = jack.transport.isRolling && jack.step.wasRolling && !isBeforeHome
    learnLead(observation)
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
    if (isAlone && !last.isAlone) || (imposes && !last.imposes) {
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
    if last.isAlone, !isAlone { declaration.joined() }
    last = (isAlone, imposes)
    if let edit = takeDeclaration(observation, isAlone: isAlone, at: now) { return edit }
    let linkBeat = observation.link.beat - observation.link.tempo.beats(in: jack.nextOutput - now)
    var error: Beats?
    if jack.transport.isRolling, let position, let beat {
      // A position may be of some frames before the cycle.
      let heard = beat + observation.link.tempo.beats(in: position.age, at: jack.rate)
      let distance = heard.phase(in: servo.quantum).distance(from: linkBeat.phase(in: servo.quantum))
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
    guard case .silence(let since) = publication, now - since > Follower.pause else { return nil }
    // The next owner's first declaration is no change.
    declaration = StoppedDeclaration()
    guard let estimate = progress.estimate else { return nil }
    // The tempo that a peer has set meanwhile stays.
    if plainTempo(insteadOf: sessionTempo) != nil,
      case .tempo(let edit) = servo.settle(on: estimate, time: now)
    {
      return .tempo(edit)
    }
    guard now - since > Follower.silence else { return nil }
    ownersBeat = OwnersBeat()
    progress = OwnerTempo()
    servo = TempoServo(quantum: servo.quantum)
    lead = OwnersLead()
    conditions.declaration = nil
    return nil
  }

  /// The user wants JACK's tempo and phase in the session, once more.
  @_noLocks
  mutating func imposeAgain() { last.imposes = false }

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
    // An entry that the bridge has left behind there is no declaration of the owner's.
    guard let position, !observation.jack.timebase.isLeftBehind else { return nil }
    let motion = observation.jack.transport
    declaration.observe(
      position.declaredBeatsPerMinute, link: observation.link.tempo, at: now, observation.jack)
    guard motion.isPlaying, declaration.isChanged, !isAlone, let estimate = declaration.estimate else {
      return nil
    }
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

  /// Compares the owner's position in the first rolling cycles with the one before them.
  @_noLocks
  private mutating func learnLead(_ observation: Observation) {
    let jack = observation.jack
    guard case .position(let position, let cycles) = publication, let shownBeat else {
      return lead.interrupt()
    }
    if jack.transport.isRolling {
      guard !isBeforeHome else { return }
      lead.rolls(
        shownBeat, tick: position.tickLength, jack, tempo: tempo?.tempo ?? observation.link.tempo,
        played: tempoAsPlayed(with: observation.link.tempo))
    } else {
      lead.waits(shownBeat, jack, for: cycles, tempo: tempoAsDeclared, age: age)
    }
  }

  /// The owner's tempo, as Link counts it, unless the owner declares another than it plays; the session may
  /// have another.
  private var tempoAsDeclared: Tempo? {
    @inline(__always) @_noLocks get {
      guard let declared = position?.declaredBeatsPerMinute, let known = knownTempo,
        known.ownersBeatsPerMinute.isTempo(near: declared, within: Follower.inTempo)
      else { return nil }
      return known.tempo
    }
  }

  /// That, or what its beats were seen to go on at, where that is the session's tempo: Ardour for ever declares the
  /// first tempo of its map.
  @inline(__always) @_noLocks
  private func tempoAsPlayed(with sessionTempo: Tempo) -> Tempo? {
    if let declared = tempoAsDeclared { return declared }
    guard isInTempo(with: sessionTempo) else { return nil }
    return tempo?.tempo
  }

  @_noLocks
  private mutating func read(
    _ reading: TimebaseReading?, _ jack: JACKObservation, home: TransportFrame?, at now: HostTime<LinkClock>,
    isPinned: Bool
  ) {
    isBeforeHome = false
    switch reading?.check() {
    case .position(let found):
      let before = if case .position(_, let cycles) = publication { cycles &+ 1 } else { 0 as UInt32 }
      let cycles = min(before, jack.step.cycles)
      if let home, let position = position(before: home, found, jack) {
        isBeforeHome = true
        publication = .position(position, after: cycles)
        return
      }
      let position = ownersBeat.goOn(found, jack, for: cycles)
      if jack.transport.isRolling {
        // The start has come to its place. A locate from here on leads to another one.
        rest = nil
      } else if cycles >= Follower.seam {
        // After a relocation the position is for a while that of the frame before.
        rest = (position, jack.frame)
      }
      publication = .position(position, after: cycles)
      return
    case .none, .absent: conditions.owner = silence(jack, isPinned: isPinned)
    case .fault(let fault): conditions.owner = .fault(.reading(fault))
    }
    rest = nil
    if case .silence = publication {} else { publication = .silence(since: now) }
    if !jack.transport.isRolling { ownersBeat.interrupt() }
  }

  /// The position of a frame before `home`, as if the music of that had gone on there already; `nil` where that was
  /// not read, or the one that was `found` is of it already.
  ///
  /// A start is for a place in the song, and rolls some frames before it, to be there on the beat. Where the song has
  /// another tempo or meter before that place, neither is the start's.
  @_noLocks
  private func position(
    before home: TransportFrame, _ found: OwnerPosition, _ jack: JACKObservation
  ) -> OwnerPosition? {
    guard let rest, rest.frame == home else { return nil }
    let way = home.sinceZero - jack.frame.sinceZero
    // On a server that has positions read a cycle late, the meter before that place is read as late.
    let isOtherMeter = found.meter != rest.position.meter
    let late = isOtherMeter ? FrameCount(age &* Int64(jack.period)) : FrameCount(0)
    guard (way + found.age + late).count > 0 else { return nil }
    let beatsPerMinute = tempo?.ownersBeatsPerMinute ?? rest.position.declaredBeatsPerMinute
    guard let back = Beats(beatsPerMinute / 60 * HostInterval(way, at: jack.rate).seconds) else { return nil }
    var position = rest.position
    position.beat = position.beat - back
    position.age = FrameCount(0)
    return position
  }

  /// The condition that the lack of a position is.
  @_noLocks
  private func silence(_ jack: JACKObservation, isPinned: Bool) -> GridNotice? {
    // While it is stopped JACK asks no owner that has nothing new to publish.
    guard jack.transport.isRolling else { return nil }
    return switch jack.timebase.owner {
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
