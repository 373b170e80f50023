import MusicalTime

/// What JACK has asked the owner of its timebase, which it takes us for.
public struct TimebaseTally: Sendable, BitwiseCopyable, Equatable {
  /// How often it has asked us for a position.
  public var questions: Int
  /// Cycles since it last did in which it should have, this one included: the transport rolled, or the timebase
  /// had been granted to us.
  public var silentCycles: Int

  /// A tally.
  @_noLocks
  public init(questions: Int = 0, silentCycles: Int = 0) {
    self.questions = questions
    self.silentCycles = silentCycles
  }
}

/// Who owns JACK's timebase, as far as a cycle can see.
///
/// JACK does not tell the client that loses it: it is asked nothing any more while the transport rolls, and
/// reads what it has not written. Nor does JACK tell who has it: somebody's position does.
public struct TimebaseWatch: Sendable {
  /// What JACK has asked us.
  public private(set) var tally = TimebaseTally()
  /// Whether JACK owes us a question since the timebase was granted, by a server that grants it to anybody.
  private var isAwaited = false
  /// Whether another's position was read since JACK last asked us.
  private var isAnothers = false
  /// What we last published.
  private var published: (position: BarBeatTick, beatsPerMinute: Double)?

  /// The cycles without being asked after which a position that is not ours is another client's.
  private static var doubt: Int { 3 }

  /// A watch that has seen nothing.
  public init() {}

  /// Who owns the timebase. Realtime-safe.
  ///
  /// - Parameters:
  ///   - told: Who does as far as JACK tells when the timebase is asked for.
  ///   - shown: What JACK clients read in this cycle.
  ///   - motion: What the transport does.
  /// - Returns: The owner; `.me` as long as nothing speaks against it.
  @_noLocks
  public mutating func owner(
    told: TimebaseOwner, shown: TimebaseReading, while motion: TransportState
  ) -> TimebaseOwner {
    switch told {
    case .other: return .other
    case .nobody: return shown.isValid ? .other : .nobody
    case .me:
      guard hasDoubt(while: motion) else { return .me }
      // There are servers that say yes whoever has it; and whoever has it may publish nothing.
      guard shown.isValid else { return isAwaited ? .other : .me }
      // Another's beat comes by the place where ours was left, too.
      guard !isAnothers, let (own, beatsPerMinute) = published else { return .other }
      let isOurPlace = shown.bar == own.bar && shown.beat == own.beat && shown.tick == own.tick
      // At rest at frame 0 everybody is at the same place, and only the tempo tells.
      isAnothers = !isOurPlace || shown.beatsPerMinute != beatsPerMinute
      return isAnothers ? .other : .me
    }
  }

  /// Whether nothing speaks against our owning the timebase: then what JACK clients read need not be looked
  /// at.
  ///
  /// Changes nothing; it is mutating to be called in place. Realtime-safe.
  ///
  /// - Parameters:
  ///   - told: Who owns it as far as JACK tells when the timebase is asked for.
  ///   - motion: What the transport does.
  /// - Returns: Whether ``owner(told:shown:while:)`` would say `.me` whatever is shown.
  @_noLocks
  public mutating func isSure(told: TimebaseOwner, while motion: TransportState) -> Bool {
    switch told {
    case .other, .nobody: false
    case .me: !hasDoubt(while: motion)
    }
  }

  @_noLocks
  private func hasDoubt(while motion: TransportState) -> Bool {
    (motion.isRolling || isAwaited) && tally.silentCycles >= TimebaseWatch.doubt
  }

  /// Takes note of a cycle's end. Realtime-safe.
  ///
  /// - Parameters:
  ///   - motion: What the transport does.
  ///   - grant: How often JACK had asked us when the timebase was last granted by a server that grants it to
  ///     anybody; `nil` where a server refuses it. Its owner is then asked for a position in the next cycle.
  @_noLocks
  public mutating func passed(_ motion: TransportState, granted grant: Int?) {
    if let grant { isAwaited = grant == tally.questions }
    if motion.isRolling || isAwaited { tally.silentCycles &+= 1 }
  }

  /// JACK asks us for a position. Realtime-safe.
  @_noLocks
  public mutating func asked() {
    tally.questions &+= 1
    tally.silentCycles = 0
    isAnothers = false
  }

  /// Takes note of what we have told JACK about the next cycle. Realtime-safe.
  @_noLocks
  public mutating func published(_ position: BarBeatTick, beatsPerMinute: Double) {
    published = (position, beatsPerMinute)
  }
}
