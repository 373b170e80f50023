import MusicalTime

/// What a user, or the control thread itself, asks of the bridge; carried from the control thread to the
/// cycle.
public enum Command: Sendable, BitwiseCopyable, Hashable {
  /// Propose a tempo to the session.
  case proposeTempo(Tempo)
  /// Found the session with a tempo: counts only as long as there is nobody to join.
  case foundSession(Tempo)
  /// Choose who leads tempo and beat.
  case select(SyncMode)
  /// Start the transport, as a JACK client would.
  case start
  /// Stop the transport, as a JACK client would.
  case stop
  /// Another JACK client has left: it may be the one whose time to get ready starts have been given.
  case clientLeft
}
