import Testing

@testable import AbletonLink

extension AbletonLinkTests {
  @Suite("A broadcast")
  struct BroadcastTests {
    @Test func `Every listener gets every value in order`() async {
      let broadcast = Broadcast<Int>()
      let streams = [broadcast.stream(), broadcast.stream(), broadcast.stream()]
      for value in 0..<10 { broadcast.send(value) }
      broadcast.finish()
      for stream in streams {
        #expect(await stream.reduce(into: []) { $0.append($1) } == Array(0..<10))
      }
    }

    @Test func `A listener that does not take its values keeps the newest sixteen`() async {
      let broadcast = Broadcast<Int>()
      let stream = broadcast.stream()
      for value in 0..<100 { broadcast.send(value) }
      broadcast.finish()
      #expect(await stream.reduce(into: []) { $0.append($1) } == Array(84..<100))
    }

    @Test func `A listener that leaves is forgotten, and the others stay`() async {
      let broadcast = Broadcast<Int>()
      let stays = broadcast.stream()
      let leaves = broadcast.stream()
      let listener = Task { for await _ in leaves {} }
      listener.cancel()
      await listener.value
      #expect(broadcast.numberOfListeners == 1)
      broadcast.send(7)
      #expect(await next(of: stays) == 7)
    }

    @Test func `A stream of a finished broadcast ends at once`() async {
      let broadcast = Broadcast<Int>()
      broadcast.finish()
      #expect(await broadcast.stream().first { _ in true } == nil)
    }
  }
}
