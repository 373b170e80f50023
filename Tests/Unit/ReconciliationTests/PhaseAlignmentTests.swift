import MusicalTime
import Testing

@testable import Reconciliation

/// An error that is too large to be steered is removed once, or kept.
@Suite struct PhaseAlignmentTests {
  private static let error = Beats(nanobeats: 500_000_000)
  private var alignment = PhaseAlignment()
  private var time = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)

  /// Takes an error of so many milliseconds, a second after the last one, and returns what is to be done.
  private mutating func observe(milliseconds: Double = 250, isHeeded: Bool) -> String {
    time = time + .seconds(1)
    let error = Tempo.standard.beats(in: .milliseconds(milliseconds))
    let answer = alignment.observe(
      milliseconds / 1_000, error, at: time, link: .standard, isHeeded: isHeeded)
    return switch answer {
    case .steer: "steer"
    case .wait: "wait"
    case .startOver(nil): "keep"
    case .startOver(let distance?): distance == error ? "align" : "\(distance)"
    }
  }

  @Test mutating func `A second error that is too large is aligned, and kept where that is rejected`() {
    #expect(observe(milliseconds: 1, isHeeded: false) == "steer")
    #expect(observe(isHeeded: false) == "wait")
    #expect(observe(isHeeded: false) == "align")
    #expect(alignment.isPending(at: time + .milliseconds(299)))
    #expect(!alignment.isPending(at: time + .milliseconds(300)))
    alignment.startOver()
    #expect(observe(isHeeded: false) == "keep")
    #expect(alignment.remaining == Self.error)
  }

  @Test mutating func `An alignment that Link had to take, and did not, is asked for once more of it`() {
    #expect(observe(isHeeded: true) == "wait")
    #expect(observe(isHeeded: true) == "align")
    alignment.startOver()
    #expect(observe(isHeeded: true) == "wait")
    #expect(observe(isHeeded: false) == "align")
    alignment.startOver()
    #expect(observe(isHeeded: false) == "keep")
  }

  @Test
  mutating func `An alignment that was rejected is asked for again after five seconds, or without peers`() {
    _ = (observe(isHeeded: false), observe(isHeeded: false), observe(isHeeded: false))
    #expect(observe(milliseconds: 0.5, isHeeded: false) == "steer")
    #expect(observe(isHeeded: false) == "wait")
    #expect(observe(isHeeded: false) == "keep")
    #expect(observe(milliseconds: 0.5, isHeeded: false) == "steer")
    alignment.peersLeft()
    #expect(alignment.remaining == .zero)
    #expect(observe(isHeeded: false) == "wait")
    #expect(observe(isHeeded: false) == "align")
  }
}
