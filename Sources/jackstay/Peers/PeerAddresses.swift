import Glibc
import Host
import Synchronization

/// The addresses of the other peers in this bridge's session, for those who ask for its status again and again, as the
/// panel does: Link itself knows their number alone.
///
/// It listens from a first question on, and no longer when no other one has come for ten seconds, or the bridge is not in
/// a session: then it has no socket at Link's port, and costs nothing.
///
/// Thread-safe. Realtime-safe: no.
final class PeerAddresses: Sendable {
  /// How long it listens after a question.
  private static let attention = Duration.seconds(10)
  /// How often it takes what it has heard, in microseconds.
  private static let interval: UInt32 = 250_000

  private struct State {
    var lastQuestion = ContinuousClock.now
    var isInSession = false
    var isListening = false
    var addresses: [String] = []
  }

  private let state = Mutex(State())

  /// The addresses that were heard; none at the first question.
  ///
  /// - Parameter isInSession: Whether the bridge is in a session.
  /// - Returns: An address for each peer, as far as they are known.
  func heard(isInSession: Bool) -> [String] {
    let (addresses, begins) = state.withLock { state in
      state.lastQuestion = .now
      state.isInSession = isInSession
      guard isInSession else {
        state.addresses = []
        return ([String](), false)
      }
      defer { state.isListening = true }
      return (state.addresses, !state.isListening)
    }
    if begins, !DetachedThread.start({ [self] in listen() }) {
      state.withLock { $0.isListening = false }
    }
    return addresses
  }

  private func listen() {
    var peers = SessionPeers()
    while goesOn() {
      let addresses = peers.addresses(besides: getpid())
      state.withLock { state in
        if state.isInSession { state.addresses = addresses }
      }
      usleep(Self.interval)
    }
  }

  private func goesOn() -> Bool {
    state.withLock { state in
      if state.isInSession, ContinuousClock.now - state.lastQuestion < Self.attention { return true }
      state.isListening = false
      state.addresses = []
      return false
    }
  }
}
