import MusicalTime

/// How an error too large to be steered is removed: by an alignment, requested once. The rest that it leaves is kept,
/// or steered where it is small enough.
struct PhaseAlignment: Sendable {
  /// The fate of a measured error.
  enum Answer: Sendable {
    /// It is steered.
    case steer
    /// It may be a late cycle's.
    case wait
    /// Link's beat is to be moved by so much; or by nothing, as that was rejected, or would be.
    case startOver(Beats?)
  }

  private enum State: Sendable {
    /// Nothing was requested.
    case idle
    /// An alignment may take until an instant: an error that is too large after that is the answer.
    case requested(until: HostTime<LinkClock>)
    /// That of the present error was rejected: a small one is steered.
    case rejected
  }

  private var state = State.idle
  /// Whether the last error was too large: a second one distinguishes a jump from a late cycle.
  private var isSuspected = false
  /// When an alignment was last asked for in vain.
  private var refused: HostTime<LinkClock>?
  /// The part of the error that is kept.
  private(set) var remaining = Beats.zero

  /// The error from which the session is aligned rather than steered, in seconds: at the strongest correction
  /// steering takes four for it.
  private static var jump: Double { @_noLocks get { 2e-3 } }
  /// The error from which nothing is steered, in seconds.
  private static var longestWay: Double { @_noLocks get { HostInterval.farthestSteered.seconds } }
  /// For how long a session that has not been aligned is not asked again.
  private static var refusal: HostInterval { @_noLocks get { .seconds(5) } }
  private static var alignmentTime: HostInterval { @_noLocks get { .milliseconds(300) } }

  @_noLocks
  init() {}

  /// The peers that rejected an alignment have left: it may be requested again.
  @_noLocks
  mutating func peersLeft() {
    remaining = .zero
    refused = nil
    if case .rejected = state { state = .idle }
  }

  /// The next roll begins with an error of its own.
  @_noLocks
  mutating func stopped() { remaining = .zero }

  /// Link's beat or the owner's was moved.
  @_noLocks
  mutating func startOver() { isSuspected = false }

  /// Whether an alignment may still take.
  @_noLocks
  func isPending(at time: HostTime<LinkClock>) -> Bool {
    if case .requested(let end) = state { time < end } else { false }
  }

  /// Takes a measured error: what is not kept of it, in seconds, and all of it, at Link's tempo.
  @_noLocks
  mutating func observe(
    _ rest: Double, _ error: Beats, at time: HostTime<LinkClock>, link sessionTempo: Tempo, isHeeded: Bool
  ) -> Answer {
    let size = rest.magnitude
    let isRejected = if case .rejected = state { true } else { false }
    guard size > (isRejected ? PhaseAlignment.longestWay : PhaseAlignment.jump) else {
      isSuspected = false
      if !isRejected || size < PhaseAlignment.jump / 2 { state = .idle }
      return .steer
    }
    if case .requested = state {
      state = .idle
      if !isHeeded { return keep(error, link: sessionTempo) }
    }
    guard isSuspected else {
      isSuspected = true
      return .wait
    }
    // An alignment that was rejected a moment ago would be rejected again.
    if !isHeeded, let refused, time - refused < PhaseAlignment.refusal {
      return keep(error, link: sessionTempo)
    }
    remaining = .zero
    // Also where the answer is hidden by an error that is now and then small enough.
    if !isHeeded { refused = time }
    state = .requested(until: time + PhaseAlignment.alignmentTime)
    return .startOver(error)
  }

  /// Keeps an error that Link does not align, or has it steered where it is small enough. All of it counts:
  /// to steer what it differs by from one that was kept would lead back to that one.
  @_noLocks
  private mutating func keep(_ error: Beats, link sessionTempo: Tempo) -> Answer {
    state = .rejected
    let size = sessionTempo.interval(of: error).seconds.magnitude
    remaining = size > PhaseAlignment.longestWay ? error : .zero
    return .startOver(nil)
  }
}
