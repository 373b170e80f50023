import MusicalTime
import PropertyTesting
import Reconciliation

/// All that determines a simulation: how the world is, and what happens in it. A seed is a history.
public struct History: Sendable, Equatable {
  /// How the world is.
  public var setup: Setup
  /// What happens, in the order of time.
  public var events: [TimedEvent]
  /// How long it lasts.
  public var duration: HostInterval

  /// A history to the end of `duration`, a second after the last event unless told otherwise.
  public init(_ setup: Setup, _ events: [TimedEvent], duration: HostInterval? = nil) {
    self.setup = setup
    self.events = events
    let last = events.last?.time ?? .zero
    self.duration = duration ?? last + HostInterval.seconds(1)
  }

  /// The history of a seed; on a busy machine, its world misses deadlines if it did not already.
  public init(seed: UInt64, duration: HostInterval, isBusy: Bool = false) {
    var random = Seeded(seed: seed)
    setup = Setup(seed: seed, &random)
    // Of another generator: what happens stays the same.
    if isBusy { setup.missDeadlines() }
    self.duration = duration
    events = []
    var time = HostInterval.zero
    var author = Author(setup: setup)
    if random.oneIn(6) {
      author.beginRehearsal(&events, &time)
    } else if random.oneIn(6) {
      author.beginSession(&events, &time)
    } else if random.oneIn(3) {
      begin(inTheMiddle: author, &time, &random)
    }
    while time < duration {
      // Some things happen in a rush, and then nothing for as long as it takes until everything has settled.
      let rush = Int.random(in: 1...(random.oneIn(3) ? 12 : 2), using: &random)
      for _ in 0..<rush {
        let event = author.next(&random)
        if case .ownerChangesTempo = event, random.oneIn(3) {
          // Somebody's grace period lasts beyond it.
          events.append(TimedEvent(time: time, event: .peerRepeats(after: random.interval(300...990))))
          time = time + random.interval(10...250)
        }
        events.append(TimedEvent(time: time, event: event))
        time = time + random.interval(random.oneIn(2) ? 0...50 : 50...4_000)
      }
      time = time + random.interval(random.oneIn(3) ? 1_000...15_000 : 15_000...40_000)
      // Sometimes long enough to see that nobody does too much.
      if random.oneIn(20) { time = time + random.interval(60_000...120_000) }
    }
    addSuccessors()
  }

  /// Where all peers leave, another may come at once, by a generator of its own.
  private mutating func addSuccessors() {
    var random = Seeded(seed: setup.seed &* 32_452_843 &+ 5)
    for index in events.indices.reversed() where events[index].event == .peersLeave(100) {
      guard random.oneIn(2) else { continue }
      let merge = Event.Merge(
        tempo: Setup.tempo(&random), shift: Beats(random.fraction() * 16) ?? .zero, isPlaying: false,
        tellsPlay: false)
      let time = events[index].time + random.interval(50...450)
      let place = events[index...].firstIndex { $0.time > time } ?? events.endIndex
      events.insert(TimedEvent(time: time, event: .peersJoin(1, merge)), at: place)
    }
  }

  /// JACK rolls or rests, a session is there that plays or rests, another client owns the timebase or none,
  /// before the bridge comes.
  private mutating func begin(
    inTheMiddle author: Author, _ time: inout HostInterval, _ random: inout Seeded
  ) {
    let world: [Event] = [
      .bridgeEnds(for: random.interval(500...3_000)), .peersJoin(1, author.merge(&random)),
      random.oneIn(2) ? .peerStarts(in: .zero) : .peerStops,
      random.oneIn(2) ? .clientStarts : .clientLocates(frame: 96_000),
      random.oneIn(2) ? author.owner(&random) : .peerStops,
    ]
    for event in world where !random.oneIn(6) {
      events.append(TimedEvent(time: time, event: event))
      time = time + random.interval(1...400)
    }
    time = time + random.interval(1_000...15_000)
  }
}
