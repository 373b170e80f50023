import MusicalTime
import PropertyTesting
import Testing

@Suite struct BeatsTests {
  static let impossible: [Double] = [.nan, .signalingNaN, .infinity, -.infinity, 1.1e9, -1.1e9, 1e300]

  @Test("A number that is not finite or out of range makes no beats", arguments: impossible)
  func impossibleBeats(number: Double) {
    #expect(Beats(number) == nil)
  }

  @Test func `Beats keep a billionth of a beat`() throws {
    #expect(try #require(Beats(0.000_000_001)).nanobeats == 1)
    #expect(try #require(Beats(-3.75)).nanobeats == -3_750_000_000)
    #expect(try #require(Beats(3.5)).doubleValue == 3.5)
  }

  @Test func `Sums and differences are exact within the range and saturate at its ends`() {
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

  @Test("The shortest distance around a quantum differs by whole quanta, and is no longer than half of one")
  func shortest() throws {
    let four = try #require(Quantum(beats: 4))
    #expect(try #require(Beats(3.5)).shortest(around: four) == Beats(-0.5))
    #expect(try #require(Beats(-10)).shortest(around: four) == Beats(-2))
    #expect(try #require(Beats(2)).shortest(around: four) == Beats(-2))
    try forAll(2000) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.125...64, using: &random)))
      let way = try #require(Beats(.random(in: -1e6...1e6, using: &random)))
      let shortest = way.shortest(around: quantum)
      #expect((way - shortest).nanobeats % quantum.beats.nanobeats == 0, "seed \(seed)")
      #expect(shortest.magnitude.nanobeats <= quantum.beats.nanobeats / 2, "seed \(seed)")
    }
  }
}
