import MusicalTime
import Reconciliation
import Simulation
import Testing

/// Programs that count frames stay with the session for as long as it is played, at any speed of the sound
/// card: heard by that card's own clock.
@Suite struct DisciplineTests {
  /// The sound of ten minutes at 120 bpm, or at the tempo that there was to the end.
  private struct Hearing {
    /// How far frames were ahead of Link in each cycle that rolled, in milliseconds, after the first 20 s.
    var errors: [Double] = []
    /// How many tempos the session had.
    var tempos: Set<Double> = []
    /// How often the roll was interrupted.
    var interruptions = 0

    var worst: Double { errors.map(\.magnitude).max() ?? .infinity }
    var last: Double { errors.last?.magnitude ?? .infinity }
  }

  /// Ten minutes with other peers in the session, with a sound card that runs `skew` faster than it says.
  private func play(
    _ discipline: Discipline, skew: Double, _ more: [TimedEvent] = [], rules: TransportRules = .jackd2
  ) -> Hearing {
    let setup = Setup(
      rules: rules, period: 1024, skew: skew, jitter: .milliseconds(0.05),
      clockOffset: rules.sharesClock ? .zero : .milliseconds(249.6), frameAlignment: .exact,
      discipline: discipline)
    let events: [TimedEvent] = [.at(1, .peersJoin(1, nil)), .at(5, .clientStarts)]
    let simulation = Simulation(History(setup, events + more, duration: .seconds(610)))
    var hearing = Hearing()
    var before = TransportState.stopped
    simulation.trace = { cycle in
      if case (.rolling, .starting) = (before, cycle.transport) { hearing.interruptions += 1 }
      before = cycle.transport
      hearing.tempos.insert(cycle.tempo.beatsPerMinute)
      guard case .rolling = before, cycle.time > HostInterval.seconds(20) else { return }
      // The beat of a program that plays at the tempo that people gave it.
      let beatsPerMinute = cycle.tempo.beatsPerMinute.rounded()
      let frames = Double(cycle.frame.number) / 48_000 * beatsPerMinute / 60
      let off = (frames - cycle.linkBeat.doubleValue).remainder(dividingBy: 4)
      hearing.errors.append(off * 60_000 / beatsPerMinute)
    }
    let violation = simulation.run()
    #expect(violation == nil, "\(String(describing: violation))")
    return hearing
  }

  @Test(arguments: [1e-4, -1e-4], [TransportRules.jackd2, .pipewire])
  func `Relocated, frames stay within 5 ms, and the session has one tempo`(
    skew: Double, rules: TransportRules
  ) {
    let heard = play(.relocate, skew: skew, rules: rules)
    // A threshold, and the drift up to the next bar line.
    #expect(heard.worst < 5.5)
    #expect(heard.tempos == [120])
    // 60 ms in all.
    #expect((8...13).contains(heard.interruptions), "\(heard.interruptions)")
  }

  @Test(arguments: [1e-4, -1e-4], [TransportRules.jackd2, .pipewire])
  func `Steered, Link stays with the frames, and nothing is interrupted`(skew: Double, rules: TransportRules)
  {
    let heard = play(.tempo, skew: skew, rules: rules)
    #expect(heard.worst < 2)
    #expect(heard.last < 0.5)
    #expect(heard.interruptions == 0)
    // By as much as the card is off, and less than twice that.
    #expect(heard.tempos.allSatisfy { ($0 - 120).magnitude < 0.06 }, "\(heard.tempos)")
    #expect(heard.tempos.count > 1)
  }

  @Test func `Left alone, they go where the sound card goes`() {
    let heard = play(.off, skew: 1e-4)
    #expect((55...65).contains(heard.last), "\(heard.last) ms")
    #expect(heard.interruptions == 0)
    #expect(heard.tempos == [120])
  }

  @Test(arguments: [Discipline.relocate, .tempo])
  func `After a change of tempo one relocation puts them in phase`(discipline: Discipline) {
    let heard = play(
      discipline, skew: 0,
      [
        .at(100, .peerChangesTempo(to: .bpm(131))), .at(100.2, .peerChangesTempo(to: .bpm(132))),
        .at(100.5, .peerChangesTempo(to: .bpm(133))),
      ])
    #expect(heard.last < 1)
    #expect(heard.interruptions == 1)
  }

  @Test func `A client that is slow to follow is given the time that it needs`() {
    // Six cycles of 1024 frames are 128 ms, by which the first relocation comes late.
    let heard = play(
      .relocate, skew: -1e-4, [.at(10, .slowClient(needs: 6)), .at(100, .peerChangesTempo(to: .bpm(140)))])
    #expect(heard.last < 6)
    #expect((8...14).contains(heard.interruptions), "\(heard.interruptions)")
  }

  @Test func `A tempo that is no longer steered is left as people gave it`() {
    let heard = play(.tempo, skew: 1e-4, [.at(300, .choice(.discipline(.off)))])
    #expect(heard.tempos.contains(120))
    #expect((25...35).contains(heard.last), "\(heard.last) ms")
  }
}
