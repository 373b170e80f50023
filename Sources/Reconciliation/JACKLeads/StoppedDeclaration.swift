import MusicalTime

/// The tempo that an owner of the timebase declares before its beats have been measured in a roll.
///
/// The tempo that an owner declares when the bridge first sees it is no change. A later one is, and is the
/// session's from the start on, unless another peer changes the session's tempo after that.
struct StoppedDeclaration: Sendable {
  /// The tempo as it is declared now.
  private(set) var estimate: OwnerTempoEstimate?
  /// Whether it has changed since it was first seen.
  private(set) var isChanged = false
  private var first = 0.0
  private var since: HostTime<LinkClock>?
  private var linkTempo: Tempo?
  private var observedFor = 0

  @_noLocks
  init() {}

  /// For how long the position of the previous timebase owner may remain, and for how many cycles at least.
  private static var inheritance: HostInterval { @_noLocks get { .milliseconds(100) } }
  private static var inheritedCycles: Int { @_noLocks get { 3 } }

  /// For how many rolling cycles the position may be one that was published before the roll.
  private static var seam: UInt32 { @_noLocks get { 3 } }

  /// Takes a cycle.
  @_noLocks
  mutating func observe(
    _ beatsPerMinute: Double, link sessionTempo: Tempo, at time: HostTime<LinkClock>, _ jack: JACKObservation
  ) {
    guard let folded = FoldedTempo(beatsPerMinute: beatsPerMinute) else { return }
    let began = since ?? time
    since = began
    let isInherited = observedFor < StoppedDeclaration.inheritedCycles
    if isInherited { observedFor &+= 1 }
    if isInherited || time - began < StoppedDeclaration.inheritance { first = beatsPerMinute }
    if let linkTempo, !linkTempo.isSameOnTheWire(as: sessionTempo) {
      // The session's tempo changed later, so it stays.
      first = beatsPerMinute
      isChanged = false
    }
    linkTempo = sessionTempo
    let isNews = !beatsPerMinute.isTempo(near: estimate?.folded.ownersBeatsPerMinute ?? beatsPerMinute)
    // Its uncertainty is a sound card's error.
    estimate = OwnerTempoEstimate(
      folded: folded, uncertainty: folded.tempo.beatsPerMinute * OwnerTempo.skew, isDeclared: true)
    if jack.transport.isRolling, jack.step.cycles >= StoppedDeclaration.seam {
      // From here on the beats themselves are measured.
      first = beatsPerMinute
      isChanged = false
    }
    if isNews { isChanged = !beatsPerMinute.isTempo(near: first) }
  }

  /// A session is joined: a declaration before that is no change of the session's tempo.
  @_noLocks
  mutating func joined() {
    isChanged = false
    if let estimate { first = estimate.folded.ownersBeatsPerMinute }
  }
}
