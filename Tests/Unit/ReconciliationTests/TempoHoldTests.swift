import MusicalTime
import Testing

@testable import Reconciliation

/// Where JACK's tempo is kept from peers, its beat goes on at that tempo until the session has it again.
@Suite struct TempoHoldTests {
  private var hold = TempoHold()
  private var link: LinkObservation
  private static let begin = HostTime<LinkClock>(nanoseconds: 10_000_000_000)

  init() throws { link = try Studio.firstCycle().link }

  /// Tempo and beat as JACK sees them of a session that has these in so many seconds.
  private mutating func look(_ tempo: Double, _ beat: Double, at seconds: Double) -> (Double, Double) {
    (link.tempo, link.beat) = (Tempo(clamping: tempo) ?? .slowest, BeatTime(clamping: beat))
    hold.hold(&link, at: Self.begin + .seconds(seconds))
    return (link.tempo.beatsPerMinute, link.beat.doubleValue)
  }

  @Test mutating func `Before a tempo is kept the session's passes, and nothing is restored`() {
    #expect(look(90, 7, at: 0) == (90, 7))
    #expect(look(60, 8, at: 1) == (60, 8))
    #expect(hold.restore(at: Self.begin) == nil)
  }

  @Test mutating func `From where Link's beat was JACK's goes on at the tempo that is kept`() {
    hold.keep(.bpm(120))
    #expect(look(120, 7, at: 0) == (120, 7))
    #expect(look(60, 7.9, at: 0.5) == (120, 8))
    #expect(look(60, 8.4, at: 1) == (120, 9))
    #expect(look(240, 20, at: 2) == (120, 11))
    // The same for Link's messages.
    #expect(look(120.00005, 11.25, at: 3) == (120.00005, 11.25))
    #expect(look(60, 12, at: 4) == (120, 13.25))
    hold.keep(.bpm(60))
    #expect(look(90, 12, at: 5) == (60, 14.25))
  }

  @Test mutating func `A choice to keep it counts from the cycle in which it is made`() {
    (link.tempo, link.beat) = (.bpm(90), BeatTime(clamping: 3))
    hold.begin(.bpm(120), link, at: Self.begin + .seconds(1))
    #expect(look(90, 9, at: 1.5) == (120, 4))
  }

  @Test mutating func `It is restored at once, and once in a second`() throws {
    hold.keep(.bpm(120))
    for (seconds, isRestored) in [
      (0, true), (0.5, false), (0.99, false), (1, true), (1.99, false), (3, true),
    ] {
      let time = Self.begin + .seconds(seconds)
      let edit = hold.restore(at: time)
      #expect(edit == (isRestored ? TempoEdit(tempo: .bpm(120), time: time) : nil), "\(seconds)")
    }
  }
}
