import MusicalTime

/// How fast the sound card runs against Link's clock, and whether cycles' times can be trusted for a plan.
///
/// The times are ``CycleClock``'s. From one cycle to the next they are off by some millionths of a second,
/// which is too much for a plan that looks seconds ahead; the duration of the frames of many seconds is exact
/// enough, and more exact than the speed of ``CycleClock``'s line, which is that of some wake-ups. Where a
/// deadline was missed they step, to where cycles are found to begin, and no earlier time shows how fast the
/// card runs.
public struct SampleClock: Sendable {
  /// How long times are averaged for one measurement.
  private static var window: HostInterval { .milliseconds(500) }
  /// The number of windows that a speed is measured over: the first from `shortest` on, later between
  /// `longest / 2` and `longest`.
  private static var shortest: Int { 4 }
  private static var longest: Int { 16 }
  /// No sound card is further off.
  private static var maximumSkew: Double { 1e-3 }
  /// How often steadiness is judged, and how far a steady clock may stray in that time. The times' own noise
  /// is below 10 us; where the beginnings of cycles are not known yet they stray by more.
  private static var probe: HostInterval { .milliseconds(100) }
  private static var stray: HostInterval { HostInterval(microseconds: 100) }
  private static var settling: HostInterval { .seconds(3) }
  /// How long a clock can be restless before it is the speed that was learned which is wrong.
  private static var longestUnrest: HostInterval { .seconds(4) }
  /// A step of a cycle's time that is no noise: a missed deadline, or what its date was wrong by since one.
  /// A clock that is slewed goes by a third of that in the longest cycle.
  private static var step: HostInterval { HostInterval(microseconds: 150) }

  /// An instant, and how far it is from where frames at the nominal rate put it.
  private struct Mark: Sendable {
    var time: HostTime<LinkClock>
    var offset: HostInterval

    /// How much further off it is than a card of that speed would be since `other`.
    @_noLocks
    func stray(since other: Mark, at skew: Double) -> HostInterval {
      offset - other.offset - (time - other.time).scaled(by: skew)
    }
  }

  /// The cycles since the last step.
  private struct Run: Sendable {
    var last: Mark
    /// Where steadiness was judged.
    var judged: Mark
    /// The cycle with which the window began, and the offsets of those since.
    var frame: ServerFrame
    var start: Mark
    var sum = HostInterval.zero
    var count: Int64 = 0
    /// The means of the windows that the speed is measured from, now and later, and how many came since.
    var baseline: (oldest: Mark, middle: Mark, windows: Int)?
  }

  private enum Steadiness: Sendable {
    /// Since the last step it was not judged.
    case unknown
    case steady(since: HostTime<LinkClock>)
    case restless(since: HostTime<LinkClock>)
  }

  /// The clock's facts that a plan needs.
  public struct Reading: Sendable {
    /// Whether times have lately gone as a sound card goes.
    public let isSteady: Bool
    /// Whether they have for so long that the rest of a disturbance cannot be measured: rests that are still
    /// caught up add up.
    public let isSettled: Bool
    let skew: Double

    /// How long `count` frames of the sound card last. Realtime-safe.
    @_noLocks
    public func duration(of count: FrameCount, at rate: SampleRate) -> HostInterval {
      let nominal = HostInterval(count, at: rate)
      return nominal + nominal.scaled(by: skew)
    }
  }

  private var run: Run?
  private var skew = 0.0
  private var steadiness = Steadiness.unknown

  /// A clock that has read nothing: nominal speed, not steady.
  public init() {}

  /// The clock as it is in this cycle.
  public var reading: Reading {
    @_noLocks get {
      guard case .steady(let since) = steadiness, let run else {
        return Reading(isSteady: false, isSettled: false, skew: skew)
      }
      return Reading(isSteady: true, isSettled: run.judged.time - since >= SampleClock.settling, skew: skew)
    }
  }

  /// Takes a cycle: the server's own count of frames at its start, and the time of that. Realtime-safe.
  @inline(__always) @_noLocks
  public mutating func observe(frame: ServerFrame, at time: HostTime<LinkClock>, rate: SampleRate) {
    guard let run else { return restart(at: frame, time) }
    // Counts may go back, by less than half of their range.
    let frames = FrameCount(Int64(Int32(truncatingIfNeeded: frame.frames(since: run.frame))))
    let now = Mark(
      time: time, offset: run.start.offset + (time - run.start.time) - HostInterval(frames, at: rate))
    guard now.stray(since: run.last, at: skew).magnitude < SampleClock.step else {
      return restart(at: frame, time)
    }
    self.run?.last = now
    if time - run.judged.time >= SampleClock.probe { judge(now, since: run.judged) }
    self.run?.sum = run.sum + now.offset
    self.run?.count = run.count &+ 1
    if time - run.start.time >= SampleClock.window { closeWindow(at: now, frame) }
  }

  @_noLocks
  private mutating func restart(at frame: ServerFrame, _ time: HostTime<LinkClock>) {
    // The speed learned so far is the sound card's, and stays.
    let mark = Mark(time: time, offset: .zero)
    run = Run(last: mark, judged: mark, frame: frame, start: mark)
    if case .steady = steadiness { steadiness = .unknown }
  }

  @_noLocks
  private mutating func judge(_ now: Mark, since before: Mark) {
    run?.judged = now
    let isSteady = now.stray(since: before, at: skew).magnitude <= SampleClock.stray
    switch steadiness {
    case .steady where isSteady: break
    case _ where isSteady: steadiness = .steady(since: now.time)
    case .restless(let since):
      // Nothing is learned from a restless clock: a speed that makes it so would stay for ever.
      guard now.time - since > SampleClock.longestUnrest else { return }
      (skew, steadiness) = (0, .unknown)
    case .unknown, .steady: steadiness = .restless(since: now.time)
    }
  }

  @_noLocks
  private mutating func closeWindow(at now: Mark, _ frame: ServerFrame) {
    guard var run else { return }
    let centre = run.start.time + HostInterval(nanoseconds: (now.time - run.start.time).nanoseconds / 2)
    let mean = Mark(time: centre, offset: HostInterval(nanoseconds: run.sum.nanoseconds / run.count))
    (run.frame, run.start, run.sum, run.count) = (frame, now, .zero, 0)
    if case .steady = steadiness { measure(to: mean, &run) } else { run.baseline = nil }
    self.run = run
  }

  /// Measures the speed over the windows since the oldest.
  @_noLocks
  private mutating func measure(to mean: Mark, _ run: inout Run) {
    guard var (oldest, middle, windows) = run.baseline else { return run.baseline = (mean, mean, 0) }
    windows &+= 1
    if windows >= SampleClock.shortest {
      let way = mean.stray(since: oldest, at: 0)
      let measured = Double(way.nanoseconds) / Double((mean.time - oldest.time).nanoseconds)
      if measured.magnitude <= SampleClock.maximumSkew { skew = measured }
    }
    if windows == SampleClock.longest / 2 { middle = mean }
    if windows == SampleClock.longest {
      (oldest, middle, windows) = (middle, mean, SampleClock.longest / 2)
    }
    run.baseline = (oldest, middle, windows)
  }
}

extension HostInterval {
  /// A part of it, or some times it; at most 285 years.
  @inline(__always) @_noLocks
  func scaled(by factor: Double) -> HostInterval {
    let exact = Double(nanoseconds) * factor
    let bound = 9e18
    return HostInterval(nanoseconds: Int64(exact > bound ? bound : exact < -bound ? -bound : exact))
  }
}
