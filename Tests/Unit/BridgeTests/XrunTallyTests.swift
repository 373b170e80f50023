import Testing

@testable import Bridge

@Suite struct XrunTallyTests {
  @Test
  func `The first is reported at once, more in one line when ten seconds have passed, and none is lost`() {
    var tally = XrunTally()
    let start = ContinuousClock.now
    var lines: [Int] = []
    for second in 0..<100 {
      // Three in each second of the first minute, beginning with the third.
      let count = max(0, min(second, 60) - 2) * 3
      if let due = tally.due(of: count, at: start + .seconds(second)) { lines.append(due.count) }
    }
    #expect(lines == [3, 30, 30, 30, 30, 30, 21])
    #expect(lines.reduce(0, +) == 174)
  }
}
