import MusicalTime
import Simulation
import Testing

@testable import Reconciliation

/// Two states of Link's, and an edit that comes after one.
@Suite struct PressTests {
  private static func press(_ isPlaying: Bool, at nanoseconds: Int64, beat: Double) -> PlayState {
    PlayState(isPlaying: isPlaying, time: HostTime(nanoseconds: nanoseconds), beat: BeatTime(clamping: beat))
  }

  @Test
  func `A press for the very time that Link has is sent a microsecond earlier, as Link drops the same one`()
    throws
  {
    var observation = try Studio.firstCycle()
    let time = HostTime<LinkClock>(microseconds: observation.jack.nextOutput.microseconds)
    for (linkTime, told) in [(time, time - HostInterval(microseconds: 1)), (time + .seconds(1), time)] {
      observation.link.play = PlayState(isPlaying: false, time: linkTime, beat: .zero)
      var edges = StartStopEdges()
      _ = edges.update(observation, hasJoined: false)
      #expect(edges.tell(true, at: time, observation)?.time == told)
    }
  }

  @Test func `A beat that Link has not shown yet is none that a session counts`() {
    let session = PlayState.beatsOfSession.doubleValue
    for beat in [-session, -1_000, 0, session / 2, session, session * 1.5] {
      let press = PlayState(isPlaying: true, time: HostTime(nanoseconds: 1_000), beat: PlayState.unknownBeat)
      #expect(!press.isSamePress(as: Self.press(true, at: 2_000, beat: beat)), "\(beat)")
    }
  }

  @Test func `A press is known by its time or its beat, also where a session counts its beats anew`() {
    let press = Self.press(true, at: 1_000, beat: 0.00002)
    for (time, beat, isSame) in [
      (1_000, 77.0, true), (2_000, 0.00002, true), (2_000, 0.0001, true), (2_000, 0.001, false),
      (2_000, 1_048_576 - 0.00002, true), (2_000, 1_048_576 - 0.001, false), (2_000, 524_288, false),
    ] {
      #expect(press.isSamePress(as: Self.press(true, at: Int64(time), beat: beat)) == isSame, "\(beat)")
      #expect(!press.isSamePress(as: Self.press(false, at: Int64(time), beat: beat)))
    }
  }

  @Test(arguments: [true, false])
  func `A press for the beat that the last one had is another one, if a session was joined since`(
    hasJoined: Bool
  ) throws {
    var observation = try Studio.firstCycle()
    var edges = StartStopEdges()
    let start = observation.jack.start.nanoseconds
    observation.link.play = Self.press(true, at: start + 4_000_000_000, beat: 952)
    #expect(edges.update(observation, hasJoined: false) == nil)
    observation.link.peers += 1
    observation.link.play = Self.press(true, at: start + 4_000_000_000, beat: 950.5)
    #expect(edges.update(observation, hasJoined: hasJoined) == nil)
    observation.link.play = Self.press(true, at: start + 5_000_000_000, beat: 952)
    let press = StartStopEdges.Press.play(at: observation.link.play.time)
    #expect(edges.update(observation, hasJoined: false) == (hasJoined ? press : nil))
  }

  @Test func `Of an edit that is on its way, the parts are dropped that a peer has overtaken`() throws {
    var edit = LinkEdit()
    let time = HostTime<LinkClock>(nanoseconds: 1_000_000)
    edit.tempo = TempoEdit(tempo: .bpm(90), time: time)
    edit.beat = BeatEdit(beat: .zero, isForced: false)
    edit.isPlaying = PlayEdit(isPlaying: true, time: time)
    let seen = try Studio.firstCycle().link
    let sent = SentEdit(edit, at: time, in: .four, seeing: seen)
    #expect(sent.remainder(tempo: seen.tempo, isPlaying: false) == edit)
    let play = sent.remainder(tempo: .bpm(99), isPlaying: false)
    #expect(play.isPlaying == edit.isPlaying && play.tempo == nil && play.beat == nil)
    let timeline = sent.remainder(tempo: seen.tempo, isPlaying: true)
    #expect(timeline.isPlaying == nil && timeline.tempo == edit.tempo && timeline.beat == edit.beat)
  }

  @Test func `A place that is read is the position that it was counted for, in bars from anywhere`() throws {
    var (bars, configuration) = (BarCount(.common), Reconciler.Configuration())
    configuration.choices.meter = try #require(Meter("6/8"))
    for counted in 0..<2 {
      for position in [5.0, 6.25, 7.5, 11] {
        let place = bars.place(of: BeatTime(clamping: position), .standard)
        let reading = TimebaseReading(
          isValid: true, bar: place.bar, beat: place.beat, tick: place.tick, beatsPerBar: 4, beatType: 4,
          ticksPerBeat: Double(place.ticksPerBeat.count), beatsPerMinute: 120, tickDouble: nil)
        let back = try #require(bars.position(of: reading)).doubleValue
        #expect((back - position).magnitude < 1e-3, "\(position), \(counted)")
      }
      _ = bars.reach(BeatTime(clamping: 4.1), configuration, isRolling: true, isWaiting: false)
    }
    #expect(bars.origin.doubleValue == 4 && bars.meter.description == "6/8")
  }
}
