import MusicalTime
import PropertyTesting
import Reconciliation

/// All that determines a simulation: how the world is, and what happens in it. A seed is a history.
public struct History: Sendable, Equatable {
  /// How the world is.
  public var setup: Setup
  /// The events, in the order of time.
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
          // A peer's grace period lasts beyond it.
          events.append(TimedEvent(time: time, event: .peerRepeats(after: random.interval(300...990))))
          time = time + random.interval(10...250)
        }
        events.append(TimedEvent(time: time, event: event))
        time = time + random.interval(random.oneIn(2) ? 0...50 : 50...4_000)
      }
      time = time + random.interval(random.oneIn(3) ? 1_000...15_000 : 15_000...40_000)
      // Sometimes long enough to see that no side does too much.
      if random.oneIn(20) { time = time + random.interval(60_000...120_000) }
    }
    addSuccessors()
    playSongs(seed)
    addGrids()
    addCommands()
    addScenes()
    addChoices()
    addOtherChoices()
    addSongs()
  }

  /// Where all peers leave, another may come at once, by a generator of its own.
  private mutating func addSuccessors() {
    var random = Seeded(seed: setup.seed &* 49_979_687 &+ 5)
    for index in events.indices.reversed() where events[index].event == .peersLeave(100) {
      guard random.oneIn(4) else { continue }
      let merge = merge(&random)
      let time = events[index].time + random.interval(50...450)
      let place = events[index...].firstIndex { $0.time > time } ?? events.endIndex
      events.insert(TimedEvent(time: time, event: .peersJoin(1, merge)), at: place)
    }
    // And once in a while JACK rolls in calm company that is succeeded.
    var scenes: [TimedEvent] = []
    for (event, next) in zip(events, events.dropFirst())
    where next.time - event.time > HostInterval.seconds(46) && random.oneIn(16) {
      let (company, successor) = (merge(&random), merge(&random))
      let departure = event.time + .seconds(38)
      scenes += [
        TimedEvent(time: event.time + .seconds(10), event: .peersJoin(1, company)),
        TimedEvent(time: event.time + .seconds(13), event: .clientStarts),
        TimedEvent(time: departure, event: .peersLeave(100)),
        TimedEvent(time: departure + random.interval(100...450), event: .peersJoin(1, successor)),
        TimedEvent(time: departure + .seconds(4), event: .clientStops),
      ]
    }
    events = (events + scenes).sorted { $0.time < $1.time }
  }

  /// A session that rests, to be joined.
  private func merge(_ random: inout Seeded) -> Event.Merge {
    Event.Merge(
      tempo: Setup.tempo(&random), shift: Beats(random.fraction() * 16) ?? .zero, isPlaying: false,
      tellsPlay: false)
  }

  /// In some histories owners have songs: meters that change many bars later, and tempos that glide. All else is
  /// what it was in the histories that are known.
  private mutating func playSongs(_ seed: UInt64) {
    var random = Seeded(seed: seed &* 32_452_843 &+ 5)
    guard random.oneIn(3) else { return }
    let meters = [(3, 4), (7, 8), (4, 4), (5, 4), (6, 8), (5, 8)].compactMap(
      Meter.init(beatsPerBar:beatType:))
    var songs: [TimedEvent] = []
    for index in events.indices {
      switch events[index].event {
      case .ownerTakes(.truthful, _, _, _), .clientStarts:
        guard random.oneIn(3) else { break }
        songs.append(
          TimedEvent(
            time: events[index].time + random.interval(100...5_000),
            event: .ownerChangesMeter(
              to: random.pick(meters), afterBars: Int.random(in: 4...12, using: &random))))
      case .ownerChangesTempo(let tempo) where random.oneIn(2):
        events[index].event = .ownerGlides(to: tempo, over: random.interval(2_000...10_000))
      default: break
      }
    }
    for (event, next) in zip(events, events.dropFirst())
    where next.time - event.time > HostInterval.seconds(34) && random.oneIn(2) {
      // When all that came before has settled.
      let tempo = Double.random(in: 60...180, using: &random).rounded()
      songs.append(
        TimedEvent(
          time: event.time + .seconds(26),
          event: .ownerGlides(to: tempo, over: random.interval(4_000...7_000))))
    }
    events = (events + songs).sorted { $0.time < $1.time }
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
