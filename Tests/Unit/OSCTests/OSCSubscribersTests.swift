import Testing

@testable import OSC

@Suite struct OSCSubscribersTests {
  private typealias Subscribers = OSCSubscribers<Int, String>
  private let start = ContinuousClock.now

  @Test func `There are so many at most, each for its time, which is renewed`() {
    var subscribers = Subscribers()
    let term = Duration.seconds(Subscribers.term)
    let most = Subscribers.most
    let taken = (0...most).map { subscribers.subscribed($0, of: nil, at: start) }
    #expect(taken == Array(repeating: true, count: most) + [false])
    let isRenewed = subscribers.subscribed(0, of: nil, at: start + term / 2)
    #expect(isRenewed, "who is one may say so again")
    var current = subscribers.current(at: start + term - .milliseconds(1))
    #expect(current.count == most)
    current = subscribers.current(at: start + term)
    #expect(current == [0])
    let isTaken = subscribers.subscribed(most, of: nil, at: start + term)
    #expect(isTaken)
    for _ in 0..<2 { subscribers.unsubscribed(0) }
    current = subscribers.current(at: start + term)
    #expect(current == [most])
    current = subscribers.current(at: start + term * 2)
    #expect(current == [])
  }

  @Test func `However many one machine subscribes, this machine and every other still have a place`() {
    var subscribers = Subscribers()
    let greedy = (0..<20).count { subscribers.subscribed($0, of: "greedy", at: start) }
    #expect(greedy == Subscribers.mostOfOne)
    // Several that take all that one may have leave a place for one that has none.
    for (index, machine) in ["a", "b", "c"].enumerated() {
      for port in 0..<Subscribers.mostOfOne {
        let isTaken = subscribers.subscribed(100 * (index + 1) + port, of: machine, at: start)
        #expect(isTaken)
      }
    }
    #expect(subscribers.current(at: start).count == Subscribers.most)
    let tablet = subscribers.subscribed(900, of: "tablet", at: start)
    #expect(tablet)
    #expect(subscribers.current(at: start).count == Subscribers.most)
    // None of them takes a place from the tablet.
    for port in 500..<520 { _ = subscribers.subscribed(port, of: "a", at: start) }
    #expect(subscribers.current(at: start).contains(900))
    let own = (1000..<1000 + Subscribers.most).count { subscribers.subscribed($0, of: nil, at: start) }
    #expect(own == Subscribers.most)
  }
}
