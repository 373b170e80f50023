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

  /// The relation of Link's tempo to the owner's.
  enum Agreement: Sendable {
    /// There is none: a peer has changed the tempo, or the session that was joined has another.
    case none
    /// Link is to have a tempo of so many microseconds per beat.
    case engaged(Int64)
    /// Link has had another tempo than that since an instant.
    case contradicted(Int64, since: HostTime<LinkClock>)
    /// It was undone, and is to be committed once more.
    case undone
  }

  /// The span over which the owner's beat and Link's are to have one phase.
  var quantum: Quantum
  var isImposed = false
  /// The session's tempos before the owner's was committed: a peer that has not seen that yet may undo it.
  var replaced = ReplacedTempos()
  /// The owner's tempo that was last taken over or put up with.
  var base: OwnerTempoEstimate?
  var agreement = Agreement.none
  var commitTime: HostTime<LinkClock>?
  /// When a tempo was last taken over for a start, sooner after the one before than others are.
  var hurried: HostTime<LinkClock>?
  private var average = PhaseAverage()
  var phase = PhaseDrift()
  /// The sign of the error that is being steered away; zero when none is.
  var closing = 0.0
  private var alignment = PhaseAlignment()

  /// How long Link may take to have the tempo committed.
  private static var commitDelay: HostInterval { @_noLocks get { .milliseconds(150) } }

  /// The part of the error that is kept until JACK stops, waits or is relocated, in Link's beats: the
  /// requested alignment did not remove it, and it is too large to be steered.
  public var remaining: Beats { @_noLocks get { alignment.remaining } }

  /// Whether the bridge steers Link's tempo. It does not after another peer changed the tempo, and after
  /// joining a session with another tempo, until the owner's tempo changes or the user imposes it.
  public var isEngaged: Bool { @_noLocks get { if case .none = agreement { false } else { true } } }

  /// A servo that steers nothing yet, for one owner of the timebase.
  ///
  /// - Parameter quantum: The span over which the owner's beat and Link's are to have one phase.
  @_noLocks
  public init(quantum: Quantum) {
    self.quantum = quantum
  }

  /// The user wants the owner's tempo in the session. Realtime-safe.
  @_noLocks
  public mutating func impose() { isImposed = true }

  /// The owner's tempo is no longer imposed on the session. Realtime-safe.
  @_noLocks
  mutating func withdraw() { isImposed = false }

  /// The bridge may request the alignment of ``remaining`` again: the peers that opposed it have left.
  /// Realtime-safe.
  @_noLocks
  public mutating func realign() { alignment.peersLeft() }

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
    replaced.looked(at: time, within: TempoServo.commitDelay)
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
      alignment.stopped()
      return isStopped ? settle(on: estimate, time: time) : .none
    }
    // Measurements are invalid while Link has another tempo than the one committed.
    guard case .engaged(let committed) = agreement, !alignment.isPending(at: time),
      let mean = average.add(offset, at: time)
    else { return .none }
    switch alignment.observe(
      mean.value, error.shortest(around: quantum), at: time, link: sessionTempo, isHeeded: isHeeded)
    {
    case .steer: break
    case .wait: return .none
    case .startOver(let distance):
      startOver()
      return if let distance { .align(by: distance) } else { .none }
    }
    guard steers else {
      phase = PhaseDrift()
      closing = 0
      return .none
    }
    phase.observe(mean.value, at: mean.time)
    return steer(committed, time: time, uncertainty: uncertainty)
  }

  /// Forgets the phase, after Link's beat or the owner's was moved.
  @_noLocks
  private mutating func startOver() {
    average = PhaseAverage()
    phase = PhaseDrift()
    closing = 0
    alignment.startOver()
  }

  @_noLocks
  mutating func engage(committed: Int64, base: OwnerTempoEstimate) {
    self.base = base
    agreement = .engaged(committed)
    startOver()
  }

  /// Finds out when a peer changes the tempo, and when it is the owner's again.
  @_noLocks
  private mutating func watch(_ sessionTempo: Tempo, _ owner: OwnerTempoEstimate, time: HostTime<LinkClock>) {
    switch agreement {
    case .none:
      let tempo = owner.folded.tempo.beatsPerMinute
      guard (sessionTempo.beatsPerMinute - tempo).magnitude <= owner.uncertainty + 2e-4 * tempo else {
        return
      }
      engage(committed: sessionTempo.microsecondsPerBeat, base: owner)
    case .contradicted(let committed, _) where sessionTempo.microsecondsPerBeat == committed:
      agreement = .engaged(committed)
    case .contradicted(_, let since):
      guard time - since > TempoServo.commitDelay else { return }
      // A peer that had not seen the change has committed something else with the tempo before. Its audio thread
      // sees nothing for a second after a commit of its own.
      agreement = replaced.contains(sessionTempo, at: time) ? .undone : .none
    case .engaged(let committed):
      guard sessionTempo.microsecondsPerBeat != committed else { return }
      agreement = .contradicted(committed, since: time)
    // It is committed again before Link's is looked at.
    case .undone: return
    }
  }
}
