import MusicalTime

/// The presence of peers that hear what JACK does.
struct PeerPresence: Sendable {
  enum Event: Sendable {
    /// Nothing has changed.
    case none
    /// No other peer has been in the session for a while: Link follows JACK without a start or stop of a
    /// user.
    case alone
    /// A peer may not know that the session plays.
    case forgotten
  }

  /// How long the session has to be without peers: a shorter time may be that of a peer that is joining.
  private static var solitude: HostInterval { .seconds(1) }
  /// How long after its arrival a peer is settled.
  private static var arrival: HostInterval { .milliseconds(500) }
  /// How long before that a session that was joined shows.
  private static var meeting: HostInterval { .milliseconds(650) }
  /// A step of Link's beat that is a session joined.
  private static var step: HostInterval { .milliseconds(3) }

  private var peers = 0
  private var wasEnabled = false
  private var enabledAt: HostTime<LinkClock>?
  private var aloneSince: HostTime<LinkClock>?
  /// When a peer that has joined is settled, and whether one is settled without the session's state.
  private var tellAt: HostTime<LinkClock>?
  private var isOwed = false
  private var last: (time: HostTime<LinkClock>, beat: BeatTime, tempo: Tempo)?
  private var joined: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// Takes a cycle, and returns its event.
  ///
  /// The `lastEdit` is the change of Link in the cycle before.
  @inline(__always) @_noLocks
  mutating func update(
    _ observation: Observation, tempo: Tempo, lastEdit: LinkEdit
  ) -> Event {
    let (link, next) = (observation.link, observation.jack.nextOutput)
    if case .none = last {
      // Peers in the first cycle already have the session's state, and so has the bridge. Others may show a moment
      // later, of a session that was joined before it.
      peers = link.peers
      wasEnabled = link.isEnabled
      joined = next
    }
    passTime(observation.jack)
    noteGrid(link, at: next, tempo, after: lastEdit)
    if !wasEnabled {
      // A peer without the state is not in this session, or has its state from other peers by now.
      isOwed = false
      tellAt = next + PeerPresence.solitude
      aloneSince = next
      enabledAt = next
    }
    if link.peers > peers {
      // Peers that show as soon as the bridge joins were there before: it may be the session that the bridge
      // left.
      let isTheirs = enabledAt.map { next - $0 < PeerPresence.solitude } ?? false
      tellAt = isTheirs ? nil : next + PeerPresence.arrival
    }
    peers = link.peers
    wasEnabled = link.isEnabled
    if let time = tellAt, time <= next {
      tellAt = nil
      // Where the bridge itself has joined, as they came, the session has a state of its own.
      isOwed = joined.map { time - $0 >= PeerPresence.meeting } ?? true
    }
    if isOwed, tellAt == nil {
      isOwed = false
      return .forgotten
    }
    guard link.peers == 0 else {
      aloneSince = nil
      return .none
    }
    // A bridge that does not take part reaches no peer.
    guard link.isEnabled else { return .alone }
    guard let since = aloneSince else {
      aloneSince = next
      return .none
    }
    return next - since > PeerPresence.solitude ? .alone : .none
  }

  /// Whether peers that show now may be those of a session that the bridge itself has joined.
  @inline(__always) @_noLocks
  func hasJoined(at time: HostTime<LinkClock>) -> Bool {
    guard let joined else { return false }
    return time - joined < PeerPresence.meeting - PeerPresence.arrival
  }

  /// The state is not committed for the peers that need it while a start or a stop is under way, which may be
  /// cancelled.
  @_noLocks
  mutating func tellLater() { isOwed = true }

  /// Time in which no cycle came does not count: peers that came meanwhile may have come at its beginning.
  @inline(__always) @_noLocks
  private mutating func passTime(_ jack: JACKObservation) {
    guard let joined, let last, last.time - joined < PeerPresence.meeting else { return }
    let period = HostInterval(FrameCount(Int64(jack.period)), at: jack.rate)
    self.joined = joined + max(.zero, jack.nextOutput - last.time - period)
  }

  /// Joining a session shows in Link's beat and tempo, and in nothing else: where they are not those of the
  /// cycle before, with what that cycle has changed. After a request for a beat, the beat that results is
  /// Link's choice.
  @inline(__always) @_noLocks
  private mutating func noteGrid(
    _ link: LinkObservation, at next: HostTime<LinkClock>, _ tempo: Tempo, after edit: LinkEdit
  ) {
    if let last {
      var (turn, newTempo) = (next, last.tempo)
      if let edit = edit.tempo { (turn, newTempo) = (edit.time, edit.tempo) }
      var expected = last.beat + last.tempo.beats(in: turn - last.time) + newTempo.beats(in: next - turn)
      if let edit = edit.beat {
        let asked = edit.beat + newTempo.beats(in: next - last.time)
        if peers > 0, !edit.isForced {
          expected = link.beat
        } else if (link.beat - asked).magnitude < (link.beat - expected).magnitude {
          // Otherwise the session was joined before Link had the edit.
          expected = asked
        }
      }
      let distance = (link.beat - expected).magnitude
      if distance > tempo.beats(in: PeerPresence.step) || !link.tempo.isSameOnTheWire(as: newTempo) {
        joined = next
      }
    }
    last = (next, link.beat, link.tempo)
  }
}
