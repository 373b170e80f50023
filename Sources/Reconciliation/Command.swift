import MusicalTime

/// A change of the distance between JACK's downbeat and the session's.
public enum DownbeatShift: Sendable, BitwiseCopyable, Hashable {
  /// The beat that is heard now, or the nearest one, is the first of a bar.
  case here
  /// Bars begin so many of the meter's beats later than they did; earlier if negative.
  case by(Int)
  /// JACK's downbeat is the session's.
  case none
}

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
  /// Shift JACK's beats against the session's.
  case shiftDownbeat(DownbeatShift)
  /// Bring programs that count frames into phase, once, at a bar line: one has got another tempo. At rest there is
  /// nothing to do.
  case realignFrames
  /// Another JACK client has left: it may be the one whose time to get ready starts have been given.
  case clientLeft

  /// The tempo that it names, if it does.
  var tempo: Tempo? {
    @_noLocks get {
      switch self {
      case .proposeTempo(let tempo), .foundSession(let tempo): tempo
      case .nudgeTempo, .start, .stop, .locate, .imposeJACK, .shiftDownbeat, .realignFrames, .clientLeft: nil
      }
    }
  }
}
