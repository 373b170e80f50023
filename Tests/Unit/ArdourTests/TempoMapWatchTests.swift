import PropertyTesting
import Testing

@testable import Ardour

@Suite struct TempoMapWatchTests {
  /// Six digits, as Ardour writes a time.
  private static func written(_ time: Double) -> Double {
    var unit = 1e-6
    while unit * 1e6 <= time { unit *= 10 }
    return (time / unit).rounded() * unit
  }

  /// A playhead at `time`, where `quarters` have passed, in a meter over `unit`.
  private static func tick(_ quarters: Double, over unit: Double) -> Int {
    Int((quarters * 1920).rounded()) % Int(1920 * 4 / unit)
  }

  /// A roll over `seconds`, told ten times a second; Ardour's map has `tempo` up to `edge`, and then `second`.
  private static func roll(
    _ watch: inout TempoMapWatch, from start: Double, seconds: Double, told: Double, tempo: Double,
    edge: Double = .infinity, second: Double = 0, unit: Double, races: Bool, _ random: inout Seeded
  ) -> Double? {
    var time = start
    while time < start + seconds {
      time += Double.random(in: 0.08...0.12, using: &random)
      // The playhead may go on by a period between the two values.
      let read = races && random.oneIn(20) ? time + 0.0213 : time
      let quarters = min(read, edge) * tempo / 60 + max(0, read - edge) * second / 60
      watch.moved(to: written(time))
      watch.moved(toTick: tick(quarters, over: unit), tempo: told, at: .seconds(time))
      watch.timePassed(at: .seconds(time))
      if watch.isMixed { return time }
    }
    return nil
  }

  @Test func `One tempo in quarter notes is never taken for more, in any meter, at any place`() {
    forAll(200) { seed, random in
      var watch = TempoMapWatch()
      let tempo = Double.random(in: 20...300, using: &random)
      let unit: Double = [1, 2, 4, 8, 16].randomElement(using: &random) ?? 4
      let found = Self.roll(
        &watch, from: .random(in: 0...3000, using: &random), seconds: 60, told: tempo, tempo: tempo,
        unit: unit,
        races: true, &random)
      #expect(found == nil, "seed \(seed), \(tempo) bpm over \(unit)")
    }
  }

  @Test func `Another tempo behind a marker is noticed within two seconds, and so is one in other notes`() {
    forAll(200) { seed, random in
      var watch = TempoMapWatch()
      let tempo = Double.random(in: 60...200, using: &random)
      let second = tempo * Double.random(in: 0.5...0.9, using: &random) * (random.oneIn(2) ? 1 : 2.2)
      let found = Self.roll(
        &watch, from: 0, seconds: 14, told: tempo, tempo: tempo, edge: 10, second: second, unit: 4,
        races: true,
        &random)
      #expect(found.map { (10...12.5).contains($0) } == true, "seed \(seed): \(String(describing: found))")
      var notes = TempoMapWatch()
      let eighths = Self.roll(
        &notes, from: 0, seconds: 4, told: tempo, tempo: tempo / 2, unit: 8, races: true, &random)
      #expect(eighths != nil, "seed \(seed)")
    }
  }

  @Test func `At rest behind a marker it is noticed too, and before that nothing is certain`() {
    var watch = TempoMapWatch()
    watch.moved(to: 20)
    // Ten seconds at 120 bpm, and ten at 97: 36 quarter notes and a sixth.
    watch.moved(toTick: 320, tempo: 120, at: .seconds(1))
    #expect(watch.isInDoubt && watch.dueTime == .milliseconds(1600))
    watch.timePassed(at: .milliseconds(1599))
    #expect(!watch.isMixed)
    watch.timePassed(at: .milliseconds(1600))
    #expect(watch.isMixed && watch.dueTime == nil)
  }

  @Test func `Where the marker was taken away, it is one tempo again; before the marker that is not said`() {
    var random = Seeded(seed: 1)
    var watch = TempoMapWatch()
    _ = Self.roll(
      &watch, from: 8, seconds: 5, told: 120, tempo: 120, edge: 10, second: 97, unit: 4, races: false, &random
    )
    #expect(watch.isMixed)
    _ = Self.roll(&watch, from: 0, seconds: 9, told: 120, tempo: 120, unit: 4, races: false, &random)
    #expect(watch.isMixed)
    for step in 0..<8 {
      watch.moved(to: 20 + Double(step) / 8)
      watch.moved(toTick: step * 480 % 1920, tempo: 120, at: .seconds(30 + step))
    }
    #expect(!watch.isMixed)
  }

  @Test func `A time that is too coarse says nothing`() {
    var watch = TempoMapWatch()
    watch.moved(to: 123_456)
    for step in 0..<20 { watch.moved(toTick: step * 37, tempo: 120, at: .seconds(step)) }
    #expect(!watch.isInDoubt && !watch.isMixed)
  }
}
