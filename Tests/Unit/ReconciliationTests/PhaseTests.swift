import MusicalTime
import Testing

@testable import Reconciliation

/// The values of which steering is made, each alone.
@Suite struct PhaseTests {
  private static func time(_ milliseconds: Double) -> HostTime<LinkClock> {
    HostTime(nanoseconds: 1_000_000_000 + Int64(milliseconds * 1e6))
  }

  /// The error after ten measurements of none, and some that are off by so many milliseconds.
  private static func drift(_ errors: [Double]) -> PhaseDrift {
    var drift = PhaseDrift()
    for (index, error) in (Array(repeating: 0, count: 10) + errors).enumerated() {
      drift.observe(error * 1e-3, at: time(Double(index) * 50))
    }
    return drift
  }

  @Test("Measurements that are far off move the line little, and to their side", arguments: [-1, 1.0])
  func surprise(side: Double) {
    let errors = [[5], [5, 5], [5, 5, 0, 5, 5], [5, 5, -5, 5, 5]].map {
      Self.drift($0.map { $0 * side }).error
    }
    for error in errors { #expect(error * side > 0 && error * side < 0.6e-3, "\(error)") }
  }

  @Test("Three of them in a row, all on one side, are another line", arguments: [-1, 1.0])
  func anotherLine(side: Double) {
    var drift = Self.drift([5, 5, 5].map { $0 * side })
    #expect(drift.error == 5e-3 * side && drift.drift == 0 && drift.span == .zero)
    drift.observe(5.1e-3 * side, at: Self.time(650))
    #expect((drift.drift - 2e-3 * side).magnitude < 1e-9 && drift.span == .milliseconds(50))
  }

  @Test func `All values of a step make its mean, and time that goes back begins another`() throws {
    for (times, values, mean, instant) in [
      ([0, 0, 50], [1, 2, 6], 3, 50.0 / 3), ([100, 60, 110], [1, 3, 5], 4, 85),
    ] as [([Double], [Double], Double, Double)] {
      var average = PhaseAverage()
      let found = zip(values, times).map { average.add($0, at: Self.time($1)) }
      #expect(found.map { $0?.value } == [nil, nil, mean])
      let time = try #require(found[2]).time
      #expect((time - Self.time(instant)).magnitude < .milliseconds(0.001))
    }
  }

  @Test func `A line is of the last two to four seconds of beats`() {
    var line = BeatLine()
    for cycle in 0..<4000 {
      // A tempo that glides from 60 to 160 bpm.
      let seconds = Double(cycle) * 0.005
      let position = BeatTime(seconds + seconds * seconds / 24) ?? .zero
      _ = line.append((Self.time(seconds * 1000), position))
      let span = line.fit.span.seconds
      #expect(seconds < 4 ? span >= seconds * 0.45 : (1.9...4.1).contains(span), "\(span) at \(seconds)")
      guard line.count > 1 else { continue }
      let middle = seconds - span / 2
      #expect((line.fit.slope - 1 - middle / 12).magnitude < 0.02, "\(line.fit.slope) at \(seconds)")
    }
  }
}
