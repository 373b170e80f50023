import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

/// The instant of a start, and the frame from which it is exact, by their definitions.
@Suite struct LaunchPlannerTests {
  /// A cycle of 1,024 frames at 120 bpm, after which Link is at this beat.
  private static func context(
    _ linkBeat: Double, _ alignment: FrameAlignment = .whole, from place: PositionSource? = nil
  ) throws -> LaunchContext {
    var observation = try Studio.firstCycle(period: 1024)
    observation.link.beat = try #require(BeatTime(linkBeat))
    return LaunchContext(
      observation: observation, tempo: .standard, clock: SampleClock().reading,
      source: place ?? .playhead(Playhead(quantum: .four).mark),
      configuration: Reconciler.Configuration(frameAlignment: alignment))
  }

  /// The place of a frame by frames and tempo, and so many beats further where it is read.
  private static func place(_ frame: UInt32, read: Double = 0) throws -> Place {
    let beat = try #require(BeatTime(Double(frame) / 24_000))
    return Place(
      frame: TransportFrame(frame), beat: beat, position: beat + (try #require(Beats(read))))
  }

  /// How many cycles after the next one a plan rolls.
  private static func cycles(_ plan: LaunchPlan, _ context: LaunchContext) -> Double {
    (plan.rollTime - context.next).seconds * 48_000 / 1024
  }

  @Test("A start rolls in the last cycle before its beat, from the frame that is as much before its place")
  func aligned() throws {
    try forAll(300) { seed, random in
      let context = try Self.context(
        .random(in: -3...900, using: &random), random.oneIn(2) ? .whole : .exact)
      let frame = UInt32.random(in: 2_000...4_000_000_000, using: &random)
      let place = try Self.place(frame, read: Double(Int.random(in: 0...3, using: &random)) * 4)
      let notBefore = context.next + .seconds(.random(in: -2...3, using: &random))
      let cycles = Int64.random(in: 2...8, using: &random)
      let plan = context.planner(.bar).plan(place, notBefore: notBefore, cycles: cycles)
      // The first bar's beat of Link's that is not too early.
      let after = (plan.time - context.next).seconds
      let first = max((notBefore - context.next).seconds, Double(cycles - 1) * 1024 / 48_000)
      #expect(after > first - 1e-6 && after < first + 2 + 1024.0 / 48_000, "seed \(seed)")
      let phase = (plan.beat - place.beat).doubleValue / 4
      #expect((phase - phase.rounded()).magnitude < 1e-8, "seed \(seed)")
      let beat = context.observation.link.beat.sinceZero.doubleValue + after * 2
      #expect((beat - plan.beat.sinceZero.doubleValue).magnitude < 1e-6, "seed \(seed)")
      // The cycle, and the frame in it.
      let edge = Self.cycles(plan, context)
      let lead = (plan.time - plan.rollTime).seconds * 48_000
      #expect((edge - edge.rounded()).magnitude < 1e-4, "seed \(seed)")
      #expect(lead > -0.01 && lead < 1024.01, "seed \(seed)")
      #expect((Double(frame) - lead - Double(plan.frame.number)).magnitude < 0.51, "seed \(seed)")
      let read = place.position.sinceZero.doubleValue - lead / 24_000
      #expect((plan.position.sinceZero.doubleValue - read).magnitude < 1e-6, "seed \(seed)")
      #expect(!plan.isWhole && plan.moved == .zero, "seed \(seed)")
    }
  }

  @Test(
    "Where nothing is before the place it is whole in the nearest cycle, or as much later in the next one",
    arguments: [(0.3, true), (0.7, true), (0.3, false), (0.7, false)])
  func fromZero(part: Double, isWhole: Bool) throws {
    // So far into the ninth cycle a bar of Link's begins.
    let cycle = 1024.0 / 24_000
    let context = try Self.context(16 - cycle * (8 + part), isWhole ? .whole : .exact)
    let plan = context.planner(.bar).plan(try Self.place(0), notBefore: context.next, cycles: 4)
    #expect(plan.beat == BeatTime(16.0) && plan.isWhole == isWhole)
    let cycles = isWhole ? (8 + part).rounded() : 9
    #expect((Self.cycles(plan, context) - cycles).magnitude < 1e-4)
    let frames = isWhole ? 0 : (1 - part) * 1024
    #expect((Double(plan.frame.number) - frames).magnitude < 0.51)
    #expect((plan.position.sinceZero.doubleValue - frames / 24_000).magnitude < 1e-6)
  }

  @Test func `A cycle that begins on the beat is whole, and rolls from the place itself`() throws {
    let context = try Self.context(16 - 8 * 1024.0 / 24_000)
    let plan = context.planner(.bar).plan(try Self.place(0), notBefore: context.next, cycles: 4)
    #expect(plan.isWhole && plan.frame == 0 && (Self.cycles(plan, context) - 8).magnitude < 1e-4)
    // Any other place is not at the beginning of the song.
    let other = context.planner(.bar).plan(try Self.place(96_000), notBefore: context.next, cycles: 4)
    #expect(!other.isWhole && other.frame.number.distance(to: 96_000).magnitude <= 1)
    // Of an owner's music the bridge knows no first beat.
    let owners = try Self.context(
      16 - 8.3 * 1024.0 / 24_000, from: .owner(frame: 0, beat: .zero, standsStill: false))
    let ownersPlan = owners.planner(.bar).plan(try Self.place(0), notBefore: owners.next, cycles: 4)
    #expect(!ownersPlan.isWhole && (Double(ownersPlan.frame.number) - 0.7 * 1024).magnitude < 0.51)
  }

  @Test func `Without alignment a start rolls in the first cycle not before its beat, from where it is`()
    throws
  {
    try forAll(200) { seed, random in
      let context = try Self.context(.random(in: 0...100, using: &random), .off)
      let place = try Self.place(.random(in: 0...9_000_000, using: &random))
      let plan = context.planner(.bar).plan(place, notBefore: context.next, cycles: 4)
      let late = (plan.rollTime - plan.time).seconds * 48_000
      #expect(late > -0.01 && late < 1024.01, "seed \(seed)")
      #expect(plan.frame == place.frame && !plan.isWhole, "seed \(seed)")
      let read = place.position.sinceZero.doubleValue + late / 24_000
      #expect((plan.position.sinceZero.doubleValue - read).magnitude < 1e-6, "seed \(seed)")
      // A beat that has passed is as near as the next cycle.
      let passed = context.observation.link.beat - .one
      #expect(context.planner(.bar).plan(place, atBeat: passed, moved: .zero).rollTime == context.next)
    }
  }

  @Test("With beat and now the place is moved within its bar to where Link is", arguments: [true, false])
  func moved(isBeat: Bool) throws {
    let context = try Self.context(10.4)
    let place = try Self.place(24_000 * 9)
    let plan = context.planner(isBeat ? .beat : .now).plan(place, notBefore: context.next, cycles: 4)
    // The bar of the place begins with beat 8, that of Link with the same.
    let expected = isBeat ? 11 : 10.4 + 2.25 * 1024 / 24_000 + 1024.0 / 24_000
    #expect((plan.beat.sinceZero.doubleValue - expected).magnitude < 1e-6)
    #expect((plan.moved.doubleValue - (expected - 9)).magnitude < 1e-6)
    let lead = (plan.time - plan.rollTime).seconds * 48_000
    #expect((Double(plan.frame.number) - (expected * 24_000 - lead)).magnitude < 0.6)
  }

  @Test func `Past the end of JACK's count the same phase is a quantum before`() throws {
    let frame = UInt32.max - 10_000
    for (alignment, expected) in [(FrameAlignment.exact, -3.0), (.off, 1)] {
      let context = try Self.context(3.5, alignment)
      let plan = context.planner(.now).plan(
        try Self.place(frame), atBeat: try #require(BeatTime(4.5)), moved: .one)
      #expect(plan.moved.doubleValue == expected)
    }
  }

  @Test func `All clients are ready after their wait, and not before the cycle that is asked for`() throws {
    var context = try Self.context(0)
    let planner = context.planner(.bar)
    #expect(planner.ready(after: 4) == planner.edge(after: 4))
    context.slowLead = .seconds(1)
    #expect(context.planner(.bar).ready(after: 4) == context.next + .seconds(1))
    #expect(((planner.edge(after: 3) - context.next).seconds * 48_000 - 3 * 1024).magnitude < 1e-3)
  }
}
