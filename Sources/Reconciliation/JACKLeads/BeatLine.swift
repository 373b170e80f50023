import MusicalTime

/// A straight line through the beats of the last two to four seconds: how fast they progress against host
/// time.
///
/// A fixed number of points. They are dense at first, so that a line is known early; when the room is used up
/// every other one is dropped, until they cover ``fullSpan``, and from then on the oldest.
struct BeatLine: Sendable {
  typealias Point = (time: HostTime<LinkClock>, position: BeatTime)
  /// The result of the fit: the least-squares slope, in beats per second, and the time from the oldest to the newest
  /// point. It is passed instead of the line, whose points are most of a kilobyte.
  typealias Fit = (slope: Double, span: HostInterval)

  private static var capacity: Int { @_noLocks get { 48 } }
  private static var fullSpan: HostInterval { @_noLocks get { .seconds(2) } }
  private static var densest: HostInterval { @_noLocks get { .milliseconds(4) } }

  private var points = InlineArray<48, Point>(repeating: (HostTime(nanoseconds: 0), .zero))
  private(set) var count = 0
  private var spacing = BeatLine.densest
  private(set) var fit: Fit = (0, .zero)
  private var newest: Point = (HostTime(nanoseconds: 0), .zero)
  // The middle of the points, in seconds and beats from the newest.
  private var middleTime = 0.0
  private var middlePosition = 0.0

  @_noLocks
  init() {}

  @_noLocks
  init(from point: Point) {
    points[0] = point
    newest = point
    count = 1
  }

  /// Takes the point unless it is too near to the last one; whether it was taken.
  @_noLocks
  mutating func append(_ point: Point) -> Bool {
    if count > 0, point.time - newest.time < spacing { return false }
    if count == BeatLine.capacity { makeRoom() }
    points[count] = point
    newest = point
    count &+= 1
    update()
    return true
  }

  /// How far `point` is from the line of the given speed through the middle of the points, in beats.
  @inline(__always) @_noLocks
  func residual(of point: Point, speed: Double) -> Double {
    guard count > 0 else { return 0 }
    let run = (point.time - newest.time).seconds - middleTime
    return beats(from: newest, to: point) - middlePosition - speed * run
  }

  /// The time from the newest point to `point`.
  @inline(__always) @_noLocks
  func timeSinceNewest(_ point: Point) -> HostInterval {
    count == 0 ? .zero : point.time - newest.time
  }

  /// Whether it is a line through its first point and some that are near to each other: that one alone makes its slope.
  var hangsOnFirst: Bool {
    @_noLocks get { count > 1 && (points[1].time - points[0].time) * 4 > fit.span * 3 }
  }

  /// Whether all points are within `tolerance` beats of the line.
  @_noLocks
  func isStraight(within tolerance: Double) -> Bool {
    for index in 0..<count where residual(of: points[index], speed: fit.slope).magnitude > tolerance {
      return false
    }
    return true
  }

  @_noLocks
  private mutating func makeRoom() {
    if fit.span < BeatLine.fullSpan {
      count /= 2
      for index in 0..<count { points[index] = points[2 &* index &+ 1] }
      spacing = spacing * 2
    } else {
      count &-= 1
      for index in 0..<count { points[index] = points[index &+ 1] }
    }
  }

  @_noLocks
  private mutating func update() {
    var timeSum = 0.0
    var positionSum = 0.0
    for index in 0..<count {
      timeSum += (points[index].time - newest.time).seconds
      positionSum += beats(from: newest, to: points[index])
    }
    middleTime = timeSum / Double(count)
    middlePosition = positionSum / Double(count)
    var products = 0.0
    var squares = 0.0
    for index in 0..<count {
      let time = (points[index].time - newest.time).seconds - middleTime
      products += time * (beats(from: newest, to: points[index]) - middlePosition)
      squares += time * time
    }
    fit.slope = squares > 0 ? products / squares : 0
    fit.span = count < 2 ? .zero : newest.time - points[0].time
  }

  @_noLocks
  private func beats(from: Point, to: Point) -> Double { (to.position - from.position).doubleValue }
}
