import MusicalTime

/// When a cycle really began, by the sound card: the one place that treats JACK's times as estimates.
///
/// **Estimate.** The instant at which a cycle's first frame was due, on JACK's clock, and that of the next
/// one.
///
/// **From what.** Two witnesses. JACK's own times, ``Report``, are smoothed by the server's delay-locked
/// loop: good to some microseconds as long as nothing happens, and wrong by as much as a stall lasted for
/// seconds after it, with nothing to show it. The bridge's wake-ups are never early, and sometimes late: the
/// earliest of some lies within tens of microseconds of the truth, independently of the server's loop. So a
/// line is laid under the wake-ups, counted in frames. As long as JACK's times keep to it they are used as
/// they are, being smoother; where the two part the line is, until JACK's times have come back to it and
/// stayed there for a second.
///
/// **The line.** The least of some wake-ups, as minimum filters for packet delays take it (D. Mills,
/// "Internet time synchronization", 1991), moved by an alpha-beta filter whose gains are at first those of
/// least squares. A wake-up before the line moves the line there at once, since no wake-up is early. A sound
/// card has begun anew where wake-ups come later more than once, by similar amounts, or once by more than the
/// frames any sound card has left to play: the line is then laid from that cycle on.
///
/// **How good it is.** In the quiet as good as JACK's times. After a stall within a wake-up's delay from the
/// second cycle on, within some tens of microseconds after ``windowCycles`` cycles. A start never comes
/// before the one of the cycle before it.
public struct CycleClock: Sendable {
  /// JACK's own times of a cycle, and the time of the wake-up.
  public struct Report: Sendable, BitwiseCopyable {
    /// The server's count of frames at the start of the cycle.
    public var frame: ServerFrame
    /// When the cycle began, as JACK smooths it.
    public var start: HostTime<JACKClock>
    /// When the next one is expected.
    public var next: HostTime<JACKClock>
    /// When the bridge's callback was entered.
    public var wakeUp: HostTime<JACKClock>
    /// The frames in a cycle.
    public var period: UInt32

    /// A report of one cycle.
    @inlinable @_noLocks
    public init(
      frame: ServerFrame, start: HostTime<JACKClock>, next: HostTime<JACKClock>,
      wakeUp: HostTime<JACKClock>, period: UInt32
    ) {
      self.frame = frame
      self.start = start
      self.next = next
      self.wakeUp = wakeUp
      self.period = period
    }
  }

  /// When a cycle begins, and the next.
  public struct Times: Sendable, BitwiseCopyable, Equatable {
    /// When its first frame is due.
    public var start: HostTime<JACKClock>
    /// When the next cycle's is.
    public var next: HostTime<JACKClock>
  }

  /// A wake-up that is this much before the line, or a window of them after it, shows that the line is wrong.
  private static var earlyTolerance: HostInterval { HostInterval(microseconds: 200) }
  /// A wake-up that is later than this may be a sound card's that began anew.
  private static var lateness: HostInterval { HostInterval(microseconds: 900) }
  /// One that is later than this was not merely late, if others are, too.
  private static var shift: HostInterval { HostInterval(microseconds: 1_000) }
  /// One that is later than this is not a busy machine's.
  private static var stall: HostInterval { HostInterval(microseconds: 10_000) }
  /// How many periods a sound card has to play at most. No server is known that has more than three.
  private static var longestBuffer: Double { @_noLocks get { 3.5 } }
  /// Wake-ups that are late by the same, but for this, are so for one reason.
  private static var similarity: HostInterval { HostInterval(microseconds: 100) }
  /// How far JACK's times may stray from the line to be used, how near they have to come to be used again, and
  /// for how long they have to stay near.
  private static var maxDeviation: HostInterval { HostInterval(microseconds: 100) }
  private static var reentryDeviation: HostInterval { HostInterval(microseconds: 60) }
  private static var reentryTime: HostInterval { .seconds(1) }
  /// The least wake-up of so many cycles counts, and of so much time.
  static var windowCycles: Int { @_noLocks get { 4 } }
  private static var window: HostInterval { .milliseconds(100) }
  /// A line that is shorter than this does not show the card's speed, nor does a window, where only two show it,
  /// that is shorter than a fifth.
  private static var leastBaseline: HostInterval { .milliseconds(800) }
  /// No sound card is further off.
  private static var largestSkew: Double { @_noLocks get { 1e-3 } }
  /// The delay from the server's time to the bridge's wake-up, by which the earliest wake-ups come after JACK's
  /// times when those are right: the value before it is measured, and the largest. A longer one is an error of
  /// JACK's times.
  private static var usualDelay: HostInterval { HostInterval(microseconds: 30) }
  private static var longestDelay: HostInterval { HostInterval(microseconds: 200) }
  /// Frames that took longer than this were not counted: the server was another one, or slept.
  private static var longestGap: Int64 { @_noLocks get { 1 << 22 } }

  /// Where the earliest wake-up of the last cycle would have been.
  private struct Line: Sendable {
    var instant: HostTime<JACKClock>
    /// Windows since it was last laid anew, and cycles.
    var windows = 0
    var cycles = 0
    var window: Window
  }

  /// The wake-ups of which the least counts.
  private struct Window: Sendable {
    var start: HostTime<JACKClock>
    var count = 0
    var least = HostInterval(nanoseconds: .max)
    /// The least of the window before.
    var before = HostInterval.zero
  }

  /// How late wake-ups are.
  private struct Lateness: Sendable {
    /// That of the last two.
    var last = (HostInterval.zero, HostInterval.zero)
    /// The average, on this machine and at present: a smaller deviation shows nothing.
    var usual = HostInterval.zero
    /// Whether the last one was so late, with no cycle left out, that the server itself must have missed one.
    var isServers = false
  }

  /// JACK's times against the line.
  private enum Trust: Sendable {
    /// They are used, and lie so far from the line, as they did when they were trusted again; that shrinks to
    /// zero.
    case given(offset: HostInterval)
    /// They are not, and have been near the line since that instant.
    case withdrawn(nearSince: HostTime<JACKClock>?)
  }

  private var rate: SampleRate
  private var frames = FrameClock()
  private var last: (frame: FrameTime, period: UInt32, next: HostTime<JACKClock>)?
  private var lastStart = HostTime<JACKClock>(nanoseconds: 0)
  private var line = Line(
    instant: HostTime(nanoseconds: 0), window: Window(start: HostTime(nanoseconds: 0)))
  /// By which part the sound card is slower than its rate.
  private var skew = 0.0
  private var late = Lateness()
  private var trust = Trust.given(offset: .zero)
  /// How far the line comes after JACK's times when those are right, in nanoseconds: an average to which a
  /// cycle adds less than one.
  private var averageDelay = Double(CycleClock.usualDelay.nanoseconds)

  /// A clock that has seen no cycle.
  public init(rate: SampleRate) {
    self.rate = rate
  }

  /// Whether JACK's own times are right at present, as far as the wake-ups show.
  public var trustsServer: Bool {
    @_noLocks get { if case .given = trust { true } else { false } }
  }

  /// Goes by another rate from the next cycle on, which begins a line. Realtime-safe.
  @_noLocks
  public mutating func begin(at rate: SampleRate) {
    self.rate = rate
    last = nil
    skew = 0
    if trustsServer { trust = .given(offset: .zero) }
  }

  /// Takes a cycle. Realtime-safe.
  @_noLocks
  public mutating func observe(_ report: Report) -> Times {
    let frame = frames.extend(report.frame)
    defer { last = (frame, report.period, report.next) }
    guard let before = last else {
      // The first cycle, or the first that waits for the card again.
      lay(at: report.wakeUp)
      return times(report)
    }
    let steps = (frame - before.frame).count
    // After a missed deadline a cycle may be counted as the one before it was.
    guard steps >= 0, steps < CycleClock.longestGap else {
      // The first cycle of another server.
      lay(at: report.wakeUp)
      trust = .given(offset: .zero)
      lastStart = report.wakeUp - CycleClock.reentryTime * 2
      return times(report)
    }
    line.instant = line.instant + duration(steps)
    let isContiguous = steps == Int64(before.period)
    let isReset =
      trustsServer && isContiguous
      && (report.start - before.next).magnitude > CycleClock.shift
    follow(report, contiguous: isContiguous, isReset: isReset)
    return times(report)
  }

  /// Takes a cycle of a server that does not wait for the sound card. Its times are those of its wake-ups,
  /// and do not predict the cycles after it; the card's speed stays known. Realtime-safe.
  @_noLocks
  public mutating func freewheel(_ report: Report) -> Times {
    last = nil
    _ = frames.extend(report.frame)
    return Times(start: report.wakeUp, next: report.wakeUp + duration(Int64(report.period)))
  }

  // MARK: The line

  // Called, it would first copy all of the clock.
  @inline(__always) @_noLocks
  private func duration(_ frames: Int64) -> HostInterval {
    HostInterval(FrameCount(frames), at: rate).scaled(by: 1 + skew)
  }

  /// Begins a line at a wake-up: nothing is known of it but that.
  @_noLocks
  private mutating func lay(at wakeUp: HostTime<JACKClock>) {
    // The wake-up that it is laid at counts as one of the window: the ones after it may all be late.
    line = Line(instant: wakeUp, window: Window(start: wakeUp, least: .zero))
    (late.last, late.isServers) = ((.zero, .zero), false)
  }

  @_noLocks
  private mutating func follow(_ report: Report, contiguous: Bool, isReset: Bool) {
    let lateness = report.wakeUp - line.instant
    line.cycles &+= 1
    // A stall adds no more than a bound, and a line that lies wrong adds nothing: the difference between two
    // wake-ups counts.
    let change = min((lateness - late.last.0).magnitude, CycleClock.shift * 2)
    late.usual = late.usual + (change - late.usual).scaled(by: 1 / 64)
    // The first wake-ups of a line may all have been late.
    let isNew = CycleClock.earlyTolerance + lateness < .zero
    if isNew || (lateness < .zero && line.cycles < CycleClock.windowCycles) {
      let count = isNew ? 0 : line.cycles
      // A line that runs away from the wake-ups within some cycles, before it could learn, is too slow a
      // card's.
      if isNew, line.windows == 0, line.cycles > 1 { skew = 0 }
      lay(at: report.wakeUp)
      line.cycles = count
      return
    }
    if isReset, lateness > CycleClock.shift { return lay(at: report.wakeUp) }
    if outlasts(lateness, report.period) { return lay(at: report.wakeUp) }
    if isShift(lateness, report.period) {
      let left = max(.zero, lateness - late.last.0)
      lay(at: report.wakeUp - left)
      // By that it is late on the new line, too.
      return note(left, report, contiguous)
    }
    note(lateness, report, contiguous)
    if lateness < line.window.least { line.window.least = lateness }
    line.window.count &+= 1
    if line.window.count >= CycleClock.windowCycles,
      report.wakeUp - line.window.start >= CycleClock.window
    {
      closeWindow(report)
    }
  }

  /// Keeps how late a wake-up was, for those after it.
  @_noLocks
  private mutating func note(_ lateness: HostInterval, _ report: Report, _ contiguous: Bool) {
    late.last = (lateness, late.last.0)
    late.isServers = contiguous && lateness > duration(Int64(report.period)).scaled(by: 0.9)
  }

  /// A bound; or, where that is more, some times how late wake-ups usually are.
  @_noLocks
  private func unusual(_ bound: HostInterval, times: Int64 = 4) -> HostInterval {
    max(bound, late.usual * times)
  }

  /// Whether a wake-up is so late that the sound card has run dry meanwhile, and began anew: its buffer is a
  /// few periods.
  @_noLocks
  private func outlasts(_ lateness: HostInterval, _ period: UInt32) -> Bool {
    lateness > CycleClock.stall && lateness > duration(Int64(period)).scaled(by: CycleClock.longestBuffer)
  }

  /// Whether a late wake-up after others is not merely late: the server missed a cycle before it, or two are
  /// late alike, or three are.
  @_noLocks
  private func isShift(_ lateness: HostInterval, _ period: UInt32) -> Bool {
    // A server that makes up for a cycle is a period earlier in the next one: after a stall that is similar
    // enough, since the first wake-up after one comes as late as caches are cold.
    let similarity =
      late.last.0 > CycleClock.stall
      ? max(CycleClock.similarity, duration(Int64(period)).scaled(by: 0.25)) : CycleClock.similarity
    let isAlike = (lateness - late.last.0).magnitude < similarity
    let isAlikeThrice = isAlike && (late.last.0 - late.last.1).magnitude < CycleClock.similarity
    // Missed deadlines alone make wake-ups late on average, too: three that are alike need not be as late,
    // nor one after what nothing but a card that began anew explains.
    let isAfterStall = late.isServers && late.last.0 > CycleClock.stall
    let bound =
      isAfterStall ? CycleClock.lateness : unusual(CycleClock.lateness, times: isAlikeThrice ? 3 : 4)
    guard lateness > bound, late.last.0 > bound else { return false }
    if late.isServers || isAlikeThrice { return true }
    let shift = unusual(CycleClock.shift)
    return lateness > shift && late.last.0 > shift && (isAlike || late.last.1 > shift)
  }

  /// Moves the line to the least wake-up of a window.
  @_noLocks
  private mutating func closeWindow(_ report: Report) {
    let window = line.window
    let span = report.wakeUp - window.start
    // Two windows hold few wake-ups, and all may be late; that a young line lies too early nothing but its
    // speed explains, and that JACK's times have, too.
    let isYoung = line.windows < 2
    let surprise = isYoung && trustsServer ? min(window.least, max(.zero, room(report))) : window.least
    line.window = Window(start: report.wakeUp, before: surprise)
    // Windows that are long enough for a deviation that goes on to be the card's speed.
    let isLong = span * 5 >= CycleClock.leastBaseline
    if surprise >= CycleClock.earlyTolerance {
      // No wake-up of two windows is early enough: it is the line that is early; and slow, if it becomes more
      // so.
      guard window.before >= CycleClock.earlyTolerance else { return }
      line.window.before = .zero
      line.windows = 1
      let growth = surprise - window.before
      guard growth >= CycleClock.maxDeviation, isLong else {
        return line.instant = line.instant + min(surprise, window.before)
      }
      learn(growth, over: span)
      return line.instant = line.instant + surprise
    }
    let count = Double(line.windows < 16 ? line.windows : 16)
    let scale = (count + 1) * (count + 2)
    line.instant = line.instant + surprise.scaled(by: 2 * (2 * count + 1) / scale)
    // A deviation as large as this that goes on in the same direction is not the lateness of wake-ups.
    let least = min(surprise.magnitude, window.before.magnitude)
    let goesOn =
      isLong && line.windows >= 2 && least >= CycleClock.maxDeviation
      && (surprise < .zero) == (window.before < .zero)
    if goesOn || span * Int64(line.windows) >= CycleClock.leastBaseline {
      learn(surprise.scaled(by: 6 / scale), over: span)
    }
    line.windows &+= 1
  }

  private var delay: HostInterval {
    @_noLocks get { HostInterval(nanoseconds: Int64(averageDelay)) }
  }

  /// How much later the line may lie and yet be near JACK's times.
  @_noLocks
  private func room(_ report: Report) -> HostInterval {
    delay + CycleClock.reentryDeviation - (line.instant - report.start)
  }

  /// The sound card has turned out to be slower than was thought, by so much over a window.
  @_noLocks
  private mutating func learn(_ delay: HostInterval, over span: HostInterval) {
    let slower = skew + Double(delay.nanoseconds) / Double(span.nanoseconds)
    skew = min(max(slower, -CycleClock.largestSkew), CycleClock.largestSkew)
  }

  // MARK: JACK's times

  /// Compares JACK's times with the line.
  @_noLocks
  private mutating func judge(_ report: Report) {
    let ahead = line.instant - report.start
    let stray = (ahead - delay).magnitude
    switch trust {
    case .given:
      // A line that has just been laid may lie as late as a wake-up comes. In the cycle in which it noticed a
      // missed deadline jackd2 gives its wake-up as the start, and goes on where its loop was.
      let excess = report.next - report.start - duration(Int64(report.period))
      let isNear =
        stray <= CycleClock.maxDeviation
        || (line.windows == 0 && ahead > .zero && ahead < CycleClock.shift)
      guard isNear, excess.magnitude <= CycleClock.maxDeviation else {
        return trust = .withdrawn(nearSince: nil)
      }
      // Of the delays seen the shortest are the truest: what makes one longer is JACK's loop, that still
      // settles.
      if line.windows >= 2 {
        let longer = Double(ahead.nanoseconds) - averageDelay
        let most = Double(CycleClock.longestDelay.nanoseconds)
        averageDelay = min(max(0, averageDelay + longer * (longer < 0 ? 1e-2 : 1e-4)), most)
      }
    case .withdrawn(let nearSince):
      guard stray < CycleClock.reentryDeviation, line.windows >= 2 else {
        return trust = .withdrawn(nearSince: nil)
      }
      let since = nearSince ?? report.wakeUp
      let hasStayed = report.wakeUp - since >= CycleClock.reentryTime
      trust = hasStayed ? .given(offset: ahead - delay) : .withdrawn(nearSince: since)
    }
  }

  @_noLocks
  private mutating func times(_ report: Report) -> Times {
    judge(report)
    var times: Times
    switch trust {
    case .given(let offset):
      times = Times(start: report.start + offset, next: report.next + offset)
      // Taken up again without a step: the rest shrinks by fifty millionths.
      let relief = duration(Int64(report.period)).scaled(by: 5e-5)
      trust = .given(
        offset: offset > relief ? offset - relief : offset + relief < .zero ? offset + relief : .zero)
    case .withdrawn:
      let start = line.instant - delay
      times = Times(start: start, next: start + duration(Int64(report.period)))
    }
    // The start that the cycle before announced holds, unless the clock was set back.
    let step = lastStart - times.start
    if step >= .zero, step < CycleClock.reentryTime {
      times.start = lastStart + HostInterval(microseconds: 1)
    }
    if times.next <= times.start { times.next = times.start + HostInterval(microseconds: 1) }
    lastStart = times.start
    return times
  }
}
