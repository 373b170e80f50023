import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation
@testable import Simulation

/// An owner of the timebase plays a song that changes its meter and its tempo.
@Suite struct TempoMapTests {
  /// A song on a server with a session, and what its listeners notice.
  struct Performance {
    var studio: Studio
    let map: TempoMap
    /// How far Link's beat was moved at once for all peers, in milliseconds, the largest and the number of
    /// those above a millisecond.
    private(set) var largestStep = 0.0
    private(set) var steps = 0
    /// How far Link is from the owner, in milliseconds.
    private(set) var error = 0.0
    private(set) var worst = 0.0
    /// How far the song position is from where the song is, in quarter notes, at most.
    private(set) var worstPosition = 0.0
    private(set) var tempos: [(time: Double, tempo: Double)] = []
    private(set) var messages: [(position: Double, bytes: MIDIMessage)] = []
    private(set) var bars: [Double] = []
    private var clock = MIDIClock(.rolling)
    private var click = Click(at: .standard)

    init(
      _ map: TempoMap, mode: SyncMode = .auto, period: UInt32 = 256, peers: Int = 1, ticks: Double = 1920,
      declared: @escaping (Double) -> Double? = { _ in nil }
    ) {
      self.map = map
      studio = Studio(.init(mode: mode), period: period, tempo: .bpm(map.parts[0].from), peers: peers)
      studio.listener = ClickListener()
      studio.daw = { frame in
        map.reading(of: frame, ticks: ticks, declared: declared(Double(frame.number) / 48_000))
      }
    }

    var seconds: Double { Double(studio.engine.frame.number) / 48_000 }

    mutating func start() {
      // With room before it the start is exact.
      studio.run(seconds: 1, after: .clientLocates(frame: 48_000))
      studio.run(after: .clientStarts) { $0.isRolling }
    }

    mutating func cycle() {
      // A copy of all of the studio would have each cycle copy all decisions before it.
      let timeline = studio.session.timeline
      let decision = studio.step()
      let before = timeline.beat(at: studio.output)
      let step = studio.tempo.interval(of: studio.linkBeat(at: studio.output) - before)
      let size = Double(step.nanoseconds.magnitude) / 1e6
      largestStep = max(largestStep, size)
      if size > 1 { steps += 1 }
      if let edit = decision.link.tempo { tempos.append((seconds, edit.tempo.beatsPerMinute)) }
      let place = map.place(at: seconds)
      let link = studio.linkBeat(at: studio.output).doubleValue
      let way = place.quarters - link
      let distance = way - 4 * (way / 4).rounded()
      error = distance * 60_000 / place.beatsPerMinute
      worst = max(worst, abs(error))
      listen(place)
    }

    private mutating func listen(_ place: TempoMap.Place) {
      guard let cycle = studio.listener?.cycle else { return }
      worstPosition = max(worstPosition, abs(cycle.position.doubleValue - place.quarters))
      clock.cycle(cycle)
      while let message = clock.next() {
        let frame = Double(studio.engine.frame.number) + Double(message.offset)
        messages.append((map.place(at: frame / 48_000).quarters, message))
      }
      click.cycle(cycle)
      while let (offset, isBar) = click.nextClick() {
        let frame = Double(studio.engine.frame.number) + offset
        if isBar { bars.append(map.place(at: frame / 48_000).quarters) }
      }
    }

    /// Forgets how it came to be in phase.
    mutating func resetWorst() { (worst, steps, largestStep) = (0, 0, 0) }

    /// How often notices reported an invalid position of the owner.
    var faults: Int {
      studio.decisions.count { if case .fault = $0.gridNotice { true } else { false } }
    }

    mutating func run(to end: Double) {
      while seconds < end { cycle() }
    }
  }

  /// 5 bars of 4/4, 5 of 3/4 and 4 of 7/8 at 120, then 4/4 at 90.
  static func song() throws -> TempoMap {
    TempoMap([
      .init(5, .common, from: 120), .init(5, try #require(Meter("3/4")), from: 120),
      .init(4, try #require(Meter("7/8")), from: 120), .init(4, .common, from: 90),
    ])
  }

  @Test(arguments: [SyncMode.auto, .jack], [256, 1024])
  func `A meter that changes in the middle of a song does not move the session's beat`(
    mode: SyncMode, period: UInt32
  )
    throws
  {
    let map = try Self.song()
    var world = Performance(map, mode: mode, period: period)
    world.start()
    world.run(to: 3)
    world.resetWorst()
    for (index, seam) in map.seams.enumerated() {
      world.run(to: seam + 60 / map.parts[index].from * map.parts[index].meter.barLength.doubleValue)
      #expect(abs(world.error) < 1, "part \(index): \(world.error) ms")
      // The last seam is one of tempo too, which is dated back.
      if index < 3 { #expect(world.steps == 0, "part \(index): \(world.largestStep) ms") }
    }
    world.run(to: 40)
    #expect(world.steps <= 1, "\(world.steps), \(world.largestStep) ms")
    #expect(world.tempos.count { abs($0.tempo - 120) > 1 && abs($0.tempo - 90) > 1 } == 0, "\(world.tempos)")
    #expect(abs(world.error) < 1, "\(world.error)")
  }

  @Test(arguments: [256, 1024])
  func `MIDI followers count on through meters, and get nothing but clocks`(period: UInt32) throws {
    let map = try Self.song()
    var world = Performance(map, period: period)
    world.start()
    world.run(to: 40)
    let others = world.messages.filter { $0.bytes.status != MIDIMessage.clock }
    #expect(others.count == 2, "\(others)")
    let clocks = world.messages.filter { $0.bytes.status == MIDIMessage.clock }.map(\.position)
    let first = try #require(clocks.first)
    for (number, clock) in clocks.enumerated() {
      let exact = (first * 24).rounded() / 24 + Double(number) / 24
      #expect(abs(clock - exact) < 0.015, "clock \(number) at \(clock), not \(exact)")
    }
    #expect(world.worstPosition < 0.03, "\(world.worstPosition)")
  }

  @Test func `The first beat of each of the owner's bars clicks as one`() throws {
    let map = try Self.song()
    var world = Performance(map)
    world.start()
    world.run(to: 34)
    var (expected, quarters): ([Double], Double) = ([], 0)
    for part in map.parts {
      for _ in 0..<Int(part.bars) {
        expected.append(quarters)
        quarters += part.meter.barLength.doubleValue
      }
    }
    expected.removeLast()
    #expect(world.bars.count >= expected.count - 1, "\(world.bars)")
    for (bar, exact) in zip(world.bars, expected.dropFirst()) {
      #expect(abs(bar - exact) < 0.02, "\(bar), not \(exact)")
    }
  }

  @Test func `A part of a song that was read is counted the same after a locate`() throws {
    let map = try Self.song()
    var world = Performance(map)
    world.start()
    world.run(to: 30)
    for seconds in [0, 15, 5, 20, 28] as [Double] {
      world.studio.engine.locate(to: TransportFrame(UInt32(seconds * 48_000)))
      world.studio.run(seconds: 1)
      world.studio.run { $0.isRolling }
      world.studio.run(seconds: 0.5)
      let found = world.studio.reconciler.ownersPlace(at: .standard)
      let place = try #require(found)
      let exact = map.place(at: world.seconds).quarters
      #expect(abs(place.beat.doubleValue - exact) < 0.01, "at \(seconds): \(place.beat), not \(exact)")
    }
  }

  /// An owner's declaration of its tempo while that glides.
  enum Declaration: CaseIterable {
    case eachPeriod, each50Milliseconds, never

    func callAsFunction(_ map: TempoMap, at seconds: Double) -> Double? {
      switch self {
      case .eachPeriod: nil
      case .each50Milliseconds: map.place(at: (seconds / 0.05).rounded(.down) * 0.05).beatsPerMinute
      case .never: map.parts[0].from
      }
    }
  }

  /// A tempo that stands, glides, and stands again, there and back.
  static func glide(_ slope: Double, from: Double = 100, by way: Double = 40) -> TempoMap {
    TempoMap([
      .init(4, .common, from: from), .ramp(from, from + way, seconds: way / slope),
      .init(4, .common, from: from + way), .ramp(from + way, from, seconds: way / slope),
      .init(4, .common, from: from),
    ])
  }

  private static func expectFollowed(
    _ map: TempoMap, _ performance: Performance, _ words: String, within rest: Double = 1
  ) {
    var world = performance
    world.start()
    world.run(to: 3)
    world.resetWorst()
    for (index, seam) in map.seams.enumerated() where index > 0 {
      guard index % 2 == 0 else { continue }
      world.run(to: seam + 1)
      #expect(world.worst < 10, "\(words), during part \(index - 1): \(world.worst) ms")
      #expect(abs(world.error) < rest, "\(words), after part \(index - 1): \(world.error) ms")
    }
    #expect(world.faults == 0, "\(words)")
  }

  @Test(arguments: [SyncMode.auto, .jack], Declaration.allCases)
  func `A tempo that glides is followed within 10 ms, and to a millisecond a second later`(
    mode: SyncMode, declaration: Declaration
  ) {
    for slope in [1.0, 3, 10, 20, 40] {
      for period in [256, 1024] as [UInt32] {
        let map = Self.glide(slope)
        let world = Performance(map, mode: mode, period: period) { declaration(map, at: $0) }
        // A change that was not declared is found out late, and its error is steered.
        Self.expectFollowed(
          map, world, "\(mode), \(declaration), \(slope) bpm a second, \(period) frames",
          within: declaration == .eachPeriod ? 1 : 5)
      }
    }
  }

  @Test(arguments: [SyncMode.auto, .jack], [256, 1024])
  func `A tempo that a fader moves in small steps is followed`(mode: SyncMode, period: UInt32) {
    for slope in [2.0, 10, 40] {
      var parts: [TempoMap.Part] = [.init(4, .common, from: 100)]
      var tempo = 100.0
      while tempo < 140 {
        parts.append(.ramp(tempo, tempo, seconds: 0.05))
        tempo += slope * 0.05
      }
      parts.append(.init(8, .common, from: tempo))
      var world = Performance(TempoMap(parts), mode: mode, period: period)
      world.start()
      let end = TempoMap(parts).seams.last ?? 0
      world.run(to: 3)
      world.resetWorst()
      world.run(to: end + 1)
      #expect(world.worst < 10, "\(slope) bpm a second: \(world.worst) ms")
      #expect(abs(world.error) < 1, "\(slope) bpm a second: \(world.error) ms")
    }
  }

  @Test func `The ramps of a song, 140 to 60 and back to 120, are followed`() {
    let map = TempoMap([
      .init(4, .common, from: 140), .ramp(140, 60, seconds: 8), .init(2, .common, from: 60),
      .ramp(60, 120, seconds: 4), .init(8, .common, from: 120),
    ])
    Self.expectFollowed(map, Performance(map), "auto")
  }

  /// As the example client of JACK and SooperLooper: each cycle is worth a whole number of ticks.
  @Test(arguments: [256, 1024])
  func `Ticks that are cut off are a tempo of their own, which is sent once and reported once`(period: UInt32)
  {
    var world = Performance(TempoMap([.init(400, .common, from: 120)]), period: period, peers: 0)
    let ticks = (Double(period) / 48_000 * 2 * 1920).rounded(.down)
    world.studio.daw = { frame in
      let tick = Int32(Double(frame.number / period) * ticks)
      return TimebaseReading(
        isValid: true, bar: tick / 7680 + 1, beat: tick / 1920 % 4 + 1, tick: tick % 1920, beatsPerBar: 4,
        beatType: 4, ticksPerBeat: 1920, beatsPerMinute: 120)
    }
    world.studio.changeTempo(to: .bpm(100))
    world.start()
    world.run(to: 20)
    let played = 120 * ticks / (Double(period) / 48_000 * 2 * 1920)
    #expect(world.tempos.allSatisfy { abs($0.tempo - played) < 0.5 }, "\(world.tempos)")
    #expect(abs(world.studio.tempo.beatsPerMinute - played) < 0.05, "\(world.tempos)")
    let told = world.studio.decisions.compactMap { decision -> Double? in
      if case .declaresAnotherTempo(_, let played) = decision.gridNotice { played } else { nil }
    }
    #expect(told.count == 1 && told.allSatisfy { abs($0 - played) < 0.05 }, "\(told)")
  }

  @Test func `An owner that plays the tempo that it declares causes no notice`() {
    var world = Performance(Self.glide(10))
    world.start()
    world.run(to: 30)
    let told = world.studio.decisions.contains {
      if case .declaresAnotherTempo = $0.gridNotice { true } else { false }
    }
    #expect(!told)
  }
}
