import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

@Suite struct StartStopTests {
  /// A world in which the first cycle has set the levels.
  static func settled(peers: Int = 1) -> World {
    var world = World()
    world.peers = peers
    world.cycle()
    return world
  }

  @Test("Coming into a world that plays presses nothing", arguments: [true, false], [true, false])
  func firstCycle(jack: Bool, link: Bool) {
    var world = World()
    world.transport = jack ? .rolling : .stopped
    world.linkIsPlaying = link
    let decision = world.cycle().decision
    #expect(decision == Decision())
    #expect(world.cycle().decision == Decision())
  }

  @Test("A start or stop of JACK is told to Link once")
  func jackPresses() {
    var world = Self.settled()
    world.transport = .starting
    #expect(world.cycle().decision.link.isPlaying == true)
    world.linkIsPlaying = true
    world.transport = .rolling
    #expect(world.cycle().decision == Decision())
    world.transport = .stopped
    #expect(world.cycle().decision.link.isPlaying == false)
    world.linkIsPlaying = false
    #expect(world.cycle().decision == Decision())
  }

  @Test("A start or stop of a Link peer is asked of JACK once, and its echo swallowed")
  func linkPresses() {
    var world = Self.settled()
    world.linkIsPlaying = true
    world.timeForIsPlaying = world.now
    #expect(world.cycle().decision.transport == .start)
    #expect(world.cycle().decision == Decision())
    world.transport = .starting
    #expect(world.cycle().decision == Decision())
    world.transport = .rolling
    #expect(world.cycle().decision == Decision())
    world.linkIsPlaying = false
    #expect(world.cycle().decision.transport == .stop)
    world.transport = .stopped
    #expect(world.cycle().decision == Decision())
  }

  @Test("Whoever presses last decides, also while an echo is awaited")
  func lastPressWins() {
    var world = Self.settled()
    world.linkIsPlaying = true
    world.timeForIsPlaying = world.now
    #expect(world.cycle().decision.transport == .start)
    world.transport = .rolling
    world.cycle()
    world.transport = .stopped
    #expect(world.cycle().decision.link.isPlaying == false)
  }

  @Test("When JACK does not follow, Link is told what JACK does")
  func jackDoesNotFollow() {
    var world = Self.settled()
    world.linkIsPlaying = true
    world.timeForIsPlaying = world.now
    #expect(world.cycle().decision.transport == .start)
    var told: Bool?
    for _ in 0..<200 where told == nil { told = world.cycle().decision.link.isPlaying }
    #expect(told == false)
  }

  @Test("Joining a session that plays does not start JACK; a press after that does")
  func joiningPlayingSession() {
    var world = World()
    for _ in 0..<10 { world.cycle() }
    let pressed = world.now - HostInterval(nanoseconds: 5_000_000_000)
    world.peers = 1
    world.cycle()
    world.linkIsPlaying = true
    world.timeForIsPlaying = pressed
    #expect(world.cycle().decision == Decision())
    world.linkIsPlaying = false
    world.timeForIsPlaying = world.nextOutput
    #expect(world.cycle().decision == Decision())
    world.linkIsPlaying = true
    world.timeForIsPlaying = world.nextOutput
    #expect(world.cycle().decision.transport == .start)
  }

  @Test("Without start/stop sync nothing is carried")
  func off() {
    var world = World(.init(startStopSync: false))
    world.cycle()
    world.linkIsPlaying = true
    #expect(world.cycle().decision == Decision())
    world.transport = .rolling
    #expect(world.cycle().decision == Decision())
  }

  @Test("After any presses on both sides, JACK and Link soon agree")
  func agreement() {
    forAll(300) { seed, random in
      var world = Self.settled()
      for step in 0..<600 {
        if step < 300, random.oneIn(10) {
          world.transport = world.transport == .stopped ? .rolling : .stopped
        }
        if step < 300, random.oneIn(10) {
          world.linkIsPlaying.toggle()
          world.timeForIsPlaying = world.now
        }
        let decision = world.cycle().decision
        if let isPlaying = decision.link.isPlaying { world.linkIsPlaying = isPlaying }
        // JACK obeys most of the time.
        if let request = decision.transport, !random.oneIn(4) {
          world.transport = request == .start ? .rolling : .stopped
        }
      }
      #expect(world.transport.isPlaying == world.linkIsPlaying, "seed \(seed)")
    }
  }
}
