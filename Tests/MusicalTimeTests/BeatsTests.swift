import MusicalTime
import PropertyTesting
import Testing

@Suite struct BeatsTests {
  static let impossible: [Double] = [.nan, .signalingNaN, .infinity, -.infinity, 1.1e9, -1.1e9, 1e300]

  @Test("Whatever a peer says is a beat within the limit")
  func clamping() {
    #expect(Beats(clamping: 2.5) == Beats(nanobeats: 2_500_000_000))
    #expect(Beats(clamping: .nan) == .zero)
    #expect(Beats(clamping: .infinity) == .limit && Beats(clamping: 1e300) == .limit)
    #expect(Beats(clamping: -.infinity) == -.limit)
    #expect(Beats(clamping: .leastNonzeroMagnitude) == .zero)
  }

  @Test("A number that is not finite or out of range makes no beats", arguments: impossible)
  func impossibleBeats(number: Double) {
    #expect(Beats(number) == nil)
  }

  @Test("Beats keep a billionth of a beat")
  func resolution() throws {
    #expect(try #require(Beats(0.000_000_001)).nanobeats == 1)
    #expect(try #require(Beats(-3.75)).nanobeats == -3_750_000_000)
    #expect(try #require(Beats(3.5)).doubleValue == 3.5)
  }

  @Test("Sums and differences are exact within the range and saturate at its ends")
  func arithmetic() {
    #expect(Beats.limit + .limit == .limit)
    #expect(-Beats.limit - .limit == -Beats.limit)
    #expect(Beats(nanobeats: .max) == .limit)
    #expect(Beats(nanobeats: .min) == -Beats.limit)
    forAll(1000) { seed, random in
      let a = Beats(nanobeats: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      let b = Beats(nanobeats: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      #expect(a + b - b == a, "seed \(seed)")
    }
  }

  @Test("A phase is within its quantum and differs from the beat by whole quanta")
  func phase() throws {
    let four = try #require(Quantum(beats: 4))
    #expect(try #require(Beats(-1)).phase(in: four).offset == Beats(3))
    #expect(try #require(Beats(-4)).phase(in: four).offset == .zero)
    #expect(try #require(Beats(9.5)).phase(in: four).offset == Beats(1.5))
    try forAll(2000) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.125...64, using: &random)))
      let beats = try #require(Beats(.random(in: -1e6...1e6, using: &random)))
      let offset = beats.phase(in: quantum).offset
      #expect(offset >= .zero && offset < quantum.beats, "seed \(seed)")
      #expect((beats - offset).nanobeats % quantum.beats.nanobeats == 0, "seed \(seed)")
    }
  }

  @Test("Shifting by whole quanta keeps the phase and comes as near as it can")
  func shifting() throws {
    try forAll(2000) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.125...64, using: &random)))
      let beats = try #require(Beats(.random(in: -1e5...1e5, using: &random)))
      let target = try #require(Beats(.random(in: -1e5...1e5, using: &random)))
      let nearest = beats.shifted(nearestTo: target, byMultiplesOf: quantum)
      let after = beats.shifted(atOrAfter: target, byMultiplesOf: quantum)
      #expect(nearest.phase(in: quantum) == beats.phase(in: quantum), "seed \(seed)")
      #expect(after.phase(in: quantum) == beats.phase(in: quantum), "seed \(seed)")
      #expect((nearest - target).magnitude.nanobeats <= quantum.beats.nanobeats / 2 + 1, "seed \(seed)")
      #expect(after >= target && after - target < quantum.beats, "seed \(seed)")
    }
  }

  @Test("The distance between two phases is the short way round")
  func phaseDistance() throws {
    let four = try #require(Quantum(beats: 4))
    let late = try #require(Beats(3.75)).phase(in: four)
    let early = try #require(Beats(0.25)).phase(in: four)
    #expect(early.distance(from: late) == Beats(0.5))
    #expect(late.distance(from: early) == Beats(-0.5))
    #expect(late.fraction == 0.9375)
  }
}
