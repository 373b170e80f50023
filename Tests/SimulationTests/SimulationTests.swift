import MusicalTime
import Reconciliation
import Simulation
import Testing

/// That worlds can be simulated, that the laws hold in them, and that the laws notice what is wrong.
///
/// `make simulate` runs many more hours.
@Suite struct SimulationTests {
  /// The usual length of a history.
  private static let tenMinutes = HostInterval.seconds(600)

  @Test(arguments: 1...12) func `The laws hold`(seed: UInt64) {
    let history = History(seed: seed, duration: Self.tenMinutes)
    let simulation = Simulation(history)
    if let violation = simulation.run() {
      Issue.record("\(violation)\n\(history.shrunken(violation.law).code)")
    }
    #expect(simulation.elapsed >= Self.tenMinutes)
    #expect(simulation.cycles > 1000)
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

  @Test(arguments: Fault.allCases) func `A deliberate mistake is noticed`(fault: Fault) {
    // What takes much to come about is written down.
    let written = OwnerHistoryTests.cases.filter { $0.fault == fault }
    let found =
      written.contains { Simulation($0.history, fault: fault).run() != nil }
      || (1...24).contains { seed in
        Simulation(History(seed: seed, duration: Self.tenMinutes), fault: fault).run() != nil
      }
    #expect(found, "\(fault.rawValue): no law was broken")
  }

  @Test func `A broken history is cut down to what breaks it`() throws {
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
    #expect(shortest.code.contains("peerStops") || shortest.code.contains("command(.stop)"))
  }

  @Test func `What happens in a history can be written down as source`() {
    let history = History(
      Setup(seed: 3, period: 64, launch: .beat),
      [.at(1, .clientStarts), .at(2.5, .peersJoin(2, nil)), .at(3, .command(.proposeTempo(.bpm(120))))])
    #expect(
      history.code == """
        History(
          Setup(seed: 3, period: 64, launch: .beat),
          [
            .at(1.0, .clientStarts),
            .at(2.5, .peersJoin(2, nil)),
            .at(3.0, .command(.proposeTempo(.bpm(120.0)))),
          ], duration: .seconds(4.0))
        """)
  }
}
