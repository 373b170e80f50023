import MusicalTime
import Testing

@testable import Reconciliation

@Suite struct FrameDisciplineTests {
  @Test(arguments: [(0.99, false), (1, true), (1000, true), (1001, false)])
  func `A threshold is from one millisecond to a thousand`(milliseconds: Double, isOne: Bool) {
    #expect((DisciplineThreshold(milliseconds: milliseconds) != nil) == isOne)
  }

  /// Frames that stay off, in bars of two seconds: as after relocations that a client could not follow.
  private struct Roll {
    var discipline = FrameDiscipline()
    var observation: Observation
    var configuration: Reconciler.Configuration
    var clock = SampleClock.Reading(isSteady: true, isSettled: true, skew: 0)
    var isRolling = true
    private(set) var seconds = 0.0

    init(_ kind: Discipline = .relocate) throws {
      configuration = .init(frameAlignment: .exact, discipline: kind)
      var studio = LaunchTests.warm(configuration)
      studio.engine.start()
      studio.run(seconds: 5)
      observation = try #require(studio.observation)
    }

    /// How many seconds pass until frames are relocated; or `nil`, as they are not.
    mutating func relocates(within most: Double = 200, error: HostInterval = .milliseconds(40)) -> Double? {
      let begin = seconds
      while seconds - begin < most {
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
          CycleSnapshot(observation), observation, clock, configuration, isRolling: isRolling, slowLead: .zero
        )
        if case .relocate = action { return seconds - begin }
      }
      return nil
    }

    mutating func wait() -> Double { relocates() ?? .infinity }
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

  @Test(arguments: [(4.9, false), (5.1, true), (-4.9, false), (-5.1, true)])
  func `Frames are relocated when they were off by more than the threshold for a second`(
    milliseconds: Double, isOff: Bool
  ) throws {
    var roll = try Roll()
    let error = HostInterval.milliseconds(milliseconds)
    #expect((roll.relocates(within: 10, error: error) != nil) == isOff)
    // The second begins anew where they were in phase meanwhile, did not roll, or have another tempo.
    for interrupt in [
      { _ = $0.relocates(within: 0.01, error: .zero) },
      {
        $0.isRolling = false
        _ = $0.relocates(within: 0.01)
        $0.isRolling = true
      },
      { $0.observation.link.tempo = .bpm(240) },
    ] as [(inout Roll) -> Void] {
      var roll = try Roll()
      #expect(roll.relocates() != nil)
      #expect(roll.relocates(within: 0.98, error: .zero) == nil)
      roll.discipline.tryAgain()
      #expect(roll.relocates(within: 0.99) == nil)
      interrupt(&roll)
      #expect(roll.relocates(within: 0.99) == nil)
      #expect(roll.relocates(within: 2.1) != nil)
    }
  }

  @Test func `They roll on at a bar line, within the cycle before it`() throws {
    var roll = try Roll()
    for _ in 0..<4 {
      #expect(roll.relocates() != nil)
      roll.discipline.tryAgain()
      let period = HostInterval(FrameCount(Int64(roll.observation.jack.period)), at: .standard)
      let way = roll.observation.link.tempo.beats(in: period * HeldStart.cyclesToMend)
      let left = 4 - (roll.observation.link.beat + way).phase(in: .four).offset.doubleValue
      #expect(left > 0 && left <= roll.observation.link.tempo.beats(in: period).doubleValue + 1e-8, "\(left)")
    }
  }

  @Test func `In vain means that frames were off again before they were within half of the threshold`() throws
  {
    for (error, patience) in [(4.9, 4.0), (2.6, 4), (2.4, 1), (-2.6, 4), (-2.4, 1)] {
      var roll = try Roll()
      _ = roll.wait()
      #expect(roll.relocates(within: 0.1, error: .milliseconds(error)) == nil)
      let wait = roll.wait()
      #expect(wait >= patience && wait <= patience + 2.1, "\(error): \(wait) s")
    }
    // Another start begins anew.
    var roll = try Roll()
    _ = (roll.wait(), roll.wait())
    (roll.isRolling, roll.observation.jack.transport) = (false, .stopped)
    _ = roll.relocates(within: 0.1)
    (roll.isRolling, roll.observation.jack.transport) = (true, .rolling)
    #expect((1...3.1).contains(roll.wait()))
  }

  @Test func `Alone in the session, and as long as the clock is not steady, nothing is relocated`() throws {
    for isAlone in [true, false] {
      var roll = try Roll()
      if isAlone {
        roll.observation.link.peers = 0
      } else {
        roll.clock = SampleClock.Reading(isSteady: false, isSettled: false, skew: 0)
      }
      roll.discipline.request()
      #expect(roll.relocates(within: 20) == nil)
      // It is made up for.
      roll.observation.link.peers = 1
      roll.clock = SampleClock.Reading(isSteady: true, isSettled: true, skew: 0)
      #expect(roll.relocates(within: 2.1) != nil)
    }
  }

  @Test(arguments: [Discipline.off, .relocate])
  func
    `Frames that are to be relocated once are at the next bar line, where they are off by half a millisecond`(
      discipline: Discipline
    ) throws
  {
    for (error, isOff) in [(0.51, true), (0.49, false), (-0.51, true), (-0.49, false)] {
      var roll = try Roll(discipline)
      // None that was not asked for has it wait for a second.
      roll.discipline.request()
      #expect(roll.discipline.isAtWork)
      let wait = roll.relocates(within: 2.1, error: .milliseconds(error))
      #expect((wait != nil) == isOff, "\(error)")
      // Once.
      #expect(roll.relocates(within: 10, error: .milliseconds(error)) == nil)
      #expect(roll.relocates(within: 0.9) == nil)
      #expect(roll.discipline.isAtWork == (discipline == .relocate))
    }
    // Where it does not roll there is nothing to relocate, and nothing is left to be.
    var roll = try Roll(discipline)
    roll.discipline.request()
    (roll.isRolling, roll.observation.jack.transport) = (false, .stopped)
    _ = roll.relocates(within: 0.1)
    (roll.isRolling, roll.observation.jack.transport) = (true, .rolling)
    #expect(roll.relocates(within: 0.99) == nil)
  }
}
