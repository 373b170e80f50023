import MusicalTime
import Reconciliation

/// The ledgers of many histories, and the shares that follow from all histories together.
///
/// Counts within one history depend on each other: a history that is lawful a thousand times over is still
/// one. So how sure a share is follows from how much it differs between histories.
public struct Accounts: Sendable {
  /// A kind of worlds, or a part of each.
  public enum Situation: String, Sendable, CaseIterable {
    case link = "Link leads"
    case jack = "JACK leads"
    case neither = "neither leads"
    case bar = "launch bar"
    case beat = "launch beat"
    case now = "launch now"
    case quiet = "quiet machine"
    case busy = "busy machine"
    case jackd2 = "jackd2"
    case pipewire = "PipeWire 0.3"
    case modernPipewire = "PipeWire 1.4"
  }

  /// The sums of one law, over one history each.
  private struct Sums: Sendable {
    var histories = 0.0
    var applied = 0.0, appliedSquared = 0.0
    var excused = 0.0, due = 0.0
    var excusedSquared = 0.0, both = 0.0, dueSquared = 0.0
  }

  /// All that was counted.
  public private(set) var all = Ledger()
  private var parts: [Situation: Ledger] = [:]
  private var sums = Array(repeating: Sums(), count: Law.allCases.count)
  private var histories = 0.0
  private var hours = 0.0

  /// Nothing is counted yet.
  public init() {}

  /// Adds what was counted in a history.
  public mutating func add(_ simulation: Simulation) {
    let ledger = simulation.ledger
    all += ledger
    for situation in simulation.setup.situations { parts[situation, default: Ledger()] += ledger }
    histories += 1
    hours += simulation.elapsed.seconds / 3600
    for (index, law) in Law.allCases.enumerated() {
      let account = ledger[law]
      let (applied, due) = (Double(account.applied), Double(account.due))
      sums[index].applied += applied
      sums[index].appliedSquared += applied * applied
      guard due > 0 else { continue }
      sums[index].histories += 1
      sums[index].excused += due - applied
      sums[index].due += due
      sums[index].excusedSquared += (due - applied) * (due - applied)
      sums[index].both += (due - applied) * due
      sums[index].dueSquared += due * due
    }
  }

  /// The counts of a law in a situation.
  public subscript(law: Law, in situation: Situation) -> Ledger.Account {
    switch situation {
    case .link: all[law, while: .link]
    case .jack: all[law, while: .jack]
    case .neither: all[law, while: .neither]
    default: parts[situation]?[law] ?? Ledger.Account()
    }
  }

  /// Whether a law is excused for more than it may be: by more than three standard errors, in ten histories or more
  /// that it is about.
  public func isExcusedTooMuch(_ law: Law) -> Bool {
    let sums = sums[Ledger.place(of: law)]
    guard sums.histories >= 10 else { return false }
    let share = sums.excused / sums.due
    let spread = max(0, sums.excusedSquared - 2 * share * sums.both + share * share * sums.dueSquared)
    return share - 3 * spread.squareRoot() / sums.due > law.mostExcused
  }

  /// Whether a law is applied more rarely than it has to be: by more than three standard errors, where it should have
  /// been ten times or more.
  public func isAppliedTooRarely(_ law: Law) -> Bool {
    let sums = sums[Ledger.place(of: law)]
    let least = law.leastApplied * hours / 100
    guard histories > 0, least >= 10 else { return false }
    let spread = max(0, sums.appliedSquared - sums.applied * sums.applied / histories)
    return sums.applied + 3 * max(spread, least).squareRoot() < least
  }
}

extension Setup {
  /// The situations that a world of this kind is one of.
  fileprivate var situations: [Accounts.Situation] {
    let launch: Accounts.Situation =
      switch launch {
      case .bar: .bar
      case .beat: .beat
      case .now: .now
      }
    let server: Accounts.Situation =
      rules.refusesTimebase ? .jackd2 : rules.takesTransportLate ? .modernPipewire : .pipewire
    return [launch, misses > .zero ? .busy : .quiet, server]
  }
}
