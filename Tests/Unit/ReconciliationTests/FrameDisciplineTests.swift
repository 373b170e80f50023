import MusicalTime
import Testing

@testable import Reconciliation

@Suite struct FrameDisciplineTests {
  @Test(arguments: [(0.99, false), (1, true), (1000, true), (1001, false)])
  func `A threshold is from one millisecond to a thousand`(milliseconds: Double, isOne: Bool) {
    #expect((DisciplineThreshold(milliseconds: milliseconds) != nil) == isOne)
  }

  /// Frames that stay 40 ms off, in bars of two seconds: as after relocations that a client could not follow.
  private struct Roll {
    var discipline = FrameDiscipline()
    var observation: Observation
    let configuration: Reconciler.Configuration
    private(set) var seconds = 0.0

    init() throws {
      configuration = .init(frameAlignment: .exact, discipline: .relocate)
      var studio = LaunchTests.warm(configuration)
      studio.engine.start()
      studio.run(seconds: 5)
      observation = try #require(studio.observation)
    }

    /// How many seconds pass until frames are relocated.
    mutating func wait(error: HostInterval = .milliseconds(40)) -> Double {
      let begin = seconds
      while seconds - begin < 200 {
        let length = HostInterval(FrameCount(Int64(observation.jack.period)), at: .standard)
        seconds += length.seconds
        observation.jack.frame = observation.jack.frame + observation.jack.period
        for time in [\JACKObservation.start, \.nextOutput] {
          observation.jack[keyPath: time] = observation.jack[keyPath: time] + length
        }
        let frame = observation.jack.frame + observation.jack.period
        let tempo = observation.link.tempo
        observation.link.beat = nominal(frame, .standard, tempo) + tempo.beats(in: error)
        let action = discipline.observe(
          CycleSnapshot(observation), observation,
          SampleClock.Reading(isSteady: true, isSettled: true, skew: 0), configuration, isRolling: true,
          slowLead: .zero)
        if case .relocate = action { break }
      }
      return seconds - begin
    }
  }

  @Test func `Relocations in vain come less and less often, until there is a new tempo`() throws {
    var roll = try Roll()
    for (index, patience) in [1.0, 4, 16, 64, 64].enumerated() {
      let wait = roll.wait()
      // The next bar line is up to two seconds later.
      #expect(wait >= patience && wait <= patience + 2.1, "\(index): \(wait) s")
    }
    roll.observation.link.tempo = try #require(Tempo(beatsPerMinute: 121))
    #expect((1...3.1).contains(roll.wait()))
  }

  @Test func `Where a client has left that may have been slow, they come as soon as at first`() throws {
    var roll = try Roll()
    for _ in 0..<4 { _ = roll.wait() }
    roll.discipline.tryAgain()
    #expect((1...3.1).contains(roll.wait()))
  }
}
