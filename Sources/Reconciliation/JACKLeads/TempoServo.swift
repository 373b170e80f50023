import MusicalTime

/// Steers Link's tempo so that its beat stays on that of JACK's timebase owner, with as few commits as
/// possible.
///
/// Link's tempo is a whole number of microseconds per beat, so it is never quite the owner's: the error
/// drifts slowly between the two edges of a dead band, and each time it reaches one the tempo is set to drift
/// back. A new tempo of the owner goes out at once, as of the instant at which it makes Link's beat the
/// owner's. An error too large to be steered is removed by an alignment, requested once; ``remaining`` is the
/// rest, and is kept.
public struct TempoServo: Sendable {
  /// The change of the session in a cycle.
  public enum Action: Sendable, Equatable {
    /// Nothing.
    case none
    /// Commit the owner's tempo as of the instant, now or in the last two seconds; or one that is the owner's but
    /// for some millionths, to steer by it or because steering has ended.
    case tempo(TempoEdit)
    /// Move Link's beat by so much: a request to the session, or an order when the user pinned JACK.
    case align(by: Beats)
  }

  /// The part of the error that is kept until JACK stops, waits or is relocated, in Link's beats: the
  /// requested alignment did not remove it, and it is too large to be steered.
  public private(set) var remaining = Beats.zero
  /// Whether the bridge steers Link's tempo. It does not after another peer changed the tempo, and after
  /// joining a session with another tempo, until the owner's tempo changes or the user imposes it.
  public private(set) var isEngaged = false

  private var quantum: Quantum
  var isImposed = false
  /// The session's tempos before the owner's was committed: a peer that has not seen that yet may undo it.
  var replaced = ReplacedTempos()
  /// Whether the owner's tempo was undone, and is to be committed once more.
  var saysAgain = false
  /// The owner's tempo that was last taken over or put up with.
  var base: OwnerTempoEstimate?
  /// The microseconds per beat that Link is to have.
  var committed: Int64 = 0
  var commitTime: HostTime<LinkClock>?
  /// When a tempo was last taken over for a start, sooner after the one before than others are.
  var hurried: HostTime<LinkClock>?
  /// Since when Link has had another tempo than that.
  private(set) var disagreement: HostTime<LinkClock>?
  /// When Link's tempo was last compared with the owner's.
  private var compared: HostTime<LinkClock>?
  private var average = PhaseAverage()
  var phase = PhaseDrift()
  private var measured: HostTime<LinkClock>?
  /// The sign of the error that is being steered away; zero when none is.
  var closing = 0.0
  private var jumps = 0
  /// Until when an alignment may take, once it was asked for.
  private var alignedBy: HostTime<LinkClock>?
  /// When an alignment was last asked for in vain.
  private var refused: HostTime<LinkClock>?
  /// Whether an alignment of the present error was rejected: a small one is steered then.
  private var isRefused = false

  /// The error from which the session is aligned rather than steered, in seconds: at the strongest correction
  /// steering takes four for it.
  private static var jump: Double { @_noLocks get { 2e-3 } }
  /// The error from which nothing is steered, in seconds.
  private static var longestWay: Double { @_noLocks get { HostInterval.farthestSteered.seconds } }
  /// For how long a session that has not been aligned is not asked again.
  private static var refusal: HostInterval { @_noLocks get { .seconds(5) } }
  private static var alignmentTime: HostInterval { @_noLocks get { .milliseconds(300) } }
  /// How long Link may take to have the tempo committed.
  private static var commitDelay: HostInterval { @_noLocks get { .milliseconds(150) } }

  /// A servo that steers nothing yet, for one owner of the timebase.
  ///
  /// - Parameter quantum: The span over which the owner's beat and Link's are to have one phase.
  @_noLocks
  public init(quantum: Quantum) {
    self.quantum = quantum
  }

  /// Takes errors around another span from now on.
  @_noLocks
  mutating func setQuantum(_ quantum: Quantum) { self.quantum = quantum }

  /// The user wants the owner's tempo in the session. Realtime-safe.
  @_noLocks
  public mutating func impose() { isImposed = true }

  /// The owner's tempo is no longer imposed on the session. Realtime-safe.
  @_noLocks
  mutating func withdraw() { isImposed = false }

  /// The bridge may request the alignment of ``remaining`` again: the peers that opposed it have left.
  /// Realtime-safe.
  @_noLocks
  public mutating func realign() {
    remaining = .zero
    isRefused = false
    refused = nil
  }

  /// Takes one cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - error: The owner's beat, folded, minus Link's at `time`; `nil` when the transport is stopped, and
  ///     only the tempo counts.
  ///   - owner: The owner's tempo.
  ///   - sessionTempo: Link's tempo.
  ///   - time: The instant of the measurement.
  ///   - steers: Whether small errors are to be steered: not while they are the clock's.
  ///   - isHeeded: Whether Link goes where it is aligned to, because there is no other peer, or because the
  ///     alignment is forced.
  ///   - isStopped: Whether the transport is stopped, and is not about to roll.
  ///   - isStarting: Whether it is about to roll: a start needs the tempo at once to be brought into phase.
  ///   - uncertainty: The part of the error that may be measurement noise, in seconds.
  /// - Returns: The change of the session in this cycle.
  @_noLocks
  public mutating func update(
    error: Beats?, owner: OwnerTempo.Reading, link sessionTempo: Tempo, time: HostTime<LinkClock>,
    steers: Bool = true, isHeeded: Bool = false, isStopped: Bool = false,
    isStarting: Bool = false, uncertainty: Double = 0
  ) -> Action {
    guard case .steady(let estimate) = owner else {
      average = PhaseAverage()
      return .none
    }
    allowForAbsence(until: time)
    let distance = if let error { (error - remaining).shortest(around: quantum) } else { Beats.zero }
    let offset = distance.doubleValue * 60 / sessionTempo.beatsPerMinute
    if let change = follow(
      estimate, link: sessionTempo, offset: offset, time: time, isStarting: isStarting)
    {
      return change
    }
    watch(sessionTempo, estimate, time: time)
    guard let error else {
      // The next roll begins with an error of its own.
      startOver()
      remaining = .zero
      return isStopped ? settle(on: estimate, time: time) : .none
    }
    // Measurements are invalid while Link has another tempo than the one committed.
    if case .some = disagreement { return .none }
    if let alignedBy, time < alignedBy { return .none }
    guard isEngaged, let mean = average.add(offset, at: time) else { return .none }
    let size = mean.value.magnitude
    if size > (isRefused ? TempoServo.longestWay : TempoServo.jump) {
      return jumped(size, error.shortest(around: quantum), at: time, isHeeded: isHeeded)
    }
    if size < TempoServo.jump / 2 { isRefused = false }
    jumps = 0
    alignedBy = nil
    guard steers else {
      phase = PhaseDrift()
      measured = nil
      closing = 0
      return .none
    }
    let interval = if let measured { mean.time - measured } else { HostInterval.zero }
    measured = mean.time
    phase.observe(mean.value, after: interval)
    return steer(time: time, uncertainty: uncertainty)
  }

  /// Forgets the phase, after Link's beat or the owner's was moved.
  @_noLocks
  mutating func startOver() {
    average = PhaseAverage()
    phase = PhaseDrift()
    measured = nil
    closing = 0
    jumps = 0
  }

  @_noLocks
  mutating func engage(committed: Int64, base: OwnerTempoEstimate) {
    self.committed = committed
    self.base = base
    isEngaged = true
    disagreement = nil
    startOver()
  }

  /// A change that a peer has undone while the bridge did not look, because JACK freewheeled or stalled,
  /// counts as undone soon.
  @_noLocks
  private mutating func allowForAbsence(until time: HostTime<LinkClock>) {
    if let compared, time - compared > TempoServo.commitDelay { replaced.shift(by: time - compared) }
    compared = time
  }

  /// Finds out when a peer changes the tempo, and when it is the owner's again.
  @_noLocks
  private mutating func watch(_ sessionTempo: Tempo, _ owner: OwnerTempoEstimate, time: HostTime<LinkClock>) {
    let tempo = owner.folded.tempo.beatsPerMinute
    if !isEngaged {
      guard (sessionTempo.beatsPerMinute - tempo).magnitude <= owner.uncertainty + 2e-4 * tempo else {
        return
      }
      engage(committed: sessionTempo.microsecondsPerBeat, base: owner)
    } else if sessionTempo.microsecondsPerBeat == committed {
      disagreement = nil
    } else if let since = disagreement {
      guard time - since > TempoServo.commitDelay else { return }
      if isUndone(sessionTempo, at: time) { saysAgain = true } else { isEngaged = false }
    } else {
      disagreement = time
    }
  }

  /// An error too large to be steered: requests an alignment, or accepts the rest that the last one has left.
  @_noLocks
  private mutating func jumped(
    _ size: Double, _ error: Beats, at time: HostTime<LinkClock>, isHeeded: Bool
  ) -> Action {
    let isAnswer = if case .some = alignedBy { !isHeeded } else { false }
    alignedBy = nil
    if isAnswer {
      refused = time
      putUp(with: error, size)
      return .none
    }
    jumps &+= 1
    // A second measurement distinguishes a jump from a late cycle.
    guard jumps >= 2 else { return .none }
    // An alignment that was rejected a moment ago would be rejected again.
    if !isHeeded, let refused, time - refused < TempoServo.refusal {
      putUp(with: error, size)
      return .none
    }
    startOver()
    isRefused = false
    remaining = .zero
    // Also where the answer is hidden by an error that is now and then small enough.
    if !isHeeded { refused = time }
    alignedBy = time + TempoServo.alignmentTime
    return .align(by: error)
  }

  /// Keeps an error that Link does not align, or steers it where it is small enough.
  @_noLocks
  private mutating func putUp(with error: Beats, _ size: Double) {
    isRefused = true
    startOver()
    if size > TempoServo.longestWay { remaining = error }
  }
}
