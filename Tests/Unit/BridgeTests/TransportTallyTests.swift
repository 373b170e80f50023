import Testing

@testable import Bridge

/// That a program that starts and stops again and again does not fill the log, and that its last word is in it.
@Suite struct TransportTallyTests {
  @Test func `A single start or stop is reported at once`() {
    var tally = TransportTally()
    let start = ContinuousClock.now
    for count in 0..<8 {
      let rolls = count.isMultiple(of: 2)
      tally.note(rolls: rolls)
      #expect(tally.due(at: start + .milliseconds(count)) == rolls)
      #expect(tally.due(at: start + .milliseconds(count)) == nil)
    }
  }

  @Test func `Of starts and stops in each cycle few are reported, and the last one always`() {
    var tally = TransportTally()
    let start = ContinuousClock.now
    var lines: [Bool] = []
    for count in 0..<375 {
      tally.note(rolls: count.isMultiple(of: 2))
      if let rolls = tally.due(at: start + .microseconds(5_333 * count)) { lines.append(rolls) }
    }
    tally.note(rolls: false)
    for seconds in 3...5 { if let rolls = tally.due(at: start + .seconds(seconds)) { lines.append(rolls) } }
    #expect((8...14).contains(lines.count), "\(lines.count)")
    #expect(lines.last == false)
  }
}
