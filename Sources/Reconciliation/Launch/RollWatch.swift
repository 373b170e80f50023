import MusicalTime

/// Whether a roll that has just begun is where it should be, and is put there if not.
///
/// A deadline that is missed about the beginning of a roll moves JACK against Link: a roll that has just begun is
/// corrected, one that has long played is not interrupted. The position that a timebase owner shows when it rolls
/// is known only some cycles later; so on an owner's timebase each missed deadline of the first two quanta has the
/// roll checked again, as soon as the clock is steady.
struct RollWatch: Sendable {
  /// The action on a roll.
  enum Verdict: Sendable {
    /// It is left as it is.
    case leave
    /// Link's beat is mapped to the playhead: the session has no other peer.
    case mapLink
    /// It is off, and left as it is.
    case spoilt(TransportNotice)
    /// The playhead is put where it should be.
    case mend(TransportNotice?)
  }

  /// How often one start is corrected at most.
  private static var mostCorrections: Int32 { 4 }
  /// How long a roll may be interrupted to correct it: slow clients need their time again.
  private static var longestInterruption: HostInterval { .seconds(4) }
  /// For how many cycles JACK may wait for nothing but a missed deadline.
  private static var cyclesOfMiss: Int { 2 }
  /// How many cycles of a roll may show that the timebase it rolls on is another client's: on a server that
  /// does not report the owner, that shows when JACK does not ask the bridge.
  private static var longestDoubt: Int64 { 8 }

  private var ends: HostTime<LinkClock>?
  /// Until when a roll that has begun on the bridge's own timebase, as far as is known, may show that the
  /// timebase is another client's, and how long the roll is checked then.
  private var doubt: (ends: HostTime<LinkClock>, span: HostInterval)?
  private var cyclesLeft: Int32 = 0
  /// The frame that the roll was planned from.
  private(set) var origin: TransportFrame = 0
  /// How often the roll was corrected.
  private var corrections: Int32 = 0
  /// Whether a missed deadline is why it is looked at, and not what its owner shows.
  private var isDisturbed = false
  /// Whether JACK waited for a client before the last of its rolls.
  private var hasWaited = false
  /// How far ahead of Link frames are by intent.
  private(set) var expected = HostInterval.zero

  @_noLocks
  init() {}

  /// The watch of the same start, which is asked for again before it has rolled.
  @_noLocks
  func again() -> RollWatch {
    var next = RollWatch()
    next.corrections = corrections
    return next
  }

  /// Whether there is something to look at soon.
  var isDue: Bool { @inline(__always) @_noLocks get { cyclesLeft > 0 } }

  /// The clock is restless: a deadline was missed.
  @_noLocks
  mutating func clockWasDisturbed(at time: HostTime<LinkClock>) {
    guard let ends, time < ends, corrections < RollWatch.mostCorrections else { return }
    lookAgain()
  }

  /// Another client turns out to own the timebase, and leads: a roll that began just now as if the bridge
  /// owned it is checked as one on that owner's.
  @_noLocks
  mutating func ownerWasFound(at time: HostTime<LinkClock>) {
    guard let doubt, time <= doubt.ends else { return }
    self.doubt = nil
    expected = .zero
    begin(at: time, for: doubt.span)
  }

  /// JACK rolls, and this is its first such cycle: if it is not where it should be, it is put there, once.
  /// Clients were `asked` then to be ready, and it was to roll when it was `due`.
  @_noLocks
  mutating func rolled(
    _ start: HeldStart?, asked: HostTime<LinkClock>, due: HostTime<LinkClock>, _ context: LaunchContext,
    _ readiness: inout ClientReadiness
  ) -> Verdict {
    origin = start?.origin ?? context.observation.jack.frame
    if let start, start.rollsOn { return .leave }
    guard context.canAlign else { return .leave }
    guard !context.isAlone else { return start == nil ? .mapLink : .leave }
    let waited = context.next - asked
    let afterDue = context.next - context.period - due
    // A start that the bridge does not hold may roll earlier.
    let late = start == nil ? max(.zero, afterDue) : afterDue
    // JACK may roll without the bridge's release.
    let gaveUp = !(start?.isReleased ?? true) || waited >= context.configuration.longestHold
    // Where JACK rolled when it was to, it is Link's beat that has moved. Where it was late and did not wait
    // for a client, a deadline was missed.
    let isLate = late.nanoseconds > context.period.nanoseconds / 2
    // For a cycle or two JACK also waits where a deadline was missed; but not each time.
    let most = context.clock.isSteady || hasWaited ? 0 : RollWatch.cyclesOfMiss
    let waitedForOthers =
      start?.waitedForOthers ?? Int(late.nanoseconds / max(1, context.period.nanoseconds))
    let isSlow = !gaveUp && waitedForOthers > most
    hasWaited = waitedForOthers > 0
    // A slow client, or a slower one, may show only as a roll is corrected: it is corrected once more then.
    let isNews = isSlow && readiness.learn(from: waited, context)
    let span = context.tempo.interval(of: context.configuration.quantum.beats) * 2
    if case .owner = context.source {
      // The position that it shows in this cycle was published before the roll.
      begin(at: context.next, for: span)
      if isNews, start?.mends ?? false { lookAgain() }
      return .leave
    }
    doubt = (context.next + context.period * RollWatch.longestDoubt, span)
    if let start { expected = start.plan.lead }
    guard context.configuration.alignsFrames else { return .leave }
    guard context.clock.isSteady else {
      // As long as the clock is not steady, the error cannot be measured.
      cyclesLeft = 1
      isDisturbed = true
      return .leave
    }
    let error = context.frameError(since: origin) - expected
    guard error.magnitude > .worthMending else { return .leave }
    guard !gaveUp, start.map({ !$0.mends || isNews }) ?? true,
      readiness.lead <= RollWatch.longestInterruption
    else { return .spoilt(.launchSpoilt(late: late)) }
    guard start != nil else { return .mend(nil) }
    if isSlow { return .mend(.launchCorrected(late: late)) }
    return .mend(isLate ? .launchDisturbed(by: error) : .gridMoved(by: error))
  }

  /// Looks at a roll that has just begun once more, when it can be seen where it is.
  @_noLocks
  mutating func look(_ context: LaunchContext) -> Verdict {
    guard context.clock.isSteady, !context.ownerStandsStill, isTime(), !context.isAlone, context.canAlign,
      context.configuration.alignsFrames
    else { return .leave }
    let error = context.frameError(since: origin) - expected
    // A rolling transport is not interrupted for an error that cannot be heard; a smaller one of an owner's
    // is steered.
    let isOwners = if case .owner = context.source { true } else { false }
    let least = isOwners || corrections > 0 ? HostInterval.audible : HostInterval.worthMending
    // Once, and once more for each missed deadline.
    guard corrections == 0 || isDisturbed, error.magnitude > least,
      context.slowLead <= RollWatch.longestInterruption
    else { return .leave }
    corrections &+= 1
    expected = .zero
    return .mend(isDisturbed ? .launchDisturbed(by: error) : .ownerCorrected(error))
  }

  /// The owner has not caused this: its position shows in some cycles.
  @_noLocks
  private mutating func lookAgain() {
    cyclesLeft = Int32(truncatingIfNeeded: Follower.learning &+ 1)
    isDisturbed = true
  }

  /// The transport rolls on an owner's timebase, and is watched for so long.
  @_noLocks
  private mutating func begin(at time: HostTime<LinkClock>, for span: HostInterval) {
    guard case .none = ends else { return }
    ends = time + span
    cyclesLeft = Int32(truncatingIfNeeded: Follower.learning &+ 1)
  }

  /// A cycle in which the roll could be looked at; returns whether it is to be.
  @_noLocks
  private mutating func isTime() -> Bool {
    guard cyclesLeft > 0 else { return false }
    cyclesLeft &-= 1
    return cyclesLeft == 0
  }
}
