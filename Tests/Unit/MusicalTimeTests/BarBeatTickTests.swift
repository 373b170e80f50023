import MusicalTime
import PropertyTesting
import Testing

@Suite struct BarBeatTickTests {
  static func anyMeter(_ random: inout Seeded) throws -> Meter {
    let beatType = Meter.beatTypes.randomElement(using: &random) ?? 4
    return try #require(Meter(beatsPerBar: .random(in: 1...64, using: &random), beatType: beatType))
  }

  @Test func `Bar, beat and tick are in range for every position, also before the first bar`() throws {
    try forAll(5000) { seed, random in
      let meter = try Self.anyMeter(&random)
      let resolution = try #require(TicksPerBeat(.random(in: 1...10_000_000, using: &random)))
      let position = BeatTime(
        sinceZero: Beats(nanobeats: .random(in: (-1_000_000_000_000_000)...Int64.max, using: &random)))
      let bbt = BarBeatTick(nearest: position, meter: meter, ticksPerBeat: resolution)
      #expect(bbt.bar >= 1, "seed \(seed)")
      #expect((1...meter.beatsPerBar).contains(bbt.beat), "seed \(seed)")
      #expect((0..<resolution.count).contains(bbt.tick), "seed \(seed)")
    }
  }

  @Test func `The place of a tick is the nearest nanobeat`() throws {
    let sevenths = try #require(TicksPerBeat(7))
    let bbt = BarBeatTick(nearest: try #require(BeatTime(3.0 / 7)), meter: .common, ticksPerBeat: sevenths)
    #expect(bbt.tick == 3 && bbt.position.sinceZero.nanobeats == 428_571_429)
  }

  @Test func `Reading a position back gives it to within half a tick`() throws {
    try forAll(5000) { seed, random in
      let meter = try Self.anyMeter(&random)
      let resolution = try #require(TicksPerBeat(.random(in: 1...10_000_000, using: &random)))
      let position = try #require(BeatTime(.random(in: 0...1e6, using: &random)))
      let bbt = BarBeatTick(nearest: position, meter: meter, ticksPerBeat: resolution)
      let halfTick = meter.beatLength.nanobeats / Int64(resolution.count) / 2 + 1
      #expect((bbt.position - position).magnitude.nanobeats <= halfTick, "seed \(seed)")
      let again = BarBeatTick(nearest: bbt.position, meter: meter, ticksPerBeat: resolution)
      #expect(again == bbt, "seed \(seed)")
    }
  }

  @Test(
    "A reader that is shown whole ticks, cut off, reads the nearest one, also after some arithmetic on the way"
  )
  func legible() throws {
    try forAll(5000) { seed, random in
      let meter = try Self.anyMeter(&random)
      let ticks = [1, 24, 480, 1920, 19_200].randomElement(using: &random) ?? 1
      let resolution = try #require(TicksPerBeat(ticks))
      let position = try #require(BeatTime(.random(in: 0...1e5, using: &random)))
      let exact = BarBeatTick(nearest: position, meter: meter, ticksPerBeat: .standard)
      let shown = exact.legible(inWholeTicks: resolution)
      // As a server does that keeps beats as a floating-point number, and shows its own ticks.
      let beats =
        Double(shown.bar - 1) * Double(meter.beatsPerBar) + Double(shown.beat - 1)
        + Double(shown.tick) / Double(shown.ticksPerBeat.count)
      let tick = Int32((beats - beats.rounded(.down)) * Double(resolution.count))
      let nearest = BarBeatTick(nearest: exact.position, meter: meter, ticksPerBeat: resolution)
      #expect(shown.bar == nearest.bar && shown.beat == nearest.beat, "seed \(seed)")
      #expect(tick == nearest.tick, "seed \(seed)")
    }
  }

  @Test func `A later position never shows as an earlier one`() throws {
    try forAll(5000) { seed, random in
      let meter = try Self.anyMeter(&random)
      let a = try #require(BeatTime(.random(in: -10...1e4, using: &random)))
      let b = a + Beats(nanobeats: .random(in: 0...2_000_000_000, using: &random))
      let first = BarBeatTick(nearest: a, meter: meter, ticksPerBeat: .standard)
      let second = BarBeatTick(nearest: b, meter: meter, ticksPerBeat: .standard)
      #expect(
        (first.bar, first.beat, first.tick) <= (second.bar, second.beat, second.tick), "seed \(seed)")
    }
  }

  @Test func `A tick that rounds up into the next bar shows as its first`() throws {
    let bbt = BarBeatTick(
      nearest: try #require(BeatTime(3.999_999_999)), meter: .common, ticksPerBeat: .standard)
    #expect(bbt.description == "2|1|0")
    #expect(bbt.barStartTick == 4 * 1_920_000)
  }

  @Test func `In 6/8 JACK counts eighths and Link quarters`() throws {
    let meter = try #require(Meter("6/8"))
    let resolution = try #require(TicksPerBeat(960))
    let bbt = BarBeatTick(nearest: try #require(BeatTime(4.75)), meter: meter, ticksPerBeat: resolution)
    #expect(bbt.description == "2|4|480")
    #expect(meter.barLength == Beats(3))
    #expect(meter.beatsPerMinute(at: .standard) == 240)
  }

  @Test func `Before the first bar the position waits at its start`() throws {
    let bbt = BarBeatTick(nearest: try #require(BeatTime(-0.5)), meter: .common, ticksPerBeat: .standard)
    #expect(bbt.description == "1|1|0")
  }
}
