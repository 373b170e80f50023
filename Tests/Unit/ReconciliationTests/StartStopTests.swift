import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// Starts and stops are edges: the last press decides, and echoes are no press.
@Suite struct StartStopTests {
  private static func starts(_ studio: Studio) -> Int { studio.decisions.count { $0.transport == .start } }
  private static func stops(_ studio: Studio) -> Int { studio.decisions.count { $0.transport == .stop } }
  private static func told(_ studio: Studio) -> [Bool] {
    studio.decisions.compactMap { $0.link.isPlaying?.isPlaying }
  }

  @Test("Coming into a world that plays presses nothing", arguments: [true, false], [true, false])
  func firstCycle(jack: Bool, link: Bool) {
    var studio = Studio()
    if jack { studio.engine.put(.rolling) }
    if link { studio.peerPlays() }
    studio.run(seconds: 3)
    #expect(Self.starts(studio) == 0 && Self.stops(studio) == 0)
    #expect(Self.told(studio).isEmpty)
  }

  @Test func `A command in the very first cycle is obeyed`() {
    var studio = Studio()
    #expect(studio.run(after: .command(.start)) { $0.isRolling })
  }

  @Test func `Alone, the position waits for a slow client as the transport does`() throws {
    var studio = LaunchTests.warm()
    studio.run(seconds: 2, after: .peersLeave(1))
    studio.engine.slowClients = [.init(needs: 600)]
    studio.asks = true
    #expect(studio.run(after: .clientStarts) { $0.isRolling })
    let after = try #require(studio.shown).position.position
    #expect(after == .zero)
  }

  @Test func `A roll that was not held comes into phase also where a deadline was missed as it began`() {
    for stall in [HostInterval.zero, .milliseconds(20)] {
      var studio = Studio()
      studio.isHeeded.jack = false
      studio.run(seconds: 21)
      studio.happen(.stalls(for: stall))
      studio.engine.put(.rolling)
      let isMoved = studio.run(seconds: 2) {
        if case .relocate = $0.decisions.last?.transport { true } else { false }
      }
      #expect(isMoved, "after a stall of \(stall)")
    }
  }

  @Test func `A start or stop of JACK is committed to Link once`() {
    var studio = LaunchTests.warm()
    studio.run(after: .clientStarts) { $0.isRolling }
    studio.run(seconds: 2)
    #expect(Self.told(studio) == [true])
    studio.run(seconds: 2, after: .clientStops)
    #expect(Self.told(studio) == [true, false])
    #expect(Self.starts(studio) == 0 && Self.stops(studio) == 0)
  }

  @Test func `A start or stop of a Link peer is asked of JACK once, and its echo swallowed`() {
    var studio = LaunchTests.warm()
    studio.run(after: .peerStarts(in: .zero)) { $0.isRolling }
    studio.run(seconds: 2)
    #expect(Self.starts(studio) == 1)
    studio.run(seconds: 2, after: .peerStops)
    #expect(Self.starts(studio) == 1 && Self.stops(studio) == 1)
    #expect(Self.told(studio).isEmpty)
    #expect(studio.engine.motion == .stopped && !studio.isPlaying)
  }

  @Test(arguments: [0.02, 0.1, 0.3, 0.9])
  func `A peer's stop is obeyed at once, however soon after the bridge's start`(after seconds: Double) {
    var studio = LaunchTests.warm()
    studio.run(seconds: seconds, after: .clientStarts)
    studio.run(seconds: 0.05, after: .peerStops)
    #expect(studio.engine.motion == .stopped && !studio.isPlaying)
  }

  @Test(
    "A press of a peer's right after another one of JACK's ends agreed, in the same cycle too",
    arguments: [true, false], 0...3)
  func pressUponPress(jackStarts: Bool, later cycles: Int) {
    // JACK and the session can differ when one of them was joined.
    var studio = Studio()
    if jackStarts { studio.peerPlays() } else { studio.engine.put(.rolling) }
    studio.run(seconds: 2)
    studio.happen(jackStarts ? .clientStarts : .clientStops)
    for _ in 0..<cycles { studio.step() }
    studio.run(seconds: 8, after: jackStarts ? .peerStops : .peerStarts(in: .zero))
    #expect((studio.engine.motion != .stopped) == studio.isPlaying, "\(studio.engine.motion)")
  }

  @Test(arguments: [(.clientStarts, .clientStops), (.peerStarts(in: .zero), .peerStops)] as [(Event, Event)])
  func `Start, stop and start again within a period end in the last wish`(start: Event, stop: Event) {
    var studio = LaunchTests.warm()
    studio.run(seconds: 3, after: start, stop, start)
    #expect(studio.isRolling && studio.isPlaying)
  }

  @Test func `A stop right after a locate is obeyed`() {
    for gap in 0..<4 {
      var studio = LaunchTests.warm()
      studio.run(after: .clientStarts) { $0.isRolling }
      studio.run(seconds: 1)
      studio.engine.locate(to: 1_000_000)
      for _ in 0..<gap { studio.step() }
      studio.run(seconds: 3, after: .clientStops)
      #expect(studio.engine.motion == .stopped && !studio.isPlaying, "\(gap) cycles later")
    }
  }

  @Test("A client that locates all the time while a start is held can be stopped, and rolls when it is done")
  func locateLoop() {
    var studio = LaunchTests.warm()
    studio.engine.start()
    for _ in 0..<2000 {
      studio.engine.locate(to: 480_000)
      studio.step()
    }
    var stopped = studio
    stopped.run(seconds: 0.1, after: .clientStops)
    #expect(stopped.engine.motion == .stopped && !stopped.isPlaying)
    #expect(studio.run(seconds: 5) { $0.isRolling })
    #expect(studio.frameError.magnitude <= LaunchTests.frame)
  }

  @Test func `A session that stands keeps standing for a peer that joins, although JACK rolls`() {
    var studio = Studio()
    studio.engine.put(.rolling)
    studio.run(seconds: 2)
    studio.run(seconds: 3, after: .peersJoin(1, nil))
    #expect(studio.isRolling && Self.told(studio).isEmpty)
  }

  @Test("Link may show the session's state before the bridge's press once more, which is no peer's press")
  func showsOlder() {
    var studio = LaunchTests.warm(.init(launch: .now))
    let before = studio.observation?.link.play
    studio.run(after: .clientStarts) { $0.isPlaying }
    studio.step()
    let first = studio.decisions.count
    studio.shownPlay = before
    studio.step()
    studio.shownPlay = nil
    studio.run(seconds: 1)
    let decisions = studio.decisions[first...]
    #expect(decisions.allSatisfy { $0.press == nil && $0.transport == nil && $0.link.isPlaying == nil })
  }

  @Test func `When JACK does not follow, JACK's state is committed to Link`() {
    var studio = Studio()
    studio.isHeeded.jack = false
    studio.run(seconds: 0.1)
    studio.peerPlays()
    #expect(studio.step().transport == .start)
    studio.run(seconds: 1) { !$0.isPlaying }
    #expect(Self.told(studio) == [false])
  }

  @Test func `A start that JACK ignored does not stand in the way of the next when time has gone back`() {
    var studio = Studio()
    studio.isHeeded.jack = false
    studio.step()
    // A sound card's first latency may be wrong by any time.
    studio.latency = .seconds(3600)
    studio.step()
    studio.peerPlays()
    #expect(studio.step().transport == .start)
    studio.latency = .milliseconds(10)
    studio.run(seconds: 1)
    studio.command = .start
    #expect(studio.step().transport == .start)
  }

  @Test func `When Link has taken another's press, JACK follows that`() {
    var studio = LaunchTests.warm()
    studio.isHeeded.link = false
    studio.run(seconds: 4, after: .clientStarts)
    #expect(studio.engine.motion == .stopped)
  }

  @Test(arguments: [true, false])
  func `Alone for a while, JACK's state is committed to Link, so that a new peer finds it`(rolls: Bool) {
    var studio = Studio()
    // The state of the session that was left is the opposite.
    if rolls { studio.engine.put(.rolling) } else { studio.peerPlays() }
    studio.run(seconds: 3, after: .peersLeave(1))
    #expect(studio.isRolling == rolls && studio.isPlaying == rolls)
    #expect(Self.told(studio) == [rolls])
  }

  @Test func `That JACK rolls is committed once more when Link begins to take part, which makes it forget`() {
    var studio = Studio(peers: 0)
    studio.isEnabled = false
    studio.run(seconds: 3, after: .clientStarts)
    #expect(Self.told(studio) == [true])
    studio.isEnabled = true
    studio.run(seconds: 3)
    #expect(Self.told(studio) == [true, true])
    studio.run(seconds: 3, after: .clientStops)
    #expect(Self.told(studio) == [true, true, false])
  }

  @Test(
    "A peer that joins a rolling JACK's session learns that it plays; a session that the bridge joins does not"
  )
  func arrival() {
    var studio = Studio(peers: 0)
    studio.run(seconds: 2)
    studio.run(seconds: 5, after: .clientStarts)
    let before = Self.told(studio).count
    var joined = studio
    let arrived = studio.now
    studio.run(seconds: 2, after: .peersJoin(1, nil))
    #expect(Self.told(studio).dropFirst(before) == [true])
    studio.run(seconds: 2, after: .peersJoin(1, nil))
    #expect(Self.told(studio).dropFirst(before) == [true, true])
    joined.peers = 1
    joined.shiftGrid(by: Beats(nanobeats: 1_234_000_000))
    joined.run(seconds: 2)
    #expect(Self.told(joined).count == before)
    // Another bridge sees that the press is older than its joining.
    let times = studio.decisions.compactMap { $0.link.isPlaying?.time }.suffix(2)
    #expect(Set(times).count == 2)
    #expect(times.allSatisfy { ($0 - times[times.startIndex]).magnitude <= HostInterval(microseconds: 4) })
    #expect(times.allSatisfy { $0 < arrived })
  }

  @Test(arguments: [0, 1], [true, false])
  func `Of starts and stops in each cycle few are committed to Link, and the last one always`(
    peers: Int, endsRolling: Bool
  ) {
    var studio = LaunchTests.warm(.init(launch: .now))
    studio.peers = peers
    studio.run(seconds: 3)
    let before = Self.told(studio).count
    for count in 0..<375 {
      if count.isMultiple(of: 2) { studio.engine.start() } else { studio.engine.stop() }
      studio.step()
    }
    if endsRolling { studio.engine.start() } else { studio.engine.stop() }
    studio.run(seconds: 4)
    // One in 50 ms for two seconds.
    #expect(Self.told(studio).count - before <= 42)
    #expect(studio.isRolling == endsRolling && studio.isPlaying == endsRolling)
    let times = studio.decisions.compactMap { $0.link.isPlaying?.time }
    #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `A peer's play counts at once with the stamp that its play had before JACK stopped`() {
    var studio = LaunchTests.warm()
    let stamp = studio.now + .milliseconds(1_500)
    studio.peerPlays(at: stamp)
    #expect(studio.run(seconds: 1) { $0.engine.motion == .starting })
    studio.run(seconds: 0.2)
    studio.run(seconds: 0.3, after: .clientStops)
    #expect(!studio.isPlaying && studio.engine.motion == .stopped)
    studio.peerPlays(at: stamp)
    #expect(studio.run(seconds: 0.1) { $0.engine.motion == .starting })
    #expect(studio.run(seconds: 4) { $0.isRolling })
  }

  @Test func `A peer's stop counts at once though all its presses have the same stamp`() {
    var studio = LaunchTests.warm()
    let stamp = HostTime<LinkClock>(nanoseconds: 0)
    studio.run(seconds: 4)
    studio.peerPlays(at: stamp)
    #expect(studio.run(seconds: 4) { $0.isRolling })
    for _ in 0..<3 {
      studio.peerStops(at: stamp)
      #expect(studio.run(seconds: 1.5) { $0.engine.motion == .stopped })
      #expect(studio.run(seconds: 4, after: .clientStarts) { $0.isPlaying })
      studio.run(seconds: 0.2)
      studio.peerStops(at: stamp)
      #expect(studio.run(seconds: 0.1) { $0.engine.motion == .stopped })
      studio.peerPlays(at: stamp)
      #expect(studio.run(seconds: 4) { $0.isRolling })
      studio.run(seconds: 1.5)
    }
  }

  @Test(arguments: [0.6, 1.8, 2.4])
  func `However often a peer repeats that the session plays, joining starts nothing`(seconds: Double) {
    var studio = Studio(peers: 0)
    studio.run(seconds: 1)
    let pressed = studio.now - .milliseconds(5_000)
    studio.peers = 1
    studio.shiftGrid(by: Beats(nanobeats: 1_300_000_000))
    for count in 0..<4 {
      studio.run(seconds: 0.5)
      studio.peers += 1
      studio.run(seconds: seconds)
      studio.peerPlays(at: HostTime(microseconds: pressed.microseconds - Int64(count)))
    }
    studio.run(seconds: 3)
    #expect(Self.starts(studio) == 0 && Self.told(studio).isEmpty)
    #expect(studio.run(seconds: 3, after: .peerStarts(in: .zero)) { $0.isRolling })
  }

  /// A start that is held, in place, from a quarter before beat 20 of Link's on.
  private static func placed(_ rules: ServerRules = .jackd2) -> Studio {
    var studio = LaunchTests.warm(.init(frameAlignment: .exact, rules: rules))
    studio.shiftGrid(by: Beats(nanobeats: 1_234_567_890))
    studio.run(seconds: 0.5, after: .clientLocates(frame: 474_000))
    studio.engine.start()
    studio.run { if case .relocate = $0.decisions.last?.transport { true } else { false } }
    for _ in 0..<4 { studio.step() }
    return studio
  }

  @Test(arguments: [ServerRules.jackd2, .modernPipewire], 0..<12)
  func `A locate just after a start is cancelled is where the playhead stays`(
    rules: ServerRules, cycles: Int
  ) {
    var studio = Self.placed(rules)
    studio.engine.stop()
    for _ in 0..<cycles { studio.step() }
    studio.run(seconds: 0.5, after: .clientLocates(frame: 1_000_000))
    #expect(studio.engine.motion == .stopped && studio.engine.frame == 1_000_000)
    // So it does where it rolls from there.
    studio.engine.start()
    #expect(studio.run { $0.isRolling })
    #expect((0..<256).contains(1_000_000 - Int(studio.engine.frame.number)))
  }

  @Test(arguments: [ServerRules.jackd2, .modernPipewire], 1..<12)
  func `A start after a cancelled one begins where that did, also before the playhead is back`(
    rules: ServerRules, cycles: Int
  ) {
    var studio = Self.placed(rules)
    studio.engine.stop()
    for _ in 0..<cycles { studio.step() }
    studio.engine.start()
    #expect(studio.run { $0.isRolling })
    #expect((0...256).contains(474_000 - Int(studio.engine.frame.number)), "\(studio.engine.frame)")
    #expect(studio.frameError.magnitude <= LaunchTests.frame)
    studio.run(seconds: 2)
    #expect(studio.isRolling && studio.isPlaying)
  }

  @Test
  func `A peer's play while a start is held is not before the peer's time, and is asked of JACK no more`() {
    var studio = LaunchTests.warm()
    studio.run(seconds: 0.3, after: .clientStarts)
    let wanted = studio.now + .seconds(5)
    studio.peerPlays(at: wanted)
    #expect(studio.run { $0.isRolling })
    #expect(studio.output >= wanted - .milliseconds(1) && studio.output - wanted < .milliseconds(2_100))
    #expect(studio.frameError.magnitude <= LaunchTests.frame)
    #expect(Self.starts(studio) == 0)
  }

  @Test func `A start that is put off is asked for once, in the second half of what the server holds`() throws
  {
    var studio = LaunchTests.warm(.init(rules: .holding(for: .seconds(5))))
    studio.peerPlays(at: studio.now + .seconds(30))
    #expect(studio.run(seconds: 40) { $0.engine.motion == .starting })
    studio.step()
    let due = try #require(studio.reconciler.pendingLaunch).rollTime
    #expect(due - studio.output < .seconds(2.3) && due - studio.output > .seconds(2))
    #expect(studio.run(seconds: 3) { $0.isRolling })
    #expect(Self.starts(studio) == 1 && Self.stops(studio) == 0)
  }

  @Test(arguments: [ServerRules.jackd2, .holding(for: .seconds(5))], [80.0, 240])
  func `A peer's start is of its beat, also where the tempo changes before it`(
    rules: ServerRules, bpm: Double
  ) {
    var studio = LaunchTests.warm(.init(frameAlignment: .exact, rules: rules))
    let wanted = studio.now + .seconds(10)
    let beat = studio.linkBeat(at: wanted)
    studio.run(seconds: 1, after: .peerStarts(in: .seconds(10)))
    studio.run(seconds: 0.5, after: .peerChangesTempo(to: .bpm(bpm)))
    #expect(studio.run(seconds: 40) { $0.isRolling })
    let late = (studio.linkBeat(at: studio.output) - beat).doubleValue
    #expect(late > -0.05 && late < 4.05, "\(late)")
    #expect(studio.frameError.magnitude <= LaunchTests.frame)
  }

  @Test func `A command to start while a start is held commits nothing that Link has`() {
    var studio = LaunchTests.warm()
    studio.run(seconds: 0.2, after: .clientStarts)
    studio.run(seconds: 0.2, after: .command(.start))
    studio.run(seconds: 0.2, after: .command(.start))
    #expect(studio.engine.motion == .starting && Self.told(studio) == [true])
  }

  @Test func `A stop that is still to be committed is dropped where a peer has pressed play since`() {
    var studio = LaunchTests.warm()
    studio.run(after: .clientStarts) { $0.isRolling }
    studio.run(seconds: 1, after: .clientStops)
    let before = Self.told(studio).count
    // At most one in 50 ms is committed.
    studio.engine.start()
    studio.step()
    studio.step()
    studio.engine.stop()
    studio.step()
    studio.step()
    studio.run(seconds: 5, after: .peerStarts(in: .zero))
    #expect(studio.isRolling && studio.isPlaying)
    #expect(Self.told(studio).dropFirst(before) == [true])
  }

  @Test(arguments: [Event.clientStarts, .peerStarts(in: .zero)])
  func `Another tempo, by which Link maps the time of a start anew, is no press`(start: Event) {
    var studio = LaunchTests.warm()
    studio.run(after: start) { $0.isRolling }
    studio.run(seconds: 1)
    let first = studio.decisions.count
    for tempo in [90.0, 171.3, 120] {
      studio.run(seconds: 1.5, after: .peerChangesTempo(to: .bpm(tempo)))
    }
    // A stop is one, and so is a start with the time that the one before had.
    let decisions = studio.decisions[first...]
    #expect(decisions.allSatisfy { $0.press == nil && $0.transport == nil && $0.link.isPlaying == nil })
    studio.run(seconds: 0.2, after: .peerStops)
    #expect(studio.engine.motion == .stopped)
  }

  @Test func `Without start/stop sync nothing is carried, and a start is in phase all the same`() {
    var studio = LaunchTests.warm(.init(startStopSync: .off))
    studio.run(seconds: 3, after: .peerStarts(in: .zero))
    #expect(studio.engine.motion == .stopped)
    #expect(studio.run(seconds: 3, after: .clientStarts) { $0.isRolling })
    #expect(studio.frameError.magnitude <= LaunchTests.frame)
    studio.run(seconds: 1, after: .clientStops)
    #expect(Self.told(studio).isEmpty && studio.isPlaying)
  }

  @Test("A user's own start and stop are a JACK client's", arguments: [0, 1])
  func commands(peers: Int) {
    var studio = LaunchTests.warm()
    studio.peers = peers
    #expect(studio.run(seconds: 3, after: .command(.start)) { $0.isRolling })
    studio.run(seconds: 1)
    #expect(studio.isPlaying)
    studio.run(seconds: 1, after: .command(.stop))
    #expect(studio.engine.motion == .stopped && !studio.isPlaying)
    studio.run(seconds: 1, after: .peerStarts(in: .milliseconds(60_000)))
    studio.run(seconds: 70, after: .command(.stop))
    #expect(studio.engine.motion == .stopped && !studio.isPlaying)
  }

  @Test(arguments: 0...3)
  func `A start right after the stop of a peer that leaves waits for no beat`(cycles: Int) {
    for beats in 0..<4 {
      var studio = LaunchTests.warm()
      #expect(studio.run(seconds: 3, after: .command(.start)) { $0.isRolling })
      studio.run(seconds: 1.3 + Double(beats) / 2)
      studio.peerStops()
      for _ in 0..<cycles { studio.step() }
      studio.happen(.command(.start))
      studio.step()
      studio.peers = 0
      studio.run(seconds: 0.2)
      #expect(studio.isRolling, "\(beats) beats on")
    }
  }

  @Test(
    arguments: [.command(.start), .peerStarts(in: .zero)] as [Event],
    [ServerRules.jackd2, .modernPipewire])
  func `A start right after a peer's stop counts as the last press`(start: Event, rules: ServerRules) {
    for cycles in 0..<4 {
      var studio = LaunchTests.warm(.init(frameAlignment: .exact, rules: rules))
      studio.run(after: .peerStarts(in: .zero)) { $0.isRolling }
      studio.run(seconds: 1, after: .clientLocates(frame: 96_000))
      studio.run { $0.isRolling }
      studio.peerStops()
      for _ in 0..<cycles { studio.step() }
      studio.run(seconds: 5, after: start)
      #expect(studio.isRolling && studio.isPlaying, "\(cycles) cycles later")
      #expect(studio.frameError.magnitude <= LaunchTests.frame, "\(cycles) cycles later")
    }
  }
}
