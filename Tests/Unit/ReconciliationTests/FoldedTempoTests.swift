import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@Suite struct FoldedTempoTests {
  @Test(
    "TEMPO-4: a tempo out of Link's range is followed by a multiple or a fraction that is named",
    arguments: [
      (120, 120, "x1"), (10, 20, "x2"), (6, 24, "x4"), (1200, 600, "/2"), (4000, 500, "/8"), (20, 20, "x1"),
      (999, 999, "x1"), (999.1, 999, "x1"), (19.998, 20, "x1"),
    ])
  func folding(owner: Double, link: Double, factor: String) throws {
    let folded = try #require(FoldedTempo(beatsPerMinute: owner))
    #expect(folded.tempo.beatsPerMinute == link)
    #expect(folded.description == factor)
    #expect(folded.isFolded == (factor != "x1"))
  }

  @Test("A number that is no tempo is not folded", arguments: [0, -120, .nan, .infinity, 0.999e-6, 1.001e6])
  func impossible(beatsPerMinute: Double) {
    #expect(FoldedTempo(beatsPerMinute: beatsPerMinute) == nil)
    #expect(FoldedTempo(beatsPerMinute: 1e-6) != nil && FoldedTempo(beatsPerMinute: 1e6) != nil)
  }

  @Test func `A folded position moves at the folded tempo, and never out of bounds`() throws {
    try forAll(2000) { seed, random in
      let owner = Double.random(in: 0.001...100_000, using: &random)
      let folded = try #require(FoldedTempo(beatsPerMinute: owner))
      let minute = try #require(Beats(owner))
      let start = BeatTime(
        sinceZero: Beats(nanobeats: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)))
      let passed = folded.fold(start + minute) - folded.fold(start)
      #expect((passed.doubleValue - folded.tempo.beatsPerMinute).magnitude < 3, "seed \(seed)")
      let (first, last) = (BeatTime(sinceZero: -.limit), BeatTime(sinceZero: .limit))
      #expect(folded.fold(last) <= last && folded.fold(first) >= first, "seed \(seed)")
    }
  }
}
