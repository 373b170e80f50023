import MusicalTime
import Testing

@testable import Reconciliation

/// An owner that is ahead of itself while the transport waits is known by its first rolling cycles, and guessed before.
@Suite struct OwnersLeadTests {
  private static let rate = SampleRate.standard

  private var lead = OwnersLead()
  private var jack: JACKObservation

  init() throws { jack = try Studio.firstCycle().jack }

  /// The beats of so many frames at 120 bpm.
  private static func beats(_ frames: Int64) -> Beats {
    Tempo.standard.beats(in: FrameCount(frames), at: rate)
  }

  /// The distance that is known, in frames.
  private var frames: Int64 { FrameCount(nearest: lead.time, at: Self.rate).count }

  /// It waits at a frame, and shows a position of so many frames further.
  private mutating func waits(
    at frame: UInt32 = 48_000, ahead frames: Int64, for cycles: UInt32 = 8, tempo: Tempo? = .standard,
    age: Int64 = 0
  ) {
    jack.frame = TransportFrame(frame)
    lead.waits(.zero + Self.beats(Int64(frame) + frames), jack, for: cycles, tempo: tempo, age: age)
  }

  /// It rolls so many cycles after it waited, and shows a position of so many frames further.
  private mutating func rolls(
    _ cycle: UInt32, from frame: UInt32 = 48_000, ahead frames: Int64, tick: Int64 = 12,
    played: Tempo? = .standard
  ) {
    jack.frame = TransportFrame(frame) + cycle * jack.period
    (jack.step.wasRolling, jack.step.cycles) = (cycle > 0, cycle)
    let beat = BeatTime.zero + Self.beats(jack.frame.sinceZero.count + frames)
    lead.rolls(beat, tick: Self.beats(tick), jack, tempo: .standard, played: played)
  }

  @Test(
    "Whole periods by which it is ahead, up to four, are those by which it will be late, or what any owner is",
    arguments: [0, 1, 2] as [Int64],
    [
      (0, 0), (256, 1), (512, 2), (1024, 4), (1280, 0), (-256, 0), (768 + 31, 3), (768 - 31, 3),
      (768 + 33, 0),
      (768 - 33, 0),
    ] as [(Int64, Int64)])
  mutating func guessed(age: Int64, ahead: (frames: Int64, periods: Int64)) {
    waits(ahead: ahead.frames, age: age)
    #expect(frames == -256 * max(ahead.periods, age))
  }

  @Test mutating func `Nothing is guessed right after a relocation, nor of an owner whose tempo is another`()
  {
    waits(ahead: 512, for: 7)
    waits(ahead: 512, tempo: nil)
    #expect(frames == 0)
    waits(ahead: 512, for: 8)
    #expect(frames == -512)
  }

  @Test(arguments: [-768, 300, -11_900, 11_900] as [Int64])
  mutating func `The distance is seen in the eighth rolling cycle, and from then on known`(distance: Int64) {
    waits(ahead: 512)
    for cycle in 0..<7 as Range<UInt32> { rolls(cycle, ahead: 512 + distance) }
    #expect(frames == -512)
    rolls(7, ahead: 512 + distance)
    #expect(frames == distance)
    rolls(8, ahead: 5_000)
    #expect(frames == distance)
    // The guess at the next start is that.
    waits(at: 480_000, ahead: 256)
    #expect(frames == distance)
  }

  @Test mutating func `Less than a millisecond is none, and a quarter of a second a locate`() {
    for (distance, expected) in [(-47, 0), (-49, -49), (47, 0), (49, 49)] as [(Int64, Int64)] {
      lead = OwnersLead()
      waits(ahead: 768)
      rolls(7, ahead: 768 + distance)
      #expect(frames == expected)
      waits(ahead: 768)
      #expect(frames == expected)
    }
    for distance in [-12_001, 12_001] as [Int64] {
      lead = OwnersLead()
      waits(ahead: 768)
      rolls(7, ahead: 768 + distance)
      #expect(frames == -768)
      waits(ahead: 256)
      #expect(frames == -256)
    }
  }

  @Test
  mutating func `Where the tempo that it plays is not known, or it was not heard as it waited, none is seen`()
  {
    waits(ahead: 768)
    rolls(7, ahead: 0, played: nil)
    rolls(8, ahead: 0)
    #expect(frames == -768)
    waits(ahead: 768)
    lead.interrupt()
    rolls(7, ahead: 0)
    #expect(frames == -768)
  }

  @Test mutating func `A position that stays stands still once it would have moved by a tick`() {
    waits(ahead: 768)
    rolls(0, ahead: 768)
    #expect(!lead.standsStill)
    for cycle in 1...9 as ClosedRange<UInt32> {
      // Where it was.
      rolls(cycle, ahead: 768 - Int64(cycle) * 256, tick: 3 * 256)
      #expect(lead.standsStill == (cycle > 3), "\(cycle)")
    }
    // No distance is seen as long as it does.
    #expect(frames == -768)
    rolls(10, ahead: -100)
    #expect(!lead.standsStill && frames == -868)
    // A relocation, and a start at the place where it has stood.
    rolls(11, ahead: -356)
    rolls(12, ahead: -612)
    #expect(lead.standsStill)
    lead.interrupt()
    #expect(!lead.standsStill)
    rolls(12, ahead: -612)
    rolls(0, from: 48_000 + 13 * 256, ahead: -868)
    #expect(!lead.standsStill)
  }
}
