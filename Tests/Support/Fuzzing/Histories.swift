import MusicalTime
import PropertyTesting
import Reconciliation
import Simulation

/// Some seconds of a JACK server, its clients and a Link session, from the bytes of an input: mostly as they
/// are, and every few cycles something that cannot be.
struct History {
  /// The side whose values are wrong.
  enum Side { case owner, jack, link }

  private var genes: Genes
  private let side: Side
  private var reconciler: Reconciler
  private var reporter = ConditionReporter()
  private let configuration: Reconciler.Configuration
  /// Whether instants stay within some seconds of the true ones, as they do short of a broken kernel; then
  /// the bridge has to find its way back.
  private let isNearTheTruth: Bool
  private var jack: JACKObservation
  private var watch = TransportWatch()
  private var link: LinkObservation
  private var choices: Choices
  private var command: Command?
  // The truth: when the cycle begins, and Link's beat at the instant of the first.
  private var now = HostTime<LinkClock>(nanoseconds: 1_000_000_000_000)
  private var shift = HostInterval.zero
  private var firstBeat = BeatTime.zero
  private var ownersBeat = 0.0
  private var ownersTempo = 120.0
  private var spoilt: TimebaseReading?
  private var pending: TransportRequest?
  private(set) var cycles = 0
  private(set) var effects = 0

  init(_ bytes: [UInt8], _ side: Side) {
    genes = Genes(bytes)
    self.side = side
    let meter = Meter(
      beatsPerBar: genes.element(of: [4, 3, 6, 1, 64]), beatType: genes.element(of: [4, 8, 1, 64]))
    let bits = genes.byte()
    configuration = Reconciler.Configuration(
      quantum: bits & 1 == 1 ? nil : Quantum(beats: genes.element(of: [4, 1, 0.125, 1024, 7.3])),
      meter: meter ?? .common,
      ticksPerBeat: TicksPerBeat(genes.element(of: [1_920_000, 1, 10_000_000])) ?? .standard,
      startStopSync: bits & 6 != 0 ? .both : .off, launch: genes.element(of: [.bar, .beat, .now]),
      frameAlignment: bits & 8 == 0 ? .off : bits & 32 == 0 ? .whole : .exact,
      mode: genes.element(of: [.auto, .link, .jack]),
      takeover: genes.element(of: [nil, .follow, .yield, .retake]))
    isNearTheTruth = bits & 16 != 0
    reconciler = Reconciler(configuration)
    choices = configuration.choices
    jack = JACKObservation(
      transport: .stopped, frame: 0, step: TransportStep(), period: 1024, rate: .standard, serverFrame: 0,
      start: now, nextOutput: now, delay: CycleDelay(now: .zero),
      timebase: TimebaseObservation(owner: side == .owner ? .other : .me, position: .sound(beat: 0)),
      isSyncCallback: false)
    link = LinkObservation(
      tempo: .standard, beat: .zero, play: .at(now, false), isEnabled: true, peers: 1)
  }

  /// Lives through it, and checks every cycle.
  mutating func run() throws(BrokenLaw) {
    // However long, a history has so many cycles: the time for an input is bounded.
    while !genes.isAtEnd, cycles < 400 {
      let event = genes.byte()
      if event < 128 {
        for _ in 0...(event & 15) { try cycle() }
      } else if event < 144 {
        jack.transport = [.stopped, .starting, .rolling][Int(event) % 3]
      } else if event < 160 {
        takeNextCommand()
      } else {
        spoil()
        try cycle()
      }
    }
    // It takes as many cycles as ten histories.
    if isNearTheTruth, configuration.quantum.doubleValue <= 8, cycles % 8 == 0 { try heal() }
  }

  private mutating func takeNextCommand() {
    switch genes.below(19) {
    case 18: command = .realignFrames
    case 13: command = .imposeJACK
    case 14: choices.take(.tempoSync(genes.element(of: Sharing.allCases)))
    case 15:
      let beats = genes.element(of: [4, 3, 7, 1, 64])
      if let meter = Meter(beatsPerBar: beats, beatType: genes.element(of: [4, 8, 1, 64])) {
        choices.take(.meter(meter))
      }
    case 16:
      if let quantum = Quantum(beats: genes.element(of: [4, 1, 0.125, 1024, 7.3])) {
        choices.take(.quantum(quantum))
      }
    case 17: command = .shiftDownbeat(genes.element(of: [.here, .none, .by(1), .by(-64), .by(64)]))
    case 8: command = .locate(TransportFrame(UInt32(truncatingIfNeeded: genes.int64())))
    case 9: command = TempoStep(beatsPerMinute: genes.double()).map { .nudgeTempo($0) } ?? .clientLeft
    case 10: choices.take(.startStopSync(genes.element(of: Sharing.allCases)))
    case 11: choices.take(.launch(genes.element(of: LaunchMode.allCases)))
    case 12: choices.take(.discipline(genes.element(of: Discipline.allCases)))
    case 0: command = .start
    case 1: command = .stop
    case 2: choices.take(.mode(.auto))
    case 3: choices.take(.mode(.link))
    case 4: choices.take(.mode(.jack))
    case 5: command = .foundSession(Tempo(clamping: genes.double()) ?? .standard)
    case 6: command = .clientLeft
    default: command = .proposeTempo(Tempo(clamping: genes.double()) ?? .standard)
    }
  }

  private mutating func instant() -> HostTime<LinkClock> {
    guard isNearTheTruth else { return HostTime(nanoseconds: genes.int64()) }
    return now + HostInterval(nanoseconds: Int64(Int16(truncatingIfNeeded: genes.bits())) * 100_000)
  }

  private mutating func spoil() {
    switch side {
    case .owner:
      switch genes.below(8) {
      case 0: spoilt = nil
      case 1: jack.timebase.owner = genes.element(of: [.other, .other, .me, .nobody])
      case 2: ownersTempo = genes.double()
      case 3: ownersBeat = genes.double()
      default:
        var reading = spoilt ?? position
        reading.spoil(&genes)
        spoilt = genes.truth() ? reading : nil
        jack.timebase.position = reading
      }
    case .jack:
      switch genes.below(9) {
      case 0: jack.frame = TransportFrame(genes.uint32())
      case 1: jack.period = genes.truth() ? genes.uint32() : 64 << UInt32(genes.below(8))
      case 2: jack.rate = SampleRate(hertz: genes.double()) ?? .standard
      case 3: jack.serverFrame = ServerFrame(genes.uint32())
      case 4: shift = instant() - now
      case 5:
        let latency =
          isNearTheTruth
          ? HostInterval(nanoseconds: Int64(genes.byte()) * 10_000_000)
          : HostInterval(nanoseconds: genes.int64())
        jack.delay = CycleDelay(now: latency, rest: isNearTheTruth ? .zero : latency)
      case 6: jack.isSyncCallback = genes.truth()
      case 7: jack.isFreewheeling = genes.truth()
      default: jack.timebase.owner = genes.element(of: [.other, .me, .nobody])
      }
    case .link:
      switch genes.below(7) {
      case 0: link.tempo = Tempo(clamping: genes.double()) ?? .standard
      case 1: firstBeat = BeatTime(clamping: genes.double())
      case 2: link.play.isPlaying = genes.truth()
      case 3: link.play = .at(instant(), link.play.isPlaying)
      case 4:
        link.play = .at(instant(), !link.play.isPlaying)
      case 5: link.isEnabled = genes.truth()
      default: link.peers = genes.truth() ? genes.below(3) : Int(genes.int64())
      }
    }
  }

  private var position: TimebaseReading {
    guard ownersBeat.magnitude < 1e8, ownersBeat >= 0 else {
      return .sound(beat: Int64(ownersBeat.isFinite ? max(-1e15, min(1e15, ownersBeat)) : 0))
    }
    let tick = Int32((ownersBeat - ownersBeat.rounded(.down)) * 1920)
    return .sound(beat: Int64(ownersBeat), tick: tick, beatsPerMinute: ownersTempo)
  }

  private var periodLength: HostInterval { HostInterval(FrameCount(Int64(jack.period)), at: jack.rate) }

  /// One cycle of JACK, and what its decision brings about.
  private mutating func cycle() throws(BrokenLaw) {
    cycles += 1
    jack.start = now + shift
    jack.nextOutput = jack.start + periodLength + jack.outputLatency
    if spoilt != nil || side != .owner {
      jack.timebase.position = spoilt ?? .sound(beat: 0)
    } else {
      jack.timebase.position = position
    }
    link.beat = firstBeat + link.tempo.beats(in: jack.nextOutput - HostTime(nanoseconds: 1_000_000_000_000))
    let isAsked = jack.isSyncCallback || jack.transport.isWaiting
    var observed = jack
    observed.isSyncCallback = isAsked
    observed.step = watch.observe(
      jack.transport, at: jack.frame, counted: jack.serverFrame, period: jack.period)
    let observation = Observation(jack: observed, link: link, choices: choices, command: command)
    command = nil
    let decision = reconciler.reconcile(observation)
    try check(decision, observation)
    if decision.transport != nil || !decision.link.isEmpty || decision.holdsStart { effects += 1 }
    carryOut(decision)
    while let notice = reporter.due(reconciler.conditions(peers: link.peers), at: now) { try check(notice) }
    if case .me = jack.timebase.owner {
      try check(reconciler.entry(forFrame: jack.frame))
    }
    if let launch = reconciler.pendingLaunch {
      try require(launch.beatsAhead.magnitude <= .limit, "a launch \(launch.beatsAhead) ahead")
    }
    if let follow = reconciler.status().follow, let tempo = follow.tempo {
      try require(Tempo.range.contains(tempo.tempo.beatsPerMinute), "Link is to follow at \(tempo.tempo)")
    }
  }

  /// Carries out a decision as JACK does, but for its delays. A machine's time goes on whatever a server
  /// does.
  private mutating func carryOut(_ decision: Decision) {
    if jack.transport.isRolling {
      jack.frame = jack.frame + jack.period
      ownersBeat += ownersTempo / 60 * Double(periodLength.nanoseconds) / 1e9
    }
    if jack.transport.isWaiting, !decision.holdsStart { jack.transport = .rolling }
    switch pending {
    case .none: break
    case .start: if !jack.transport.isPlaying { jack.transport = .starting }
    case .stop: jack.transport = .stopped
    case .relocate(let frame), .locate(let frame):
      jack.frame = frame
      if jack.transport.isRolling { jack.transport = .starting }
    }
    pending = decision.transport
    if let edit = decision.link.tempo {
      // The beat at the instant of the edit stays the same.
      let passed = edit.time - HostTime(nanoseconds: 1_000_000_000_000)
      firstBeat = firstBeat + link.tempo.beats(in: passed) - edit.tempo.beats(in: passed)
      link.tempo = edit.tempo
    }
    if let edit = decision.link.beat, edit.isForced || link.peers == 0 {
      firstBeat = firstBeat + (edit.beat - link.beat)
    }
    if let edit = decision.link.isPlaying {
      link.play = .at(edit.time, edit.isPlaying)
    }
    let length = periodLength
    jack.serverFrame = jack.serverFrame + jack.period
    now =
      now
      + (length > .zero && length.nanoseconds < 1_000_000_000 ? length : HostInterval.milliseconds(1))
  }
}

extension History {
  private func check(_ decision: Decision, _ observation: Observation) throws(BrokenLaw) {
    if let edit = decision.link.tempo {
      try require(
        Tempo.range.contains(edit.tempo.beatsPerMinute), "Link is to have \(edit.tempo.beatsPerMinute) bpm")
      // As of now, at the latest as of when it may have changed.
      let heard = observation.jack.start + observation.jack.outputLatency
      let nearest = min(
        (edit.time - heard).magnitude.nanoseconds,
        (edit.time - observation.jack.nextOutput).magnitude.nanoseconds)
      try require(nearest <= 1_500_000_000, "Link is to change tempo \(nearest) ns away from now")
    }
    if let edit = decision.link.beat {
      try require(edit.beat.sinceZero.magnitude <= .limit, "Link is to have the beat \(edit.beat)")
      let isAskedFor = observation.command == .imposeJACK
      try require(
        !edit.isForced || isAskedFor || reconciler.leader == .jack, "Link's beat is forced while it leads")
    }
    for notice in decision.notices { try check(notice) }
  }

  private func check(_ notice: Notice?) throws(BrokenLaw) {
    guard case .grid(let notice) = notice else { return }
    switch notice {
    case .differentTempos(let tempo, _), .tempoWaits(let tempo, _), .imposed(let tempo, _):
      try require(tempo.isFinite && tempo > 0, "people are told of \(tempo) bpm")
    case .declaresAnotherTempo(let declared, let played):
      try require(declared.isFinite && played.isFinite, "people are told of \(declared) and \(played) bpm")
    case .downbeatShifted(let beats):
      try require(beats.isFinite, "people are told of a downbeat \(beats) beats later")
    case .folded(let tempo):
      try require(Tempo.range.contains(tempo.tempo.beatsPerMinute), "people are told of \(tempo.tempo)")
    case .fault, .jackLeads, .neitherLeads, .linkLeads, .noPosition, .silentOwner, .tempoIsJACKs, .rendering,
      .renderingEnded, .phaseImposed, .nothingToImpose, .tempoKept, .tempoIsNotSent, .downbeatIsOwners:
      break
    }
  }

  private func check(_ entry: TimebaseEntry?) throws(BrokenLaw) {
    guard let entry else { return }
    let position = entry.position
    let isWithin =
      position.bar >= 1 && (1...position.meter.beatsPerBar).contains(position.beat)
      && (0..<position.ticksPerBeat.count).contains(position.tick)
    try require(isWithin, "JACK's clients read \(position)")
    let tempo = entry.beatsPerMinute * 4 / Double(position.meter.beatType)
    try require((19.999...999.001).contains(tempo), "JACK's clients read \(entry.beatsPerMinute) bpm")
  }

  /// Afterwards all is well again: a start comes into phase.
  private mutating func heal() throws(BrokenLaw) {
    (shift, firstBeat, spoilt, pending) = (.zero, .zero, nil, nil)
    jack.isFreewheeling = false
    (jack.period, jack.rate, jack.delay, jack.timebase.owner) = (1024, .standard, CycleDelay(now: .zero), .me)
    (jack.transport, jack.frame, jack.isSyncCallback) = (.stopped, 0, false)
    link = LinkObservation(
      tempo: .standard, beat: .zero, play: .at(now, link.play.isPlaying),
      isEnabled: true, peers: 1)
    choices.take(.mode(.auto))
    choices.take(.tempoSync(.both))
    choices.take(.meter(configuration.meter))
    choices.take(.quantum(configuration.quantum))
    // A peer may have asked for a start that is some seconds ahead.
    for _ in 0..<500 {
      jack.transport = .stopped
      try cycle()
    }
    (link.play, link.tempo, firstBeat) = (.at(now, false), .standard, .zero)
    for _ in 0..<100 {
      jack.transport = .stopped
      try cycle()
    }
    command = .shiftDownbeat(.none)
    try cycle()
    command = .start
    // Some seconds for a clock that has been disturbed, and a quantum at 120 bpm.
    let longest = 10 + configuration.quantum.doubleValue / 2
    let end = now + HostInterval(nanoseconds: Int64(longest * 1e9))
    while now < end, !jack.transport.isRolling { try cycle() }
    try require(jack.transport.isRolling, "a start does not roll within \(longest) s after all is well again")
    for _ in 0..<50 { try cycle() }
    guard let entry = reconciler.entry(forFrame: jack.frame) else {
      throw BrokenLaw("nothing is published after all is well again")
    }
    let due = link.beat.phase(in: configuration.quantum)
    let distance = entry.position.position.phase(in: configuration.quantum).distance(from: due)
    let resolution = Beats(
      nanobeats: configuration.meter.beatLength.nanobeats / Int64(configuration.ticksPerBeat.count))
    try require(
      distance.magnitude <= resolution + Beats(nanobeats: 2_000_000),
      "published \(distance) beats from Link's phase")
  }
}

extension FuzzTarget {
  /// Whole sequences of positions of another owner of the timebase.
  static let owner = history("owner", .owner)
  /// JACK's frames, periods, rates and times.
  static let jack = history("jack", .jack)
  /// Link's tempo, beat, times and peers.
  static let link = history("link", .link)

  private static func history(_ name: String, _ side: History.Side) -> FuzzTarget {
    FuzzTarget(
      name: name, longest: 96,
      generate: { random in
        let count = Int.random(in: 6...40, using: &random)
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      },
      check: { bytes throws(BrokenLaw) in
        var history = History(bytes, side)
        try history.run()
        return history.effects > 0 ? .accepted : .refused
      })
  }

  /// Readings of JACK's clock, its frames, and Link's clock.
  static let clocks = FuzzTarget(
    name: "clocks", longest: 512,
    generate: { random in
      (0..<Int.random(in: 2...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    },
    check: { bytes throws(BrokenLaw) in
      var genes = Genes(bytes)
      var map = ClockMap()
      var clock = SampleClock()
      var time: Int64 = 0
      var frame: ServerFrame = 0
      while !genes.isAtEnd {
        let event = genes.byte()
        if event >= 96 { time = genes.int64() }
        if event >= 224 { frame = ServerFrame(genes.uint32()) }
        let rate = event % 16 == 15 ? SampleRate(hertz: genes.double()) ?? .standard : .standard
        let width = event % 16 == 14 ? genes.int64() : Int64(event % 8) * 1000
        let away = event % 16 == 13 ? genes.int64() : 5_000_000
        for _ in 0..<Int(event % 24) {
          let before = HostTime<JACKClock>(nanoseconds: time)
          let link = HostTime<LinkClock>(nanoseconds: time &+ away)
          map.observe(before: before, link: link, after: before + HostInterval(nanoseconds: width))
          clock.observe(frame: frame, at: link, rate: rate)
          time &+= 21_333_333
          frame = frame + 1024
        }
        _ = map.link(at: HostTime(nanoseconds: genes.int64()))
        // No sound card is more than 0.1 % off.
        let second = clock.reading.duration(of: FrameCount(48_000), at: .standard)
        try require(
          (998_999_999...1_001_000_001).contains(second.nanoseconds),
          "a second lasts \(second.nanoseconds) ns")
      }
      return clock.reading.isSteady ? .accepted : .refused
    })
}

extension PlayState {
  fileprivate static func at(_ time: HostTime<LinkClock>, _ isPlaying: Bool) -> PlayState {
    PlayState(
      isPlaying: isPlaying, time: time, beat: BeatTime(sinceZero: Beats(nanobeats: time.nanoseconds)))
  }
}
