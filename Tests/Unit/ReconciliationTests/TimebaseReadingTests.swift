import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@Suite struct TimebaseReadingTests {
  static let good = TimebaseReading(
    isValid: true, bar: 3, beat: 2, tick: 960, beatsPerBar: 4, beatType: 4, ticksPerBeat: 1920,
    beatsPerMinute: 120)

  static func changed(_ change: (inout TimebaseReading) -> Void) -> TimebaseReading {
    var reading = good
    change(&reading)
    return reading
  }

  static func position(_ reading: TimebaseReading) -> OwnerPosition? {
    if case .position(let position) = reading.check() { position } else { nil }
  }

  @Test func `Bar, beat and tick are a position in quarter notes`() throws {
    let position = try #require(Self.position(Self.good))
    #expect(position.beat == BeatTime(9.5))
    #expect(position.tickLength == Beats(nanobeats: 520_833))
    #expect(position.declaredBeatsPerMinute == 120)
    #expect(position.age == FrameCount(0))
  }

  @Test("6/8 and 7/8 count eighths, Link quarters", arguments: [("6/8", 6.75), ("7/8", 7.75), ("3/2", 15)])
  func eighths(meter: String, beats: Double) throws {
    let meter = try #require(Meter(meter))
    let reading = Self.changed {
      $0.beatsPerBar = Float(meter.beatsPerBar)
      $0.beatType = Float(meter.beatType)
      $0.beatsPerMinute = 240
    }
    let position = try #require(Self.position(reading))
    #expect(position.beat == BeatTime(beats))
    #expect(position.declaredBeatsPerMinute == 240 * 4 / Double(meter.beatType))
    #expect(position.meter == meter)
  }

  @Test(arguments: [0.5, 0, 1, 2.5, 64, 65, 1e30, -1, .nan] as [Float])
  func `A meter has whole numbers from 1 to 64`(number: Float) {
    let isOne = number == 1 || number == 64
    let upper = Self.changed { ($0.bar, $0.beat, $0.beatsPerBar) = (1, 1, number) }
    let lower = Self.changed { ($0.bar, $0.beat, $0.beatType) = (1, 1, number) }
    #expect((Self.position(upper) != nil) == isOne && (Self.position(lower) != nil) == isOne)
    guard !isOne else { return }
    if case .fault(.beatsPerBar) = upper.check() {} else { Issue.record("\(upper.check())") }
    if case .fault(.beatType) = lower.check() {} else { Issue.record("\(lower.check())") }
  }

  @Test func `The bridge's own position is read back to within half a tick`() throws {
    try forAll(2000) { seed, random in
      let meter = try #require(
        Meter(
          beatsPerBar: .random(in: 1...64, using: &random),
          beatType: Meter.beatTypes.randomElement(using: &random) ?? 4))
      let ticks = try #require(TicksPerBeat(.random(in: 100...10_000_000, using: &random)))
      let beat = BeatTime(
        sinceZero: Beats(nanobeats: .random(in: 0...1_000_000_000_000_000, using: &random)))
      let bbt = BarBeatTick(nearest: beat, meter: meter, ticksPerBeat: ticks)
      let reading = TimebaseReading(
        isValid: true, bar: bbt.bar, beat: bbt.beat, tick: bbt.tick, beatsPerBar: Float(meter.beatsPerBar),
        beatType: Float(meter.beatType), ticksPerBeat: Double(ticks.count), beatsPerMinute: 100)
      let position = try #require(Self.position(reading), "seed \(seed)")
      #expect((position.beat - bbt.position).magnitude.nanobeats <= 1, "seed \(seed)")
      #expect((position.beat - beat).magnitude <= position.tickLength, "seed \(seed)")
    }
  }

  @Test func `A tick with its fraction and a position of earlier frames are taken as they are`() throws {
    let reading = Self.changed {
      $0.tickDouble = 960.5
      $0.bbtFrameOffset = 100
    }
    let position = try #require(Self.position(reading))
    #expect(position.beat.sinceZero == Beats(nanobeats: 9_500_260_417))
    #expect(position.tickLength == .zero)
    #expect(position.age == FrameCount(100))
  }

  @Test("A tick is less than the ticks of a beat, also with its fraction", arguments: [1920, 1920.5])
  func wholeBeat(fraction: Double) {
    let reading = Self.changed {
      $0.tick = 1919
      $0.tickDouble = fraction
    }
    #expect(reading.check() == .fault(.tick(fraction, ticksPerBeat: 1920)))
  }

  @Test func `A position that is not declared valid is not looked at`() {
    let reading = Self.changed {
      $0.isValid = false
      $0.bar = 0
      $0.ticksPerBeat = .nan
    }
    #expect(reading.check() == .absent)
  }

  @Test func `With any values in the fields, a position that is accepted is valid`() {
    forAll(20_000) { seed, random in
      func number(_ sensible: ClosedRange<Double>) -> Double {
        let bits = Double(bitPattern: .random(in: 0...UInt64.max, using: &random))
        return random.oneIn(8) ? bits : .random(in: sensible, using: &random).rounded()
      }
      func whole(_ sensible: ClosedRange<Int32>) -> Int32 {
        random.oneIn(8) ? .random(in: .min ... .max, using: &random) : .random(in: sensible, using: &random)
      }
      let reading = TimebaseReading(
        isValid: true, bar: whole(0...100), beat: whole(0...5), tick: whole(-1...2000),
        beatsPerBar: Float(number(0...5)), beatType: Float(number(1...8)), ticksPerBeat: number(0...2000),
        beatsPerMinute: number(-10...300), tickDouble: random.oneIn(2) ? nil : number(0...2000))
      guard case .position(let position) = reading.check() else { return }
      #expect(position.beat >= .zero, "seed \(seed)")
      #expect(position.tickLength >= .zero && position.tickLength <= Beats(4) ?? .zero, "seed \(seed)")
      #expect(
        position.declaredBeatsPerMinute > 0 && position.declaredBeatsPerMinute < .infinity, "seed \(seed)")
    }
  }
}
