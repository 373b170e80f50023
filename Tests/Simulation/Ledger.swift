import MusicalTime

/// Why a law is not applied for a while, although what it is about is there.
///
/// An excuse is a debt: each is counted (``Ledger``), and what a law may be excused for at most is bounded
/// (``Law/mostExcused``).
public enum Excuse: String, Sendable, CaseIterable {
  case event = "something has just happened"
  case press = "somebody has just pressed something, or located"
  case motion = "the transport has just started or stopped"
  case grid = "the session's beat or tempo has just changed"
  case arrival = "somebody has just joined the session, or will know only at the next press"
  case join = "nobody has pressed anything since we joined"
  case owner = "the timebase has just changed hands"
  case mode = "the user has just chosen who leads"
  case disturbance = "JACK's clock, period or frame count has just been disturbed"
  case miss = "a deadline has just been missed"
  case freewheel = "JACK renders"
  case slowClient = "a JACK client needs time"
  case crossing = "presses or messages cross on their way"
  case hang = "a JACK client hangs, and what others ask the server for waits"
  case server = "the server cannot do it"
  case lead = "the owner is ahead of itself while it waits"
  case liar = "the owner says what is not so"
  case wish = "somebody asks for it"

  /// The excuse, if it is one now.
  func when(_ isSo: Bool) -> Excuse? { isSo ? self : nil }
}

/// How often each law was applied, and how often it was excused: cycles for what holds in every cycle, else
/// starts, commits, or whatever it is about.
public struct Ledger: Sendable {
  /// What is counted for one law.
  public struct Account: Sendable {
    /// How often it was applied.
    public var applied: Int
    /// How often it was not, by the first reason that there was.
    public var excused: [Excuse: Int]

    /// The share of all that was excused, from 0 to 1.
    public var excusedShare: Double {
      let excused = excused.values.reduce(0, +)
      return applied + excused == 0 ? 0 : Double(excused) / Double(applied + excused)
    }
  }

  private let width = Excuse.allCases.count + 1
  private var counts: [Int]

  /// Nothing is counted yet.
  public init() { counts = Array(repeating: 0, count: Law.allCases.count * width) }

  mutating func count(_ law: Law, _ excuse: Excuse?) {
    counts[Ledger.place(of: law) * width + (excuse.map { Ledger.place(of: $0) + 1 } ?? 0)] += 1
  }

  /// What is counted for a law.
  public subscript(law: Law) -> Account {
    let row = counts[(Ledger.place(of: law) * width)..<(Ledger.place(of: law) + 1) * width]
    let excused = zip(Excuse.allCases, row.dropFirst()).filter { $0.1 > 0 }
    return Account(applied: row.first ?? 0, excused: Dictionary(uniqueKeysWithValues: excused))
  }

  /// The place of a case among all of them. A dictionary would cost more than what is counted.
  public static func place<Value: CaseIterable>(of value: Value) -> Int {
    // Cases that carry nothing are stored as their number.
    withUnsafeBytes(of: value) { Int($0[0]) }
  }

  /// Adds what was counted elsewhere.
  public static func += (ledger: inout Ledger, other: Ledger) {
    for index in ledger.counts.indices { ledger.counts[index] += other.counts[index] }
  }
}

extension Simulation {
  /// Whether a law is to hold now. It is counted either way.
  func isDue(_ law: Law, unless excuse: Excuse?) -> Bool {
    ledger.count(law, excuse)
    return excuse == nil
  }

  /// An excuse that ends so many seconds after `time`.
  func recent(_ excuse: Excuse, _ seconds: Double, since time: HostTime<LinkClock>) -> Excuse? {
    excuse.when(!isCalm(for: seconds, since: time))
  }
}
