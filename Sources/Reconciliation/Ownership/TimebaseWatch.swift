import MusicalTime

/// JACK's requests for a position to the bridge as the timebase owner.
public struct TimebaseTally: Sendable, BitwiseCopyable, Equatable {
  /// How often it has asked the bridge for a position.
  public var questions: Int
  /// Cycles since it last did in which it should have, this one included: the transport rolled, or the
  /// timebase had been granted to the bridge.
  public var silentCycles: Int

  /// A tally.
  @_noLocks
  public init(questions: Int = 0, silentCycles: Int = 0) {
    self.questions = questions
    self.silentCycles = silentCycles
  }
}

/// The state of the timebase where a server grants it to any client that asks, as PipeWire does.
public struct TimebaseGrant: Sendable, BitwiseCopyable, Equatable {
  /// How often JACK had asked the bridge for a position when it last granted the timebase; -1 if it never did.
  public var questions: Int
  /// Whether ``TimebaseKeeper`` knows that another client owns the timebase: JACK has not asked the bridge
  /// after two grants in a row. A later question shows the opposite.
  public var isDisproved: Bool

  /// A grant.
  public init(questions: Int = -1, isDisproved: Bool = false) {
    self.questions = questions
    self.isDisproved = isDisproved
  }
}

/// The owner of JACK's timebase, as far as a cycle can see.
///
/// JACK does not notify the client that loses it: JACK no longer asks it while the transport rolls, and it
/// reads positions that it has not written. Nor does JACK report the new owner: only its position shows it.
public struct TimebaseWatch: Sendable {
  /// JACK's requests to the bridge.
  public private(set) var tally = TimebaseTally()
  /// Whether JACK has yet to ask the bridge for a position, since a server that grants it to any client
  /// granted the timebase.
  private var isAwaited = false
  /// Whether JACK has not asked after two grants.
  private var isDisproved = false
  /// The owner as far as JACK reports it.
  private var told = TimebaseOwner.nobody
  /// Knowledge beyond that report, which comes to the cycle after the event.
  private var evidence = Evidence.none
  /// Whose position was read since JACK last asked the bridge.
  private var seen = Seen.noOthers
  /// The bridge's last entry.
  private var published: (position: BarBeatTick, beatsPerMinute: Double)?

  private enum Evidence {
    case none
    /// JACK has asked the bridge since the report came, as it asks no other client than the owner.
    case asked
    /// The bridge has given the timebase up, and JACK may show its position for some cycles.
    case leftBehind
  }

  private enum Seen {
    /// None but the bridge's.
    case noOthers
    /// Another client's at last, with this tempo.
    case anothers(beatsPerMinute: Double)
    /// Another client's, and then the bridge's last entry again, at the other's tempo or not: since an instant,
    /// or in this cycle for the first time.
    case ownAgain(since: HostTime<LinkClock>?, isTempoSame: Bool)
    /// Another client's, and before this cycle the bridge's last entry again.
    case own
  }

  /// The cycles without being asked after which a position that is not the bridge's is another client's.
  private static var doubt: Int { 3 }
  /// How long it takes at most until JACK asks a bridge that owns the timebase again: ``TimebaseKeeper`` asks
  /// for it four times a second.
  private static var longestDoubt: HostInterval { @_noLocks get { .seconds(1) } }

  /// A watch that has seen nothing.
  public init() {}

  /// The owner of the timebase. Realtime-safe.
  ///
  /// - Parameters:
  ///   - told: The owner as far as JACK reports it when the bridge asks for the timebase.
  ///   - shown: The position that JACK clients read in this cycle.
  ///   - motion: The transport state.
  /// - Returns: The owner; `.me` as long as nothing speaks against it.
  @_noLocks
  public mutating func owner(
    told: TimebaseOwner, shown: TimebaseReading, while motion: TransportState
  ) -> TimebaseOwner {
    switch proved(told) {
    case .other: return .other
    case .nobody:
      if case .leftBehind = evidence, shown.isValid, isPublished(shown) { return .nobody }
      evidence = .none
      return shown.isValid ? .other : .nobody
    case .me:
      guard hasDoubt(while: motion) else { return .me }
      look(at: shown, while: motion)
      // Stopped at frame 0 an owner with the session's tempo shows the same position as the bridge has shown.
      if isDisproved { return .other }
      // An owner may publish nothing. JACK has asked the bridge before, and does no longer; or it has granted the
      // timebase as some servers do, although another client owns it. Silence before that proves nothing.
      guard shown.isValid else { return isAwaited || hasAsked ? .other : .me }
      // Another client's beat comes by the place where the bridge's was left, too.
      if case .noOthers = seen { return .me }
      return .other
    }
  }

  /// Whether the position of this cycle, which begins at `time`, may be an old one of the bridge's, and not
  /// the owner's. Realtime-safe.
  ///
  /// Some servers show the owner's own last entry. Where that is the bridge again, JACK asks it in this cycle;
  /// or, if the transport stops just then, when the bridge asks for the timebase once more. Another owner may
  /// come to the tempo of that entry in its very place, but seldom.
  @_noLocks
  public mutating func isInDoubt(at time: HostTime<LinkClock>) -> Bool {
    guard told.isMe, case .ownAgain(let began, let isTempoSame) = seen else { return false }
    let since = began ?? time
    let isInDoubt = isTempoSame ? time == since : time - since < TimebaseWatch.longestDoubt
    seen = isInDoubt ? .ownAgain(since: since, isTempoSame: isTempoSame) : .own
    return isInDoubt
  }

  /// Whether the position of this cycle is the bridge's last entry, although JACK tells that another client is the
  /// owner: it asks no client that takes the timebase just as the transport stops, and shows that entry until
  /// there is a new position. Realtime-safe.
  ///
  /// An owner may be in the very place and tempo, but has hardly as many ticks in a beat.
  @_noLocks
  public func isLeftBehind(_ shown: TimebaseReading) -> Bool {
    guard !told.isMe, let (own, _) = published, isPublished(shown) else { return false }
    return shown.ticksPerBeat == Double(own.ticksPerBeat.count)
  }

  /// Takes note of whose position is read.
  @_noLocks
  private mutating func look(at shown: TimebaseReading, while motion: TransportState) {
    guard shown.isValid else { return }
    guard isPublished(shown) else { return seen = .anothers(beatsPerMinute: shown.beatsPerMinute) }
    switch seen {
    case .noOthers, .own: break
    case .anothers(let beatsPerMinute):
      let isTempoSame = beatsPerMinute == shown.beatsPerMinute
      // While it rolls another client's beat comes by there.
      seen = isTempoSame && motion.isRolling ? .own : .ownAgain(since: nil, isTempoSame: isTempoSame)
    case .ownAgain(_, isTempoSame: true) where motion.isRolling: seen = .own
    case .ownAgain: break
    }
  }

  /// Whether a position is the bridge's last entry.
  @_noLocks
  private func isPublished(_ shown: TimebaseReading) -> Bool {
    guard let (own, beatsPerMinute) = published else { return false }
    // Stopped at frame 0 each owner is at the same place; another tempo shows sooner than a second grant.
    return shown.bar == own.bar && shown.beat == own.beat && shown.tick == own.tick
      && shown.beatsPerMinute == beatsPerMinute
  }

  /// Takes JACK's report, before anything else of a cycle: whether the bridge surely owns the timebase. Then
  /// the clients' position need not be read. Realtime-safe.
  ///
  /// - Parameters:
  ///   - told: The owner as far as JACK reports it when the bridge asks for the timebase.
  ///   - motion: The transport state.
  /// - Returns: Whether ``owner(told:shown:while:)`` would return `.me` for any position.
  @_noLocks
  public mutating func isSure(told: TimebaseOwner, while motion: TransportState) -> Bool {
    if !(told == self.told) {
      evidence = self.told.isMe ? .leftBehind : .none
      self.told = told
    }
    return proved(told).isMe && !hasDoubt(while: motion)
  }

  /// The owner as JACK's report and its questions show it.
  @_noLocks
  private func proved(_ told: TimebaseOwner) -> TimebaseOwner { hasAsked ? .me : told }

  /// Whether JACK has asked the bridge since the report came.
  private var hasAsked: Bool {
    @_noLocks get {
      if case .asked = evidence { true } else { false }
    }
  }

  @_noLocks
  private func hasDoubt(while motion: TransportState) -> Bool {
    (motion.isRolling || isAwaited) && tally.silentCycles >= TimebaseWatch.doubt
  }

  /// Takes note of a cycle's end. Realtime-safe.
  ///
  /// - Parameters:
  ///   - motion: The transport state.
  ///   - grant: The last grant of a server that grants the timebase to any client; `nil` where a server
  ///     refuses it. The timebase's owner is then asked for a position in the next cycle.
  @_noLocks
  public mutating func passed(_ motion: TransportState, granted grant: TimebaseGrant?) {
    if let grant {
      isAwaited = grant.questions == tally.questions
      isDisproved = isAwaited && grant.isDisproved
    }
    if motion.isRolling || isAwaited { tally.silentCycles &+= 1 }
  }

  /// JACK asks the bridge for a position. Realtime-safe.
  @_noLocks
  public mutating func asked() {
    tally.questions &+= 1
    tally.silentCycles = 0
    (evidence, seen) = (.asked, .noOthers)
  }

  /// Records the bridge's entry for the next cycle. Realtime-safe.
  @_noLocks
  public mutating func published(_ position: BarBeatTick, beatsPerMinute: Double) {
    published = (position, beatsPerMinute)
  }
}
