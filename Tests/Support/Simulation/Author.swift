import MusicalTime
import PropertyTesting
import Reconciliation

/// Makes up what happens.
struct Author {
  let setup: Setup
  /// Pieces that people play, where they do little but start and stop.
  private enum Rehearsal {
    case none
    /// A program that owns the timebase plays with others in one tempo.
    case withOwner
    /// JACK plays along with others.
    case inSession
  }
  private var rehearsal = Rehearsal.none

  init(setup: Setup) { self.setup = setup }

  /// A peer joins, and a program takes the timebase in the session's tempo.
  mutating func beginRehearsal(_ events: inout [TimedEvent], _ time: inout HostInterval) {
    rehearsal = .withOwner
    events.append(.at(1.5, .peersJoin(1, nil)))
    events.append(
      .at(
        4, .ownerTakes(.truthful, beatsPerMinute: setup.tempo.beatsPerMinute, ticksPerBeat: 1_920, lead: 0)))
    time = .seconds(8)
  }

  /// A peer joins, and JACK plays along.
  mutating func beginSession(_ events: inout [TimedEvent], _ time: inout HostInterval) {
    rehearsal = .inSession
    events.append(.at(1.5, .peersJoin(1, nil)))
    time = .seconds(12)
  }

  func next(_ random: inout Seeded) -> Event {
    // Now and then something else happens all the same, and often it is the end of the rehearsal.
    guard !random.oneIn(100) else { return nextOfAll(&random) }
    return switch rehearsal {
    case .none: nextOfAll(&random)
    case .withOwner: nextPress(&random)
    case .inSession: nextInSession(&random)
    }
  }

  private func nextInSession(_ random: inout Seeded) -> Event {
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<5: .clientStarts
    case 5..<10: .clientStops
    case 10..<13: .clientLocates(frame: random.oneIn(3) ? place(&random) : 0)
    case 13..<15: .peerStarts(in: random.oneIn(2) ? .zero : random.interval(0...2_000))
    case 15..<18: .peerStartsOnQuantum(after: random.interval(1_200...4_000))
    case 18..<21: .peerStops
    case 21..<23: loop(&random)
    default: .stall(random.interval(random.oneIn(2) ? 0.1...5 : 5...100), isNoticed: true)
    }
  }

  private func loop(_ random: inout Seeded) -> Event {
    .clientLoops(by: Beats(setup.quantum.doubleValue * random.pick([1, 1, 2, 4, 1.5])) ?? .zero)
  }

  private func nextPress(_ random: inout Seeded) -> Event {
    switch Int.random(in: 0..<23, using: &random) {
    case 0..<6: .clientStarts
    case 6..<11: .clientStops
    case 11..<13: .clientLocates(frame: place(&random))
    case 13..<16: .peerStarts(in: random.oneIn(2) ? .zero : random.interval(0...2_000))
    case 16..<19: .peerStops
    case 19..<22: loop(&random)
    default: .stall(random.interval(random.oneIn(2) ? 0.1...5 : 5...100), isNoticed: true)
    }
  }

  private func nextOfAll(_ random: inout Seeded) -> Event {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<14: .clientStarts
    case 14..<24: .clientStops
    case 24..<28: .clientLocates(frame: place(&random))
    case 28..<30: loop(&random)
    case 30..<32: .slowClient(needs: random.oneIn(5) ? nil : Int.random(in: 1...20, using: &random))
    case 32..<36: .slowClientsLeave
    case 36..<40: owner(&random)
    case 40..<45: .ownerChangesTempo(to: Double.random(in: 60...200, using: &random).rounded())
    case 45..<48: .ownerReleases
    case 48..<53: .peerStarts(in: random.oneIn(2) ? .zero : random.interval(0...2_000))
    case 53..<55: .peerStartsOnQuantum(after: random.interval(0...3_000))
    case 55..<61: .peerStops
    case 61..<66: .peerChangesTempo(to: Setup.tempo(&random))
    case 66..<72: .peersJoin(Int.random(in: 1...3, using: &random), random.oneIn(2) ? merge(&random) : nil)
    case 72..<74: .peersLeave(random.oneIn(2) ? 1 : 100)
    case 74..<75: .peerRepeats(after: random.interval(50...990))
    case 75..<80: .remeasured(by: random.interval(random.oneIn(8) ? -2...2 : -0.1...0.1))
    case 80..<82: .networkChanges(delay: random.oneIn(4) ? 60 : 3, loss: random.oneIn(3) ? 3 : 1_000)
    case 82..<90: command(&random)
    case 90..<94: .stall(random.interval(random.oneIn(2) ? 0.1...5 : 5...300), isNoticed: !random.oneIn(3))
    case 94: .clientHangs(for: random.interval(500...11_000))
    case 95: .periodChanges(to: random.pick([64, 128, 256, 512, 1024, 2048, 4096]))
    case 96..<97: .freewheel(for: random.interval(10...1500))
    case 97..<98: setup.rules.sharesClock ? .peerStops : .clockSlews(to: (random.fraction() - 0.5) * 1e-3)
    case 98..<99:
      random.oneIn(3)
        ? .machineSleeps(for: random.interval(2_000...60_000))
        : .bridgeEnds(for: random.interval(100...5_000))
    default: .serverDies(for: random.interval(100...5_000))
    }
  }

  private func place(_ random: inout Seeded) -> TransportFrame {
    switch Int.random(in: 0..<6, using: &random) {
    case 0, 1: 0
    case 2: TransportFrame(.random(in: 0...2_000, using: &random))
    case 3: TransportFrame(.max - .random(in: 0...10_000_000, using: &random))
    default: TransportFrame(.random(in: 0...48_000 * 600, using: &random))
    }
  }

  func owner(_ random: inout Seeded) -> Event {
    let honesty: SimulatedOwner.Honesty =
      switch Int.random(in: 0..<10, using: &random) {
      case 0: .silent
      case 1: .garbage
      case 2: .liesAboutTempo
      default: .truthful
      }
    return .ownerTakes(
      honesty, beatsPerMinute: Double.random(in: 60...200, using: &random).rounded(),
      ticksPerBeat: random.pick([1_920, 1_920, 960, 1_920_000]), lead: random.oneIn(4) ? setup.period * 3 : 0)
  }

  func merge(_ random: inout Seeded) -> Event.Merge {
    let isPlaying = random.oneIn(2)
    return Event.Merge(
      tempo: Setup.tempo(&random), shift: Beats(random.fraction() * 16) ?? .zero, isPlaying: isPlaying,
      tellsPlay: isPlaying && random.oneIn(2))
  }

  private func command(_ random: inout Seeded) -> Event {
    switch Int.random(in: 0..<9, using: &random) {
    case 8: .command(.locate(random.oneIn(2) ? place(&random) : 0))
    case 0, 1: .command(.start)
    case 2: .command(.stop)
    case 3, 4, 5: .command(.proposeTempo(Setup.tempo(&random)))
    case 6: .command(.foundSession(Setup.tempo(&random)))
    default: .choice(.mode(random.pick(SyncMode.allCases)))
    }
  }
}
