import MusicalTime

/// Finds in Link's start/stop state what other peers have pressed.
///
/// What we tell Link comes back. Starts and stops alternate, so it is enough to count how many are on their way:
/// as many changes are echoes. Where the count does not come down in time, Link has taken somebody else's word.
struct LinkPresses: Sendable {
  enum Press: Sendable, Equatable {
    case play(at: HostTime<LinkClock>)
    case stop
  }

  /// How long an echo may take: Link hands over a commit after half a second at the latest.
  static var patience: HostInterval { HostInterval(nanoseconds: 1_500_000_000) }
  /// How long after joining a session its start/stop state can still arrive.
  static var settling: HostInterval { HostInterval(nanoseconds: 1_000_000_000) }

  private var seen: Bool?
  private var told = false
  private var echoes = 0
  private var patienceEnds = HostTime<LinkClock>(nanoseconds: 0)
  private var joined: HostTime<LinkClock>?
  private var hadPeers = false

  @_noLocks
  init() {}

  /// Whether the session plays, or will as soon as it has heard us.
  var isPlaying: Bool { @_noLocks get { echoes > 0 ? told : seen ?? false } }

  /// Takes a cycle and finds what was pressed. The first cycle only shows the state of affairs.
  @inline(__always) @_noLocks
  mutating func update(_ observation: Observation) -> Press? {
    let link = observation.link
    let now = observation.jack.nextOutput
    let hasPeers = link.peers > 0
    if hasPeers, !hadPeers, seen != nil { joined = observation.jack.start }
    hadPeers = hasPeers
    let before = seen
    seen = link.isPlaying
    guard let before else { return nil }
    if link.isPlaying != before {
      if echoes > 0 {
        echoes &-= 1
        return nil
      }
      if let joined, now - joined < LinkPresses.settling, link.timeForIsPlaying < joined { return nil }
      return press(link)
    }
    guard echoes > 0, patienceEnds < now else { return nil }
    echoes = 0
    return link.isPlaying == told ? nil : press(link)
  }

  /// Takes note that Link is told; false when there is nothing to tell.
  @_noLocks
  mutating func tell(_ isPlaying: Bool, now: HostTime<LinkClock>) -> Bool {
    guard isPlaying != self.isPlaying else { return false }
    told = isPlaying
    echoes &+= 1
    patienceEnds = now + LinkPresses.patience
    return true
  }

  /// Takes note that neither of the last two things is told, one the contrary of the other.
  @_noLocks
  mutating func takeBack() { echoes &-= 2 }

  @_noLocks
  private func press(_ link: LinkObservation) -> Press {
    link.isPlaying ? .play(at: link.timeForIsPlaying) : .stop
  }
}
