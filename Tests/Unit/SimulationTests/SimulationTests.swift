import MusicalTime
import Reconciliation
import Testing

@testable import Simulation

/// Worlds can be simulated, the laws hold in them, and the laws notice faults.
///
/// `make simulate` runs many more hours.
@Suite struct SimulationTests {
  /// The usual length of a history.
  private static let tenMinutes = HostInterval.seconds(600)

  @Test(arguments: 1...6) func `The laws hold`(seed: UInt64) {
    let history = History(seed: seed, duration: Self.tenMinutes)
    let simulation = Simulation(history)
    if let violation = simulation.run() {
      Issue.record("\(violation)\n\(history.shrunken(violation.law).text)")
    }
    #expect(simulation.elapsed >= Self.tenMinutes)
    #expect(simulation.cycles > 1000)
  }

  /// The states that a join finds, and the next press: the bridge is new or comes back, and afterwards all
  /// agree.
  @Test(arguments: [true, false], [true, false])
  func `In any state that a join finds, the next press on any side makes all agree`(
    jackRolls: Bool, sessionPlays: Bool
  ) {
    for hasOwner in [false, true] {
      for comesBack in [false, true] {
        for event: Event in [
          .clientStarts, .clientStops, .command(.start), .command(.stop), .peerStarts(in: .zero), .peerStops,
        ] {
          // JACK does not report a request for the state that it has.
          if event == (jackRolls ? .clientStarts : .clientStops) { continue }
          let history = History.joining(
            jackRolls: jackRolls, sessionPlays: sessionPlays, hasOwner: hasOwner, comesBack: comesBack, event)
          let simulation = Simulation(history)
          let violation = simulation.run()
          #expect(violation == nil, "\(String(describing: violation))\n\(history.text)")
          let wanted = event == .clientStarts || event == .command(.start) || event == .peerStarts(in: .zero)
          #expect(
            simulation.state == .init(jack: wanted, ours: wanted, peers: wanted),
            "\(simulation.state), \(history.text)")
        }
      }
    }
  }

  /// `make simulate` bounds what laws are excused for; here it is that they are counted, and by their names.
  @Test func `The cases in which laws are applied and excused are counted`() {
    var all = Ledger()
    for seed in UInt64(1)...3 {
      let simulation = Simulation(History(seed: seed, duration: Self.tenMinutes))
      _ = simulation.run()
      #expect(simulation.ledger[.tempoPublished].applied <= simulation.cycles)
      all += simulation.ledger
    }
    #expect(all[.tempoPublished].applied > 10_000)
    #expect(all[.tempoPublished].excused.isEmpty)
    #expect(all[.noChatter].applied > 1000)
    #expect(all[.noChatter].excused.keys.contains(.event))
    #expect((0.1...0.9).contains(all[.noChatter].excusedShare))
    #expect(Law.allCases.map { Ledger.place(of: $0) } == Array(Law.allCases.indices))
    #expect(Excuse.allCases.map { Ledger.place(of: $0) } == Array(Excuse.allCases.indices))
    #expect(Guard.allCases.map { Ledger.place(of: $0) } == Array(Guard.allCases.indices))
  }

  @Test func `The cases in which laws are not asked are counted, and all cases also by situations`() {
    var accounts = Accounts()
    for seed in UInt64(1)...3 {
      let simulation = Simulation(History(seed: seed, duration: Self.tenMinutes))
      _ = simulation.run()
      accounts.add(simulation)
    }
    #expect(!accounts.all[.launchInPhase].unasked.isEmpty)
    let dimensions: [[Accounts.Situation]] = [
      [.link, .jack, .neither], [.bar, .beat, .now], [.quiet, .busy], [.jackd2, .pipewire, .modernPipewire],
    ]
    for law in Law.allCases {
      let all = accounts.all[law]
      for dimension in dimensions {
        #expect(dimension.map { accounts[law, in: $0].applied }.reduce(0, +) == all.applied)
        #expect(dimension.map { accounts[law, in: $0].due }.reduce(0, +) == all.due)
      }
      // Half an hour is too short for shares.
      #expect(!accounts.isExcusedTooMuch(law))
      #expect(!accounts.isAppliedTooRarely(law))
    }
  }

  @Test func `A seed is a history`() {
    let history = History(seed: 7, duration: .seconds(120))
    #expect(History(seed: 7, duration: .seconds(120)) == history)
    #expect(History(seed: 8, duration: .seconds(120)) != history)
    let runs = (0..<2).map { _ in
      var lines: [String] = []
      let simulation = Simulation(history)
      simulation.trace = { if simulation.cycles % 97 == 0 { lines.append("\($0)") } }
      _ = simulation.run()
      return lines
    }
    #expect(runs[0].count > 10)
    #expect(runs[0] == runs[1])
  }

  /// Mistakes that only some worlds show.
  private static let worlds: [Fault: [History]] = [
    .pressesUnlessChanging: [
      .joining(jackRolls: true, sessionPlays: true, .peerStops),
      .joining(jackRolls: false, sessionPlays: true, isTold: true, .peerStarts(in: .zero)),
      History(
        Setup(),
        [
          .at(1, .peersJoin(1, nil)), .at(8, .peerStarts(in: .zero)), .at(20, .serverDies(for: .seconds(2))),
          .at(21, .peerStops), .at(30, .peerStarts(in: .zero)),
        ], duration: .seconds(45)),
    ],
    .firstBeatLeftOut: [
      History(
        Setup(tempo: .bpm(133.7)), [.at(1, .peersJoin(1, nil)), .at(15.3, .clientStarts)],
        duration: .seconds(30))
    ],
    .meterForQuantum: [
      History(
        Setup(quantum: Quantum(beats: 3)), [.at(1, .peersJoin(1, nil)), .at(15.3, .clientStarts)],
        duration: .seconds(30))
    ],
    .toldUnlessHad: [.joining(jackRolls: false, sessionPlays: true, .command(.stop))],
    .commandsAtRestUntold: [.joining(jackRolls: false, sessionPlays: true, .command(.stop))],
    .pressesHeardOfOtherLife: [
      .joining(jackRolls: false, sessionPlays: true, .peerChangesTempo(to: .bpm(90)))
    ],
    .startsStampedLate: [
      History(
        Setup(), [.at(1, .peersJoin(1, nil)), .at(20, .peerStartsOnQuantum(after: .seconds(2)))],
        duration: .seconds(30))
    ],
    .takenBackLeft: [
      History(
        Setup(),
        [.at(1, .peersJoin(1, nil))]
          + (0..<8).flatMap { attempt -> [TimedEvent] in
            let start = 20 + Double(attempt) * 5
            // In every other quantum a launch is 1.1 s ahead.
            return [
              .at(start - 2, .clientLocates(frame: 101_300)), .at(start, .clientStarts),
              .at(start + 0.75 + Double(attempt) * 0.04, .clientStops),
            ]
          }, duration: .seconds(70))
    ],
  ]

  @Test(arguments: worlds.keys.sorted { $0.rawValue < $1.rawValue })
  func `A mistake is noticed in the worlds that are made for it, which are lawful without`(fault: Fault) {
    for history in Self.worlds[fault] ?? [] {
      #expect(Simulation(history).run() == nil, "\(String(describing: Simulation(history).run()))")
      #expect(Simulation(history, fault: fault).run() != nil, "\(fault.rawValue): \(history.text)")
    }
  }

  /// Where a mistake was last noticed first: seeds that are tried before all others, which may need many minutes.
  private static let knownSeeds: [Fault: UInt64] = [
    .barsCounted: 12, .choicesUnheard: 15, .deferredTempoKept: 14, .echoTakenForPress: 5, .gridForced: 3,
    .imposesOnce: 12, .joinPushes: 4, .loopHeld: 5, .meterForQuantum: 20, .noticesOverwritten: 7,
    .ownersTempoDropped: 4, .ownersTempoOff: 2, .pressesHeardOfOtherLife: 11, .pressesWait: 14,
    .quantumForMeter: 4, .renderUnseen: 6, .restUnseen: 18, .sharingPresses: 8, .sharingUnheard: 5,
    .silenceUntold: 21, .steeringLeft: 2, .steeringLost: 30, .stepsUnheard: 3, .syncForced: 12,
    .tempoInQuarters: 2, .toldUnlessHad: 25, .undoneForGood: 10,
  ]

  @Test(arguments: Fault.allCases.filter { worlds[$0] == nil })
  func `A deliberate mistake is noticed`(fault: Fault) {
    // A fault that takes much to come about is written down.
    let written = HistoryTests.kept.filter { $0.fault == fault }
    let found =
      written.contains { Simulation($0.history, fault: fault).run() != nil }
      || ([Self.knownSeeds[fault] ?? 1] + Array(1...24)).contains { seed in
        Simulation(History(seed: seed, duration: Self.tenMinutes), fault: fault).run() != nil
      }
    #expect(found, "\(fault.rawValue): no law was broken")
  }

  @Test func `A broken history is cut down to the events that break it`() throws {
    let history = History(seed: 2, duration: Self.tenMinutes)
    let violation = try #require(Simulation(history, fault: .stopLost).run())
    let shortest = history.shrunken(violation.law, fault: .stopLost)
    #expect(shortest.events.count < history.events.count)
    #expect(shortest.duration < history.duration)
    let again = try #require(Simulation(shortest, fault: .stopLost).run())
    #expect(again.law == violation.law)
    for index in shortest.events.indices {
      var shorter = shortest
      shorter.events.remove(at: index)
      #expect(Simulation(shorter, fault: .stopLost).run()?.law != violation.law)
    }
    #expect(shortest.text.contains("peer stops") || shortest.text.contains("user stops"))
    // Of the world only that is left which matters.
    for field in Setup.fields where field.text(shortest.setup) != field.text(Setup()) {
      var usual = shortest
      field.reset(&usual.setup)
      #expect(Simulation(usual, fault: .stopLost).run()?.law != violation.law, "\(field.name)")
    }
  }
}

extension History {
  /// The bridge comes into the middle of a world, and then something happens.
  static func joining(
    jackRolls: Bool, sessionPlays: Bool, isTold: Bool = false, hasOwner: Bool = false,
    comesBack: Bool = false,
    _ event: Event
  ) -> History {
    let session = Event.Merge(
      tempo: .bpm(126), shift: Beats(nanobeats: 1_300_000_000), isPlaying: sessionPlays, tellsPlay: isTold)
    var events: [TimedEvent] = []
    if comesBack {
      // A session that it was in, and a server that dies.
      events = [
        .at(0, .peersJoin(1, session)), .at(5, sessionPlays ? .peerStops : .peerStarts(in: .zero)),
        .at(12, .serverDies(for: .seconds(1))), .at(12.1, sessionPlays ? .peerStarts(in: .zero) : .peerStops),
      ]
      // As soon as there is a server, before the bridge is in the session.
      if jackRolls { events.append(.at(13.05, .clientStarts)) }
    } else {
      if !isTold { events.append(.at(0, .bridgeEnds(for: .seconds(14)))) }
      events.append(.at(0.1, .peersJoin(1, session)))
      if jackRolls { events.append(.at(1, .clientStarts)) }
    }
    if hasOwner {
      events.append(
        .at(13.1, .ownerTakes(.truthful, beatsPerMinute: 126, ticksPerBeat: 1_920, lead: 0)))
    }
    return History(Setup(), events + [.at(25, event)], duration: .seconds(45))
  }
}
