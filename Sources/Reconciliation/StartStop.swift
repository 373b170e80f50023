import MusicalTime

/// Start and stop, carried both ways as edges: whoever pressed last decides.
///
/// | seen | while | then |
/// |---|---|---|
/// | JACK starts or stops | nothing expected of JACK, or the opposite | Link is told |
/// | JACK starts or stops | just that expected: our own request coming back | swallowed |
/// | Link starts or stops | within ``settling`` of joining, pressed before it | taken as the state of affairs |
/// | Link starts or stops | at any other time, JACK differs | JACK is asked, and expected to follow |
/// | nothing | JACK did not follow within ``patience`` | Link is told what JACK does |
struct StartStop: Sendable {
  /// What to do about an edge.
  enum Action: Sendable, Equatable {
    case none
    case tellJACK(TransportRequest)
    case tellLink(isPlaying: Bool)
  }

  /// How long JACK may take to obey: a slow client can hold a start, but not the state Starting.
  static var patience: HostInterval { HostInterval(nanoseconds: 500_000_000) }
  /// How long after joining a session its start/stop state can still arrive.
  static var settling: HostInterval { HostInterval(nanoseconds: 1_000_000_000) }

  private struct Levels: Sendable {
    var jack: Bool
    var link: Bool
    var hasPeers: Bool
  }

  private struct Expectation: Sendable {
    var jackPlays: Bool
    var until: HostTime<LinkClock>
  }

  private var levels: Levels?
  private var expectation: Expectation?
  private var joined: HostTime<LinkClock>?

  /// Takes the levels of one cycle and finds the edges in them.
  ///
  /// The first cycle only sets the levels: neither side was pressed just because we came.
  @_noLocks
  mutating func update(with observation: Observation) -> Action {
    let now = observation.jack.nextOutput
    let jack = observation.jack.transport.isPlaying
    let link = observation.link.isPlaying
    let hasPeers = observation.link.peers > 0
    guard let before = levels else {
      levels = Levels(jack: jack, link: link, hasPeers: hasPeers)
      return .none
    }
    levels = Levels(jack: jack, link: link, hasPeers: hasPeers)
    if hasPeers, !before.hasPeers { joined = now }

    if jack != before.jack {
      let isEcho = expectation?.jackPlays == jack
      expectation = nil
      if !isEcho { return tellLink(jack, link: link) }
    }
    if link != before.link { return linkPressed(isPlaying: link, jack: jack, observation, now: now) }
    guard let expected = expectation, expected.until < now else { return .none }
    expectation = nil
    return tellLink(jack, link: link)
  }

  @_noLocks
  private mutating func linkPressed(
    isPlaying: Bool, jack: Bool, _ observation: Observation, now: HostTime<LinkClock>
  ) -> Action {
    if let joined, now - joined < StartStop.settling, observation.link.timeForIsPlaying < joined {
      return .none
    }
    guard jack != isPlaying else {
      expectation = nil
      return .none
    }
    expectation = Expectation(jackPlays: isPlaying, until: now + StartStop.patience)
    return .tellJACK(isPlaying ? .start : .stop)
  }

  @_noLocks
  private mutating func tellLink(_ isPlaying: Bool, link: Bool) -> Action {
    // What we commit is what we read back: remember it, or it would look like a peer's press.
    levels?.link = isPlaying
    return link == isPlaying ? .none : .tellLink(isPlaying: isPlaying)
  }
}
