import MusicalTime
import PropertyTesting
import Testing

@testable import Reconciliation

@Suite struct OwnerTempoTests {
  /// An owner whose beats are known exactly; its published position is cut to ticks.
  struct Owner {
    var tracker = OwnerTempo()
    var tempo: Double
    var declared: Double?
    var ticksPerBeat = 1920.0
    var period = 256
    var jitter = 0.0
    var beat = 3.3
    var random = Seeded(seed: 1)
    var seconds = 0.0

    init(tempo: Double, declared: Double? = nil) {
      self.tempo = tempo
      self.declared = declared
    }

    @discardableResult
    mutating func cycle() -> OwnerTempo.Reading {
      let length = Double(period) / 48_000
      seconds += length
      beat += length * tempo / 60
      return publish(beat)
    }

    mutating func publish(_ beat: Double) -> OwnerTempo.Reading {
      let shown = (beat * ticksPerBeat).rounded(.down) / ticksPerBeat
      let off = jitter == 0 ? 0 : Double.random(in: -jitter...jitter, using: &random)
      let position = OwnerPosition(
        beat: BeatTime(shown) ?? .zero, tickLength: Beats(1 / ticksPerBeat) ?? .zero,
        declaredBeatsPerMinute: declared ?? tempo, meter: .common, age: FrameCount(0))
      return tracker.observe(position, at: HostTime(nanoseconds: Int64((seconds + off) * 1e9)))
    }

    @discardableResult
    mutating func run(seconds duration: Double) -> OwnerTempo.Reading {
      let end = seconds + duration
      var reading = OwnerTempo.Reading.unknown
      while seconds < end { reading = cycle() }
      return reading
    }

    var measured: Double { tracker.estimate?.folded.ownersBeatsPerMinute ?? .nan }
    var isDeclared: Bool? { tracker.estimate?.isDeclared }
  }

  static let periods = [64, 256, 1024]

  static func isSteady(_ reading: OwnerTempo.Reading) -> Bool {
    if case .steady = reading { true } else { false }
  }

  @Test(arguments: [true, false])
  func `A declared tempo explains beats that are off by half a thousandth while the clock may stray`(
    mayStray: Bool
  ) {
    var owner = Owner(tempo: 120.06, declared: 120)
    owner.tracker.isClockInDoubt = mayStray
    owner.run(seconds: 5)
    #expect(owner.isDeclared == mayStray, "\(owner.measured)")
  }

  @Test(arguments: periods)
  func `A position that stands still before cycles that are skipped makes no tempo`(period: Int) {
    var owner = Owner(tempo: 84)
    owner.period = period
    owner.run(seconds: 2)
    _ = owner.tracker.stop(declaring: 84)
    owner.cycle()
    // It stands still for 8 ms of them.
    owner.seconds += 0.108
    owner.beat += 0.1 * 84 / 60
    for _ in 0..<Int(0.4 * 48_000) / period {
      owner.cycle()
      #expect((owner.measured - 84).magnitude < 0.1)
    }
  }

  /// As after a missed deadline, with some cycles between two of them.
  @Test func `Beats before and after an interruption make no tempo together`() {
    var owner = Owner(tempo: 92.8, declared: 92.8)
    owner.period = 512
    owner.run(seconds: 2)
    owner.beat += 0.01
    owner.cycle()
    owner.tracker.interrupt()
    owner.beat += 0.006
    owner.seconds += 0.11
    owner.beat += 0.11 * 92.8 / 60
    for _ in 0..<20 {
      owner.cycle()
      #expect((owner.measured - 92.8).magnitude < 0.05, "\(owner.measured)")
    }
    #expect(Self.isSteady(owner.cycle()))
  }

  @Test func `A position for an instant that has been is not looked at`() {
    for earlier in [0, 0.003] {
      var owner = Owner(tempo: 120)
      owner.run(seconds: 2)
      owner.seconds -= earlier
      #expect(Self.isSteady(owner.publish(owner.beat + 0.3)))
      owner.seconds += earlier
      #expect(Self.isSteady(owner.cycle()) && (owner.measured - 120).magnitude < 0.01)
    }
  }

  @Test func `After an interruption no tempo is steady at once`() {
    var owner = Owner(tempo: 120)
    #expect(Self.isSteady(owner.run(seconds: 1)))
    owner.tracker.interrupt()
    #expect(owner.publish(owner.beat) == .changing)
    for _ in 0..<3 { #expect(owner.cycle() == .changing) }
  }

  @Test(
    "A declared tempo is known as well as the sound card, in Link's beats per minute",
    arguments: [(120.0, 120.0), (2400, 600), (15, 30)])
  func uncertainty(tempo: Double, link: Double) throws {
    var owner = Owner(tempo: tempo)
    owner.ticksPerBeat = 1_920_000
    owner.run(seconds: 1)
    #expect(owner.isDeclared == true)
    let uncertainty = try #require(owner.tracker.estimate).uncertainty
    #expect((uncertainty / (link * 2e-4) - 1).magnitude < 1e-3, "\(uncertainty)")
  }

  @Test("After a second the tempo of 1920 whole ticks is known to 0.05 bpm", arguments: periods)
  func wholeTicks(period: Int) {
    forAll(100) { seed, random in
      var owner = Owner(tempo: .random(in: 20...999, using: &random), declared: 77)
      owner.random = random
      owner.period = period
      owner.jitter = 20e-6
      owner.run(seconds: 1.1)
      for _ in 0..<20 {
        #expect(Self.isSteady(owner.run(seconds: 0.1)), "seed \(seed)")
        #expect(abs(owner.measured - owner.tempo) < 0.05, "seed \(seed)")
      }
    }
  }

  @Test("Within 150 ms the tempo of 1920 whole ticks is known to half a percent", arguments: periods)
  func firstEstimate(period: Int) {
    forAll(200) { seed, random in
      var owner = Owner(tempo: .random(in: 60...999, using: &random), declared: 20)
      owner.period = period
      owner.beat = .random(in: 0...100, using: &random)
      owner.run(seconds: 0.15)
      #expect(abs(owner.measured / owner.tempo - 1) < 0.005, "seed \(seed)")
    }
  }

  @Test(
    "A tempo step is known to 0.05 bpm within 110 ms from fine ticks alone", arguments: periods,
    [19_200, 1_920_000.0])
  func step(period: Int, ticksPerBeat: Double) {
    var owner = Owner(tempo: 100, declared: 133.7)
    owner.period = period
    owner.ticksPerBeat = ticksPerBeat
    owner.run(seconds: 3)
    for tempo in [110, 95, 240, 90.0] {
      owner.tempo = tempo
      #expect(Self.isSteady(owner.run(seconds: 0.11)))
      #expect(abs(owner.measured - tempo) < 0.05)
      #expect(owner.isDeclared == false)
      owner.run(seconds: 2)
    }
  }

  @Test("A tempo that is declared and played is taken exactly within 70 ms", arguments: periods)
  func declared(period: Int) {
    var owner = Owner(tempo: 100)
    owner.period = period
    owner.run(seconds: 0.07)
    for tempo in [110, 95, 95.3, 240, 133.7] {
      owner.tempo = tempo
      #expect(Self.isSteady(owner.run(seconds: 0.07)))
      #expect(owner.measured == tempo)
      owner.run(seconds: 2)
      #expect(owner.measured == tempo)
      #expect(owner.isDeclared == true)
    }
  }

  @Test func `Ardour goes from 133.7 to 90 and declares 133.7 for ever: its ticks count`() {
    var owner = Owner(tempo: 133.7, declared: 133.7)
    owner.run(seconds: 5)
    #expect(owner.isDeclared == true)
    owner.tempo = 90
    owner.run(seconds: 0.15)
    #expect(abs(owner.measured - 90) < 0.45)
    owner.run(seconds: 1)
    #expect(abs(owner.measured - 90) < 0.05)
  }

  @Test("A declared tempo that is not played is given up", arguments: [119.9, 121, 240])
  func lie(declared: Double) {
    var owner = Owner(tempo: 120, declared: 120)
    owner.run(seconds: 3)
    owner.declared = declared
    owner.run(seconds: 1.5)
    #expect(abs(owner.measured - 120) < 0.05)
  }

  @Test func `A tempo that an owner announces soon after the one before makes no mean with that`() {
    forAll(5_000) { seed, random in
      var owner = Owner(tempo: .random(in: 40...300, using: &random))
      owner.period = [64, 256, 1024, 2048, 4096].randomElement(using: &random) ?? 256
      owner.ticksPerBeat = [960, 1920, 1_920_000].randomElement(using: &random) ?? 1920
      owner.beat = .random(in: 0...100, using: &random)
      while owner.isDeclared == nil { owner.cycle() }
      for _ in 0..<Int.random(in: 0...8, using: &random) { owner.cycle() }
      let before = owner.tempo
      owner.tempo *= .random(in: 0.9...1.1, using: &random)
      for _ in 0..<16 {
        owner.cycle()
        // So few beats in whole ticks show no more.
        #expect(
          [before, owner.tempo].contains { ($0 - owner.measured).magnitude < $0 * 2e-3 },
          "seed \(seed): \(before), then \(owner.tempo), is \(owner.measured)")
      }
    }
  }

  @Test(
    "A roll that glides from its first frame is followed, also where the owner stands still first",
    arguments: [(0.0, 0.05), (0.128, 0.01), (0.128, 0.05)], [17.0, 6.65, -10])
  func glideFromTheStart(start: (wait: Double, doubt: Double), rate: Double) {
    for (period, ticks) in [(512, 960.0), (64, 1920), (1024, 1920)] {
      var owner = Owner(tempo: 84)
      (owner.period, owner.ticksPerBeat) = (period, ticks)
      owner.run(seconds: 5)
      _ = owner.tracker.stop(declaring: 84)
      let began = owner.seconds
      while owner.seconds < began + start.wait {
        owner.seconds += Double(period) / 48_000
        owner.tempo += rate * Double(period) / 48_000
        _ = owner.publish(owner.beat)
      }
      while owner.seconds < began + 3 {
        owner.tempo += rate * Double(period) / 48_000
        owner.cycle()
        guard owner.seconds > began + start.wait + 0.5 else { continue }
        #expect((owner.measured - owner.tempo).magnitude < 3, "\(owner.measured), \(owner.tempo), \(period)")
      }
      guard case .steady(let known) = owner.tracker.stop(declaring: owner.tempo) else {
        Issue.record("unknown at rest")
        continue
      }
      #expect(known.folded.ownersBeatsPerMinute == owner.tempo)
    }
  }

  @Test("A slow glide that is declared is believed in each cycle, and at rest", arguments: [0.02, 0.06])
  func slowGlide(rate: Double) {
    for period in [256, 1024, 4096] {
      var owner = Owner(tempo: 110)
      owner.period = period
      owner.run(seconds: 5)
      let end = owner.seconds + 6
      while owner.seconds < end {
        owner.tempo += rate * Double(period) / 48_000
        #expect(Self.isSteady(owner.cycle()))
        #expect(owner.isDeclared == true, "\(period) frames, \(owner.tempo)")
        #expect(abs(owner.measured - owner.tempo) < 2e-4 * owner.tempo, "\(period) frames, \(owner.tempo)")
      }
      _ = owner.tracker.stop(declaring: 100)
      #expect(owner.measured == 100, "\(period) frames")
    }
  }

  @Test("A declared tempo that trembles does not disturb that of the beats", arguments: [5, 1, 0.3])
  func tremblingDeclaration(by most: Double) {
    forAll(20) { seed, random in
      var owner = Owner(tempo: 120)
      owner.run(seconds: 2)
      for cycle in 0..<2000 {
        owner.declared = .random(in: 120 - most...120 + most, using: &random)
        owner.cycle()
        if cycle > 400 { #expect(abs(owner.measured - 120) < 0.1, "seed \(seed)") }
      }
    }
  }

  @Test func `A locate changes no tempo`() {
    forAll(100) { seed, random in
      let lies = random.oneIn(2)
      var owner = Owner(tempo: .random(in: 40...300, using: &random), declared: lies ? 77 : nil)
      owner.run(seconds: 2)
      for _ in 0..<5 {
        let before = owner.measured
        owner.beat = .random(in: 0...1000, using: &random)
        for _ in 0..<80 {
          owner.cycle()
          #expect(abs(owner.measured / before - 1) < 0.003, "seed \(seed)")
        }
        #expect(Self.isSteady(owner.run(seconds: 0.8)), "seed \(seed)")
        #expect(abs(owner.measured - owner.tempo) < 0.08, "seed \(seed)")
      }
    }
  }

  @Test func `Single positions and instants that are off are ignored`() {
    forAll(50) { seed, random in
      var owner = Owner(tempo: .random(in: 40...300, using: &random), declared: 77)
      owner.run(seconds: 1.5)
      let before = owner.measured
      for cycle in 0..<600 {
        owner.cycle()
        if cycle % 40 == 20 { _ = owner.publish(owner.beat + .random(in: -5...5, using: &random)) }
        #expect(abs(owner.measured - before) < 0.05, "seed \(seed)")
      }
      #expect(Self.isSteady(owner.run(seconds: 0.2)), "seed \(seed)")
    }
  }

  @Test("A position that does not move while rolling is a fault, not a tempo", arguments: [true, false])
  func frozen(movedBefore: Bool) {
    var owner = Owner(tempo: 120, declared: 120)
    if movedBefore { owner.run(seconds: 1) }
    let before = owner.tracker.estimate
    owner.tempo = 0
    #expect(owner.run(seconds: 0.4) == .fault(.doesNotMove))
    #expect(owner.tracker.estimate == before)
    owner.tempo = 120
    #expect(Self.isSteady(owner.run(seconds: 0.3)))
  }

  @Test func `A position that goes back is a fault, not a tempo`() {
    var owner = Owner(tempo: 120, declared: 120)
    owner.beat = 100
    owner.run(seconds: 1)
    owner.tempo = -120
    #expect(owner.run(seconds: 0.2) == .fault(.goesBack))
    #expect(owner.measured == 120)
    owner.tempo = 120
    #expect(Self.isSteady(owner.run(seconds: 0.3)))
  }

  @Test("A tempo that jumps in every cycle is a fault, not a tempo", arguments: [nil, 120.0])
  func jumping(declared: Double?) {
    forAll(20) { seed, random in
      var owner = Owner(tempo: 120, declared: declared)
      owner.ticksPerBeat = 1_920_000
      owner.run(seconds: 1)
      let before = owner.measured
      for cycle in 0..<400 {
        owner.tempo = .random(in: 20...900, using: &random)
        let reading = owner.cycle()
        if cycle > 100 { #expect(reading == .fault(.unsteady), "seed \(seed)") }
      }
      #expect(owner.measured == before, "seed \(seed)")
      owner.tempo = 120
      #expect(Self.isSteady(owner.run(seconds: 0.3)), "seed \(seed)")
    }
  }

  @Test func `Two owners that take turns every 10 ms are a fault, and no tempo between theirs`() {
    var owner = Owner(tempo: 120)
    owner.period = 64
    owner.run(seconds: 1)
    var other = 50.0
    var reading = OwnerTempo.Reading.unknown
    for cycle in 0..<1500 {
      other += 64 / 48_000 * 90 / 60
      reading = owner.cycle()
      owner.declared = cycle / 8 % 2 == 0 ? 120 : 90
      if cycle / 8 % 2 == 1 {
        let own = owner.beat
        owner.beat = other - 64 / 48_000 * 2
        reading = owner.cycle()
        owner.beat = own
      }
    }
    #expect(reading == .fault(.unsteady))
    #expect(owner.measured == 120)
  }

  @Test(arguments: [true, false])
  func `While the transport rests a declared tempo counts from those who told the truth`(isTrue: Bool) {
    var owner = Owner(tempo: 120, declared: isTrue ? 120 : 100)
    owner.run(seconds: 2)
    let before = owner.measured
    #expect(Self.isSteady(owner.tracker.stop(declaring: 90)))
    #expect(owner.measured == (isTrue ? 90 : before))
  }

  @Test(arguments: [(10.0, 0.2, true), (10, 0.06, false), (0, 0.2, false)])
  func `It counts, too, after a moment in which the beats have glided as declared`(
    rate: Double, seconds: Double, isTrue: Bool
  ) {
    var owner = Owner(tempo: 120, declared: 100)
    owner.run(seconds: 2)
    let before = owner.measured
    _ = owner.tracker.stop(declaring: 100)
    #expect(owner.measured == before)
    owner.declared = rate == 0 ? 100 : nil
    let end = owner.seconds + seconds
    while owner.seconds < end {
      owner.tempo += rate * Double(owner.period) / 48_000
      owner.cycle()
    }
    let measured = owner.measured
    _ = owner.tracker.stop(declaring: 90)
    #expect(owner.measured == (isTrue ? 90 : measured))
  }

  @Test func `TEMPO-4: an owner faster or slower than Link is followed by a fraction or a multiple`() throws {
    for (tempo, link, factor) in [(2400.0, 600.0, "/4"), (15, 30, "x2")] {
      var owner = Owner(tempo: tempo, declared: 77)
      owner.ticksPerBeat = 19_200
      owner.run(seconds: 2)
      let folded = try #require(owner.tracker.estimate?.folded)
      #expect(abs(folded.tempo.beatsPerMinute - link) < 0.05)
      #expect(folded.description == factor)
    }
  }

  @Test func `Coarse ticks take longer, and are not taken for a standstill`() {
    var owner = Owner(tempo: 60, declared: 77)
    owner.ticksPerBeat = 24
    for _ in 0..<3000 {
      switch owner.cycle() {
      case .fault(let fault): Issue.record("\(fault)")
      case .unknown, .steady, .changing: break
      }
    }
    #expect(abs(owner.measured - 60) < 1)
  }

  // MARK: For how long

  /// How many milliseconds pass until there is such a reading.
  private static func wait(_ owner: inout Owner, for reading: OwnerTempo.Reading) -> Double {
    let began = owner.seconds
    while owner.seconds < began + 3, owner.cycle() != reading {}
    return (owner.seconds - began) * 1e3
  }

  @Test(
    "A position stands still when it has not moved for a quarter of a second, and for two ticks at the slowest tempo",
    arguments: [(1_920_000, 250.003), (1920, 253.1), (24, 500)] as [(Double, Double)])
  func standstill(ticks: Double, milliseconds: Double) {
    var owner = Owner(tempo: 120)
    (owner.period, owner.ticksPerBeat) = (48, ticks)
    owner.run(seconds: 2)
    let tick = (owner.beat * ticks).rounded(.down)
    while (owner.beat * ticks).rounded(.down) == tick { owner.cycle() }
    owner.tempo = 0
    let wait = Self.wait(&owner, for: .fault(.doesNotMove))
    #expect(wait > milliseconds - 0.01 && wait < milliseconds + 1.01, "\(wait)")
  }

  @Test
  func `One that goes back is a fault when it has done so for 80 ms, and beats that fit no line after 500`() {
    var owner = Owner(tempo: 120)
    (owner.period, owner.ticksPerBeat, owner.beat, owner.declared) = (48, 1_920_000, 100, 120)
    owner.run(seconds: 2)
    var other = owner
    owner.tempo = -120
    let back = Self.wait(&owner, for: .fault(.goesBack))
    #expect(back >= 80 && back < 90, "\(back)")
    var random = Seeded(seed: 1)
    let began = other.seconds
    var reading = OwnerTempo.Reading.unknown
    while other.seconds < began + 1, reading != .fault(.unsteady) {
      other.tempo = .random(in: 20...900, using: &random)
      reading = other.cycle()
    }
    let unsteady = (other.seconds - began) * 1e3
    #expect(unsteady > 500 && unsteady < 520, "\(unsteady)")
    // It is none when all has been calm for a tenth of a second.
    other.tempo = 120
    #expect(other.run(seconds: 0.05) == .fault(.unsteady))
    #expect(Self.isSteady(other.run(seconds: 0.15)))
  }

  @Test(
    "Beats after more than a second without a position are a new line",
    arguments: [(0.99, true), (1.02, false)])
  func gap(seconds: Double, goesOn: Bool) {
    var owner = Owner(tempo: 120)
    owner.ticksPerBeat = 1_920_000
    owner.run(seconds: 3)
    owner.seconds += seconds
    owner.beat += seconds * 2
    #expect(Self.isSteady(owner.cycle()) == goesOn)
    #expect(Self.isSteady(owner.run(seconds: 0.1)) && owner.measured == 120)
  }
}
