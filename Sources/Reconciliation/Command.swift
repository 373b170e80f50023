import MusicalTime

/// A request of a user, or of the control thread itself, that the control thread passes to the cycle.
public enum Command: Sendable, BitwiseCopyable, Hashable {
  /// Propose a tempo to the session.
  case proposeTempo(Tempo)
  /// Found the session with a tempo: ignored where there is another peer.
  case foundSession(Tempo)
  /// Make the session's tempo faster or slower by a step.
  case nudgeTempo(TempoStep)
  /// Start the transport, as a JACK client would.
  case start
  /// Stop the transport, as a JACK client would.
  case stop
  /// Put the transport elsewhere, as a JACK client would.
  case locate(TransportFrame)
  /// Impose JACK's tempo and phase on the session, once: where Link leads, the phase that frames have.
  case imposeJACK
  /// Another JACK client has left: it may be the one whose time to get ready starts have been given.
  case clientLeft
}
