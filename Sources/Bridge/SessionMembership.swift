import AbletonLink
import MusicalTime
import Synchronization

/// The bridge's membership of the Link session: joined and left again and again, and left for good once.
///
/// Thread-safe. Realtime-safe: no, but for ``audioAccess``.
final class SessionMembership: Sendable {
  let link: Link
  /// The cycle's access to the session.
  let audioAccess: AudioThreadAccess

  private struct Past: Sendable {
    /// When the session was last left.
    var left: ContinuousClock.Instant?
    /// Whether that was for good.
    var isOver = false
    var suspendWatch = SuspendWatch()
  }
  private let past = Mutex(Past())

  /// A peer of no session. Throws when Link cannot be had.
  init() throws(LinkError) {
    try Link.checkDiscoveryPort()
    link = try Link(tempo: .standard)
    audioAccess = link.makeAudioThreadAccess()
  }

  /// Joins the session, unless it was left for good.
  ///
  /// - Parameter settling: How long joining waits; `nil` for the rest of Link's settling time, some of which has
  ///   passed since the session was left.
  func join(settling: Duration? = nil) {
    past.withLock { past in
      guard !past.isOver else { return }
      let rest = past.left.map { max(.zero, Link.settlingTime - (.now - $0)) } ?? Link.settlingTime
      link.setEnabled(true, settling: settling ?? rest)
    }
  }

  /// For how long the machine has slept since the last call; `nil` where it has not.
  func hasSlept() -> HostInterval? { past.withLock { $0.suspendWatch.look(SuspendWatch.total()) } }

  /// Leaves the session until it is joined again.
  func leave() {
    past.withLock { past in
      past.left = .now
      link.setEnabled(false)
    }
  }

  /// Leaves the session at once: nothing joins it any more.
  func leaveForGood() {
    past.withLock { past in
      past.isOver = true
      link.setEnabled(false)
    }
  }
}
