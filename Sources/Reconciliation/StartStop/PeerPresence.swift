import MusicalTime

/// Who is there to hear what JACK does.
struct PeerPresence: Sendable {
  enum Event: Sendable {
    /// Nothing has changed.
    case none
    /// Nobody has been there for a while: Link follows JACK without a press.
    case alone
    /// Somebody may not know that the session plays.
    case forgotten
  }

  /// How long nobody has to be there, which may be while somebody is joining.
  private static var solitude: HostInterval { .seconds(1) }
  /// How long after an arrival the one who came has settled.
  private static var arrival: HostInterval { .milliseconds(500) }
  /// How long before that a session that was joined shows.
  private static var meeting: HostInterval { .milliseconds(650) }
  /// A step of Link's beat that is a session joined.
  private static var step: HostInterval { .milliseconds(3) }

  private var peers = 0
  private var wasEnabled = false
  private var enabledAt: HostTime<LinkClock>?
  private var aloneSince: HostTime<LinkClock>?
  /// When whoever has come has settled, and whether somebody has who has not been told yet.
  private var tellAt: HostTime<LinkClock>?
  private var isOwed = false
  private var last: (time: HostTime<LinkClock>, beat: BeatTime, tempo: Tempo)?
  private var joined: HostTime<LinkClock>?

  @_noLocks
  init() {}

  /// Takes a cycle, and tells what has happened.
  ///
  /// While a start or a stop `isUnderWay`, whoever has come waits to be told: it may be taken back. The `lastEdit` is
  /// what the cycle before has changed in Link.
  @inline(__always) @_noLocks
  mutating func update(
    _ observation: Observation, tempo: Tempo, isUnderWay: Bool, lastEdit: LinkEdit
  ) -> Event {
    let (link, next) = (observation.link, observation.jack.nextOutput)
    if case .none = last {
      // Whoever is there already has the session's state, and so have we.
      peers = link.peers
      wasEnabled = link.isEnabled
    }
    noteGrid(link, at: next, tempo, after: lastEdit)
    if link.isEnabled, !wasEnabled {
      // Who was to be told before is not in this session, or has its state from others by now.
      isOwed = false
      tellAt = next + PeerPresence.solitude
      aloneSince = next
      enabledAt = next
    }
    if link.peers > peers {
      // Whoever is there as soon as we are has been there before: it may be the session that we left.
      let isTheirs = enabledAt.map { next - $0 < PeerPresence.solitude } ?? false
      tellAt = isTheirs ? nil : next + PeerPresence.arrival
    }
    peers = link.peers
    wasEnabled = link.isEnabled
    if let time = tellAt, time <= next {
      tellAt = nil
      // Where it was us who joined, as they came, the session has a state of its own.
      isOwed = joined.map { time - $0 >= PeerPresence.meeting } ?? true
    }
    if isOwed, tellAt == nil, !isUnderWay {
      isOwed = false
      return .forgotten
    }
    guard link.peers == 0 else {
      aloneSince = nil
      return .none
    }
    // Who does not take part is heard by nobody.
    guard link.isEnabled else { return .alone }
    guard let since = aloneSince else {
      aloneSince = next
      return .none
    }
    return next - since > PeerPresence.solitude ? .alone : .none
  }

  /// Those who were to be told could not be.
  @_noLocks
  mutating func tellLater() { isOwed = true }

  /// Joining a session shows in Link's beat and tempo, and in nothing else: where they are not those of the cycle
  /// before, with what that cycle has changed. In company Link decides what becomes of a beat that was asked for.
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
