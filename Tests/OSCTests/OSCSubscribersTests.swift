import Testing

@testable import OSC

@Suite struct OSCSubscribersTests {
  @Test func `There are so many at most, each for its time, which is renewed`() {
    var subscribers = OSCSubscribers<Int>()
    let start = ContinuousClock.now
    let term = Duration.seconds(OSCSubscribers<Int>.term)
    let most = OSCSubscribers<Int>.most
    let taken = (0...most).map { subscribers.subscribed($0, at: start) }
    #expect(taken == Array(repeating: true, count: most) + [false])
    let isRenewed = subscribers.subscribed(0, at: start + term / 2)
    #expect(isRenewed, "who is one may say so again")
    var current = subscribers.current(at: start + term - .milliseconds(1))
    #expect(current.count == most)
    current = subscribers.current(at: start + term)
    #expect(current == [0])
    let isTaken = subscribers.subscribed(most, at: start + term)
    #expect(isTaken)
    for _ in 0..<2 { subscribers.unsubscribed(0) }
    current = subscribers.current(at: start + term)
    #expect(current == [most])
    current = subscribers.current(at: start + term * 2)
    #expect(current == [])
  }
}
