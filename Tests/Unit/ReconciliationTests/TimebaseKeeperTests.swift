import MusicalTime
import PropertyTesting
import Reconciliation
import Testing

/// Whose the timebase is, and when that is looked at: each branch of it, without a server.
@Suite struct TimebaseKeeperTests {
  typealias View = TimebaseKeeper.View
  static let stopped = View(transport: .stopped, tally: TimebaseTally())
  static let rolling = View(transport: .rolling, tally: TimebaseTally(silentCycles: 1))
  static let unasked = View(transport: .rolling, tally: TimebaseTally(silentCycles: 4))
  static let starting = View(transport: .starting, tally: TimebaseTally())

  /// A keeper that knows the timebase owner.
  static func keeper(
    takeover: Takeover? = nil, owner: TimebaseAnswer = .ours
  ) -> TimebaseKeeper {
    var keeper = TimebaseKeeper(takeover: takeover)
    _ = keeper.take(.answered(owner), seeing: stopped)
    return keeper
  }

  @Test func `A look asks, retakes or gives up, by leader and owner of the timebase`() {
    typealias Row = (SyncMode, Takeover?, TimebaseAnswer, View, TimebaseAction)
    let rows: [Row] = [
      // While it is stopped JACK asks no client, so only a request shows the owner.
      (.auto, nil, .ours, Self.stopped, .ask), (.auto, nil, .anothers, Self.stopped, .ask),
      (.auto, nil, .nobodys, Self.rolling, .ask), (.auto, nil, .anothers, Self.rolling, .ask),
      // While it rolls and JACK asks the bridge in every cycle, the bridge owns it.
      (.auto, nil, .ours, Self.rolling, .none), (.auto, nil, .ours, Self.unasked, .ask),
      (.link, nil, .anothers, Self.stopped, .ask), (.link, .retake, .anothers, Self.stopped, .retake),
      (.auto, .retake, .anothers, Self.rolling, .retake), (.link, nil, .ours, Self.rolling, .none),
      (.jack, nil, .anothers, Self.stopped, .none), (.jack, nil, .nobodys, Self.rolling, .none),
      (.jack, nil, .ours, Self.stopped, .release), (.jack, nil, .ours, Self.rolling, .none),
      (.jack, nil, .ours, Self.starting, .none),
      (.jack, nil, .ours, Self.unasked, .ask),
    ]
    for (mode, takeover, owner, view, action) in rows {
      var keeper = Self.keeper(takeover: takeover, owner: owner)
      var view = view
      view.mode = mode
      let found = keeper.take(.checkDue, seeing: view)
      #expect(found.action == action, "\(mode), \(owner), \(view)")
      #expect(found.news == nil)
    }
  }

  @Test func `A new position is published by the timebase owner, and by no other client`() {
    for (owner, action) in [(TimebaseAnswer.ours, TimebaseAction.ask), (.anothers, .none), (.nobodys, .none)]
    {
      var keeper = Self.keeper(owner: owner)
      #expect(keeper.take(.positionChanged, seeing: Self.stopped).action == action)
    }
  }

  @Test func `While a request is under way there is no other, and one more when it is answered`() {
    var keeper = Self.keeper()
    #expect(keeper.take(.positionChanged, seeing: Self.rolling).action == .ask)
    #expect(keeper.take(.positionChanged, seeing: Self.rolling).action == .none)
    #expect(keeper.take(.checkDue, seeing: Self.stopped).action == .none)
    // Also where a look would ask nothing: it was wanted.
    #expect(keeper.take(.answered(.ours), seeing: Self.rolling).action == .ask)
    #expect(keeper.take(.answered(.ours), seeing: Self.rolling).action == .none)
    #expect(keeper.take(.positionChanged, seeing: Self.rolling).action == .ask)
    // A request for the bridge's own timebase is not made for another's.
    _ = keeper.take(.positionChanged, seeing: Self.rolling)
    #expect(keeper.take(.answered(.anothers), seeing: Self.rolling).action == .ask)
  }

  @Test func `The owner becomes known by answers, and is reported when it becomes the bridge`() {
    var keeper = TimebaseKeeper(takeover: nil)
    #expect(keeper.owner == .nobody)
    let steps: [(TimebaseAnswer, TimebaseOwner, TimebaseKeeper.News?)] = [
      (.ours, .me, .taken), (.ours, .me, nil), (.unknown, .me, nil), (.anothers, .other, nil),
      (.unknown, .other, nil), (.ours, .me, .taken), (.nobodys, .nobody, nil), (.retaken, .me, .retaken),
      (.retaken, .me, .retaken),
    ]
    for (index, (answer, owner, news)) in steps.enumerated() {
      let outcome = keeper.take(.answered(answer), seeing: Self.rolling)
      #expect(keeper.owner == owner && outcome.news == news, "step \(index)")
    }
    keeper.serverGone()
    #expect(keeper.owner == .nobody)
  }

  @Test func `A question of JACK's ends a doubt about a timebase that was granted`() {
    var keeper = TimebaseKeeper(takeover: nil)
    var tally = TimebaseTally()
    func look(_ questions: Int, silent: Int) -> HostInterval {
      (tally.questions, tally.silentCycles) = (questions, silent)
      _ = keeper.take(.checkDue, seeing: View(transport: .rolling, tally: tally))
      return keeper.checkInterval
    }
    _ = keeper.take(.answered(.granted), seeing: Self.rolling)
    #expect(look(1, silent: 0) == .seconds(1))
    #expect(look(1, silent: 4) == .milliseconds(50))
    #expect(look(2, silent: 0) == .seconds(1))
  }

  @Test
  func
    `A timebase that is granted to any client is the bridge's when JACK asks it, and another's while it does not`()
  {
    for takeover in [nil, Takeover.retake] {
      var keeper = TimebaseKeeper(takeover: takeover)
      var tally = TimebaseTally()
      func take(_ event: TimebaseKeeper.Event, _ motion: TransportState = .stopped) -> TimebaseKeeper.Outcome
      {
        keeper.take(event, seeing: View(transport: motion, tally: tally))
      }
      // Granted, and not proved yet.
      let first = take(.checkDue)
      #expect(first.action == (takeover == .retake ? .retake : .ask) && first.news == nil)
      #expect(take(.answered(.granted)).news == nil)
      #expect(keeper.told == .me && keeper.checkInterval < .milliseconds(100))
      tally.questions = 1
      #expect(take(.checkDue) == .init(action: .ask, news: .taken))
      #expect(take(.answered(.granted)) == .init())
      // Another client takes it while the transport is stopped: a request is granted, and JACK does not ask.
      let calm = HostInterval.seconds(1)
      #expect(keeper.checkInterval < .milliseconds(100))
      tally.silentCycles = 3
      #expect(take(.checkDue).action == .ask && keeper.owner == .me)
      _ = take(.answered(.granted))
      // A question may have been lost: it is asked for once more.
      tally.silentCycles = 4
      #expect(take(.checkDue).action == .ask && keeper.owner == .me)
      #expect(take(.answered(.granted)) == .init() && keeper.checkInterval < calm)
      tally.silentCycles = 8
      let lost = take(.checkDue)
      #expect(keeper.owner == .other && keeper.told == .me && lost.news == nil)
      #expect(keeper.checkInterval < calm)
      if takeover == .retake {
        #expect(lost.action == .seize)
        #expect(take(.answered(.retaken)).news == .retaken)
        // It is not taken twice before JACK can have asked.
        #expect(take(.checkDue).action == .ask)
        _ = take(.answered(.granted))
        (tally.questions, tally.silentCycles) = (2, 0)
        #expect(take(.checkDue).news == nil && keeper.owner == .me)
        // A lost timebase is not reported.
        _ = take(.answered(.granted))
        tally.silentCycles = 4
        #expect(take(.checkDue) == .init(action: .ask))
        _ = take(.answered(.granted))
        (tally.questions, tally.silentCycles) = (3, 0)
        #expect(take(.checkDue).news == nil && keeper.owner == .me)
      } else {
        #expect(lost.action == .ask)
        #expect(take(.answered(.granted)) == .init() && keeper.owner == .other)
        // The other one has left.
        (tally.questions, tally.silentCycles) = (2, 0)
        #expect(take(.checkDue).news == .taken && keeper.owner == .me)
      }
      keeper.serverGone()
      #expect(keeper.owner == .nobody)
    }
  }

  @Test func `A grant to the owner is checked soon, until JACK has asked`() {
    var keeper = TimebaseKeeper(takeover: nil)
    var tally = TimebaseTally()
    func look() {
      let view = View(transport: .stopped, tally: tally)
      if keeper.take(.checkDue, seeing: view).action == .ask {
        _ = keeper.take(.answered(.granted), seeing: view)
      }
    }
    look()
    tally.questions = 1
    look()
    let soon = keeper.checkInterval
    look()
    #expect(soon == keeper.checkInterval && soon < .milliseconds(100) && keeper.owner == .me)
    tally.questions = 2
    look()
    #expect(keeper.checkInterval > soon && keeper.owner == .me)
    // Another client has taken it, which three looks in a row show.
    look()
    for silent in [2, 4, 8] {
      #expect(keeper.checkInterval == soon && keeper.owner == .me)
      tally.silentCycles = silent
      look()
    }
    #expect(keeper.owner == .other && keeper.isDisproved)
  }

  @Test func `The timebase is looked for often while the bridge does not own it`() {
    #expect(Self.keeper(owner: .ours).checkInterval > Self.keeper(owner: .anothers).checkInterval)
    #expect(Self.keeper(owner: .nobodys).checkInterval == Self.keeper(owner: .anothers).checkInterval)
  }

  @Test func `A mode that is chosen counts from the next look on`() {
    var keeper = Self.keeper()
    let pinned = View(mode: .jack, transport: .stopped, tally: TimebaseTally())
    #expect(keeper.take(.checkDue, seeing: pinned).action == .release)
    #expect(keeper.take(.answered(.nobodys), seeing: pinned) == .init())
    #expect(keeper.take(.checkDue, seeing: pinned).action == .none)
    #expect(keeper.take(.checkDue, seeing: Self.stopped).action == .ask)
  }

  @Test func `A start that is planned anew, and earlier, is looked at in time, and not twice`() throws {
    let period = HostInterval(nanoseconds: 21_333_333)
    var keeper = Self.keeper()
    let now = HostTime<LinkClock>(nanoseconds: 10_000_000_000)
    let first = keeper.look(at: now + .seconds(2), now: now, period: period, isAppointed: false)
    let appointed = now + (try #require(first.again))
    // Another peer presses, for a bar before.
    let later = now + .milliseconds(1)
    let launch = later + .milliseconds(100)
    let second = keeper.look(at: launch, now: later, period: period, isAppointed: false)
    #expect(second.action == .none)
    let earlier = later + (try #require(second.again))
    #expect(launch - earlier >= PendingLaunch.refreshLead(period: period))
    // More that happens in cycles changes nothing.
    let third = keeper.look(at: launch, now: later + .milliseconds(1), period: period, isAppointed: false)
    #expect(third.action == .none && third.again == nil)
    let fourth = keeper.look(at: launch, now: earlier, period: period, isAppointed: true)
    #expect(fourth.action == .ask)
    // The first appointment comes in between: out of date as long as another is set.
    _ = keeper.take(.answered(.ours), seeing: Self.starting)
    var next = earlier + (try #require(fourth.again))
    while next + .milliseconds(2) < appointed {
      let look = keeper.look(at: launch, now: next, period: period, isAppointed: true)
      #expect(look.action == .ask)
      _ = keeper.take(.answered(.ours), seeing: Self.starting)
      next = next + (try #require(look.again))
    }
    let stale = keeper.look(at: launch, now: next - .milliseconds(3), period: period, isAppointed: true)
    #expect(stale.action == .none && stale.again == nil)
  }

  @Test func `A start that is waited for is refreshed from shortly before it until it rolls`() throws {
    let period = HostInterval(nanoseconds: 5_333_333)
    let launch = HostTime<LinkClock>(nanoseconds: 10_000_000_000)
    var keeper = Self.keeper()
    var now = launch - HostInterval.seconds(1)
    // By a cycle's event; from then on by appointment.
    var look = keeper.look(at: launch, now: now, period: period, isAppointed: false)
    #expect(look.action == .none)
    var requests = 0
    while now < launch {
      let again = try #require(look.again)
      #expect(again > .zero && again <= HostInterval.milliseconds(100))
      let other = keeper.look(at: launch, now: now, period: period, isAppointed: false)
      #expect(other.action == .none && other.again == nil)
      now = now + again
      look = keeper.look(at: launch, now: now, period: period, isAppointed: true)
      guard look.action == .ask else { continue }
      requests += 1
      _ = keeper.take(.answered(.ours), seeing: Self.starting)
    }
    #expect(requests >= 2)
    // It has rolled.
    look = keeper.look(at: nil, now: now, period: period, isAppointed: true)
    #expect(look.action == .none && look.again == nil)
    look = keeper.look(at: launch, now: launch, period: period, isAppointed: false)
    #expect(look.action == .ask)
    var anothers = Self.keeper(owner: .anothers)
    look = anothers.look(at: launch, now: launch, period: period, isAppointed: false)
    #expect(look.action == .none && look.again == nil)
  }

  @Test func `In any order of events, one request is under way at most, and none that disturbs a roll`() {
    forAll(200) { seed, random in
      let mode = [SyncMode.auto, .link, .jack].randomElement(using: &random) ?? .auto
      let takeover = [Takeover.follow, .retake, nil].randomElement(using: &random) ?? nil
      var keeper = TimebaseKeeper(takeover: takeover)
      var isUnderWay = false
      for _ in 0..<200 {
        let view = View(
          mode: mode, transport: [.stopped, .starting, .rolling].randomElement(using: &random) ?? .stopped,
          tally: TimebaseTally(silentCycles: .random(in: 0...6, using: &random)))
        let answers: [TimebaseAnswer] = [.ours, .retaken, .anothers, .nobodys, .unknown]
        var event = TimebaseKeeper.Event.checkDue
        if isUnderWay, random.oneIn(2) {
          event = .answered(answers.randomElement(using: &random) ?? .unknown)
          isUnderWay = false
        } else if random.oneIn(2) {
          event = .positionChanged
        }
        let action = keeper.take(event, seeing: view).action
        #expect(action == .none || !isUnderWay, "seed \(seed)")
        if action != .none { isUnderWay = true }
        if action == .release { #expect(mode == .jack && view.transport == .stopped, "seed \(seed)") }
        if action == .retake { #expect(Takeover(takeover, while: mode) == .retake, "seed \(seed)") }
      }
    }
  }
}

/// JACK's side of a cycle.
@Suite struct CycleObserverTests {
  /// Cycles of 256 frames at 48 kHz, each woken on time, by a clock that is 40 ms behind Link's.
  private struct Machine {
    var observer = CycleObserver(rate: .standard)
    var cycles: UInt32 = 0
    var pairings = 0
    static let offset = HostInterval.milliseconds(40)

    mutating func cycle(pairs: Bool = true, isFreewheeling: Bool = false) {
      let start = HostTime<JACKClock>(nanoseconds: 1_000_000_000 + Int64(cycles) * 5_333_333)
      let report = CycleClock.Report(
        frame: ServerFrame(cycles &* 256), start: start, next: start + HostInterval(nanoseconds: 5_333_333),
        wakeUp: start + HostInterval(microseconds: 20), period: 256)
      cycles += 1
      guard observer.wake(report, isFreewheeling: isFreewheeling), pairs else { return }
      pairings += 1
      let link = HostTime<LinkClock>(nanoseconds: report.wakeUp.nanoseconds) + Self.offset
      observer.pair(before: report.wakeUp, link: link, after: report.wakeUp)
    }
  }

  @Test
  func `A cycle's times on Link's clock are known as soon as the clocks are compared, twenty times a second`()
    throws
  {
    var machine = Machine()
    machine.cycle(pairs: false)
    #expect(machine.observer.span == nil)
    machine = Machine()
    for _ in 0..<188 { machine.cycle() }
    #expect((19...21).contains(machine.pairings))
    let span = try #require(machine.observer.span)
    let start = 1_000_000_000 + 187 * 5_333_333 + Machine.offset.nanoseconds
    #expect((span.start.nanoseconds - Int64(start)).magnitude < 40_000)
    #expect(((span.next - span.start).nanoseconds - 5_333_333).magnitude < 10_000)
  }

  @Test func `The clients' position is read where the timebase may be another's, and handed on where it is`()
    throws
  {
    var machine = Machine()
    machine.cycle()
    let span = try #require(machine.observer.span)
    let shown = TimebaseReading(
      isValid: true, bar: 7, beat: 2, tick: 5, beatsPerBar: 4, beatType: 4, ticksPerBeat: 1920,
      beatsPerMinute: 120)
    func observe(_ told: TimebaseOwner, _ shown: TimebaseReading = shown) -> JACKObservation {
      let needs = machine.observer.needsReading(told: told, while: .rolling)
      let observation = machine.observer.observation(
        span, .rolling, frame: 99, delay: CycleDelay(now: HostInterval(microseconds: 1)), told: told,
        reading: needs ? shown : nil, isSyncCallback: false)
      machine.observer.passed(.rolling, granted: nil)
      return observation
    }
    let first = observe(.me)
    #expect(
      first.timebase.owner == .me && first.timebase.position == nil && first.frame == 99
        && first.period == 256)
    #expect(first.nextOutput == span.next + HostInterval(microseconds: 1))
    #expect(observe(.other).timebase.owner == .other)
    let unowned = observe(.nobody, .absent)
    #expect(unowned.timebase.owner == .nobody && unowned.timebase.position == nil)
    #expect(observe(.nobody).timebase.position?.bar == 7)
    // Not asked any more: it was taken.
    #expect(observe(.me).timebase.owner == .other)
    #expect(machine.observer.tally.silentCycles == 5)
    machine.observer.asked()
    machine.observer.published(
      BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard), beatsPerMinute: 120)
    #expect(observe(.me).timebase.position == nil)
  }

  @Test func `A position that differs from the bridge's last one in anything is another client's`() throws {
    var watch = TimebaseWatch()
    func place(_ beats: Double) throws -> BarBeatTick {
      BarBeatTick(nearest: try #require(BeatTime(beats)), meter: .common, ticksPerBeat: .standard)
    }
    let own = try place(9.25)
    watch.asked()
    watch.published(own, beatsPerMinute: 120)
    for _ in 0..<5 { watch.passed(.rolling, granted: nil) }
    let owner = { (shown: TimebaseReading) in
      var watch = watch
      return watch.owner(told: .me, shown: shown, while: .rolling)
    }
    #expect(owner(TimebaseReading(at: own, beatsPerMinute: 120)) == .me)
    #expect(owner(TimebaseReading(at: own, beatsPerMinute: 121)) == .other)
    // Another bar, another beat, another tick.
    for beats in [13.25, 10.25, 9.5] {
      #expect(owner(TimebaseReading(at: try place(beats), beatsPerMinute: 120)) == .other, "\(beats)")
    }
  }

  /// JACK's answer to the bridge's request comes to the cycle after JACK's first question.
  @Test(arguments: [TimebaseOwner.nobody, .other])
  func `A client that JACK asks owns the timebase before the answer comes`(told: TimebaseOwner) {
    var watch = TimebaseWatch()
    let left = BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard)
    let shown = TimebaseReading(at: left, beatsPerMinute: 120)
    func owner(_ told: TimebaseOwner, _ shown: TimebaseReading) -> TimebaseOwner {
      defer { watch.passed(.stopped, granted: nil) }
      return watch.isSure(told: told, while: .stopped)
        ? .me : watch.owner(told: told, shown: shown, while: .stopped)
    }
    #expect(owner(told, shown) == .other)
    watch.asked()
    watch.published(left, beatsPerMinute: 120)
    for _ in 0..<9 { #expect(owner(told, shown) == .me) }
    #expect(owner(.me, shown) == .me)
    // The bridge gives it up: its position is shown for a cycle more, and then another client's.
    #expect(owner(.nobody, shown) == .nobody)
    #expect(owner(.nobody, .absent) == .nobody)
    #expect(owner(.nobody, shown) == .other)
  }

  @Test func `An owner that publishes nothing shows as JACK rolls and no longer asks the bridge`() {
    var watch = TimebaseWatch()
    func owner() -> TimebaseOwner {
      watch.passed(.rolling, granted: nil)
      return watch.isSure(told: .me, while: .rolling)
        ? .me : watch.owner(told: .me, shown: .absent, while: .rolling)
    }
    // The first question may come some cycles after the report.
    for _ in 0..<9 { #expect(owner() == .me) }
    watch.asked()
    #expect(owner() == .me)
    #expect(owner() == .me)
    #expect(owner() == .other)
    watch.asked()
    #expect(owner() == .me)
  }

  @Test func `Another's position that comes by where the bridge's was left is another's`() throws {
    var watch = TimebaseWatch()
    let left = BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard)
    func shown(_ tick: Int32) -> TimebaseReading {
      TimebaseReading(at: left, tick: tick, beatsPerMinute: 10)
    }
    watch.asked()
    watch.published(left, beatsPerMinute: 10)
    for _ in 0..<4 { watch.passed(.rolling, granted: nil) }
    // As long as no other position is read the bridge's own may be the one that stays.
    #expect(watch.owner(told: .me, shown: shown(left.tick), while: .rolling) == .me)
    for tick in [left.tick + 1, left.tick, left.tick + 1] {
      #expect(watch.owner(told: .me, shown: shown(tick), while: .rolling) == .other)
    }
    watch.asked()
    #expect(watch.owner(told: .me, shown: shown(left.tick), while: .rolling) == .me)
  }

  @Test(arguments: [(tempo: 108.0, cycles: 100), (120, 1)])
  func `The bridge's own entry that shows again at rest is in doubt, for a second if its tempo is another`(
    other: (tempo: Double, cycles: Int)
  ) {
    var watch = TimebaseWatch()
    let left = BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard)
    func shown(_ tick: Int32, _ beatsPerMinute: Double) -> TimebaseReading {
      TimebaseReading(at: left, tick: tick, beatsPerMinute: beatsPerMinute)
    }
    watch.asked()
    watch.published(left, beatsPerMinute: 120)
    let grant = TimebaseGrant(questions: watch.tally.questions)
    for _ in 0..<4 { watch.passed(.rolling, granted: grant) }
    #expect(watch.owner(told: .me, shown: shown(left.tick + 1, other.tempo), while: .rolling) == .other)
    func doubts(from cycle: Int) -> Int {
      (cycle..<cycle + 200).count { cycle in
        _ = watch.isSure(told: .me, while: .stopped)
        let owner = watch.owner(told: .me, shown: shown(left.tick, 120), while: .stopped)
        let time = HostTime<LinkClock>(nanoseconds: Int64(cycle) * 10_000_000)
        return watch.isInDoubt(at: time) && owner == .other
      }
    }
    #expect(doubts(from: 1_000) == other.cycles)
    #expect(doubts(from: 2_000) == 0)
    // JACK asks: the entry is the bridge's.
    watch.asked()
    #expect(watch.owner(told: .me, shown: shown(left.tick, 120), while: .stopped) == .me)
  }

  @Test func `The bridge's entry that JACK shows of another owner is no word of that owner`() {
    var watch = TimebaseWatch()
    let entry = BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard)
    func shown(ticks: Double = 1_920_000, tick: Int32 = 0, tempo: Double = 120) -> TimebaseReading {
      var reading = TimebaseReading(at: entry, tick: tick, beatsPerMinute: tempo)
      reading.ticksPerBeat = ticks
      return reading
    }
    _ = watch.isSure(told: .other, while: .stopped)
    #expect(!watch.isLeftBehind(shown()))
    watch.published(entry, beatsPerMinute: 120)
    #expect(watch.isLeftBehind(shown()))
    for others in [shown(ticks: 1920), shown(tick: 1), shown(tempo: 121)] {
      #expect(!watch.isLeftBehind(others))
    }
    _ = watch.isSure(told: .me, while: .stopped)
    #expect(!watch.isLeftBehind(shown()))
  }

  @Test func `At the place where the bridge stopped, another owner shows by its tempo`() {
    var watch = TimebaseWatch()
    let left = BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard)
    func shown(_ beatsPerMinute: Double) -> TimebaseReading {
      TimebaseReading(at: left, beatsPerMinute: beatsPerMinute)
    }
    watch.asked()
    watch.published(left, beatsPerMinute: 120)
    // A server that grants the timebase to any client has granted it, and does not ask the bridge.
    var grant = TimebaseGrant(questions: watch.tally.questions)
    for _ in 0..<4 { watch.passed(.stopped, granted: grant) }
    #expect(watch.owner(told: .me, shown: shown(120), while: .stopped) == .me)
    #expect(watch.owner(told: .me, shown: shown(153), while: .stopped) == .other)
    watch.asked()
    watch.published(left, beatsPerMinute: 120)
    // One question may be lost; a second grant that JACK does not ask after is proof, for any position of the
    // owner.
    grant.questions = watch.tally.questions
    for _ in 0..<4 { watch.passed(.stopped, granted: grant) }
    #expect(watch.owner(told: .me, shown: shown(120), while: .stopped) == .me)
    grant.isDisproved = true
    watch.passed(.stopped, granted: grant)
    #expect(watch.owner(told: .me, shown: shown(120), while: .stopped) == .other)
    let isSure = watch.isSure(told: .me, while: .stopped)
    #expect(!isSure)
    // A question shows at once that the timebase is the bridge's again.
    watch.asked()
    #expect(watch.owner(told: .me, shown: shown(120), while: .stopped) == .me)
    watch.passed(.stopped, granted: grant)
    #expect(watch.owner(told: .me, shown: shown(120), while: .stopped) == .me)
    // Nor does that proof hold any more when it is not asked for a moment.
    for _ in 0..<4 { watch.passed(.rolling, granted: grant) }
    #expect(watch.owner(told: .me, shown: shown(120), while: .rolling) == .me)
  }

  @Test func `An owner that is stopped where the bridge is, at its tempo, is known after two silent grants`()
  {
    var keeper = TimebaseKeeper(takeover: nil)
    var watch = TimebaseWatch()
    var grant = TimebaseGrant()
    let left = BarBeatTick(nearest: .zero, meter: .common, ticksPerBeat: .standard)
    let shown = TimebaseReading(at: left, beatsPerMinute: 120)
    func happened(_ event: TimebaseKeeper.Event) {
      if case .answered = event { grant.questions = watch.tally.questions }
      _ = keeper.take(event, seeing: TimebaseKeeper.View(transport: .stopped, tally: watch.tally))
      grant.isDisproved = keeper.isDisproved
    }
    func cycles(isAsked: Bool) {
      for cycle in 0..<8 {
        watch.passed(.stopped, granted: grant)
        guard cycle == 0, isAsked else { continue }
        watch.asked()
        watch.published(left, beatsPerMinute: 120)
      }
    }
    func look(isAsked: Bool) {
      happened(.checkDue)
      happened(.answered(.granted))
      cycles(isAsked: isAsked)
    }
    look(isAsked: true)
    #expect(watch.owner(told: keeper.told, shown: shown, while: .stopped) == .me)
    // Another client takes it.
    var looks = 0
    while watch.owner(told: keeper.told, shown: shown, while: .stopped) == .me, looks < 9 {
      look(isAsked: false)
      looks += 1
    }
    #expect((2...4).contains(looks))
    #expect(keeper.owner == .other)
    // It gives the timebase up.
    happened(.checkDue)
    happened(.answered(.granted))
    cycles(isAsked: true)
    #expect(watch.owner(told: keeper.told, shown: shown, while: .stopped) == .me)
    happened(.checkDue)
    #expect(keeper.owner == .me && !grant.isDisproved)
  }

  @Test
  func `Starts are reported when they roll, stops at once, and a start that was only held is cancelled`() {
    var watch = TransportWatch()
    #expect(watch.observe(.rolling, at: 0, counted: 0, period: 64) == .init())
    func expect(
      _ motion: TransportState, turned: Bool = false, started: Bool = false, stopped: Bool = false,
      takenBack: Bool = false, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      let change = watch.observe(motion, at: 0, counted: 0, period: 64)
      #expect(change.hasTurned == turned, sourceLocation: sourceLocation)
      #expect(change.hasStarted == started, sourceLocation: sourceLocation)
      #expect(change.hasStopped == stopped, sourceLocation: sourceLocation)
      #expect(change.isTakenBack == takenBack, sourceLocation: sourceLocation)
    }
    expect(.rolling)
    expect(.stopped, turned: true, stopped: true)
    expect(.starting, turned: true)
    expect(.starting)
    expect(.rolling, started: true)
    // A relocation.
    expect(.starting)
    expect(.rolling)
    expect(.starting)
    expect(.stopped, turned: true, stopped: true, takenBack: true)
    expect(.rolling, turned: true, started: true)
  }
}

extension TimebaseReading {
  /// The position that clients read of an owner that stands at a place, or at another tick of its beat.
  fileprivate init(at place: BarBeatTick, tick: Int32? = nil, beatsPerMinute: Double) {
    self.init(
      isValid: true, bar: place.bar, beat: place.beat, tick: tick ?? place.tick, beatsPerBar: 4, beatType: 4,
      ticksPerBeat: 1920, beatsPerMinute: beatsPerMinute)
  }
}
