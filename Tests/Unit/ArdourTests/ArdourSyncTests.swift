import MusicalTime
import PropertyTesting
import Testing

@testable import Ardour

@Suite struct ArdourSyncTests {
  private typealias Action = ArdourSync.Action

  private static func bpm(_ beatsPerMinute: Double) -> Tempo {
    Tempo(beatsPerMinute: beatsPerMinute) ?? .standard
  }

  private static func session(
    _ tempo: Double, linkLeads: Bool = true, isRolling: Bool = false, peers: Int = 1
  ) -> ArdourSync.Session {
    ArdourSync.Session(tempo: bpm(tempo), linkLeads: linkLeads, isRolling: isRolling, peers: peers)
  }

  private static func setTempo(_ tempo: Double, _ notation: ArdourRequest.Notation = .number) -> [Action] {
    [.send(.setTempo(tempo, notation)), .send(.askTempo)]
  }

  /// One that has been connected for a while, and has the session's tempo.
  private static func agreed(_ tempo: Double = 120, isRolling: Bool = false) -> ArdourSync {
    var sync = ArdourSync()
    _ = sync.sessionIs(session(tempo, isRolling: isRolling), at: .zero)
    _ = sync.received(.tempo(tempo), at: .zero)
    return sync
  }

  @Test func `A tempo of the session's is sent once, and Ardour's answer is no edit`() {
    var sync = Self.agreed()
    #expect(sync.sessionIs(Self.session(126.5), at: .seconds(1)) == Self.setTempo(126.5))
    #expect(sync.sessionIs(Self.session(126.5), at: .seconds(1)) == [])
    #expect(sync.received(.tempo(126.5), at: .milliseconds(1010)) == [])
    #expect(sync.received(.tempo(126.5), at: .milliseconds(1100)) == [])
    // At rest nothing is relocated.
    #expect(sync.timePassed(at: .seconds(5)) == [] && sync.nextTime == nil)
    #expect(sync.tempo == 126.5)
  }

  @Test func `While JACK rolls one relocation follows, when the tempo has stayed for a while`() {
    var sync = Self.agreed(isRolling: true)
    var time = Duration.seconds(1)
    for tempo in stride(from: 121.0, through: 130, by: 1) {
      _ = sync.sessionIs(Self.session(tempo, isRolling: true), at: time)
      #expect(sync.received(.tempo(tempo), at: time + .milliseconds(5)) == [])
      time += .milliseconds(150)
    }
    let due = time - .milliseconds(145) + ArdourSync.settling
    #expect(sync.nextTime == due && sync.timePassed(at: due - .milliseconds(1)) == [])
    #expect(sync.timePassed(at: due) == [.ask(.realign)])
    #expect(sync.timePassed(at: due + .seconds(9)) == [] && sync.nextTime == nil)
  }

  @Test func `Tempos in quick succession are not sent one by one, and the last one is`() {
    var sync = Self.agreed()
    #expect(sync.sessionIs(Self.session(121), at: .seconds(1)) == Self.setTempo(121))
    #expect(sync.sessionIs(Self.session(122), at: .milliseconds(1002)) == [])
    #expect(sync.received(.tempo(121), at: .milliseconds(1004)) == [])
    #expect(sync.sessionIs(Self.session(123), at: .milliseconds(1006)) == [])
    #expect(sync.nextTime == .milliseconds(1100))
    #expect(sync.timePassed(at: .milliseconds(1100)) == Self.setTempo(123))
  }

  @Test func `Where Ardour cuts a number to a whole one, it is written as a text from then on`() {
    var sync = Self.agreed()
    #expect(sync.sessionIs(Self.session(126.5), at: .seconds(1)) == Self.setTempo(126.5))
    #expect(sync.received(.tempo(126), at: .milliseconds(1010)) == Self.setTempo(126.5, .text))
    #expect(sync.received(.tempo(126.5), at: .milliseconds(1020)) == [])
    #expect(sync.sessionIs(Self.session(97.25), at: .seconds(2)) == Self.setTempo(97.25, .text))
  }

  @Test func `A tempo that Ardour does not take is sent twice, is reported, and is not sent again`() {
    var sync = Self.agreed()
    #expect(sync.sessionIs(Self.session(140), at: .seconds(1)) == Self.setTempo(140))
    #expect(sync.received(.tempo(120), at: .milliseconds(1010)) == [])
    #expect(sync.timePassed(at: .seconds(2)) == Self.setTempo(140))
    #expect(sync.received(.tempo(120), at: .milliseconds(2010)) == [])
    #expect(sync.timePassed(at: .seconds(3)) == [.tell(.keepsTempo(120, wanted: Self.bpm(140)))])
    #expect(sync.timePassed(at: .seconds(9)) == [] && sync.nextTime == nil)
    #expect(sync.sessionIs(Self.session(141), at: .seconds(10)) == Self.setTempo(141))
  }

  @Test func `A user's tempo in Ardour is one in the session, and the session's word for it comes not back`()
  {
    var sync = Self.agreed(isRolling: true)
    #expect(sync.received(.tempo(130.25), at: .seconds(1)) == [.ask(.propose(Self.bpm(130.25)))])
    // Link counts whole microseconds per beat.
    #expect(
      sync.sessionIs(Self.session(60_000_000 / 460_653, isRolling: true), at: .milliseconds(1100)) == [])
    #expect(sync.timePassed(at: .milliseconds(1500)) == [.ask(.realign)])
    #expect(sync.timePassed(at: .seconds(60)) == [] && sync.nextTime == nil)
  }

  @Test func `A tempo in Ardour that the session does not take is replaced by the session's`() {
    var sync = Self.agreed()
    _ = sync.received(.tempo(130), at: .seconds(1))
    #expect(sync.sessionIs(Self.session(140), at: .milliseconds(1200)) == [])
    #expect(sync.timePassed(at: .seconds(2)) == Self.setTempo(140))
    var fast = Self.agreed()
    // More than a session may have.
    #expect(fast.received(.tempo(1200), at: .seconds(1)) == Self.setTempo(120))
  }

  @Test func `An edit that crosses a tempo of the session's is seen when Ardour does not take that`() {
    var sync = Self.agreed()
    #expect(sync.sessionIs(Self.session(126), at: .seconds(1)) == Self.setTempo(126))
    #expect(sync.received(.tempo(99.5), at: .milliseconds(1010)) == [])
    #expect(sync.timePassed(at: .seconds(2)) == [.ask(.propose(Self.bpm(99.5)))])
  }

  @Test func `At first the session's tempo counts where there are peers, and Ardour's where there are none`()
  {
    var together = ArdourSync()
    #expect(together.received(.tempo(95), at: .zero) == [])
    #expect(together.sessionIs(Self.session(120, peers: 1), at: .zero) == Self.setTempo(120))
    var alone = ArdourSync()
    #expect(alone.sessionIs(Self.session(120, peers: 0), at: .zero) == [])
    #expect(alone.received(.tempo(95), at: .zero) == [.ask(.found(Self.bpm(95)))])
    #expect(alone.sessionIs(Self.session(95, peers: 0), at: .milliseconds(100)) == [])
    #expect(alone.sessionIs(Self.session(96, peers: 0), at: .seconds(2)) == Self.setTempo(96))
    // A peer has come in the meantime, and the session keeps its tempo.
    var joined = ArdourSync()
    _ = joined.received(.tempo(95), at: .zero)
    #expect(joined.sessionIs(Self.session(120, peers: 0), at: .zero) == [.ask(.found(Self.bpm(95)))])
    #expect(joined.sessionIs(Self.session(120, peers: 1), at: .milliseconds(500)) == [])
    #expect(joined.timePassed(at: .seconds(1)) == Self.setTempo(120))
  }

  @Test func `While JACK leads, and without a server, nothing is sent, and nothing is proposed`() {
    for state in [Self.session(120, linkLeads: false), nil] {
      var sync = Self.agreed()
      #expect(sync.sessionIs(state, at: .seconds(1)) == [])
      #expect(sync.received(.tempo(131), at: .seconds(2)) == [])
      if state != nil { #expect(sync.sessionIs(Self.session(133, linkLeads: false), at: .seconds(3)) == []) }
      #expect(sync.timePassed(at: .seconds(9)) == [] && sync.nextTime == nil)
    }
  }

  @Test func `A tempo map of several tempos is reported once, and left alone`() {
    var sync = Self.agreed(isRolling: true)
    var actions: [Action] = []
    for step in 0..<40 {
      let now = Duration.milliseconds(1000 + 100 * step)
      actions += sync.received(.time(30 + 0.1 * Double(step)), at: now)
      actions += sync.received(.tick(Int(0.1 * Double(step) * 97 / 60 * 1920) % 1920), at: now)
    }
    #expect(actions == [.tell(.mixedTempos)] && sync.isMixed)
    #expect(sync.sessionIs(Self.session(140, isRolling: true), at: .seconds(9)) == [])
    #expect(sync.received(.tempo(150), at: .seconds(10)) == [] && sync.nextTime == nil)
    // Recording is another matter.
    #expect(sync.record(true, at: .seconds(11)) == [.send(.record(true)), .send(.askRecord)])
  }

  @Test func `Nothing is sent while it is not clear whether there is one tempo`() {
    var sync = Self.agreed()
    _ = sync.received(.time(30), at: .zero)
    _ = sync.received(.tick(250), at: .zero)
    #expect(sync.sessionIs(Self.session(126), at: .milliseconds(100)) == [])
    #expect(sync.nextTime == .milliseconds(600))
    #expect(sync.timePassed(at: .milliseconds(600)) == [.tell(.mixedTempos)])
  }

  @Test func `Recording is switched, told, and told where it does not switch`() {
    var sync = Self.agreed()
    #expect(sync.received(.record(false), at: .zero) == [] && sync.isRecording == false)
    #expect(sync.record(false, at: .zero) == [])
    #expect(sync.record(true, at: .seconds(1)) == [.send(.record(true)), .send(.askRecord)])
    #expect(sync.received(.record(true), at: .milliseconds(1100)) == [.tell(.recording(true))])
    #expect(sync.received(.record(false), at: .seconds(5)) == [.tell(.recording(false))])
    #expect(sync.record(true, at: .seconds(6)) == [.send(.record(true)), .send(.askRecord)])
    #expect(sync.received(.record(false), at: .milliseconds(6100)) == [])
    #expect(sync.timePassed(at: .seconds(7)) == [.tell(.doesNotRecord(true))] && sync.nextTime == nil)
  }

  @Test(
    "After all that users and peers do, however late it is known, all have one tempo in the end, and nothing goes on"
  )
  func histories() {
    forAll(2000) { seed, random in
      var world = World(&random)
      world.run(&random)
      #expect(world.fault == nil, "seed \(seed): \(world.fault ?? "")")
    }
  }
}

/// An Ardour and a session that know of each other late, by way of the machine between them.
private struct World {
  private enum Event {
    case request(ArdourRequest)
    case message(ArdourMessage)
    case wish(ArdourSync.Wish)
    case state(ArdourSync.Session)
    case edit(Double)
    case peer(Double)
    case leader(Bool)
    case roll(Bool)
  }

  private var sync = ArdourSync()
  private var queue: [(time: Duration, order: Int, event: Event)] = []
  private var count = 0
  private var now = Duration.zero
  private var ardour: Double
  private var session: ArdourSync.Session
  private let cuts: Bool
  private var acts = 0
  private var sets = 0
  private var realigns = 0
  private var lastAct = Duration.zero
  private var lastAction = Duration.zero
  private(set) var fault: String?

  init(_ random: inout Seeded) {
    ardour = (Double.random(in: 60...200, using: &random) * 100).rounded() / 100
    cuts = random.oneIn(2)
    session = ArdourSync.Session(
      tempo: .standard, linkLeads: true, isRolling: random.oneIn(2),
      peers: Int.random(in: 0...1, using: &random))
    add(.state(session), after: .milliseconds(1))
    add(.message(.tempo(Self.written(ardour))), after: .milliseconds(2))
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let time = Duration.milliseconds(Int.random(in: 0...8000, using: &random))
      let tempo = Double.random(in: 40...250, using: &random)
      switch Int.random(in: 0...7, using: &random) {
      case 0...2: add(.edit((tempo * 100).rounded() / 100), after: time)
      case 3...5: add(.peer(tempo), after: time)
      case 6: add(.roll(random.oneIn(2)), after: time)
      default: add(.leader(random.oneIn(2)), after: time)
      }
    }
    add(.leader(true), after: .seconds(9))
  }

  private mutating func add(_ event: Event, after time: Duration) {
    count += 1
    queue.append((now + time, count, event))
  }

  private static func written(_ tempo: Double) -> Double {
    let unit = tempo < 100 ? 1e4 : 1e3
    return (tempo * unit).rounded() / unit
  }

  private static func onTheWire(_ tempo: Double) -> Tempo {
    Tempo(beatsPerMinute: 60_000_000 / (60_000_000 / tempo).rounded()) ?? .standard
  }

  mutating func run(_ random: inout Seeded) {
    while fault == nil, now < .seconds(90) {
      let next = queue.indices.min { (queue[$0].time, queue[$0].order) < (queue[$1].time, queue[$1].order) }
      let due = sync.nextTime
      if let due, next.map({ due < queue[$0].time }) ?? true {
        if due < now { return fault = "it wants to be called for the past, again and again" }
        now = max(now, due)
        carryOut(sync.timePassed(at: now), &random)
        if let again = sync.nextTime, again <= due { return fault = "it is never done at \(due)" }
        continue
      }
      guard let next else { break }
      let (time, _, event) = queue.remove(at: next)
      now = time
      take(event, &random)
    }
    check()
  }

  private mutating func check() {
    if !ArdourSync.isSame(session.tempo.beatsPerMinute, ardour) {
      fault = "the session has \(session.tempo), and Ardour \(ardour)"
    }
    // Each act of a person's causes some messages, and no more come of those.
    if sets > 3 * acts + 4 { fault = "\(sets) tempos were sent for \(acts) acts" }
    if realigns > acts + 2 { fault = "\(realigns) relocations for \(acts) acts" }
    if lastAction > max(lastAct, .seconds(9)) + .seconds(6) { fault = "it goes on at \(lastAction)" }
  }

  private mutating func take(_ event: Event, _ random: inout Seeded) {
    func soon(_ most: Int) -> Duration { .milliseconds(Int.random(in: 1...most, using: &random)) }
    switch event {
    case .request(.setTempo(let tempo, .number)): ardour = cuts ? tempo.rounded(.towardZero) : tempo
    case .request(.setTempo(let tempo, .text)): ardour = tempo
    case .request(.askTempo): tell()
    case .request(.record), .request(.askRecord): break
    case .message(let message): carryOut(sync.received(message, at: now), &random)
    case .wish(.propose(let tempo)): sessionHas(tempo.beatsPerMinute, soon(150))
    case .wish(.found(let tempo)): if session.peers == 0 { sessionHas(tempo.beatsPerMinute, soon(150)) }
    case .wish(.realign): realigns += 1
    case .state(let state): carryOut(sync.sessionIs(state, at: now), &random)
    case .edit(let tempo):
      (acts, lastAct) = (acts + 1, now)
      ardour = tempo
      tell()
    case .peer(let tempo):
      (acts, lastAct) = (acts + 1, now)
      sessionHas(tempo, soon(150))
    case .leader(let isLink):
      (acts, lastAct) = (acts + 1, now)
      session.linkLeads = isLink
      add(.state(session), after: soon(200))
    case .roll(let rolls):
      session.isRolling = rolls
      add(.state(session), after: soon(200))
    }
  }

  /// Messages of Ardour's come in the order in which they were sent.
  private mutating func tell() { add(.message(.tempo(Self.written(ardour))), after: .milliseconds(5)) }

  private mutating func sessionHas(_ tempo: Double, _ delay: Duration) {
    session.tempo = Self.onTheWire(tempo)
    add(.state(session), after: delay)
  }

  private mutating func carryOut(_ actions: [ArdourSync.Action], _ random: inout Seeded) {
    for action in actions {
      lastAction = now
      switch action {
      case .send(let request):
        if case .setTempo = request { sets += 1 }
        add(.request(request), after: .milliseconds(5))
      case .ask(let wish):
        add(.wish(wish), after: .milliseconds(Int.random(in: 1...20, using: &random)))
      case .tell: break
      }
    }
  }
}
