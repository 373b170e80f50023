import MusicalTime

/// Who owns JACK's timebase, as far as a cycle can see.
///
/// JACK does not tell the client that loses it: it is asked nothing any more while the transport rolls, and
/// reads what it has not written. Nor does JACK tell who has it: somebody's position does.
public struct TimebaseWatch: Sendable {
  /// Rolling cycles since JACK last asked us for a position, this one included.
  public private(set) var silentCycles = 0
  /// What we last published.
  private var published: BarBeatTick?

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
  public func owner(
    told: TimebaseOwner, shown: TimebaseReading, while motion: TransportState
  ) -> TimebaseOwner {
    switch told {
    case .other: return .other
    case .nobody: return shown.isValid ? .other : .nobody
    case .me:
      guard hasDoubt(while: motion), shown.isValid else { return .me }
      // There are servers that say yes whoever has it.
      guard let own = published else { return .other }
      return shown.bar == own.bar && shown.beat == own.beat && shown.tick == own.tick ? .me : .other
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
    motion.isRolling && silentCycles >= TimebaseWatch.doubt
  }

  /// Takes note of a cycle's end. Realtime-safe.
  @_noLocks
  public mutating func passed(_ motion: TransportState) {
    if motion.isRolling { silentCycles &+= 1 }
  }

  /// Takes note of what we have told JACK about the next cycle. Realtime-safe.
  @_noLocks
  public mutating func published(_ position: BarBeatTick) {
    published = position
    silentCycles = 0
  }
}
