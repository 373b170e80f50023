import MusicalTime
import Testing

@testable import Reconciliation

/// Bars are counted on through a meter that is changed as JACK rolls.
@Suite struct BarCountTests {
  private var bars: BarCount
  private var configuration = Reconciler.Configuration()

  init() { bars = BarCount(.common) }

  /// Reaches a position, in quarter notes, and returns bar and beat, with the beat's fraction.
  @discardableResult
  private mutating func reach(
    _ quarters: Double, isRolling: Bool = true, isWaiting: Bool = false
  ) throws -> [Double] {
    let place = bars.reach(
      try #require(BeatTime(quarters)), configuration, isRolling: isRolling, isWaiting: isWaiting)
    return [
      Double(place.bar), Double(place.beat) + Double(place.tick) / Double(configuration.ticksPerBeat.count),
    ]
  }

  private mutating func want(_ meter: String) throws {
    configuration.choices.meter = try #require(Meter(meter))
  }

  @Test mutating func `A meter holds from the bar line on that is reached next, and bars are counted on`()
    throws
  {
    #expect(try reach(5) == [2, 2])
    try want("3/4")
    #expect(try reach(7.5) == [2, 4.5])
    #expect(!bars.hasTurned)
    #expect(try reach(8.25) == [3, 1.25])
    #expect(bars.hasTurned && bars.origin == BeatTime(8.0))
    #expect(try reach(10.5) == [3, 3.5])
    #expect(!bars.hasTurned)
    #expect(try reach(11) == [4, 1])
    try want("7/8")
    #expect(try reach(14) == [5, 1])
    #expect(try reach(17.5) == [6, 1])
  }

  @Test mutating func `At rest no bar line is reached`() throws {
    try reach(3)
    try want("3/4")
    #expect(try reach(4, isRolling: false) == [2, 1])
    #expect(!bars.hasTurned && bars.meter == .common)
  }

  @Test mutating func `A meter begins with the bar before whose line a roll has waited`() throws {
    try reach(6)
    try want("3/4")
    let tick = 1 / Double(configuration.ticksPerBeat.count)
    try reach(8 - tick / 4, isRolling: false)
    #expect(!bars.hasTurned)
    #expect(try reach(8) == [3, 1])
    #expect(bars.hasTurned)
    #expect(try reach(11) == [4, 1])
  }

  @Test mutating func `A playhead that is put back counts back from the line of the new meter`() throws {
    try reach(39)
    try want("3/4")
    #expect(try reach(40) == [11, 1])
    #expect(try reach(39.75) == [10, 3.75])
    #expect(!bars.hasTurned)
    #expect(try reach(40) == [11, 1])
    #expect(bars.hasTurned)
    // Almost two quanta.
    #expect(try reach(32.125) == [8, 2.125])
    #expect(try reach(40) == [11, 1])
  }

  @Test mutating func `A locate to far before the new meter counts from the beginning of the song in it`()
    throws
  {
    try reach(39)
    try want("3/4")
    #expect(try reach(40) == [11, 1])
    #expect(try reach(32) == [11, 3])
    #expect(bars.origin == .zero)
    #expect(try reach(40) == [14, 2])
  }

  @Test mutating func `Where fewer bars came before bars are counted from the beginning of the song`() throws
  {
    try reach(3)
    try want("3/4")
    #expect(try reach(4) == [2, 1])
    #expect(try reach(0.5) == [1, 1.5])
    #expect(bars.origin == .zero)
    #expect(try reach(4) == [2, 2])
  }

  @Test mutating func `The beginning of the song is bar 1 beat 1, also after a longer meter began in it`()
    throws
  {
    try reach(3)
    try want("5/4")
    #expect(try reach(4) == [2, 1])
    #expect(try reach(3.5) == [1, 5.5])
    #expect(try reach(4) == [2, 1])
    #expect(try reach(0) == [1, 1])
    #expect(try reach(5) == [2, 1])
  }

  @Test mutating func `A reading of any bar is the position that it was read at`() throws {
    try reach(7)
    try want("6/8")
    try reach(8)
    for quarters in [8, 9.5, 11, 30.25] {
      let place = bars.place(of: try #require(BeatTime(quarters)), configuration.ticksPerBeat)
      let reading = TimebaseReading(
        isValid: true, bar: place.bar, beat: place.beat, tick: place.tick, beatsPerBar: 6, beatType: 8,
        ticksPerBeat: Double(configuration.ticksPerBeat.count), beatsPerMinute: 240)
      #expect(try #require(bars.position(of: reading)).sinceZero.doubleValue == quarters)
    }
  }

  @Test mutating func `With another quantum bars begin where it does, and none is counted back`() throws {
    try reach(9)
    try want("3/4")
    // From quarter note 12 on, as bar 4: by the beginning of the song a bar begins there, too.
    #expect(try reach(12) == [4, 1])
    try want("4/4")
    #expect(try reach(15) == [5, 1])
    // Now a bar begins with 15, 19, 23, and by the beginning of the song with 16, 20, 24.
    #expect(try reach(17) == [5, 3])
    bars.loosen()
    // Link has yet to catch up.
    #expect(try reach(17, isWaiting: true) == [5, 3])
    // Beat 2 of a bar comes after beat 3, so that is the next bar.
    #expect(try reach(17.5) == [6, 2.5])
    #expect(try reach(20) == [7, 1])
  }
}
