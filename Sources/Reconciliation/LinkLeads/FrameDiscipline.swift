import MusicalTime

/// Keeps programs that count frames alone with the session, while Link leads and the transport rolls.
///
/// Frames go with the sound card: a card that runs 50 ppm fast is 3 ms ahead of Link after a minute. And they
/// know nothing of a tempo that changes as they roll. Bar, beat and tick follow Link all the same; what counts
/// frames is further and further off, until the next start. How that is made up for is a ``Discipline``.
struct FrameDiscipline: Sendable {
  /// The action of a cycle.
  enum Action: Sendable {
    /// Nothing.
    case none
    /// Relocate the playhead, so that it is in phase and rolls on at the bar line that comes next.
    case relocate
    /// The session's tempo is to be this one.
    case steer(TempoEdit)
  }

  /// For how long frames have to be off, and the tempo has to stay, before anything is relocated: a tempo is
  /// mostly changed in many steps.
  private static var patience: HostInterval { .seconds(1) }
  /// The error from which frames are relocated rather than steered: at its strongest, steering takes four
  /// seconds for it.
  private static var steerable: HostInterval { .milliseconds(2) }
  /// The error from which frames are relocated at a request: far less than is heard, and more than the sound card's
  /// clock is known by.
  private static var precise: HostInterval { HostInterval(nanoseconds: 500_000) }
  /// How often that patience may become four times as long: each time that frames are found off again after
  /// they have been relocated. A client that cannot follow, or that has JACK miss a deadline each time, would
  /// be interrupted in every bar.
  private static var mostFailures: Int { 3 }

  /// The tempo that frames are counted at.
  private var tempo: Tempo?
  /// The microseconds per beat that the session had before the last step of the steering; zero before the first.
  private var replaced: Int32 = 0
  /// Since when frames have been off, at one tempo.
  private var offSince: HostTime<LinkClock>?
  /// How often they have been relocated in vain.
  private var failures = 0
  /// Whether they are to be relocated once, whatever the discipline is.
  private var isRequested = false
  private var servo: TempoServo?

  @_noLocks
  init() {}

  /// The client that could not follow may have gone.
  @_noLocks
  mutating func tryAgain() { failures = 0 }

  /// A render has put frames off. How long they were off before it no longer counts, nor does a relocation
  /// whose outcome the render has hidden.
  @_noLocks
  mutating func renderingEnded() { (offSince, failures) = (nil, 0) }

  /// Frames are to be relocated once, if they are off, at the next bar line that there is to keep to.
  @_noLocks
  mutating func request() { isRequested = true }

  /// Whether it has something to do, to keep or to undo.
  var isAtWork: Bool {
    @inline(__always) @_noLocks get {
      if case .some = tempo { true } else { isRequested }
    }
  }

  /// The session's tempo but for what steering has made of it: `nil` unless it is steered.
  var plain: Tempo? {
    @inline(__always) @_noLocks get {
      if case .some = servo { tempo } else { nil }
    }
  }

  /// The session's own tempo where steering has left another: `nil` where it has that already, or where a
  /// peer has set a new one since.
  @_noLocks
  func plain(insteadOf session: Tempo) -> Tempo? {
    guard let plain, !plain.isSameOnTheWire(as: session), TempoServo.canMake(session, of: plain) else {
      return nil
    }
    return plain
  }

  /// Takes a cycle in which Link leads.
  ///
  /// - Parameters:
  ///   - observation: The cycle's observation.
  ///   - clock: The sound card's clock.
  ///   - configuration: The user's choices.
  ///   - isRolling: Whether the transport rolls under the bridge's timebase, and no start or stop is under
  ///     way.
  ///   - slowLead: How long clients need to get ready.
  /// - Returns: The action of this cycle.
  @_noLocks
  mutating func observe(
    _ observation: Observation, _ clock: SampleClock.Reading, _ configuration: Reconciler.Configuration,
    isRolling: Bool, slowLead: HostInterval
  ) -> Action {
    switch configuration.choices.permittedDiscipline {
    case .off where !isRequested: return letGo(observation)
    case .off, .relocate:
      if case .some = servo { return letGo(observation) }
      follow(observation.link.tempo)
    case .tempo: followSteered(observation.link.tempo, configuration.quantum)
    }
    guard isRolling, let tempo else {
      offSince = nil
      if !observation.jack.transport.isPlaying { (failures, isRequested) = (0, false) }
      return settle(observation)
    }
    var context = LaunchContext(
      observation: observation, tempo: tempo, clock: clock, source: .none, configuration: configuration)
    context.slowLead = slowLead
    // Frames are kept to where an offset is going to have them: what is left of it comes by itself.
    context = context.withWholeOffset
    let error = context.frameError
    if isRequested, error.magnitude <= FrameDiscipline.precise { isRequested = false }
    if isRequested, isDue(context) {
      (offSince, isRequested) = (nil, false)
      return .relocate
    }
    // No more is asked for.
    if case .off = configuration.choices.discipline { return .none }
    let bound = bound(configuration)
    if error.magnitude > bound {
      if case .none = offSince { offSince = context.next }
    } else {
      offSince = nil
      if error.magnitude.nanoseconds < bound.nanoseconds / 2 { failures = 0 }
    }
    if hasBeenOff(context), isDue(context) {
      offSince = nil
      if failures < FrameDiscipline.mostFailures { failures &+= 1 }
      return .relocate
    }
    // Link's tempo changes with this cycle all the same.
    return steer(error, observation, isSettled: clock.isSettled)
  }
}

// MARK: Relocating

extension FrameDiscipline {
  /// From when on frames are relocated.
  @_noLocks
  private func bound(_ configuration: Reconciler.Configuration) -> HostInterval {
    if case .none = servo { return configuration.disciplineThreshold }
    return FrameDiscipline.steerable
  }

  /// Whether frames have been off for so long that they are relocated without a request.
  @_noLocks
  private func hasBeenOff(_ context: LaunchContext) -> Bool {
    guard let offSince else { return false }
    return context.next - offSince >= FrameDiscipline.patience * (1 << Int64(2 &* failures))
  }

  /// Whether a relocation that is asked for now has the transport roll on at a bar line, with other peers.
  @_noLocks
  private func isDue(_ context: LaunchContext) -> Bool {
    guard context.clock.isSteady, !context.isAlone else { return false }
    let quantum = context.configuration.quantum
    let roll = context.planner(.now).ready(after: HeldStart.cyclesToMend)
    let link = context.observation.linkBeat(at: roll, tempo: context.tempo)
    return link.phase(in: quantum).offset + context.tempo.beats(in: context.period) >= quantum.beats
  }
}

// MARK: Steering

extension FrameDiscipline {
  /// Goes by Link's tempo.
  @_noLocks
  private mutating func follow(_ session: Tempo) {
    if let tempo, tempo == session { return }
    tempo = session
    offSince = nil
    failures = 0
  }

  /// Goes by Link's tempo, unless steering has made that of the one before: also where a peer that has not
  /// seen the last step yet has committed it.
  @_noLocks
  private mutating func followSteered(_ session: Tempo, _ quantum: Quantum) {
    if let servo, let tempo, TempoServo.canMake(session, of: tempo),
      servo.isEngaged || session.microsecondsPerBeat == Int64(replaced)
    {
      // The network carries whole microseconds per beat. The tempo that peers have sent is the session's.
      if session.isSameOnTheWire(as: tempo) { self.tempo = session }
      return
    }
    follow(session)
    replaced = 0
    servo = TempoServo(quantum: quantum)
  }

  /// Steers a small error.
  @_noLocks
  private mutating func steer(
    _ error: HostInterval, _ observation: Observation, isSettled: Bool
  ) -> Action {
    guard let tempo, case .some = servo else { return .none }
    let isNear = error.magnitude <= FrameDiscipline.steerable
    return update(observation, tempo, error: isNear ? tempo.beats(in: error) : nil, steers: isSettled)
  }

  /// Leaves the session with the tempo that people gave it, as nothing rolls.
  @_noLocks
  private mutating func settle(_ observation: Observation) -> Action {
    guard let tempo, case .some = servo else { return .none }
    return update(observation, tempo, error: nil, isStopped: !observation.jack.transport.isPlaying)
  }

  @_noLocks
  private mutating func update(
    _ observation: Observation, _ tempo: Tempo, error: Beats?, steers: Bool = true, isStopped: Bool = false
  ) -> Action {
    guard let folded = FoldedTempo(beatsPerMinute: tempo.beatsPerMinute) else { return .none }
    let frames = OwnerTempoEstimate(
      folded: folded, uncertainty: 0, isDeclared: true)
    let action = servo?.update(
      error: error, owner: .steady(frames), link: observation.link.tempo, time: observation.jack.nextOutput,
      steers: steers, isStopped: isStopped)
    // An error too large to be steered is removed by a relocation, and the tempo is the session's own.
    guard case .tempo(let edit) = action, edit.isSteering else { return .none }
    replaced = Int32(truncatingIfNeeded: observation.link.tempo.microsecondsPerBeat)
    // The tempo that people gave it may be between two tempos that the network carries.
    let exact = edit.tempo.isSameOnTheWire(as: tempo) ? tempo : edit.tempo
    return .steer(TempoEdit(tempo: exact, time: edit.time, isSteering: true))
  }

  /// Frames are left alone from now on: the session has its own tempo again.
  @_noLocks
  private mutating func letGo(_ observation: Observation) -> Action {
    guard case .some = tempo else { return .none }
    let left = plain(insteadOf: observation.link.tempo)
    let isRequested = isRequested
    self = FrameDiscipline()
    self.isRequested = isRequested
    guard let left else { return .none }
    return .steer(TempoEdit(tempo: left, time: observation.jack.nextOutput, isSteering: true))
  }
}
