import MusicalTime

/// The tempos that Link has had lately, where they have changed: so far its beat may step on the same grid.
///
/// A change is counted from when a peer made it, reaches the bridge later, and the position has gone on at the
/// tempo before. A peer whose audio thread has not seen a change restores the tempo that it has, and with it
/// the beats that it has counted. Changes may cross. Wherever Link's beat is after that, it has gone on at no
/// tempo but these.
struct RecentTempos: Sendable {
  /// The newest one, and the session's in the cycle before.
  private(set) var latest: Tempo?
  private var session: Tempo?
  /// The slowest and the fastest since the first change, where there was one lately.
  private var range: (slowest: Tempo, fastest: Tempo)?
  private var first = HostTime<LinkClock>(nanoseconds: 0)
  private var last = HostTime<LinkClock>(nanoseconds: 0)

  /// How long a tempo change may take to reach the bridge.
  private static var delay: HostInterval { .milliseconds(250) }

  @_noLocks
  init() {}

  /// Takes a cycle with the session's tempo, and the one that it has from now on, which the bridge may set.
  @inline(__always) @_noLocks
  mutating func observe(_ sessionTempo: Tempo, then tempo: Tempo, at now: HostTime<LinkClock>) {
    if sessionTempo == session, tempo == latest {
      guard case .some = range, now - last > ReplacedTempos.undoing else { return }
      range = nil
    } else {
      change(to: sessionTempo, then: tempo, at: now)
    }
  }

  @inline(never) @_noLocks
  private mutating func change(to sessionTempo: Tempo, then tempo: Tempo, at now: HostTime<LinkClock>) {
    defer { (session, latest) = (sessionTempo, tempo) }
    let before = latest ?? sessionTempo
    // The first tempo is no change.
    if case .none = session, sessionTempo == tempo { return }
    if case .none = range { first = now }
    let (slowest, fastest) = range ?? (before, before)
    range = (min(slowest, min(sessionTempo, tempo)), max(fastest, max(sessionTempo, tempo)))
    last = now
  }

  /// The session has another grid from here on.
  @_noLocks
  mutating func gridWasMoved() { range = nil }

  /// How far Link's beat may have stepped for them, where the bridge publishes ahead by `latency`: as far as they come
  /// late; or, because they were undone, further, but for no more than `most`.
  @_noLocks
  func step(at now: HostTime<LinkClock>, ahead latency: HostInterval, most: Beats) -> Beats {
    guard let (slowest, fastest) = range else { return .zero }
    let late = RecentTempos.delay + latency.magnitude
    let way = fastest.beats(in: late) - slowest.beats(in: late)
    let undone = late + min(now - first, ReplacedTempos.undoing)
    return max(way, min(fastest.beats(in: undone) - slowest.beats(in: undone), most))
  }
}
