import MusicalTime
import Testing

@testable import Reconciliation

/// Link follows an owner of the timebase, and forgets one that publishes nothing any more.
@Suite struct FollowerTests {
  /// An owner, JACK and a session with a peer, in cycles of 5 ms.
  private struct Scene {
    var follower = Follower(quantum: .four, age: 0)
    var link = Tempo.standard
    /// How much faster the sound card runs than it says.
    var skew = 0.0
    var motion = TransportState.stopped
    /// The tempos that the owner plays and declares: it publishes nothing where it plays nothing.
    var played: Double? = 120
    var declared: Double?
    /// Whether it publishes whole ticks.
    var cutsTicks = false
    /// How many frames before the cycle its position is of, as it says.
    var age: UInt32 = 0
    private(set) var edits: [Tempo] = []
    private var observation: Observation
    private var watch = TransportWatch()
    private var frame: TransportFrame = 0
    private var seconds = 10.0
    private var linkBeat = 0.0

    init() throws { observation = try Studio.firstCycle(period: 240) }

    mutating func run(seconds duration: Double) {
      for _ in 0..<Int((duration * 200).rounded()) { cycle() }
    }

    private mutating func cycle() {
      let length = 0.005 / (1 + skew)
      let start = HostTime<LinkClock>(nanoseconds: Int64(seconds * 1e9))
      seconds += length
      linkBeat += length * link.beatsPerMinute / 60
      observation.jack.transport = motion
      observation.jack.frame = frame
      observation.jack.step = watch.observe(
        motion, at: frame, counted: observation.jack.serverFrame + 240, period: 240)
      observation.jack.serverFrame = observation.jack.serverFrame + 240
      (observation.jack.start, observation.jack.delay) = (start, CycleDelay(now: .zero))
      observation.jack.nextOutput = HostTime(nanoseconds: Int64(seconds * 1e9))
      observation.jack.timebase.owner = .other
      observation.jack.timebase.position = .absent
      if let played {
        let age = min(age, frame.number)
        var reading = SelectionTests.daw(played)(frame - FrameCount(Int64(age)))
        if age > 0 { reading.bbtFrameOffset = age }
        reading.beatsPerMinute = declared ?? played
        if cutsTicks { reading.tickDouble = nil }
        observation.jack.timebase.position = reading
      }
      (observation.link.tempo, observation.link.beat) = (link, BeatTime(clamping: linkBeat))
      let edit = follower.update(
        observation, home: nil, imposes: false,
        clock: SampleClock.Reading(isSteady: true, isSettled: true, skew: 0))
      if case .tempo(let edit) = edit {
        link = edit.tempo
        edits.append(link)
      }
      if motion.isRolling { frame = frame + 240 }
    }
  }

  @Test func `A position of some frames before the cycle is of the same place in the song`() throws {
    var (scene, other) = (try Scene(), try Scene())
    other.age = 150
    for _ in 0..<2 {
      scene.run(seconds: 1.5)
      other.run(seconds: 1.5)
      (scene.motion, other.motion) = (.rolling, .rolling)
    }
    let place = try #require(scene.follower.place(at: .standard))
    let otherPlace = try #require(other.follower.place(at: .standard))
    #expect((place.beat - otherPlace.beat).magnitude < Beats(nanobeats: 2_000))
    let error = try #require(scene.follower.phaseError)
    let otherError = try #require(other.follower.phaseError)
    #expect((error - otherError).magnitude < HostInterval(microseconds: 1))
  }

  @Test
  func
    `Half a second after its last position the owner's own tempo is Link's, and after two it is forgotten`()
    throws
  {
    var scene = try Scene()
    scene.run(seconds: 1)
    (scene.motion, scene.skew) = (.rolling, 2e-4)
    // By frames it is ahead of Link as soon as it rolls: that is steered away.
    scene.run(seconds: 20)
    #expect(scene.link != .standard && scene.link.beatsPerMinute.isTempo(near: 120))
    let edits = scene.edits.count
    scene.played = nil
    scene.run(seconds: 0.5)
    #expect(scene.edits.count == edits)
    scene.run(seconds: 0.01)
    #expect(scene.link == .standard && scene.edits.count == edits + 1)
    scene.run(seconds: 1.49)
    #expect(scene.follower.tempo != nil)
    scene.run(seconds: 0.01)
    #expect(scene.follower.tempo == nil && scene.edits.count == edits + 1)
    // Another one that comes is met as the first one was: the session keeps its tempo.
    scene.played = 100
    scene.run(seconds: 3)
    #expect(scene.link == .standard && scene.edits.count == edits + 1)
  }

  @Test(arguments: [(0.45, true), (0.55, false)])
  func `The first tempo that is declared after half a second of silence is no change`(
    silence: Double, isChange: Bool
  ) throws {
    var scene = try Scene()
    scene.played = 100
    scene.run(seconds: 1)
    scene.played = nil
    scene.run(seconds: silence)
    scene.played = 126
    scene.run(seconds: 1)
    #expect(scene.edits.isEmpty)
    scene.motion = .starting
    scene.run(seconds: 0.1)
    #expect(
      scene.edits.count == (isChange ? 1 : 0)
        && scene.link.isSameOnTheWire(as: isChange ? .bpm(126) : .standard))
  }

  @Test(
    "The ticks that are cut off are no drift where a cycle is a whole number of them",
    arguments: [(133.7, 1.5...2.4), (125, 2.8...4.2)])
  func wholeTicks(tempo: Double, seconds: ClosedRange<Double>) throws {
    var scene = try Scene()
    (scene.link, scene.played, scene.cutsTicks) = (Tempo(clamping: tempo) ?? .standard, tempo, true)
    scene.run(seconds: 0.1)
    scene.motion = .rolling
    scene.run(seconds: 5)
    // From here on a fifth of a millisecond is lost in each second.
    let edits = scene.edits.count
    scene.skew = 2e-4
    let began = scene.follower.phaseError
    var waited = 0.0
    while waited < 10, scene.edits.count == edits {
      scene.run(seconds: 0.05)
      waited += 0.05
    }
    #expect(began != nil && seconds.contains(waited), "\(waited) s")
  }

  @Test func `The tempo that steering is to leave is the owner's, where the session's is that but for it`()
    throws
  {
    var scene = try Scene()
    scene.run(seconds: 1)
    #expect(scene.follower.plainTempo(insteadOf: .bpm(119.95)) == nil)
    (scene.motion, scene.skew) = (.rolling, 2e-4)
    scene.run(seconds: 5)
    #expect(scene.follower.plainTempo(insteadOf: scene.link) == .standard)
    for (tempo, isLeft) in [(120, false), (120.1, true), (119.9, true), (119.8, false), (120.2, false)] {
      #expect((scene.follower.plainTempo(insteadOf: .bpm(tempo)) == .standard) == isLeft, "\(tempo)")
    }
  }

  @Test(
    "Another tempo is declared than played where that is no sound card's error",
    arguments: [(120.2, false), (120.26, true), (119.8, false), (119.74, true)])
  func declaresAnother(played: Double, isAnother: Bool) throws {
    var scene = try Scene()
    (scene.played, scene.declared) = (played, 120)
    scene.run(seconds: 0.1)
    scene.motion = .rolling
    scene.run(seconds: 6)
    guard isAnother else { return #expect(scene.follower.conditions.declaration == nil) }
    guard case .declaresAnotherTempo(let declared, let found) = scene.follower.conditions.declaration else {
      throw Untold()
    }
    #expect(declared == 120 && (found - played).magnitude < 0.01)
    // It plays what it declares, or is gone.
    var other = scene
    other.declared = nil
    other.run(seconds: 3)
    #expect(other.follower.conditions.declaration == nil)
    scene.played = nil
    scene.run(seconds: 1.9)
    #expect(scene.follower.conditions.declaration != nil)
    scene.run(seconds: 0.2)
    #expect(scene.follower.conditions.declaration == nil)
  }

  private struct Untold: Error {}

  @Test(
    "A session's tempo is another where it is a twentieth off, and what the owner's is not known by",
    arguments: [(120.07, false), (120.08, true), (119.93, false), (119.92, true)])
  func differs(link: Double, isAnother: Bool) throws {
    var scene = try Scene()
    scene.link = .bpm(link)
    scene.run(seconds: 0.1)
    scene.motion = .rolling
    scene.run(seconds: 3)
    #expect(scene.edits.isEmpty)
    #expect(scene.follower.conditions.isTempoDifferent == isAnother)
  }

  @Test("A start has a phase to keep where the tempos differ by less than half a percent")
  func inTempo() throws {
    for (link, isInTempo) in [(120.59, true), (120.7, false), (119.41, true), (119.3, false)] {
      var scene = try Scene()
      scene.run(seconds: 0.1)
      #expect(scene.follower.isInTempo(with: .bpm(link)) == isInTempo, "\(link)")
    }
  }
}
