import JACK
import Testing

@testable import Bridge

@Suite struct ServerWaitTests {
  @Test func `The first reason is reported at once, and another one when it lasts`() {
    let (none, starting) = (
      JACKError.serverNotRunning(server: "a"), JACKError.serverUnreachable(server: "a", .starting(process: 7))
    )
    let other = JACKError.serverUnreachable(server: "a", .pipeWire)
    var wait = ServerWait()
    var now = ContinuousClock.now
    func news(_ reason: JACKError) -> JACKError? {
      #expect(wait.isLookDue(at: now))
      let news = wait.news(reason, at: now)
      #expect(!wait.isLookDue(at: now + .milliseconds(1900)))
      now += ServerWait.interval
      return news
    }
    #expect(news(none) == none)
    #expect(news(none) == nil)
    #expect(news(starting) == nil)
    #expect(news(none) == nil)
    #expect(news(other) == nil)
    #expect(news(other) == other)
    #expect(news(other) == nil)
    #expect(news(none) == nil)
    #expect(news(none) == nil)
    #expect(news(other) == nil)
  }
}
