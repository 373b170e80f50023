import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

/// The values of which steering is made, each alone.
@Suite struct PhaseTests {
  fileprivate static func time(_ milliseconds: Double) -> HostTime<LinkClock> {
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

  @Test func `The line through one beat has no slope`() {
    var line = BeatLine()
    _ = line.append((Self.time(0), .zero))
    #expect(line.fit.slope == 0 && line.fit.span == .zero)
  }

  @Test func `The line through the first measurements is that of least squares`() {
    var drift = PhaseDrift()
    var random = Seeded(seed: 1)
    var points: [(time: Double, error: Double)] = []
    for index in 0..<40 {
      let seconds = Double(index) * 0.05
      points.append((seconds, 1e-3 + 2e-4 * seconds + .random(in: -1e-4...1e-4, using: &random)))
      drift.observe(points[index].error, at: Self.time(seconds * 1000))
      guard index > 0 else { continue }
      let middle = points.reduce((0.0, 0.0)) { ($0.0 + $1.time, $0.1 + $1.error) }
      let (time, error) = (middle.0 / Double(index + 1), middle.1 / Double(index + 1))
      let slope =
        points.reduce(0) { $0 + ($1.time - time) * ($1.error - error) }
        / points.reduce(0) { $0 + ($1.time - time) * ($1.time - time) }
      #expect((drift.drift - slope).magnitude < 1e-9, "after \(index)")
      #expect((drift.error - error - slope * (seconds - time)).magnitude < 1e-9, "after \(index)")
    }
  }

  @Test func `Later one measurement counts as in the first sixteen seconds, however long the line is`() {
    let drifts = [320, 1000].map { count in
      var drift = PhaseDrift()
      for index in 0...count {
        drift.observe(index == count ? 1e-4 : 0, at: Self.time(Double(index) * 50))
      }
      return drift
    }
    #expect(drifts[0].error > 0 && drifts[0].error == drifts[1].error)
    #expect((drifts[0].drift - drifts[1].drift).magnitude < 1e-12)
  }

  @Test("A measurement that is far off counts as one that is half a millisecond off", arguments: [-1, 1.0])
  func largestSurprise(side: Double) {
    let drifts = [0.5, 0.6, 40].map { Self.drift([$0 * side]) }
    #expect(drifts.allSatisfy { $0.error == drifts[0].error && $0.drift == drifts[0].drift })
    #expect(Self.drift([0.4 * side]).error * side < drifts[0].error * side)
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

  @Test func `A line is that of least squares, from the oldest point to the newest`() throws {
    var line = BeatLine()
    var random = Seeded(seed: 1)
    var points: [(time: Double, beat: Double)] = []
    for index in 0..<48 {
      let seconds = 0.005 * Double(index) + .random(in: 0...0.001, using: &random)
      let beat = 7 + seconds * 2 + .random(in: -1e-3...1e-3, using: &random)
      #expect(line.append((Self.time(seconds * 1000), try #require(BeatTime(beat)))))
      points.append((seconds, beat))
      guard index > 0 else { continue }
      let sum = points.reduce((0.0, 0.0)) { ($0.0 + $1.time, $0.1 + $1.beat) }
      let (time, middle) = (sum.0 / Double(index + 1), sum.1 / Double(index + 1))
      let slope =
        points.reduce(0) { $0 + ($1.time - time) * ($1.beat - middle) }
        / points.reduce(0) { $0 + ($1.time - time) * ($1.time - time) }
      #expect((line.fit.slope - slope).magnitude < 1e-4, "of \(index + 1) points")
      #expect((line.fit.span.seconds - seconds + points[0].time).magnitude < 1e-8)
      let residuals = points.map { ($0.beat - middle - slope * ($0.time - time)).magnitude }
      let most = residuals.reduce(0, max)
      #expect(line.isStraight(within: most + 1e-6) && !line.isStraight(within: most - 1e-6))
      // Of a place elsewhere, too, at another speed.
      let place = (Self.time(seconds * 1000 + 100), try #require(BeatTime(9)))
      let residual = 9 - middle - 3 * (seconds + 0.1 - time)
      #expect((line.residual(of: place, speed: 3) - residual).magnitude < 1e-6)
      #expect(line.timeSinceNewest(place) == .milliseconds(100))
    }
  }

  @Test func `Points are four milliseconds apart, and twice as far each time that there is no room`() {
    var line = BeatLine()
    var taken: [Int] = []
    for millisecond in 0..<10_000 where line.append((Self.time(Double(millisecond)), .zero)) {
      taken.append(millisecond)
    }
    let apart = zip(taken.dropFirst(), taken).map { $0 - $1 }
    // 48 points at first, then again and again 24 more, until they are of two seconds.
    for (distance, range) in [(4, 0..<48), (8, 48..<72), (16, 72..<96), (32, 96..<120), (64, 120..<200)] {
      #expect(apart[range].allSatisfy { $0 == distance }, "\(distance): \(apart[range])")
    }
    #expect(line.count == 48)
    #expect(line.fit.span == .milliseconds(47 * 64))
  }

  // MARK: Errors too large to be steered

  /// An alignment by itself, in a session at 60 bpm: a beat is a second.
  private struct Alignment {
    private static let tempo = Tempo(clamping: 60) ?? .standard
    var value = PhaseAlignment()
    var isHeeded = false
    private var seconds = 0.0

    /// The answer to an error in milliseconds, so many seconds after the one before.
    mutating func answer(_ milliseconds: Double, after pause: Double = 0.05) -> String {
      seconds += pause
      let error = Beats(milliseconds / 1e3) ?? .zero
      let rest = (error - value.remaining).doubleValue
      let time = PhaseTests.time(seconds * 1000)
      switch value.observe(rest, error, at: time, link: Alignment.tempo, isHeeded: isHeeded) {
      case .steer: return "steer"
      case .wait: return "wait"
      case .startOver(let distance):
        value.startOver()
        return if let distance { "align by \(Double(distance.nanobeats) / 1e6)" } else { "leave" }
      }
    }

    func isPending(after pause: Double) -> Bool {
      value.isPending(at: PhaseTests.time((seconds + pause) * 1000))
    }
  }

  @Test(
    "An error of two milliseconds is steered, and a larger one aligned when it was seen twice",
    arguments: [-1, 1.0])
  func aligned(side: Double) {
    var alignment = Alignment()
    alignment.isHeeded = true
    #expect((0..<3).map { _ in alignment.answer(1.99 * side) } == ["steer", "steer", "steer"])
    #expect(alignment.answer(2.01 * side) == "wait")
    #expect(alignment.answer(1.99 * side) == "steer")
    #expect(alignment.answer(2.01 * side) == "wait")
    // Another beat since: it is seen for the first time again.
    alignment.value.startOver()
    #expect(!alignment.isPending(after: 0))
    #expect(alignment.answer(50 * side) == "wait")
    #expect(alignment.answer(50 * side) == "align by \(50 * side)")
    #expect(alignment.isPending(after: 0.299) && !alignment.isPending(after: 0.3))
    #expect(alignment.answer(0, after: 0.3) == "steer")
    #expect(!alignment.isPending(after: 0) && alignment.value.remaining == .zero)
    // It went elsewhere meanwhile: where the session does as it is asked, that is no refusal.
    _ = (alignment.answer(50 * side), alignment.answer(50 * side))
    #expect(alignment.answer(20 * side, after: 0.3) == "wait")
    #expect(alignment.answer(20 * side) == "align by \(20 * side)")
  }

  @Test(
    "One up to ten milliseconds that the session does not align is steered until it is small",
    arguments: [-1, 1.0])
  func steered(side: Double) {
    var alignment = Alignment()
    #expect(alignment.answer(9.9 * side) == "wait")
    #expect(alignment.answer(9.9 * side) == "align by \(9.9 * side)")
    #expect(alignment.answer(9.9 * side, after: 0.3) == "leave")
    #expect(alignment.value.remaining == .zero)
    for error in [9.9, 5, 2.1, 1.01, 9.9] { #expect(alignment.answer(error * side) == "steer") }
    #expect(alignment.answer(0.99 * side) == "steer")
    // Once it was small a large one is another, of which the session is not asked again for five seconds.
    #expect(alignment.answer(9.9 * side) == "wait")
    #expect(alignment.answer(9.9 * side, after: 4.3) == "leave")
    #expect(alignment.answer(0.5 * side) == "steer")
    #expect(alignment.answer(9.9 * side) == "wait")
    #expect(alignment.answer(9.9 * side) == "align by \(9.9 * side)")
  }

  @Test(
    "A larger one that the session does not align is kept, and asked for again after five seconds",
    arguments: [-1, 1.0])
  func kept(side: Double) {
    var alignment = Alignment()
    func kept() -> Double { Double(alignment.value.remaining.nanobeats) / 1e6 * side }
    _ = (alignment.answer(50 * side), alignment.answer(50 * side))
    #expect(alignment.answer(50 * side, after: 0.3) == "leave" && kept() == 50)
    for error in [59.9, 40.1, 50] { #expect(alignment.answer(error * side) == "steer") }
    // It has changed: that is kept, too.
    #expect(alignment.answer(61 * side) == "wait")
    #expect(alignment.answer(61 * side) == "leave" && kept() == 61)
    #expect(alignment.answer(80 * side) == "wait")
    #expect(alignment.answer(80 * side, after: 4) == "leave" && kept() == 80)
    #expect(alignment.answer(95 * side) == "wait")
    #expect(alignment.answer(95 * side, after: 0.6) == "align by \(95 * side)" && kept() == 0)
    #expect(alignment.answer(95 * side, after: 0.3) == "leave" && kept() == 95)
    // It is another roll, or the peers that opposed have left.
    alignment.value.stopped()
    #expect(kept() == 0)
    _ = (alignment.answer(95 * side), alignment.answer(95 * side))
    #expect(kept() == 95)
    alignment.value.peersLeft()
    #expect(kept() == 0)
    #expect(alignment.answer(3 * side) == "wait")
    #expect(alignment.answer(3 * side) == "align by \(3 * side)")
  }

  @Test(
    "Where one that was kept has become small enough, all of it is steered", arguments: [-1, 1.0])
  func keptNoMore(side: Double) {
    var alignment = Alignment()
    _ = (alignment.answer(12.3 * side), alignment.answer(12.3 * side))
    #expect(alignment.answer(12.3 * side, after: 0.3) == "leave")
    #expect(alignment.answer(12.3 * side) == "steer" && alignment.value.remaining != .zero)
    // A period that has become shorter, for example: it is 5.3 ms from what was kept, and 7 ms in all.
    #expect(alignment.answer(7 * side) == "wait")
    #expect(alignment.answer(7 * side, after: 2) == "leave" && alignment.value.remaining == .zero)
    #expect(alignment.answer(7 * side) == "steer")
  }
}
