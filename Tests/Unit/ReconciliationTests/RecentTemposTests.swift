import MusicalTime
import Testing

@testable import Reconciliation

/// The tempos that Link has had lately: its beat may step by them, and a peer may set them again.
@Suite struct RecentTemposTests {
  private static func time(_ seconds: Double) -> HostTime<LinkClock> {
    HostTime(nanoseconds: 10_000_000_000) + .seconds(seconds)
  }

  /// The beats by which Link's may have stepped, where the bridge publishes so many seconds ahead and no more than two
  /// beats are waited for.
  private static func step(_ tempos: RecentTempos, at seconds: Double, ahead: Double = 0) -> Double {
    tempos.step(at: time(seconds), ahead: .seconds(ahead), most: Beats(nanobeats: 2_000_000_000)).doubleValue
  }

  /// A session that has long had 120 bpm, and has 60 or 180 from second 0 on.
  private static func changed(to tempo: Double) -> RecentTempos {
    var tempos = RecentTempos()
    for seconds in [-10, -5, 0.0] {
      let now: Tempo = seconds < 0 ? .standard : .bpm(tempo)
      tempos.observe(now, then: now, at: time(seconds))
    }
    return tempos
  }

  @Test(
    "A change may be undone: the longer ago it is the larger the step, to the bound", arguments: [60, 180.0])
  func step(tempo: Double) {
    var tempos = Self.changed(to: tempo)
    // A beat in a second, and a quarter of a second until a change is seen.
    for (seconds, ahead, expected) in [
      (0, 0, 0.25), (0, 0.5, 0.75), (0, -0.5, 0.75), (1, 0, 1.25), (1, 0.5, 1.75), (1.6, 0, 1.85),
      (1.6, 0.5, 2),
      (0, 3, 3.25),
    ] {
      #expect(
        (Self.step(tempos, at: seconds, ahead: ahead) - expected).magnitude < 2e-5, "\(seconds), \(ahead)")
    }
    let now = Tempo.bpm(tempo)
    tempos.observe(now, then: now, at: Self.time(1.6))
    #expect(Self.step(tempos, at: 1.6) > 1.8)
    tempos.observe(now, then: now, at: Self.time(1.601))
    #expect(Self.step(tempos, at: 1.601) == 0)
  }

  @Test func `The first tempo is no change, and nothing that another one could undo`() {
    var tempos = RecentTempos()
    tempos.observe(.standard, then: .standard, at: Self.time(0))
    #expect(tempos.latest == .standard && Self.step(tempos, at: 0) == 0)
    tempos.observe(.bpm(60), then: .bpm(60), at: Self.time(1))
    #expect((Self.step(tempos, at: 1) - 0.25).magnitude < 2e-5)
  }

  @Test
  func `Of several changes the slowest and the fastest count, from the first on until long after the last`() {
    var tempos = Self.changed(to: 60)
    tempos.observe(.bpm(60), then: .bpm(90), at: Self.time(1))
    #expect(tempos.latest == .bpm(90))
    tempos.observe(.bpm(180), then: .bpm(90), at: Self.time(1.2))
    #expect((Self.step(tempos, at: 1.2) - 2).magnitude < 2e-5)
    #expect((Self.step(tempos, at: 0.1) - 0.7).magnitude < 2e-5)
    tempos.observe(.bpm(180), then: .bpm(90), at: Self.time(2.7))
    // No further back than a change is undone.
    #expect((tempos.step(at: Self.time(2.7), ahead: .zero, most: .limit).doubleValue - 3.7).magnitude < 2e-5)
    tempos.observe(.bpm(180), then: .bpm(90), at: Self.time(2.81))
    #expect(Self.step(tempos, at: 2.81) == 0)
  }

  @Test func `On another grid no step is explained, and before a change none`() {
    var tempos = Self.changed(to: 60)
    tempos.gridWasMoved()
    #expect(Self.step(tempos, at: 0) == 0)
    tempos = RecentTempos()
    #expect(tempos.latest == nil && Self.step(tempos, at: 0) == 0)
    tempos.observe(.bpm(60), then: .bpm(60), at: Self.time(0))
    #expect(Self.step(tempos, at: 1) == 0)
  }

  // MARK: Tempos that a peer may set again

  @Test func `A tempo is one that was replaced for 1.6 seconds, as exactly as Link's messages have it`() {
    var replaced = ReplacedTempos()
    replaced.looked(at: Self.time(0), within: .milliseconds(150))
    replaced.add(.bpm(100), at: Self.time(0))
    replaced.add(.bpm(130), at: Self.time(0.5))
    for (tempo, seconds, isOne) in [
      (100, 0, true), (100, 1.59, true), (100, 1.6, false), (130, 1.6, true), (130, 2.09, true),
      (130, 2.1, false),
      (100.00005, 1, true), (100.001, 1, false), (120, 0.1, false),
    ] {
      #expect(replaced.contains(.bpm(tempo), at: Self.time(seconds)) == isOne, "\(tempo), \(seconds)")
    }
    replaced.removeAll()
    #expect(!replaced.contains(.bpm(130), at: Self.time(0.5)))
  }

  @Test func `Time in which the bridge did not look does not count`() {
    for (absence, isKnown) in [(0.149, false), (0.15, false), (0.151, true), (30, true)] {
      var replaced = ReplacedTempos()
      replaced.looked(at: Self.time(0), within: .milliseconds(150))
      replaced.add(.bpm(100), at: Self.time(0))
      replaced.looked(at: Self.time(absence), within: .milliseconds(150))
      replaced.looked(at: Self.time(absence + 0.1), within: .milliseconds(150))
      #expect(replaced.contains(.bpm(100), at: Self.time(1.6 + absence - 0.01)) == isKnown, "\(absence)")
      #expect(!replaced.contains(.bpm(100), at: Self.time(1.6 + absence)))
    }
  }

  @Test func `The last eighteen are known`() {
    var replaced = ReplacedTempos()
    for count in 1...60 {
      replaced.add(.bpm(Double(100 + count)), at: Self.time(0))
      for other in 1...60 {
        let isKnown = other <= count && other > count - 18
        #expect(
          replaced.contains(.bpm(Double(100 + other)), at: Self.time(0)) == isKnown, "\(other) of \(count)")
      }
    }
  }
}
