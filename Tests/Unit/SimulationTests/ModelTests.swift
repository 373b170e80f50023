import Foundation
import MusicalTime
import Simulation
import Testing

/// The simulator's idea of jackd2, against recordings of jackd2.
@Suite struct ModelTests {
  /// One cycle, in microseconds.
  private struct Row {
    /// The bridge's wake-up, from the one before.
    let wake: Double
    /// JACK's start of the cycle, and its next one, from the bridge's wake-up.
    let start: Double
    let next: Double
    /// Frames from the cycle before; of a driver that is started anew, in its period.
    let frames: Double
    /// Whether it is the first of a driver that is started anew.
    let isFirst: Bool

    init?(_ line: Substring) {
      let words = line.split(separator: " ")
      let numbers = words.prefix(4).compactMap { Double($0) }
      guard numbers.count == 4 else { return nil }
      (wake, start, next, frames) = (numbers[0], numbers[1], numbers[2], numbers[3])
      isFirst = words.last == "*"
    }

    var period: Double { frames / 0.048 }
  }

  @Test(
    "Stalls, renders and changes of the period leave JACK's times where jackd2 has them",
    arguments: [256, 1024])
  func times(period: Int) throws {
    let rows = try recording("jackd2-\(period)")
    #expect(rows.count > 700)
    // How long after the server the bridge wakes up.
    let lags = rows.prefix(100).dropFirst().map { -$0.start }.sorted()
    let lag = lags[lags.count / 2]
    #expect(lag > 0 && lag < 200)
    let first = try #require(rows.first)
    var now = 0.0
    var length = first.period
    var loop = DelayLockedLoop(at: time(first.next - length), period: interval(length))
    for (number, row) in rows.enumerated().dropFirst() {
      now += row.wake
      if row.isFirst {
        length = row.period
        loop = DelayLockedLoop(at: time(now + row.start), period: interval(length))
      } else {
        // A cycle in which JACK skipped the bridge was made up for together with this one.
        for _ in 0..<Int((row.frames / 0.048 / length).rounded()) { loop.wake(at: time(now - lag)) }
      }
      let error = Double((loop.next - time(now + row.next)).nanoseconds) / 1000
      // The bridge's wake-ups are not the server's: half of it is that.
      #expect(error.magnitude < 100, "cycle \(number): off by \(error) us")
    }
  }

  private func time(_ microseconds: Double) -> HostTime<JACKClock> {
    HostTime(nanoseconds: Int64(microseconds * 1000))
  }

  private func interval(_ microseconds: Double) -> HostInterval {
    HostInterval(nanoseconds: Int64(microseconds * 1000))
  }

  private func recording(_ name: String) throws -> [Row] {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Recordings/\(name).txt")
    return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap(Row.init)
  }
}
