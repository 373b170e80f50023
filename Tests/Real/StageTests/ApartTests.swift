import Testing

@testable import Stage

@Suite(.alone) struct ApartTests {
  private let beats = (0..<8).map { Double($0) * 500_000 }

  @Test func `A click is compared with the nearest one, and is lonely where there is none`() throws {
    let apart = Apart([250, 500_100, 1_000_200, 1_250_000], from: beats)
    #expect(apart.errors.map(\.error) == [250, 100, 200])
    #expect(apart.median == 200 && apart.worst() == 250 && apart.lonely == 1)
  }

  @Test func `Clocks are compared with the 24ths of a beat`() throws {
    let clocks = (0..<96).map { Double($0) * 500_000 / 24 + 300 }
    let apart = Apart(clocks: clocks, from: beats)
    #expect(apart.isOfClocks && apart.errors.count == 96)
    #expect(apart.errors.allSatisfy { abs($0.error - 300) < 0.1 })
  }

  @Test func `Clocks outside of beats, and between those of two songs, are not judged`() {
    let twoSongs = beats + beats.map { $0 + 4_300_000 }
    #expect(Apart(clocks: [-20_000, 3_600_000, 8_000_000], from: twoSongs).errors.isEmpty)
    #expect(Apart(clocks: [100, 4_300_000], from: twoSongs).errors.count == 2)
  }

  @Test func `A recorder's line may name a port with spaces`() throws {
    let click = try #require(Recorder.Sound("click ardour:Click/audio_out 1 1234.5 0.501"))
    #expect(click.port == "ardour:Click/audio_out 1" && click.time == 1234.5 && click.status == nil)
    let clock = try #require(Recorder.Sound("midi jackstay:midi_clock 99.0 248"))
    #expect(clock.port == "jackstay:midi_clock" && clock.status == Recorder.Sound.clock)
    for line in ["click", "gap 12.0", "connected ardour:Click/audio_out 1", "click a:b soon 0.1"] {
      #expect(Recorder.Sound(line) == nil)
    }
  }
}
