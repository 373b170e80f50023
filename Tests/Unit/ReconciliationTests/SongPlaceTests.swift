import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

@Suite struct SongPlaceTests {
  @Test func `A bar is where it is read, a time to the nearest frame`() throws {
    let tempo = try #require(Tempo(beatsPerMinute: 90))
    let waltz = try #require(Meter("3/4"))
    #expect(SongPlace.bar(1).frame(at: tempo, in: waltz, .standard) == 0)
    #expect(SongPlace.bar(2).frame(at: tempo, in: waltz, .standard) == 96_000)
    #expect(SongPlace.seconds(1.5).frame(at: tempo, in: waltz, .standard) == 72_000)
    #expect(SongPlace.beats(0).frame(at: tempo, in: waltz, .standard) == 0)
    #expect(SongPlace.beats(4.5).frame(at: tempo, in: waltz, .standard) == 144_000)
    #expect(SongPlace.beats(-1).frame(at: tempo, in: waltz, .standard) == nil)
    #expect(SongPlace.beats(.nan).frame(at: tempo, in: waltz, .standard) == nil)
    #expect(SongPlace.beats(1_000_000).frame(at: .slowest, in: waltz, .standard) == nil)
    #expect(SongPlace.bar(0).frame(at: tempo, in: waltz, .standard) == nil)
    #expect(SongPlace.seconds(-1).frame(at: tempo, in: waltz, .standard) == nil)
    #expect(SongPlace.seconds(.nan).frame(at: tempo, in: waltz, .standard) == nil)
    #expect(SongPlace.seconds(89_478.485).frame(at: tempo, in: waltz, .standard) != nil)
    #expect(SongPlace.seconds(89_478.5).frame(at: tempo, in: waltz, .standard) == nil)
    #expect(SongPlace.bar(1_000_000).frame(at: .slowest, in: waltz, .standard) == nil)
  }

  @Test func `The least whole number that is not below a value is that value where it is whole`() {
    #expect([3, 3.25, 2.999, 0, -3, -3.25].map(ceiling) == [3, 4, 3, 0, -3, -3])
  }

  @Test func `The frame of a bar is read as that bar, less than a frame after its beginning`() {
    forAll(2000) { seed, random in
      guard let tempo = Tempo(beatsPerMinute: .random(in: 20...999, using: &random)) else { return }
      let bar = Int.random(in: 1...1000, using: &random)
      guard let frame = SongPlace.bar(bar).frame(at: tempo, in: .common, .standard) else { return }
      let beat = tempo.beats(in: frame.sinceZero, at: .standard).doubleValue - Double(bar - 1) * 4
      let period = tempo.beatsPerMinute / 60 / 48_000
      #expect(beat > -1e-8 && beat < period, "seed \(seed)")
    }
  }
}
