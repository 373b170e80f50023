import MusicalTime
import Reconciliation

/// Why a law is not applied.
protocol Reason {}

extension Reason {
  /// The reason, if it is one now.
  func when(_ isSo: Bool) -> Self? { isSo ? self : nil }
}

/// Why a law is not applied for a while, although what it is about is there.
///
/// An excuse is a debt: each is counted (``Ledger``), and what a law may be excused for at most is bounded
/// (``Law/mostExcused``).
public enum Excuse: String, Sendable, CaseIterable, Reason {
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
  case liar = "the owner says what is not so"
  case wish = "somebody asks for it"
}

/// Why a law is not asked at all, although what happens is of its kind: it says nothing of such a case.
///
/// Each is counted (``Ledger``) as excuses are, so that it shows how much of what happens a law is about.
public enum Guard: String, Sendable, CaseIterable, Reason {
  case alone = "no peer is in the session"
  case offline = "the bridge is not in the session"
  case unsynced = "start and stop are not shared"
  case launch = "starts wait for something else"
  case others = "another client owns the timebase"
  case ours = "no other client owns the timebase"
  case yields = "the owner of the timebase is not to lead"
  case pinned = "the user has pinned JACK"
  case company = "peers are in the session, which is theirs"
  case liar = "the owner says what is not so"
  case unaligned = "the user wants no playhead moved"
  case undisciplined = "the user wants no discipline"
  case rolls = "it did not begin at rest"
  case off = "it did not begin in phase"
  case slow = "a client that needs time decides when it rolls"
  case differs =
    "JACK and the session may differ until somebody presses something, which another law is about"
  case begins = "it has just begun to roll, which other laws are about"
  case stamped = "a peer has chosen when it rolls"
  case rests = "JACK does not roll"
  case place = "it is from another place"
  case tempo = "JACK and the session have different tempos"
  case small = "the change is too small to be noticed"
  case short = "it has ended before it could be judged"
}

/// How often each law was applied, and how often it was excused, or not asked: cycles for what holds in every
/// cycle, else starts, commits, or whatever it is about.
public struct Ledger: Sendable {
  /// The counts of one law.
  public struct Account: Sendable {
    /// How often it was applied.
    public var applied = 0
    /// How often it was not, by the first reason that there was.
    public var excused: [Excuse: Int] = [:]
    /// How often it was not asked, by the first reason that there was.
    public var unasked: [Guard: Int] = [:]

    /// How often it was due: applied or excused.
    public var due: Int { applied + excused.values.reduce(0, +) }

    /// The share of all that was due for which it was excused, from 0 to 1.
    public var excusedShare: Double { due == 0 ? 0 : Double(due - applied) / Double(due) }

    static func += (account: inout Account, other: Account) {
      account.applied += other.applied
      account.excused.merge(other.excused, uniquingKeysWith: +)
      account.unasked.merge(other.unasked, uniquingKeysWith: +)
    }
  }

  private static let width = 1 + Excuse.allCases.count + Guard.allCases.count
  private static let page = width * Law.allCases.count
  /// A page for each side that may lead.
  private var counts = Array(repeating: 0, count: page * 3)
  /// The side that leads now.
  var leader = Leader.link { didSet { offset = Ledger.page * Ledger.place(of: leader) } }
  private var offset = 0

  /// Nothing is counted yet.
  public init() {}

  mutating func count(_ law: Law, _ excuse: Excuse?) {
    add(1, to: law, column: excuse.map { Ledger.place(of: $0) + 1 } ?? 0)
  }

  mutating func count(_ law: Law, unasked guarded: Guard) {
    add(1, to: law, column: 1 + Excuse.allCases.count + Ledger.place(of: guarded))
  }

  private mutating func add(_ count: Int, to law: Law, column: Int) {
    counts[offset + Ledger.place(of: law) * Ledger.width + column] += count
  }

  /// The counts of a law.
  public subscript(law: Law) -> Account {
    var account = self[law, while: .link]
    account += self[law, while: .jack]
    account += self[law, while: .neither]
    return account
  }

  /// The counts of a law while a side leads.
  public subscript(law: Law, while leader: Leader) -> Account {
    let begin = Ledger.page * Ledger.place(of: leader) + Ledger.place(of: law) * Ledger.width
    let row = counts[begin..<begin + Ledger.width]
    let excused = zip(Excuse.allCases, row.dropFirst()).filter { $0.1 > 0 }
    let unasked = zip(Guard.allCases, row.dropFirst(1 + Excuse.allCases.count)).filter { $0.1 > 0 }
    return Account(
      applied: row.first ?? 0, excused: Dictionary(uniqueKeysWithValues: excused),
      unasked: Dictionary(uniqueKeysWithValues: unasked))
  }

  /// The place of a case among all of them. A dictionary would cost more than what is counted.
  public static func place<Value>(of value: Value) -> Int {
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

  /// Whether a law says anything of what happens now. It is counted if not.
  func isAsked(_ law: Law, unless guarded: Guard?) -> Bool {
    if let guarded { ledger.count(law, unasked: guarded) }
    return guarded == nil
  }

  /// An excuse that ends so many seconds after `time`.
  func recent(_ excuse: Excuse, _ seconds: Double, since time: HostTime<LinkClock>) -> Excuse? {
    excuse.when(!isCalm(for: seconds, since: time))
  }
}
