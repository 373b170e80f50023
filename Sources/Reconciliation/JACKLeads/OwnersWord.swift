import MusicalTime

/// The tempo that a timebase owner declares, and whether its beats keep to it.
///
/// Between two cycles as many beats have to pass as one of the two tempos declared there makes, or one in
/// between. So an owner that declares each change of a tempo that glides is trusted throughout, and one whose
/// beats go elsewhere is not.
struct OwnersWord: Sendable {
  /// For how many seconds beats that were too many or too few are remembered: no longer than a sound card that is off
  /// needs to look like another tempo.
  static var memory: Double { @_noLocks get { 0.25 } }
  /// By how much the tempo may change from one cycle to the next, as a part of it, and still glide: more
  /// where that is a longer time.
  private static var steepest: Double { @_noLocks get { 0.05 } }
  /// As a part of it in a second.
  private static var steepestInSecond: Double { @_noLocks get { 1 } }

  /// For how long a tempo that glides may stand still.
  private static var longestPause: HostInterval { @_noLocks get { .milliseconds(250) } }

  /// The tempo declared, and since when, up to the error of a sound card.
  private(set) var beatsPerMinute = 0.0
  private(set) var since = HostTime<LinkClock>(nanoseconds: 0)
  /// Whether it was proven, and the beats have kept to it ever since.
  private(set) var isKept = false
  /// Since when the tempo glides: it changes by little, and to one side.
  private var glidingSince: HostTime<LinkClock>?
  /// The last change of the tempo, and when that was.
  private var change = 0.0
  private var changed = HostTime<LinkClock>(nanoseconds: 0)
  /// Since when the beats have kept to it, without a step.
  private var keptSince: HostTime<LinkClock>?
  /// The tempo declared in the cycle before, in quarter notes per minute.
  private var latest: Double?
  /// How many beats more have passed than were declared, lately.
  private var excess = 0.0

  @_noLocks
  init() {}

  /// Takes the declaration of a cycle. Realtime-safe.
  ///
  /// - Parameters:
  ///   - declared: The tempo, in quarter notes per minute.
  ///   - time: The instant of the position.
  ///   - passed: The beats since the cycle before, and how long that took; `nil` where that is unknown.
  ///   - noise: How many beats a position may be off.
  @_noLocks
  mutating func hear(
    _ declared: Double, at time: HostTime<LinkClock>, passed: (beats: Double, interval: HostInterval)?,
    noise: Double
  ) {
    let before = latest ?? declared
    latest = declared
    glide(declared - before, from: before, at: time, after: passed?.interval ?? .zero)
    if (declared - beatsPerMinute).magnitude > OwnerTempo.skew * beatsPerMinute {
      beatsPerMinute = declared
      since = time
    }
    guard let (beats, interval) = passed else { return }
    let seconds = interval.seconds
    let (least, most) = (min(before, declared) / 60 * seconds, max(before, declared) / 60 * seconds)
    let left = seconds < OwnersWord.memory ? excess * (1 - seconds / OwnersWord.memory) : 0
    excess = left + (beats < least ? beats - least : beats > most ? beats - most : 0)
    if excess.magnitude > noise {
      doubt()
    } else if case .none = keptSince {
      keptSince = time
    }
  }

  @_noLocks
  private mutating func glide(
    _ step: Double, from before: Double, at time: HostTime<LinkClock>, after interval: HostInterval
  ) {
    let isOver = time - changed > OwnersWord.longestPause
    if isOver { glidingSince = nil }
    guard step != 0 else { return }
    // The slower a tempo has become, the larger a part of it an even step is.
    let isEven = !isOver && step * change > 0 && step.magnitude <= 2 * change.magnitude
    let steepest = max(OwnersWord.steepest, OwnersWord.steepestInSecond * interval.seconds)
    if (step.magnitude > steepest * before && !isEven) || (!isOver && step * change < 0) {
      glidingSince = nil
      keptSince = nil
    } else if case .none = glidingSince {
      glidingSince = time
    }
    change = step
    changed = time
  }

  /// For how long the tempo has been gliding, to its last change: no time where it has changed once. Realtime-safe.
  var glideLength: HostInterval {
    @_noLocks get { if let glidingSince { changed - glidingSince } else { .zero } }
  }

  /// The beats of a while prove it. Realtime-safe.
  @_noLocks
  mutating func prove() { isKept = true }

  /// The beats go elsewhere. Realtime-safe.
  @_noLocks
  mutating func doubt() {
    isKept = false
    keptSince = nil
    excess = 0
  }

  /// Beats of before and from here on have nothing to do with each other. Realtime-safe.
  @_noLocks
  mutating func interrupt() {
    latest = nil
    keptSince = nil
    excess = 0
  }

  /// For how long the beats have kept to it. Realtime-safe.
  @_noLocks
  func keptFor(at time: HostTime<LinkClock>) -> HostInterval {
    if let keptSince { time - keptSince } else { .zero }
  }
}
