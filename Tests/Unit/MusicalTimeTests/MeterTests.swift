import MusicalTime
import Testing

@Suite struct MeterTests {
  @Test("A meter reads back as it was written", arguments: ["4/4", "6/8", "7/8", "1/1", "64/64"])
  func roundTrip(text: String) throws {
    #expect(try #require(Meter(text)).description == text)
  }

  @Test(
    arguments: [
      "", "4", "/", "4/", "/4", "4/4/4", "0/4", "65/4", "4/3", "-4/4", "4/0", " 4/4", "٤/٤", "nan/4",
    ])
  func `Anything else is not a meter`(text: String) {
    #expect(Meter(text) == nil)
  }

  @Test func `A meter can be built of the numbers that it says it can have, and of no others`() {
    for number in -1...130 {
      let (isOne, isOther) = (Meter.beatsPerBarRange.contains(number), Meter.beatTypes.contains(number))
      #expect((Meter(beatsPerBar: number, beatType: 4) != nil) == isOne, "\(number)")
      #expect((Meter(beatsPerBar: 4, beatType: number) != nil) == isOther, "\(number)")
    }
  }

  @Test("A quantum is in range or is none", arguments: [.nan, .infinity, 0, -4, 0.124, 1024.1])
  func quantum(beats: Double) {
    #expect(Quantum(beats: beats) == nil)
  }

  @Test func `The default quantum is a bar of the meter`() throws {
    #expect(Quantum(barOf: try #require(Meter("6/8"))).doubleValue == 3)
    #expect(Quantum(barOf: try #require(Meter("1/64"))).doubleValue == 0.0625)
  }

  @Test("A resolution is in range or is none", arguments: [0, -1, 10_000_001, .max])
  func ticks(count: Int) {
    #expect(TicksPerBeat(count) == nil)
  }

  @Test("A sample rate is in range or is none", arguments: [.nan, .infinity, 0, -48_000, 1e9])
  func rate(hertz: Double) {
    #expect(SampleRate(hertz: hertz) == nil)
  }
}
