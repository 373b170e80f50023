import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@Suite struct TapTempoTests {
  /// The tempos that taps at these seconds make.
  private func tempos(_ seconds: [Double]) -> [Double?] {
    var tap = TapTempo()
    return seconds.map { time in
      tap.tapped(at: HostTime(nanoseconds: Int64(1e15 + time * 1e9))).map { $0.beatsPerMinute.rounded() }
    }
  }

  @Test func `From the second tap on it is the tempo of the last eight`() {
    #expect(tempos([0, 0.5, 1, 1.5]) == [nil, 120, 120, 120])
    #expect(tempos([0, 0.4, 1]) == [nil, 150, 120])
    let quicker = [0, 1, 2] + (1...8).map { 2 + Double($0) * 0.5 }
    #expect(tempos(quicker).last == 120)
  }

  @Test(
    "A long pause begins anew, a bounce counts once, and a tempo that is too fast or too slow is the limit")
  func odd() {
    #expect(tempos([0, 0.5, 7, 7.5]) == [nil, 120, nil, 120])
    #expect(tempos([0, 0.01, 0.5]) == [nil, nil, 120])
    #expect(tempos([0, 0.5, 0.5, 1.1]) == [nil, 120, nil, 109])
    #expect(tempos([0, 0.05, 0.1]) == [nil, 999, 999])
    #expect(tempos([0, 0.055, 0.11]) == [nil, 999, 999])
    #expect(tempos([0, 5.9]) == [nil, 20])
    #expect(tempos([5, 0, 0.5]) == [nil, nil, 120])
  }

  @Test func `Taps at any times make a tempo or none`() {
    forAll(1000) { seed, random in
      var tap = TapTempo()
      for _ in 0..<20 {
        let time = Int64.random(in: random.oneIn(2) ? 0...1_000_000_000 : 0...Int64.max / 4, using: &random)
        if let tempo = tap.tapped(at: HostTime(nanoseconds: time)) {
          #expect(Tempo.range.contains(tempo.beatsPerMinute), "seed \(seed)")
        }
      }
    }
  }
}
