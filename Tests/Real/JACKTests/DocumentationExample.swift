import JACK
import MusicalTime
import Stage
import Testing

final class Metronome: RealtimeHandler {
  let tempo = Tempo.standard, meter = Meter.common, ticks = TicksPerBeat.standard
  let rate: SampleRate
  init(rate: SampleRate) { self.rate = rate }

  @_noLocks
  override func timebase(
    _ cycle: CycleContext, state: TransportState, next: TimebasePosition, isNewPosition: Bool
  ) {
    let position = BeatTime(sinceZero: tempo.beats(in: next.reading.frame.sinceZero, at: rate))
    let bbt = BarBeatTick(nearest: position, meter: meter, ticksPerBeat: ticks)
    next.publish(bbt, beatsPerMinute: meter.beatsPerMinute(at: tempo))
  }
}

extension JACKSuite {
  @Suite struct Documentation {
    init() { quiet }

    @Test func `The example of the documentation shows the beat that belongs to the frame`() async throws {
      let server = try JackServer.started()
      let client = try Client.open(name: "metronome", server: server.name)
      let rate = client.sampleRate
      let active = try client.activate(Metronome(rate: rate))
      if try active.takeTimebase(conditionally: true) { active.startTransport() }
      #expect(try await eventually { active.transport()?.position.frame.number ?? 0 > 30_000 })
      // In a cycle for which the position came too late, on a busy machine, there is the one before.
      #expect(
        try await eventually {
          let position = try #require(active.transport()?.position)
          let beats = Tempo.standard.beats(in: position.frame.sinceZero, at: rate)
          let expected = BarBeatTick(
            nearest: BeatTime(sinceZero: beats), meter: .common, ticksPerBeat: .standard)
          let shown = position.timebase
          return position.valid == .barBeatTick && shown.bar == expected.bar && shown.beat == expected.beat
            && shown.tick == expected.tick
        })
    }
  }
}
