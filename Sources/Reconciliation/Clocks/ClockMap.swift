import MusicalTime

/// The one place that maps JACK's clock to Link's.
///
/// Fed with paired readings, one of Link's clock between two of JACK's. The tighter the bracket, the better
/// the pair: of each window the tightest counts. The offset found so far is carried on at the speed
/// difference seen over the last windows, so clocks that run at different speeds are followed without a step.
/// Where a window contradicts that difference by more than its readings can be wrong, one of the clocks is
/// being slewed, and earlier readings do not count any more: the difference is that window's.
public struct ClockMap: Sendable {
  @usableFromInline
  struct Point: Sendable {
    @usableFromInline var time: HostTime<JACKClock>
    @usableFromInline var offset: HostInterval
    @usableFromInline var width: HostInterval
  }

  /// How long readings compete.
  private static var window: HostInterval { .milliseconds(500) }
  /// Offsets closer than this are the same: both clocks are read in whole microseconds.
  private static var resolution: HostInterval { HostInterval(nanoseconds: 1_500) }
  /// The number of windows over which the speed difference is measured.
  private static var baseline: Int { 16 }
  /// The number of windows from which on a new measurement is worth more than the last one.
  private static var shortBaseline: Int { 6 }
  /// A change of the offset that only a slew explains: two readings of whole microseconds cannot differ by as
  /// much.
  private static var contradiction: HostInterval { HostInterval(nanoseconds: 10_000) }
  /// Two clocks of one machine never differ by more: NTP slews by at most 500 ppm.
  private static var maximumSkew: Double { 1e-3 }

  private var best: Point?
  private var windowStart = HostTime<JACKClock>(nanoseconds: 0)
  /// The pair that the mapping goes through.
  @usableFromInline private(set) var anchor: Point?
  /// The older pair that the speed difference is measured from; `nil` in the first window.
  private var origin: Point?
  private var windowsSinceOrigin = 0
  @usableFromInline private(set) var skew = 0.0
  private var knowsSkew = false

  /// A map that knows nothing; the first pair makes it usable.
  public init() {}

  /// Takes a pair of readings. Realtime-safe.
  @_noLocks
  public mutating func observe(
    before: HostTime<JACKClock>, link: HostTime<LinkClock>, after: HostTime<JACKClock>
  ) {
    let width = after - before
    guard width >= .zero else { return }
    let middle = before + HostInterval(nanoseconds: width.nanoseconds / 2)
    let offset = HostInterval(nanoseconds: link.nanoseconds &- middle.nanoseconds)
    let point = Point(time: middle, offset: offset, width: width)
    if let tightest = best {
      if width <= tightest.width { best = point }
    } else {
      best = point
      windowStart = middle
    }
    if origin == nil { anchor = best }
    if (middle - windowStart).magnitude >= ClockMap.window { closeWindow() }
  }

  /// The instant of Link's clock at which JACK's clock reads `time`; `nil` before the first pair.
  /// Realtime-safe.
  @inlinable @inline(__always) @_noLocks
  public func link(at time: HostTime<JACKClock>) -> HostTime<LinkClock>? {
    guard let anchor else { return nil }
    let drift = Double((time - anchor.time).nanoseconds) * skew
    let offset = anchor.offset.nanoseconds &+ Int64(drift)
    return HostTime(nanoseconds: time.nanoseconds &+ offset)
  }

  /// The relation between the two clocks; `nil` before the first pair. Realtime-safe.
  public var reading: ClockReading? {
    @_noLocks get {
      guard let anchor else { return nil }
      return ClockReading(offset: anchor.offset, drift: skew)
    }
  }

  @_noLocks
  private mutating func closeWindow() {
    guard let point = best else { return }
    best = nil
    let before = anchor
    anchor = point
    guard let origin, point.time > origin.time else { return restart(from: point) }
    let change = (point.offset - origin.offset).nanoseconds
    let measured = Double(change) / Double((point.time - origin.time).nanoseconds)
    let slewed = before.flatMap { slope(from: $0, to: point) }
    // A larger difference is a clock that was stepped: earlier readings do not count any more.
    guard measured.magnitude <= ClockMap.maximumSkew, slewed?.magnitude ?? 0 <= ClockMap.maximumSkew else {
      return restart(from: point)
    }
    if knowsSkew, let before, let slewed {
      self.origin = before
      windowsSinceOrigin = 1
      skew = slewed
      return
    }
    windowsSinceOrigin &+= 1
    // Over a short time the resolution of the readings is worse than the difference of the last long one.
    if windowsSinceOrigin >= ClockMap.shortBaseline || !knowsSkew {
      skew = HostInterval(nanoseconds: change).magnitude <= ClockMap.resolution ? 0 : measured
    }
    if windowsSinceOrigin >= ClockMap.baseline {
      self.origin = point
      windowsSinceOrigin = 0
      knowsSkew = true
    }
  }

  /// The speed difference between the pairs of two windows, if it shows that a clock is being slewed.
  @_noLocks
  private func slope(from before: Point, to point: Point) -> Double? {
    let span = Double((point.time - before.time).nanoseconds)
    // Two pairs that are near to each other differ by their reading errors alone.
    guard span >= Double(ClockMap.window.nanoseconds / 2) else { return nil }
    let change = Double((point.offset - before.offset).nanoseconds)
    let doubt = ClockMap.contradiction + before.width + point.width
    guard (change - span * skew).magnitude > Double(doubt.nanoseconds) else { return nil }
    return change / span
  }

  @_noLocks
  private mutating func restart(from point: Point) {
    origin = point
    windowsSinceOrigin = 0
    skew = 0
    knowsSkew = false
  }
}
