import MusicalTime
import Reconciliation
import Testing

@testable import Bridge

@Suite struct BridgeStatusTests {
  /// The status of a cycle that is heard at `heard`, in Link's beats, while JACK shows `position`.
  private func status(
    heard: Double, showing position: TimebaseReading, transport: TransportState = .rolling,
    owner: TimebaseOwner = .me, meter: Meter = .common
  ) throws -> BridgeStatus {
    var cycle = CycleStatus()
    (cycle.jack.transport, cycle.jack.reading) = (transport, position)
    cycle.song.beat = try #require(BeatTime(heard))
    (cycle.song.bars, cycle.song.quantum) = (BarCount(meter), Quantum(barOf: meter))
    return BridgeStatus(cycle, owner: owner)
  }

  private func position(
    bar: Int32, beat: Int32, tick: Int32, isValid: Bool = true, ticksPerBeat: Double = 1000
  ) -> TimebaseReading {
    TimebaseReading(
      isValid: isValid, bar: bar, beat: beat, tick: tick, beatsPerBar: 4, beatType: 4,
      ticksPerBeat: ticksPerBeat, beatsPerMinute: 120)
  }

  @Test func `The phase error is how far JACK is ahead of what is heard`() throws {
    // At 120 beats per minute a hundredth of a beat is 5 ms.
    let ahead = try status(heard: 1, showing: position(bar: 1, beat: 2, tick: 10))
    #expect(ahead.errors.beat == HostInterval(microseconds: 5000))
    let behind = try status(heard: 1.02, showing: position(bar: 1, beat: 2, tick: 10))
    #expect(behind.errors.beat == HostInterval(microseconds: -5000))
  }

  @Test func `The phase error is taken around the quantum, whatever the bar`() throws {
    let status = try status(heard: -0.01, showing: position(bar: 7, beat: 1, tick: 0))
    #expect(status.errors.beat == HostInterval(microseconds: 5000))
  }

  @Test func `JACK's beats are the meter's`() throws {
    let meter = try #require(Meter(beatsPerBar: 6, beatType: 8))
    // The fourth eighth of the second bar is Link's beat 4.5.
    let status = try status(heard: 4.5, showing: position(bar: 2, beat: 4, tick: 0), meter: meter)
    #expect(status.errors.beat == .zero)
    #expect(status.song.phase.offset == Beats(1.5))
  }

  @Test func `There is a phase error only while rolling on the bridge's timebase`() throws {
    let here = position(bar: 1, beat: 2, tick: 0)
    #expect(try status(heard: 1, showing: here).errors.beat != nil)
    #expect(try status(heard: 1, showing: here, transport: .stopped).errors.beat == nil)
    #expect(try status(heard: 1, showing: here, transport: .starting).errors.beat == nil)
    #expect(try status(heard: 1, showing: here, owner: .other).errors.beat == nil)
    #expect(try status(heard: 1, showing: here, owner: .nobody).errors.beat == nil)
  }

  @Test func `Without bar, beat and tick there is no position`() throws {
    let none = try status(heard: 1, showing: position(bar: 1, beat: 2, tick: 0, isValid: false))
    #expect(none.position == nil)
    #expect(none.errors.beat == nil)
    let odd = try status(heard: 1, showing: position(bar: 1, beat: 2, tick: 0, ticksPerBeat: 0))
    #expect(odd.errors.beat == nil)
  }
}
