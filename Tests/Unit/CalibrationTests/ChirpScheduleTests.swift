import Testing

@testable import Calibration

/// The chirps of a calibration, cycle by cycle.
@Suite struct ChirpScheduleTests {
  /// The beats and chirps of some cycles, by their numbers, at frames that count on.
  private func events(
    period: UInt32, bpm: Double, lead: Double, cycles: Int, from start: Double = 0.3
  ) -> (beats: [(Int, Double)], chirps: [(Int, Double)]) {
    var schedule = ChirpSchedule()
    var (beats, chirps): ([(Int, Double)], [(Int, Double)]) = ([], [])
    let step = Double(period) / 48_000 * bpm / 60
    for cycle in 0..<cycles {
      let beat = start + 64 + Double(cycle) * step
      let events = schedule.cycle(
        beats: (beat, beat + step), heard: (beat + lead, beat + step + lead), period: period)
      let frame = Double(cycle) * Double(period)
      if let beat = events.beat { beats.append((beat.number, frame + beat.offset)) }
      if let chirp = events.chirp { chirps.append((chirp.number, frame + Double(chirp.offset))) }
    }
    return (beats, chirps)
  }

  @Test(arguments: [64, 256, 1024, 8192] as [UInt32], [0, 0.04, 0.7])
  func `Each beat comes once, and a chirp half a beat after four of eight, earlier by the latency`(
    period: UInt32, lead: Double
  ) throws {
    for bpm in [60, 123.4, 176.0] {
      let (beats, chirps) = events(period: period, bpm: bpm, lead: lead, cycles: Int(40 * 48_000 / period))
      let length = 48_000 * 60 / bpm
      #expect(beats.map(\.0) == Array(0..<beats.count) && beats.count > 30)
      for (beat, next) in zip(beats, beats.dropFirst()) {
        #expect(((next.1 - beat.1) / length - 1).magnitude < 1e-6)
      }
      #expect(chirps.map(\.0) == (0...(chirps.last?.0 ?? 0)).filter { $0 & 4 != 0 })
      for (number, frame) in chirps {
        let due = beats[0].1 + (Double(number) + 0.5 - lead) * length
        #expect(frame <= due + 0.001 && frame > due - 1.001)
      }
    }
  }

  @Test func `A beat that is left out with its cycles is left out, and none comes twice`() {
    var schedule = ChirpSchedule()
    var numbers: [Int] = []
    for beat in [0.1, 0.6, 1.1, 1.6, 4.9, 4.9, 4.4, 5.4] {
      let events = schedule.cycle(beats: (beat, beat + 0.5), heard: (beat, beat + 0.5), period: 100)
      if let beat = events.beat { numbers.append(beat.number) }
    }
    #expect(numbers == [0, 1, 4])
  }
}
