import MusicalTime
import PropertyTesting
import Testing

@Suite struct BeatTimeTests {
  @Test func `Any value of a peer is a beat within the limit`() {
    let (first, last) = (BeatTime(sinceZero: -.limit), BeatTime(sinceZero: .limit))
    #expect(BeatTime(clamping: 2.5).sinceZero == Beats(nanobeats: 2_500_000_000))
    #expect(BeatTime(clamping: .nan) == .zero)
    #expect(BeatTime(clamping: .infinity) == last && BeatTime(clamping: 1e300) == last)
    #expect(BeatTime(clamping: -.infinity) == first)
    #expect(BeatTime(clamping: .leastNonzeroMagnitude) == .zero)
  }

  @Test("A number that is not finite or out of range makes no position", arguments: BeatsTests.impossible)
  func impossible(number: Double) {
    #expect(BeatTime(number) == nil)
  }

  @Test func `A position reads as the beats that it was built from`() throws {
    let position = try #require(BeatTime(-3.75))
    #expect(position.doubleValue == -3.75)
    #expect(position.description == "-3.75")
    #expect(position < .zero)
  }

  @Test func `Going on and back is exact within the range and saturates at its ends`() {
    let (first, last) = (BeatTime(sinceZero: -.limit), BeatTime(sinceZero: .limit))
    #expect(last + .one == last && first - .one == first)
    #expect(last - first == .limit && first - last == -.limit)
    forAll(1000) { seed, random in
      let way = Beats(nanobeats: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random))
      let position = BeatTime(
        sinceZero: Beats(nanobeats: .random(in: -1_000_000_000_000...1_000_000_000_000, using: &random)))
      #expect(position + way - way == position, "seed \(seed)")
      #expect((position + way) - position == way, "seed \(seed)")
      #expect((position + way > position) == (way > .zero), "seed \(seed)")
    }
  }

  @Test func `A phase is within its quantum and differs from the beat by whole quanta`() throws {
    let four = try #require(Quantum(beats: 4))
    #expect(try #require(BeatTime(-1)).phase(in: four).offset == Beats(3))
    #expect(try #require(BeatTime(-4)).phase(in: four).offset == .zero)
    #expect(try #require(BeatTime(9.5)).phase(in: four).offset == Beats(1.5))
    try forAll(2000) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.125...64, using: &random)))
      let beat = try #require(BeatTime(.random(in: -1e6...1e6, using: &random)))
      let offset = beat.phase(in: quantum).offset
      #expect(offset >= .zero && offset < quantum.beats, "seed \(seed)")
      #expect((beat - offset).sinceZero.nanobeats % quantum.beats.nanobeats == 0, "seed \(seed)")
    }
  }

  @Test func `Shifting by whole quanta keeps the phase and comes as near as it can`() throws {
    try forAll(2000) { seed, random in
      let quantum = try #require(Quantum(beats: .random(in: 0.125...64, using: &random)))
      let beat = try #require(BeatTime(.random(in: -1e5...1e5, using: &random)))
      let target = try #require(BeatTime(.random(in: -1e5...1e5, using: &random)))
      let nearest = beat.shifted(nearestTo: target, byMultiplesOf: quantum)
      let after = beat.shifted(atOrAfter: target, byMultiplesOf: quantum)
      #expect(nearest.phase(in: quantum) == beat.phase(in: quantum), "seed \(seed)")
      #expect(after.phase(in: quantum) == beat.phase(in: quantum), "seed \(seed)")
      #expect((nearest - target).magnitude.nanobeats <= quantum.beats.nanobeats / 2 + 1, "seed \(seed)")
      #expect(after >= target && after - target < quantum.beats, "seed \(seed)")
    }
  }

  @Test func `The distance between two phases is the shortest one around the quantum`() throws {
    let four = try #require(Quantum(beats: 4))
    let late = try #require(BeatTime(3.75)).phase(in: four)
    let early = try #require(BeatTime(0.25)).phase(in: four)
    #expect(early.distance(from: late) == Beats(0.5))
    #expect(late.distance(from: early) == Beats(-0.5))
    #expect(late.fraction == 0.9375)
  }
}
