import MusicalTime

/// Who is there to hear what JACK does.
struct Company: Sendable {
  enum Occasion: Sendable {
    /// Nothing has changed.
    case none
    /// Nobody has been there for a while: Link follows JACK without a press.
    case alone
    /// Somebody may not know that the session plays.
    case forgotten
  }

  /// How long nobody has to be there, which may be while somebody is joining.
  private static var solitude: HostInterval { HostInterval(nanoseconds: 1_000_000_000) }
  /// How long after an arrival the one who came has settled.
  private static var arrival: HostInterval { HostInterval(nanoseconds: 500_000_000) }
  /// A step of Link's beat that is a session joined.
  private static var step: HostInterval { HostInterval(nanoseconds: 3_000_000) }

  private var peers = 0
  private var wasEnabled = false
  private var aloneSince: HostTime<LinkClock>?
  private var tellAt: HostTime<LinkClock>?
  private var last: (time: HostTime<LinkClock>, beat: Beats, tempo: Tempo)?
  private var joined: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// Takes a cycle, and tells what occasion it is.
  @_noLocks
  mutating func update(_ now: Circumstances) -> Occasion {
    let link = now.observation.link
    if case .none = last {
      // Whoever is there already has the session's state, and so have we.
      peers = link.peers
      wasEnabled = link.isEnabled
    }
    noteGrid(now)
    if link.peers > peers { tellAt = now.next + Company.arrival }
    if link.isEnabled, !wasEnabled {
      tellAt = now.next + Company.solitude
      aloneSince = now.next
    }
    peers = link.peers
    wasEnabled = link.isEnabled
    if let time = tellAt, time <= now.next {
      tellAt = nil
      // Where it was us who joined, the session has a state of its own.
      guard let joined, now.next - joined < Company.solitude else { return .forgotten }
      return .none
    }
    guard link.peers == 0 else {
      aloneSince = nil
      return .none
    }
    guard let since = aloneSince else {
      aloneSince = now.next
      return .none
    }
    return now.next - since > Company.solitude ? .alone : .none
  }

  /// Joining a session shows in Link's beat and tempo, and in nothing else.
  @_noLocks
  private mutating func noteGrid(_ now: Circumstances) {
    let link = now.observation.link
    if let last {
      let expected = last.beat + last.tempo.beats(in: now.next - last.time)
      let way = now.tempo.interval(of: link.beat - expected).magnitude
      if way > Company.step || last.tempo != link.tempo { joined = now.next }
    }
    last = (now.next, link.beat, link.tempo)
  }
}
