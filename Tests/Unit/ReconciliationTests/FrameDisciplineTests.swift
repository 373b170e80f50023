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

    /// Runs a cycle in which Link is so far ahead of frames.
    private mutating func cycle(_ error: HostInterval) -> FrameDiscipline.Action {
      let length = HostInterval(FrameCount(Int64(observation.jack.period)), at: .standard)
      seconds += length.seconds
      observation.jack.frame = observation.jack.frame + observation.jack.period
      for time in [\JACKObservation.start, \.nextOutput] {
        observation.jack[keyPath: time] = observation.jack[keyPath: time] + length
      }
      let frame = observation.jack.frame + observation.jack.period
      let tempo = discipline.plain ?? observation.link.tempo
      observation.link.beat = nominal(frame, .standard, tempo) + tempo.beats(in: error)
      return discipline.observe(
        observation, clock, configuration, isRolling: isRolling, slowLead: .zero)
    }

    /// How many seconds pass until frames are relocated; or `nil`, as they are not.
    mutating func relocates(within most: Double = 200, error: HostInterval = .milliseconds(40)) -> Double? {
      let begin = seconds
      while seconds - begin < most {
        if case .relocate = cycle(error) { return seconds - begin }
      }
      return nil
    }

    /// The tempos by which Link is steered, which is so many seconds ahead, and when.
    mutating func steers(for duration: Double, _ error: inout Double) -> [(tempo: Tempo, seconds: Double)] {
      var edits: [(Tempo, Double)] = []
      let begin = seconds
      while seconds - begin < duration {
        let before = seconds
        guard case .steer(let edit) = cycle(.seconds(error)) else {
          let own = (discipline.plain ?? observation.link.tempo).beatsPerMinute
          error += (seconds - before) * (observation.link.tempo.beatsPerMinute / own - 1)
          continue
        }
        edits.append((edit.tempo, seconds - begin))
        observation.link.tempo = edit.tempo
        #expect(edit.isSteering && edit.time == observation.jack.nextOutput)
      }
      return edits
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

  @Test func `After a render frames are relocated as soon as at first, and not sooner`() throws {
    var roll = try Roll()
    _ = roll.wait()
    #expect(roll.relocates(within: 3) == nil)
    roll.discipline.renderingEnded()
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

  /// A roll that is steered by one tempo, since Link was a millisecond ahead, and that error.
  private static func steered(_ own: Tempo, _ side: Double) throws -> (roll: Roll, error: Double) {
    var roll = try Roll(.tempo)
    roll.observation.link.tempo = own
    var error = 1e-3 * side
    let edits = roll.steers(for: 1.3, &error)
    #expect(edits.count == 1 && edits[0].seconds >= 1)
    // In six seconds it is not ahead any more.
    let way = Double(edits[0].tempo.microsecondsPerBeat - own.microsecondsPerBeat)
    #expect((way - 83 * side).magnitude <= 1.5, "\(way)")
    #expect(roll.discipline.plain == own)
    return (roll, error)
  }

  @Test(
    "Steered, Link is slower where it is ahead, and then has its own tempo again, exactly",
    arguments: [1.0, -1])
  func steering(side: Double) throws {
    // Between two tempos that the network carries.
    let own = try #require(Tempo(beatsPerMinute: 120.00003))
    var (roll, error) = try Self.steered(own, side)
    #expect(roll.discipline.plain(insteadOf: roll.observation.link.tempo) == own)
    #expect(
      roll.discipline.plain(insteadOf: .standard) == nil && roll.discipline.plain(insteadOf: .bpm(121)) == nil
    )
    let edits = roll.steers(for: 20, &error)
    #expect(edits.map(\.tempo) == [own] && (5...7).contains(edits[0].seconds))
    #expect(error.magnitude < 1e-4)
  }

  @Test
  func `It has it when JACK stops, though not while a start waits, and at once when nothing is steered`()
    throws
  {
    for (motion, after) in [(TransportState.stopped, 0.7...1.2), (.starting, nil)]
      as [(TransportState, ClosedRange<Double>?)]
    {
      var (roll, error) = try Self.steered(.standard, 1)
      (roll.isRolling, roll.observation.jack.transport) = (false, motion)
      let edits = roll.steers(for: 3, &error)
      #expect(edits.map(\.tempo) == (after == nil ? [] : [.standard]))
      if let after, let edit = edits.first { #expect(after.contains(edit.seconds), "\(edit.seconds)") }
    }
    for discipline in [Discipline.off, .relocate] {
      var (roll, error) = try Self.steered(.standard, 1)
      roll.configuration.choices.discipline = discipline
      let edits = roll.steers(for: 3, &error)
      #expect(edits.map(\.tempo) == [.standard] && edits[0].seconds < 0.01)
      #expect(roll.discipline.plain == nil)
    }
  }

  @Test(arguments: [(1.9, false), (2.1, true), (-1.9, false), (-2.1, true)])
  func `Where Link is steered, frames that are two milliseconds off are relocated`(
    milliseconds: Double, isOff: Bool
  ) throws {
    var roll = try Roll(.tempo)
    #expect((roll.relocates(within: 5, error: .milliseconds(milliseconds)) != nil) == isOff)
  }
}
