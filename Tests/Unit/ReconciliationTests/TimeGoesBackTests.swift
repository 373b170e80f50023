import MusicalTime
import Reconciliation
import Testing

/// The time of the next cycle at output goes back when the output latency falls: by milliseconds where a
/// sound card's changes, by any time where its first one was wrong.
@Suite struct TimeGoesBackTests {
  @Test("A start that JACK ignored does not stand in the way of the next when time has gone back")
  func start() {
    var world = World()
    world.peers = 1
    world.cycle()
    world.latency = HostInterval.seconds(3600)
    world.cycle()
    world.linkIsPlaying = true
    world.timeForIsPlaying = world.now
    #expect(world.cycle().decision.transport == .start)
    world.latency = .milliseconds(10)
    for _ in 0..<200 { world.cycle() }
    world.command = .start
    #expect(world.cycle().decision.transport == .start)
  }

  @Test("A position is not held back for as long as time has gone back")
  func position() throws {
    var world = World()
    world.peers = 1
    world.transport = .rolling
    world.latency = HostInterval.seconds(60)
    for _ in 0..<10 { world.cycle() }
    world.latency = .milliseconds(10)
    world.cycle()
    let first = try #require(world.cycle().entry).position.position
    for _ in 0..<100 { world.cycle() }
    let last = try #require(world.cycle().entry).position.position
    #expect(last - first > .one)
  }
}
