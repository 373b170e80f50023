import MusicalTime
import PropertyTesting
import Reconciliation

// Scenes: what people do with a bridge all day, with the time after each in which all that has to come into order does.
// They fill pauses, so that laws that are judged in calm have something to judge.

extension History {
  /// Fills long pauses with scenes, by a generator of its own.
  mutating func addScenes() {
    var random = Seeded(seed: setup.seed &* 86_028_121 &+ 17)
    fill(after: .seconds(10), rest: .seconds(4), &random) {
      $0 > HostInterval.seconds(46) && !$1.oneIn(4)
    } with: { setup, random in
      Scene(setup, &random)
    }
  }

  /// Fills what long pauses are left with networks that lose messages, with what users choose, and with
  /// peers that succeed others, by a generator of its own.
  mutating func addChoices() {
    var random = Seeded(seed: setup.seed &* 67_867_979 &+ 23)
    fill(after: .seconds(3), rest: .seconds(3), &random) {
      $0 > HostInterval.seconds(46) || ($0 > HostInterval.seconds(27) && $1.oneIn(8))
    } with: { setup, random in
      switch Int.random(in: 0..<9, using: &random) {
      case 8: Scene(yielding: setup)
      case 0..<3: Scene(losing: setup, &random)
      case 3..<7: Scene(choosing: setup, &random)
      default: Scene(succeeding: setup, &random)
      }
    }
  }

  /// Fills what long pauses are left with other choices of users, by a generator of its own.
  mutating func addOtherChoices() {
    var random = Seeded(seed: setup.seed &* 32_452_843 &+ 29)
    fill(after: .seconds(3), rest: .seconds(3), &random) {
      $0 > HostInterval.seconds(38) && $1.oneIn(2)
    } with: { setup, random in
      switch Int.random(in: 0..<3, using: &random) {
      case 0: Scene(sharing: setup, &random)
      case 1: Scene(disciplining: setup, &random)
      default: Scene(delaying: setup, &random)
      }
    }
  }

  /// Fills the pauses of some histories with meters, quanta, downbeats and directions that users choose, by a generator
  /// of its own.
  mutating func addGrids() {
    guard [2, 5].contains(setup.seed % 7) else { return }
    var random = Seeded(seed: setup.seed &* 15_487_469 &+ 31)
    fill(after: .seconds(3), rest: .seconds(3), &random) {
      $0 > HostInterval.seconds(34) && !$1.oneIn(4)
    } with: { setup, random in
      random.oneIn(3) ? Scene(directing: setup, &random) : Scene(counting: setup, &random)
    }
  }

  /// Fills the pauses of some other histories with commands that move the session or JACK's downbeat, by a generator of
  /// its own.
  mutating func addCommands() {
    guard [4, 6].contains(setup.seed % 7) else { return }
    var random = Seeded(seed: setup.seed &* 22_801_763 &+ 37)
    fill(after: .seconds(3), rest: .seconds(3), &random) {
      $0 > HostInterval.seconds(38) && !$1.oneIn(4)
    } with: { setup, random in
      random.oneIn(3) ? Scene(placing: setup, &random) : Scene(imposing: setup, &random)
    }
  }

  /// Fills what pauses are left with songs that are rehearsed from their markers, by a generator of its own.
  mutating func addSongs() {
    var random = Seeded(seed: setup.seed &* 49_979_687 &+ 41)
    fill(after: .seconds(2), rest: .seconds(2), &random) {
      $0 > HostInterval.seconds(30) && $1.oneIn(3)
    } with: { setup, random in
      Scene(rehearsing: setup, &random)
    }
  }

  /// Fills pauses with scenes.
  ///
  /// - Parameters:
  ///   - lead: The time from the event before a pause until its scenes are prepared.
  ///   - rest: The time from there to the first scene, and that from the last one to the next event at least.
  ///   - random: The generator.
  ///   - isChosen: Whether a pause of that length is filled.
  ///   - scene: Makes a scene.
  private mutating func fill(
    after lead: HostInterval, rest: HostInterval, _ random: inout Seeded,
    where isChosen: (HostInterval, inout Seeded) -> Bool, with scene: (Setup, inout Seeded) -> Scene
  ) {
    var scenes: [TimedEvent] = []
    for (event, next) in zip(events, events.dropFirst()) where isChosen(next.time - event.time, &random) {
      var time = event.time + lead
      let end = next.time - rest
      for preparation in [Event.slowClientsLeave, .ownerReleases, .clientStops, .peersJoin(1, nil)] {
        scenes.append(TimedEvent(time: time, event: preparation))
      }
      time = time + rest
      while true {
        let scene = scene(setup, &random)
        guard time + scene.duration < end else { break }
        scenes += scene.events.map { TimedEvent(time: time + $0.time, event: $0.event) }
        time = time + scene.duration
      }
    }
    merge(scenes)
  }

  private mutating func merge(_ scenes: [TimedEvent]) {
    guard !scenes.isEmpty else { return }
    // Events at the same time keep their order.
    events = (events + scenes).enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element)
  }
}

/// A start, what comes just before it, what happens while it waits, and a stop when all has settled.
private struct Scene {
  private(set) var events: [TimedEvent] = []
  private(set) var duration: HostInterval

  init(_ setup: Setup, _ random: inout Seeded) {
    let start = HostInterval.seconds(3)
    let isOwners = random.oneIn(3)
    if isOwners {
      // In the session's tempo, and perhaps of Ardour's kind.
      let tempo = Double.random(in: 80...160, using: &random).rounded()
      events.append(
        TimedEvent(time: .zero, event: .peerChangesTempo(to: Tempo(clamping: tempo)?.onTheWire ?? .standard)))
      events.append(
        TimedEvent(
          time: .milliseconds(500),
          event: .ownerTakes(
            .truthful, beatsPerMinute: tempo, ticksPerBeat: 1_920,
            lead: random.oneIn(2) ? setup.period * 3 : 0)))
    } else if random.oneIn(3) {
      events.append(
        TimedEvent(time: .zero, event: .slowClient(needs: Int.random(in: 1...20, using: &random))))
    }
    // A peer's press on a quantum's own time is for what begins at bar 1, and of a calm world.
    let isStamped = !isOwners && random.oneIn(4)
    let place =
      isStamped || random.oneIn(2) ? 0 : TransportFrame(.random(in: 48_000...48_000 * 60, using: &random))
    events.append(TimedEvent(time: .seconds(1), event: .clientLocates(frame: place)))
    if !isOwners, !isStamped, random.oneIn(3) {
      let soon = start - random.interval(10...2_000)
      events.append(TimedEvent(time: soon, event: Scene.surprise(setup, &random)))
    }
    let press: Event =
      isStamped
      ? .peerStartsOnQuantum(after: random.interval(1_300...3_000))
      : random.oneIn(4) ? .peerStarts(in: .zero) : .clientStarts
    events.append(TimedEvent(time: start, event: press))
    if !isOwners, !isStamped, random.oneIn(3) {
      let held = start + random.interval(10...1_500)
      events.append(TimedEvent(time: held, event: Scene.surprise(setup, &random)))
    }
    // Longer than a start and two quanta take at most tempos.
    var settled = start + .seconds(max(8, setup.quantum.doubleValue * 2.5) + 4)
    if !isOwners, random.oneIn(3) {
      events.append(TimedEvent(time: settled, event: .clientLoops(by: setup.quantum.beats)))
      settled = settled + .seconds(4)
    }
    events.append(
      TimedEvent(time: settled, event: random.oneIn(4) ? .peerStops : .clientStops))
    let end = settled + .seconds(3)
    events.append(TimedEvent(time: end, event: .slowClientsLeave))
    if isOwners { events.append(TimedEvent(time: end, event: .ownerReleases)) }
    duration = end + .seconds(1)
    events.sort { $0.time < $1.time }
  }

  /// A start and a stop while messages are lost.
  init(losing setup: Setup, _ random: inout Seeded) {
    let press: Event =
      !random.oneIn(3)
      ? .peerStartsOnQuantum(after: random.interval(1_300...3_000))
      : random.oneIn(2) ? .peerStarts(in: .zero) : .clientStarts
    let span = 7 + setup.quantum.doubleValue
    events = [
      .at(0, .networkChanges(delay: random.oneIn(2) ? 60 : 3, loss: random.oneIn(2) ? 2 : 3)),
      .at(0.2, .clientLocates(frame: 0)), .at(3.4, press),
      .at(3.4 + span, random.oneIn(2) ? .peerStops : .clientStops),
      .at(5 + span, .networkChanges(delay: 3, loss: 1_000)),
    ]
    duration = .seconds(8 + span)
  }

  /// A peer comes with a session of its own as the last peer leaves.
  init(succeeding setup: Setup, _ random: inout Seeded) {
    let session = Event.Merge(
      tempo: Setup.tempo(&random), shift: Beats(random.fraction() * 16) ?? .zero, isPlaying: false,
      tellsPlay: false)
    let gap = Double.random(in: random.oneIn(3) ? 0.1...0.35 : 0.35...0.47, using: &random)
    let span = 4 + setup.quantum.doubleValue * 2
    events = [
      .at(0.5, .clientStarts), .at(span, .peersLeave(100)), .at(span + gap, .peersJoin(1, session)),
      .at(span + 3, .clientStops),
    ]
    duration = .seconds(span + 5)
  }

  /// A user has JACK lead for a while, without a timebase owner: the bridge releases the timebase.
  init(yielding setup: Setup) {
    events = [.at(0, .choice(.mode(.jack))), .at(2.5, .choice(.mode(setup.mode)))]
    duration = .seconds(5)
  }

  /// A user chooses what a start waits for, and changes the tempo by a step.
  init(choosing setup: Setup, _ random: inout Seeded) {
    let launch = random.pick([LaunchMode.bar, .bar, .beat, .now])
    let isStamped = launch == .bar && !random.oneIn(4)
    let place =
      isStamped || random.oneIn(2) ? 0 : TransportFrame(.random(in: 48_000...48_000 * 60, using: &random))
    let step = Double.random(in: -5...5, using: &random)
    let span = 6 + setup.quantum.doubleValue
    let start: Event =
      isStamped
      ? .peerStartsOnQuantum(after: random.interval(1_300...3_000))
      : random.oneIn(3) ? .command(.start) : .clientStarts
    events = [
      .at(0, .choice(.launch(launch))), .at(0.5, .clientLocates(frame: place)), .at(3, start),
      .at(3 + span, .clientLoops(by: setup.quantum.beats)),
      .at(9 + span, .clientStops), .at(11 + span, .choice(.launch(setup.launch))),
    ]
    if let step = TempoStep(beatsPerMinute: step) {
      events.insert(.at(6 + span, .command(.nudgeTempo(step))), at: 4)
    }
    duration = .seconds(12 + span)
  }

  /// A user has starts and stops be shared, or no longer, while one side plays that has started alone.
  init(sharing setup: Setup, _ random: inout Seeded) {
    let span = 5 + setup.quantum.doubleValue
    let isPeers = random.oneIn(2)
    let wait = random.oneIn(3) ? Double.random(in: 0.2...3, using: &random) : 3
    events = [
      .at(0, .choice(.startStopSync(.off))), .at(wait, isPeers ? .peerStarts(in: .zero) : .clientStarts),
      .at(wait + span, .choice(.startStopSync(.both))),
      .at(wait + span + 11, isPeers ? .peerStops : .clientStops),
      .at(wait + span + 13, .choice(.startStopSync(setup.startStopSync ? .both : .off))),
    ]
    duration = .seconds(wait + span + 14)
  }

  /// A user chooses how frames are kept in phase, and the session's tempo changes while they roll.
  init(disciplining setup: Setup, _ random: inout Seeded) {
    let discipline = random.pick(Discipline.allCases)
    let span = 6 + setup.quantum.doubleValue
    let tempo = Scene.tempo(&random)
    events = [
      .at(0, .choice(.discipline(discipline))), .at(1, .clientStarts),
      .at(1 + span, .peerChangesTempo(to: tempo)),
      .at(10 + span * 2, .clientStops), .at(12 + span * 2, .choice(.discipline(setup.discipline))),
    ]
    duration = .seconds(13 + span * 2)
  }

  /// A user changes the offset while JACK rests and while it rolls, and the output latency may change, too.
  init(delaying setup: Setup, _ random: inout Seeded) {
    let span = 5 + setup.quantum.doubleValue
    let last: Event =
      random.oneIn(2)
      ? .offsetChanges(to: random.interval(-40...40))
      : .latencyChanges(toPeriods: .random(in: 0...4, using: &random))
    events = [
      .at(0, .offsetChanges(to: random.interval(-40...40))), .at(1, .clientStarts),
      .at(1 + span, .offsetChanges(to: random.interval(-40...40))), .at(9 + span, last),
      .at(15 + span, .clientStops), .at(17 + span, .offsetChanges(to: .zero)),
      .at(17.5 + span, .latencyChanges(toPeriods: setup.hasLatency ? 2 : 0)),
    ]
    duration = .seconds(18 + span)
  }

  /// A user chooses meters and quanta while JACK rolls and while it rests, and shifts the downbeat, beside a
  /// peer's tempo.
  init(counting setup: Setup, _ random: inout Seeded) {
    let quanta = [2, 3, 4, 5, 8, 3.5].compactMap { Quantum(beats: $0) }
    let span = 6 + setup.quantum.doubleValue
    var time = 1.0
    if random.oneIn(4) { events.append(.at(0, .choice(.meter(random.pick(Scene.meters))))) }
    events.append(.at(time, .clientStarts))
    time += span
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let event: Event =
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1, 2: .choice(.meter(random.pick(Scene.meters)))
        case 3: .choice(.quantum(random.pick(quanta)))
        case 4: .command(.shiftDownbeat(.by(.random(in: -3...3, using: &random))))
        default:
          .peerChangesTempo(to: Scene.tempo(&random))
        }
      events.append(.at(time, event))
      time += Double.random(in: 0.5...8, using: &random)
    }
    time += span
    events += [
      .at(time, .clientStops), .at(time + 1, .clientLocates(frame: 0)),
      .at(time + 2, .command(.shiftDownbeat(.none))),
      .at(time + 2.1, .choice(.meter(setup.meter))), .at(time + 2.2, .choice(.quantum(setup.quantum))),
    ]
    duration = .seconds(time + 4)
  }

  /// A user has tempo, or starts and stops, pass in one direction, while both sides set the one and do the other.
  init(directing setup: Setup, _ random: inout Seeded) {
    let span = 6 + setup.quantum.doubleValue
    let tempo = Scene.tempo(&random)
    let sharing = random.pick([Sharing.receive, .send])
    events =
      random.oneIn(2)
      ? [
        .at(0, .choice(.tempoSync(.receive))), .at(1, .clientStarts),
        .at(1 + span, .peerChangesTempo(to: tempo)), .at(3 + span, .command(.proposeTempo(.standard))),
        .at(5 + span, .clientStops), .at(7 + span, .choice(.tempoSync(.both))),
      ]
      : [
        .at(0, .choice(.startStopSync(sharing))), .at(1, .clientStarts), .at(1 + span, .clientStops),
        .at(3 + span, .peerStarts(in: .zero)), .at(3 + span * 2, .peerStops),
        .at(5 + span * 2, .choice(.startStopSync(setup.startStopSync ? .both : .off))),
      ]
    duration = .seconds(8 + span * 2)
  }

  /// A user imposes JACK on the session after a peer has changed its tempo: an owner's tempo and beat, or where frames
  /// have come to.
  init(imposing setup: Setup, _ random: inout Seeded) {
    var time = 1.0
    let isOwners = random.oneIn(2)
    if isOwners {
      let tempo = Double.random(in: 80...160, using: &random).rounded()
      events.append(.at(0.5, .ownerTakes(.truthful, beatsPerMinute: tempo, ticksPerBeat: 1_920, lead: 0)))
      time = 3
    }
    events.append(.at(time, .clientStarts))
    time += 5 + setup.quantum.doubleValue
    for _ in 0..<2 {
      events.append(.at(time, .peerChangesTempo(to: Scene.tempo(&random))))
      time += Double.random(in: 0.3...5, using: &random)
      events.append(.at(time, .command(.imposeJACK)))
      time += Double.random(in: 1.5...5, using: &random)
    }
    events += [.at(time, .clientStops), .at(time + 2, .command(.imposeJACK))]
    if isOwners { events.append(.at(time + 3, .ownerReleases)) }
    duration = .seconds(time + 4)
  }

  /// An owner's song changes its tempo or its meter while it rolls, and is then played from there, or from somewhat
  /// before it.
  init(rehearsing setup: Setup, _ random: inout Seeded) {
    let tempo = Double.random(in: 80...160, using: &random).rounded()
    let other = Double.random(in: 80...160, using: &random).rounded()
    let span = 3 + setup.quantum.doubleValue
    let change: Event =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: .ownerGlides(to: other, over: random.interval(500...4_000))
      case 1, 2: .ownerChangesMeter(to: random.pick(Scene.meters), afterBars: 1)
      default: .ownerChangesTempo(to: other)
      }
    events = [
      .at(0, .peerChangesTempo(to: Tempo(clamping: tempo)?.onTheWire ?? .standard)),
      .at(
        0.5,
        .ownerTakes(
          .truthful, beatsPerMinute: tempo, ticksPerBeat: 1_920, lead: random.oneIn(3) ? setup.period * 3 : 0)
      ),
      .at(3.5, .clientStarts), .at(3.5 + span, change), .at(6 + span, .clientStops),
    ]
    var time = 7 + span
    for _ in 0..<Int.random(in: 1...2, using: &random) {
      let way = random.oneIn(2) ? .zero : random.interval(random.oneIn(2) ? -200...0 : -4_000...100)
      events.append(.at(time, .clientLocatesToChange(after: way)))
      time += Double.random(in: random.oneIn(2) ? 0...1 : 0...0.05, using: &random)
      events.append(.at(time, random.oneIn(4) ? .peerStarts(in: .zero) : .clientStarts))
      time += span + 3
      events.append(.at(time, random.oneIn(4) ? .peerStops : .clientStops))
      time += 1
    }
    events.append(.at(time, .ownerReleases))
    duration = .seconds(time + 2)
  }

  /// A user has the downbeat be where it is heard, again and again, and back.
  init(placing setup: Setup, _ random: inout Seeded) {
    var time = 6 + setup.quantum.doubleValue
    events = [.at(1, .clientStarts)]
    for _ in 0..<3 {
      time += Double.random(in: 0...4, using: &random)
      events.append(.at(time, random.oneIn(5) ? .clientStops : .command(.shiftDownbeat(.here))))
    }
    events += [
      .at(time + 2, .clientStarts),
      .at(time + 8 + setup.quantum.doubleValue, .command(.shiftDownbeat(.none))),
      .at(time + 14 + setup.quantum.doubleValue, .clientStops),
    ]
    duration = .seconds(time + 16 + setup.quantum.doubleValue)
  }

  /// Meters that songs have.
  private static let meters = ["7/8", "3/4", "4/4", "5/4", "6/8", "2/2"].compactMap { Meter($0) }

  /// A tempo that a peer may set in the middle of a piece.
  private static func tempo(_ random: inout Seeded) -> Tempo {
    (Tempo(clamping: .random(in: 80...160, using: &random)) ?? .standard).onTheWire
  }

  /// An event that may come in between.
  private static func surprise(_ setup: Setup, _ random: inout Seeded) -> Event {
    switch Int.random(in: 0..<8, using: &random) {
    case 0, 1: .clientLocates(frame: TransportFrame(.random(in: 0...48_000 * 60, using: &random)))
    case 2, 3:
      .peerChangesTempo(to: Scene.tempo(&random))
    case 4: .peersJoin(1, nil)
    case 5: .remeasured(by: random.interval(-0.1...0.1))
    case 6: .stall(random.interval(0.1...60), isNoticed: true)
    default: .clientStarts
    }
  }
}
