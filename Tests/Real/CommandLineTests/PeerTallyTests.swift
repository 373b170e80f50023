import Testing

@testable import jackstay

/// The log lines of how many peers there are.
@Suite struct PeerTallyTests {
  private let start = ContinuousClock.now

  @Test func `A change after a quiet second is reported at once`() {
    var tally = PeerTally()
    for second in 0..<3 {
      let (line, wait) = tally.changed(to: second, at: start + .seconds(second))
      #expect(line?.text == ["0 peers", "1 peer", "2 peers"][second] && wait == nil)
    }
  }

  @Test func `However many peers come and go, there is a line a second at most, with the number of changes`()
  {
    var tally = PeerTally()
    var lines = 0
    var due: ContinuousClock.Instant?
    for change in 0..<4000 {
      let now = start + .milliseconds(change)
      if let time = due, time <= now {
        lines += tally.due(at: time) == nil ? 0 : 1
        due = nil
      }
      let (line, wait) = tally.changed(to: change % 7, at: now)
      lines += line == nil ? 0 : 1
      if let wait { due = now + wait }
    }
    #expect(lines == 4)
    let last = tally.due(at: start + .seconds(10))
    #expect(last?.text.hasPrefix("\(3999 % 7) peers, after ") == true)
    let none = tally.due(at: start + .seconds(20))
    #expect(none == nil)
  }
}
