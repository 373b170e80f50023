import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation
import Testing

/// JACK freewheels: the reconciler decides nothing, and the position goes with the frames.
@Suite struct RenderTests {
  private static func studio(rolling: Bool = false) -> Studio {
    var studio = Studio()
    studio.run(seconds: 1)
    guard rolling else { return studio }
    studio.run(after: .clientStarts) { $0.isRolling }
    studio.run(seconds: 1.3)
    return studio
  }

  @Test func `The position goes with the frames, from any place, to wherever a client locates`() throws {
    try forAll(40) { seed, random in
      var studio = Self.studio(rolling: random.oneIn(2))
      studio.isFreewheeling = true
      studio.cycle()
      var (frame, position) = (studio.engine.frame, studio.shown?.position.position ?? .zero)
      studio.engine.start()
      for _ in 0..<5 {
        if random.oneIn(2) {
          studio.engine.locate(to: TransportFrame(.random(in: 0...5_000_000, using: &random)))
          // Somewhere else it is as where frames and tempo put it: frame 0 is bar 1.
          (frame, position) = (0, .zero)
        }
        studio.run(seconds: .random(in: 0.1...1, using: &random))
        guard studio.isRolling else { continue }
        let way = studio.engine.frame - frame
        let expected = position + studio.tempo.beats(in: way, at: .standard)
        let read = try #require(studio.shown).position.position
        // To a tick.
        #expect((read - expected).magnitude.doubleValue < 2e-6, "seed \(seed): \(read)")
      }
    }
  }

  @Test func `Nothing is asked of Link or JACK, whatever peers press, and no start is held`() {
    var studio = Self.studio()
    studio.isFreewheeling = true
    let first = studio.decisions.count
    studio.run(seconds: 0.5, after: .peerStarts(in: .zero))
    studio.run(seconds: 0.2, after: .clientStarts)
    #expect(studio.isRolling)
    studio.run(seconds: 0.5, after: .peerStops)
    #expect(studio.isRolling)
    for decision in studio.decisions.dropFirst(first) {
      #expect(decision.link.isEmpty && decision.transport == nil && !decision.holdsStart)
    }
    let told = studio.decisions.dropFirst(first).compactMap(\.notice)
    #expect(told == [.pressIgnored(isPlaying: true), .pressIgnored(isPlaying: false)])
  }

  @Test func `A press that Link has not been given as it begins is dropped`() throws {
    var studio = Self.studio()
    studio.run(after: .command(.start)) { $0.isPlaying }
    let first = studio.decisions.count
    studio.run(seconds: 0.02, after: .command(.stop))
    studio.isFreewheeling = true
    studio.run(seconds: 0.5)
    studio.isFreewheeling = false
    studio.run(seconds: 0.5)
    #expect(studio.decisions.dropFirst(first).allSatisfy(\.link.isEmpty) && studio.isPlaying)
  }

  @Test func `That it begins and that it is over is news, and nothing in it is`() {
    var studio = Self.studio()
    for isFreewheeling in [true, false] {
      studio.isFreewheeling = isFreewheeling
      studio.cycle()
      #expect(studio.decisions.last?.isNews == true)
      studio.cycle()
      #expect(studio.decisions.last?.isNews == false)
    }
  }

  @Test("When it is over nothing starts or stops, a rolling transport is in phase, and the next press counts")
  func returns() throws {
    var studio = Self.studio(rolling: true)
    studio.isFreewheeling = true
    studio.run(seconds: 0.7)
    let last = try #require(studio.shown).position.position
    studio.isFreewheeling = false
    let first = studio.decisions.count
    studio.run(seconds: 1)
    let read = try #require(studio.shown).position.position
    #expect(read > last && read < last + Beats(nanobeats: 8_000_000_000))
    #expect(studio.isShownInPhase(within: .milliseconds(0.01)))
    for decision in studio.decisions.dropFirst(first) {
      #expect(decision.link.isEmpty && decision.transport == nil && !decision.holdsStart)
    }
    studio.run(seconds: 0.5, after: .peerStops)
    #expect(!studio.isRolling)
  }

  @Test func `A start that is cancelled after it leaves what is read where the render has left it`() throws {
    var studio = Self.studio(rolling: true)
    studio.isFreewheeling = true
    studio.run(seconds: 0.7)
    studio.run(seconds: 0.2, after: .clientStops)
    studio.isFreewheeling = false
    studio.run(seconds: 0.5)
    let left = try #require(studio.shown).position.position
    studio.run(seconds: 0.1, after: .clientStarts)
    #expect(studio.engine.motion == .starting)
    studio.run(seconds: 0.5, after: .clientStops)
    let entry = studio.reconciler.entry(forFrame: studio.engine.frame)
    #expect(try #require(entry).position.position == left)
  }

  @Test func `It goes on from the first position of a timebase that has just become the bridge's`() throws {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.daw = SelectionTests.daw(120, at: 1.7)
    studio.run(after: .clientStarts) { $0.isRolling }
    studio.run(seconds: 3.3)
    let frame = studio.engine.pendingFrame
    let entry = studio.reconciler.entry(forFrame: frame)
    let position = try #require(entry).exact
    (studio.owner, studio.isFreewheeling) = (.me, true)
    studio.run(seconds: 0.5)
    let expected = position + studio.tempo.beats(in: studio.engine.frame - frame, at: .standard)
    let read = try #require(studio.shown).exact
    #expect((read - expected).magnitude.doubleValue < 2e-6, "\(read), not \(expected)")
  }

  @Test("It ends a start, and what was to follow one, at any time", arguments: 0...8)
  func endsStarts(cycles: Int) throws {
    var rolling = LaunchTests.warm(.init())
    rolling.run(after: .clientStarts) { $0.isRolling }
    var cancelled = LaunchTests.warm(.init())
    cancelled.engine.put(.stopped, at: 1_000_000)
    cancelled.run(seconds: 0.3)
    cancelled.run(after: .clientStarts) { $0.engine.frame != 1_000_000 }
    cancelled.run(after: .clientStops) { $0.engine.motion == .stopped }
    for before in [rolling, cancelled] {
      var studio = before
      for _ in 0..<cycles { studio.step() }
      studio.isFreewheeling = true
      studio.run(seconds: 0.1)
      // It goes on elsewhere.
      studio.engine.locate(to: 3_000_000)
      studio.run(seconds: 0.1)
      studio.isFreewheeling = false
      let first = studio.decisions.count
      studio.run(seconds: 3)
      #expect(studio.decisions.dropFirst(first).compactMap(\.transport) == [])
    }
  }

  @Test func `A tempo that a user wants meanwhile is the session's when it is over`() throws {
    var studio = Self.studio()
    studio.isFreewheeling = true
    studio.run(seconds: 0.2)
    let wanted = try #require(Tempo(beatsPerMinute: 97))
    studio.run(seconds: 0.2, after: .command(.proposeTempo(wanted)))
    #expect(studio.tempo == .standard)
    studio.isFreewheeling = false
    studio.run(seconds: 0.2)
    #expect(studio.tempo.isSameOnTheWire(as: wanted))
  }

  @Test func `So does one that is asked for with the mode that makes it the user's to set`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    #expect(studio.reconciler.leader == .jack)
    studio.isFreewheeling = true
    studio.run(seconds: 0.2)
    studio.run(seconds: 0.1, after: .choice(.mode(.link)))
    studio.run(seconds: 0.1, after: .command(.proposeTempo(.bpm(97))))
    studio.isFreewheeling = false
    studio.run(seconds: 3)
    #expect(studio.tempo == .bpm(97))
  }

  @Test func `One that is asked for while JACK leads is refused, and not set when that is over`() {
    var studio = SelectionTests.followed(bpm: 120, peers: 1)
    studio.isFreewheeling = true
    studio.run(seconds: 0.2)
    studio.run(seconds: 0.1, after: .command(.proposeTempo(.bpm(97))))
    #expect(studio.decisions.count { $0.gridNotice == .tempoIsJACKs } == 1)
    studio.isFreewheeling = false
    studio.run(seconds: 1)
    studio.owner = .me
    studio.run(seconds: 3)
    #expect(studio.tempo == .bpm(120))
  }

  @Test("A press that shows in the first cycle after it counts", arguments: [false, true])
  func pressAtTheEnd(isStop: Bool) {
    var studio = Self.studio(rolling: isStop)
    studio.isFreewheeling = true
    studio.run(seconds: 0.3)
    studio.isFreewheeling = false
    if isStop { studio.peerStops() } else { studio.peerPlays() }
    studio.run(seconds: 8) { $0.isRolling != isStop }
    #expect(studio.isRolling != isStop)
  }

  @Test func `A user's start and stop are asked of JACK in it, and nothing is committed to Link`() {
    var studio = Self.studio()
    studio.isFreewheeling = true
    studio.step()
    for (command, request) in [(Command.start, TransportRequest.start), (.stop, .stop)] {
      studio.command = command
      let decision = studio.step()
      #expect(decision.transport == request && decision.link.isEmpty)
      #expect(studio.step().transport == nil)
    }
  }

  @Test func `A locate is carried out in it, once, also one that came too late for the cycle before it`() {
    var studio = Self.studio()
    studio.peerPlays()
    studio.command = .locate(96_000)
    studio.step()
    #expect(studio.decisions.last?.transport == .start)
    studio.isFreewheeling = true
    let first = studio.decisions.count
    studio.run(seconds: 0.1)
    studio.run(seconds: 0.1, after: .command(.locate(48_000)))
    let requests = studio.decisions.dropFirst(first).compactMap(\.transport)
    #expect(requests == [.locate(frame: 96_000), .locate(frame: 48_000)])
  }

  @Test func `A mode that is given again in it acts again when it is over`() {
    var studio = SelectionTests.followed(.init(mode: .jack), bpm: 110, peers: 1)
    studio.run(seconds: 5, after: .clientStarts)
    #expect((studio.tempo.beatsPerMinute - 110).magnitude < 0.05)
    studio.isFreewheeling = true
    studio.run(seconds: 0.1)
    studio.run(seconds: 0.1, after: .peerChangesTempo(to: .bpm(150)))
    studio.run(seconds: 0.1, after: .choice(.mode(.jack)))
    studio.isFreewheeling = false
    #expect(studio.run(seconds: 0.2) { ($0.tempo.beatsPerMinute - 110).magnitude < 0.05 })
  }
}
