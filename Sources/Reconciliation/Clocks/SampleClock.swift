import MusicalTime

/// How fast the sound card runs against Link's clock, and whether cycles' times can be trusted for a plan.
///
/// The times are ``CycleClock``'s. From one cycle to the next they are off by some millionths of a second,
/// which is too much for a plan that looks seconds ahead; the duration of the frames of many seconds is exact
/// enough. Where a deadline was missed they step, to where cycles are found to begin, and no earlier time
/// shows how fast the card runs.
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

  /// How far a cycle's time is from where frames at the nominal rate put it.
  private struct Mean: Sendable {
    var time: HostTime<LinkClock>
    var offset: Double
  }

  private var frames = FrameClock()
  private var origin: (frame: FrameTime, time: HostTime<LinkClock>)?
  private var previous = Mean(time: HostTime(nanoseconds: 0), offset: 0)
  private var judged = Mean(time: HostTime(nanoseconds: 0), offset: 0)
  private var windowStart = HostTime<LinkClock>(nanoseconds: 0)
  private var sum = 0.0
  private var count = 0
  private var oldest: Mean?
  private var middle: Mean?
  private var windowsSinceOldest = 0
  private var skew = 0.0

  /// The clock's facts that a plan needs.
  struct Reading: Sendable {
    /// Whether times have lately gone as a sound card goes.
    let isSteady: Bool
    /// Whether they have for so long that the rest of a disturbance cannot be measured.
    let isSettled: Bool
    private let skew: Double

    @_noLocks
    init(isSteady: Bool, isSettled: Bool, skew: Double) {
      self.isSteady = isSteady
      self.isSettled = isSettled
      self.skew = skew
    }

    /// How long `count` frames of the sound card last.
    @_noLocks
    func duration(of count: FrameCount, at rate: SampleRate) -> HostInterval {
      let nominal = HostInterval(count, at: rate)
      return nominal + HostInterval(nanoseconds: Int64(Double(nominal.nanoseconds) * skew))
    }
  }

  /// The clock as it is in this cycle.
  var reading: Reading {
    @_noLocks get { Reading(isSteady: isSteady, isSettled: isSettled, skew: skew) }
  }

  /// Whether times have lately gone as a sound card goes.
  public private(set) var isSteady = false
  /// Whether they have for so long that the rest of a disturbance cannot be measured: rests that are still
  /// caught up add up.
  public var isSettled: Bool {
    @_noLocks get { isSteady && judged.time - steadySince >= SampleClock.settling }
  }
  private var steadySince = HostTime<LinkClock>(nanoseconds: 0)
  private var restlessSince: HostTime<LinkClock>?

  /// A clock that has read nothing: nominal speed, not steady.
  public init() {}

  /// Takes a cycle: the server's own count of frames at its start, and the time of that. Realtime-safe.
  @inline(__always) @_noLocks
  public mutating func observe(frame: ServerFrame, at time: HostTime<LinkClock>, rate: SampleRate) {
    let frame = frames.extend(frame)
    guard let origin else { return restart(at: frame, time) }
    let nominal = HostInterval(frame - origin.frame, at: rate)
    let offset = Double((time - origin.time - nominal).nanoseconds)
    let expected = previous.offset + Double((time - previous.time).nanoseconds) * skew
    guard (offset - expected).magnitude < Double(SampleClock.step.nanoseconds) else {
      return restart(at: frame, time)
    }
    previous = Mean(time: time, offset: offset)
    if time - judged.time >= SampleClock.probe { judge(previous) }
    sum += offset
    count &+= 1
    if time - windowStart >= SampleClock.window { closeWindow(at: time) }
  }

  /// How long `count` frames of the sound card last. Realtime-safe.
  @_noLocks
  public func duration(of count: FrameCount, at rate: SampleRate) -> HostInterval {
    reading.duration(of: count, at: rate)
  }

  @_noLocks
  private mutating func restart(at frame: FrameTime, _ time: HostTime<LinkClock>) {
    // The speed learned so far is the sound card's, and stays.
    origin = (frame, time)
    previous = Mean(time: time, offset: 0)
    judged = previous
    windowStart = time
    sum = 0
    count = 0
    oldest = nil
    middle = nil
    windowsSinceOldest = 0
    isSteady = false
  }

  @_noLocks
  private mutating func judge(_ now: Mean) {
    let span = now.time - judged.time
    let way = now.offset - judged.offset - Double(span.nanoseconds) * skew
    let wasSteady = isSteady
    isSteady = way.magnitude <= Double(SampleClock.stray.nanoseconds)
    if isSteady, !wasSteady { steadySince = now.time }
    judged = now
    guard !isSteady else {
      restlessSince = nil
      return
    }
    guard let since = restlessSince else {
      restlessSince = now.time
      return
    }
    // Nothing is learned from a restless clock: a speed that makes it so would stay for ever.
    if now.time - since > SampleClock.longestUnrest {
      skew = 0
      restlessSince = nil
    }
  }

  @_noLocks
  private mutating func closeWindow(at time: HostTime<LinkClock>) {
    let centre = windowStart + HostInterval(nanoseconds: (time - windowStart).nanoseconds / 2)
    let mean = Mean(time: centre, offset: sum / Double(count))
    windowStart = time
    sum = 0
    count = 0
    guard isSteady else {
      oldest = nil
      return
    }
    guard let first = oldest else {
      oldest = mean
      middle = nil
      windowsSinceOldest = 0
      return
    }
    windowsSinceOldest &+= 1
    if windowsSinceOldest >= SampleClock.shortest {
      let measured = (mean.offset - first.offset) / Double((mean.time - first.time).nanoseconds)
      if measured.magnitude <= SampleClock.maximumSkew { skew = measured }
    }
    if windowsSinceOldest == SampleClock.longest / 2 { middle = mean }
    if windowsSinceOldest >= SampleClock.longest, let middle {
      oldest = middle
      self.middle = mean
      windowsSinceOldest = SampleClock.longest / 2
    }
  }
}
