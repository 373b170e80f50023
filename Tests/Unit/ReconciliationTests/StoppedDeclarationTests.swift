import MusicalTime
import Testing

@testable import Reconciliation

/// A tempo that an owner declares while it rests is a change only where it declared another one before, and no
/// other side has changed the session's tempo since.
@Suite struct StoppedDeclarationTests {
  private var declaration = StoppedDeclaration()
  private var watch = TransportWatch()
  private var now = HostTime<LinkClock>(nanoseconds: 1_000_000_000)
  private var frame: TransportFrame = 0

  /// Hears a declaration in so many cycles.
  private mutating func hear(
    _ beatsPerMinute: Double, link: Double = 120, _ motion: TransportState = .stopped, cycles: Int = 30,
    each milliseconds: Double = 5
  ) throws {
    for _ in 0..<cycles {
      var jack = try Studio.firstCycle().jack
      jack.transport = motion
      jack.step = watch.observe(motion, at: frame, counted: 0, period: 256)
      declaration.observe(
        beatsPerMinute, link: try #require(Tempo(beatsPerMinute: link)), at: now, jack)
      now = now + .milliseconds(milliseconds)
      if motion.isRolling { frame = frame + 256 }
    }
  }

  @Test mutating func `The tempo that it comes with is no change, and another one is`() throws {
    // The first cycles may show the position of the owner before.
    try hear(90, cycles: 2)
    try hear(100)
    #expect(!declaration.isChanged)
    try hear(126)
    #expect(declaration.isChanged)
    try hear(100)
    #expect(!declaration.isChanged)
  }

  @Test mutating func `A tempo that the session gets later stays`() throws {
    try hear(100)
    try hear(126)
    try hear(126, link: 140, cycles: 1)
    #expect(!declaration.isChanged)
    // From here on that is the tempo that it is compared with.
    try hear(100, link: 140)
    #expect(declaration.isChanged)
  }

  @Test mutating func `A declaration before a session is joined is no change of its tempo`() throws {
    try hear(100)
    try hear(126)
    declaration.joined()
    #expect(!declaration.isChanged)
    try hear(100)
    #expect(declaration.isChanged)
  }

  @Test mutating func `A declaration while it rolls is none, once it is of the roll`() throws {
    try hear(100)
    try hear(126)
    try hear(126, .rolling, cycles: 3)
    #expect(declaration.isChanged)
    try hear(126, .rolling, cycles: 3)
    #expect(!declaration.isChanged)
    try hear(126)
    #expect(!declaration.isChanged)
  }

  @Test(
    "Within a tenth of a second and three cycles it may be that of the owner before",
    arguments: [
      (19, 5, false), (20, 5, true), (2, 200, false), (3, 200, true), (3, 30, false), (4, 30, true),
    ])
  mutating func inherited(cycles: Int, milliseconds: Double, isChange: Bool) throws {
    try hear(100, cycles: cycles, each: milliseconds)
    #expect(!declaration.isChanged)
    try hear(126, each: milliseconds)
    #expect(declaration.isChanged == isChange)
    // As well as a sound card makes it.
    let estimate = try #require(declaration.estimate)
    #expect(estimate.isDeclared && estimate.folded.ownersBeatsPerMinute == 126)
    #expect((estimate.uncertainty - 126 * 2e-4).magnitude < 1e-9)
  }

  @Test mutating func `A tempo that trembles by less than a thousandth is no other`() throws {
    try hear(100)
    try hear(100.09)
    #expect(!declaration.isChanged)
    try hear(100.11)
    try hear(100.3)
    #expect(declaration.isChanged)
  }
}
