import MusicalTime
import Simulation
import Testing

@testable import Reconciliation

/// A song at 120 bpm whose meter changes is counted on, in quarter notes.
@Suite struct OwnersBeatTests {
  private struct Song {
    var beat = OwnersBeat()
    let map: TempoMap
    private var jack: JACKObservation

    init(_ parts: [(bars: Double, meter: String)]) throws {
      jack = try Studio.firstCycle(rolling: true, period: 240).jack
      map = TempoMap(try parts.map { .init($0.bars, try #require(Meter($0.meter)), from: 120) })
    }

    /// The count at `quarters`, in a cycle before which the transport has rolled on for some cycles, and had a position
    /// in the last `heard` ones.
    mutating func count(at quarters: Double, rolling cycles: UInt32, heard: UInt32? = nil) throws -> Double {
      try count(
        map.reading(of: TransportFrame(UInt32((quarters * 24_000).rounded())), ticks: 1e6), quarters, cycles,
        heard)
    }

    /// That, where the owner shows a bar of another song, from 0, and quarter notes in it.
    mutating func count(
      bar: Int32, _ meter: String, plus inBar: Double, at quarters: Double, rolling cycles: UInt32
    ) throws -> Double {
      let meter = try #require(Meter(meter))
      let beats = inBar / meter.beatLength.doubleValue
      let reading = TimebaseReading(
        isValid: true, bar: bar + 1, beat: Int32(beats) + 1,
        tick: Int32((beats - beats.rounded(.down)) * 1e6), beatsPerBar: Float(meter.beatsPerBar),
        beatType: Float(meter.beatType), ticksPerBeat: 1e6,
        beatsPerMinute: meter.beatsPerMinute(at: .standard))
      return try count(reading, quarters, cycles, cycles)
    }

    private mutating func count(
      _ reading: TimebaseReading, _ quarters: Double, _ cycles: UInt32, _ heard: UInt32?
    ) throws -> Double {
      jack.frame = TransportFrame(UInt32((quarters * 24_000).rounded()))
      jack.step.cycles = cycles
      guard case .position(let found) = reading.check() else { throw Invalid() }
      return beat.goOn(found, jack, for: heard ?? cycles).beat.doubleValue
    }

    /// Rolls through the song from one place to another, in cycles of a hundredth of a quarter note.
    mutating func roll(from start: Double, to end: Double) throws {
      for cycle in 0..<Int((end - start) * 100) {
        let quarters = start + Double(cycle) / 100
        let count = try count(at: quarters, rolling: UInt32(cycle))
        #expect((count - quarters).magnitude < 1e-4, "at \(quarters)")
      }
    }
  }

  private struct Invalid: Error {}

  @Test func `A part that was heard is counted the same after a locate, also where it is the second bar`()
    throws
  {
    var song = try Song([(1, "4/4"), (4, "3/4"), (1, "7/8"), (4, "6/8"), (4, "4/4")])
    try song.roll(from: 0, to: 48)
    // A seam that is heard again is the same song.
    for end in [6, 18, 22, 34] as [Double] {
      try song.roll(from: 0, to: end)
      for quarters in [33.5, 17, 4, 30, 5.5, 32, 21.75, 16.1] {
        #expect((try song.count(at: quarters, rolling: 0) - quarters).magnitude < 1e-4, "at \(quarters)")
      }
    }
  }

  @Test func `A part that begins in the first cycles of a roll goes on from the part before`() throws {
    for start in [19.99, 19.98, 19.97, 19.96] {
      var song = try Song([(5, "4/4"), (8, "3/4")])
      // The bar in which it begins is counted as if all before were like it, until the part before is heard.
      #expect(try song.count(at: 20, rolling: 0) == 15)
      try song.roll(from: start, to: 30)
    }
  }

  @Test func `A position of the frame before a locate is no part that begins`() throws {
    var song = try Song([(1, "4/4"), (4, "3/4"), (1, "7/8"), (4, "6/8"), (4, "4/4")])
    try song.roll(from: 0, to: 48)
    let heard: [(bar: Int32, meter: String, inBar: Double)] = [
      (5, "7/8", 0.5), (5, "7/8", 0.51), (0, "4/4", 3.02), (0, "4/4", 3.03), (0, "4/4", 3.04),
    ]
    for (cycle, place) in heard.enumerated() {
      _ = try song.count(
        bar: place.bar, place.meter, plus: place.inBar, at: 3 + Double(cycle) / 100, rolling: UInt32(cycle))
    }
    for quarters in [3.1, 17, 4, 30] {
      #expect((try song.count(at: quarters, rolling: 0) - quarters).magnitude < 1e-4, "at \(quarters)")
    }
  }

  @Test func `The half beat that a bar of five eighths leaves stays through later meters`() throws {
    var song = try Song([(2, "4/4"), (1, "5/8"), (2, "4/4"), (2, "3/4"), (1, "5/4"), (1, "7/8"), (2, "3/4")])
    try song.roll(from: 0, to: 38)
  }

  @Test func `The last sixteen parts are known`() throws {
    var song = try Song((0...36).map { (2, $0 % 2 == 0 ? "4/4" : "3/4") })
    try song.roll(from: 0, to: 259)
    for part in 21...36 {
      let quarters = Double(part / 2 * 14 + part % 2 * 8) + 1
      #expect((try song.count(at: quarters, rolling: 0) - quarters).magnitude < 1e-4, "part \(part)")
    }
  }

  @Test func `Of a song that has begun anew the last sixteen parts are known, too`() throws {
    var song = try Song((0...36).map { (2, $0 % 2 == 0 ? "4/4" : "3/4") })
    try song.roll(from: 0, to: 140)
    // Another song, without a locate.
    _ = try song.count(bar: 400, "4/4", plus: 1, at: 140, rolling: 14_000)
    try song.roll(from: 0, to: 126)
    for part in 2...17 {
      let quarters = Double(part / 2 * 14 + part % 2 * 8) + 1
      #expect((try song.count(at: quarters, rolling: 0) - quarters).magnitude < 1e-4, "part \(part)")
    }
  }

  @Test("A bar with another meter is a part that was heard before, with as long a bar as the one before")
  func sameLength() throws {
    var song = try Song([(2, "5/4"), (2, "3/4"), (2, "6/8"), (2, "3/4")])
    try song.roll(from: 0, to: 26)
    try song.roll(from: 15, to: 17)
    #expect(try song.count(at: 23, rolling: 0) == 23)
  }

  @Test func `A part that begins in its place no longer is forgotten, also where the meter is the same`()
    throws
  {
    var song = try Song([(2, "4/4"), (2, "3/4"), (4, "4/4")])
    try song.roll(from: 0, to: 22)
    // Its user has put the bars of three quarters elsewhere.
    #expect(try song.count(bar: 3, "4/4", plus: 3.99, at: 15.99, rolling: 0) == 15.99)
    #expect(try song.count(bar: 4, "4/4", plus: 0, at: 16, rolling: 4) == 16)
    #expect(try song.count(bar: 6, "4/4", plus: 0, at: 24, rolling: 0) == 24)
  }

  @Test func `A meter that changes within a bar of a later part keeps the bar's beginning`() throws {
    var song = try Song([(1, "4/4"), (20, "3/4")])
    try song.roll(from: 0, to: 9)
    #expect(try song.count(bar: 2, "4/4", plus: 2, at: 9, rolling: 900) == 9)
    #expect(try song.count(bar: 3, "4/4", plus: 1, at: 12, rolling: 1200) == 12)
  }

  @Test(arguments: 0...8 as ClosedRange<UInt32>)
  func `From the first cycle after a locate on, another meter is a part that begins`(cycles: UInt32) throws {
    var song = try Song([(1, "4/4"), (4, "3/4")])
    _ = try song.count(at: 3.99, rolling: 0)
    #expect(try song.count(at: 4, rolling: cycles) == (cycles > 0 ? 4 : 3))
  }

  @Test(
    "A meter that changes in cycles without a position goes on where only these have passed",
    arguments: [0, 1], [(0.05, 4.01), (2.5, 6.0)])
  func silentSeam(frames: Double, gap: (length: Double, end: Double)) throws {
    var song = try Song([(1, "4/4"), (4, "3/4")])
    _ = try song.count(at: gap.end - gap.length - frames / 24_000, rolling: 0)
    let count = try song.count(at: gap.end, rolling: UInt32(gap.length * 100), heard: 0)
    #expect((count - gap.end + frames).magnitude < 1e-4, "\(count)")
  }

  @Test(
    "After ten seconds without a position it is not known where bars have begun",
    arguments: [(9.9, 0.0), (10.1, 1)])
  func longGap(seconds: Double, behind: Double) throws {
    var song = try Song([(1, "4/4"), (20, "3/4")])
    _ = try song.count(at: 3.99, rolling: 10)
    let quarters = 3.99 + seconds * 2
    let count = try song.count(at: quarters, rolling: 10 + UInt32(seconds * 200))
    #expect((count - quarters + behind).magnitude < 1e-4, "\(count)")
  }

  @Test(
    "A meter that begins within a bar, not with it or on the beat, is another song's",
    arguments: [
      (9, 3.99, 10, 0.0, true), (9, 3.99, 10, 0.035, true), (9, 3.99, 10, 0.05, false),
      (9, 1, 10, 0.4, false), (9, 3.99, 10, 2, false), (9, 3.99, 11, 0, false), (9, 3.99, 8, 0, false),
      (9, 1.99, 9, 2, true), (9, 1.99, 9, 1.97, true), (9, 1.99, 9, 1.9, false), (9, 1.99, 9, 2.1, false),
    ] as [(Int32, Double, Int32, Double, Bool)])
  func another(from bar: Int32, plus before: Double, to next: Int32, plus after: Double, goesOn: Bool) throws
  {
    var song = try Song([(1, "4/4")])
    let quarters = Double(bar) * 4 + before
    _ = try song.count(bar: bar, "4/4", plus: before, at: quarters, rolling: 10)
    let count = try song.count(bar: next, "3/4", plus: after, at: quarters + 0.01, rolling: 11)
    // The position as it is read, or one that goes on.
    let read = Double(next) * 3 + after
    #expect((count - (goesOn ? quarters + 0.01 : read)).magnitude < (goesOn ? 0.51 : 1e-4), "\(count)")
  }
}
