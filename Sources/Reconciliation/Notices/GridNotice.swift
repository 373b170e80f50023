import MusicalTime

/// Something about tempo and beat that people should know.
public enum GridNotice: Sendable, BitwiseCopyable, Equatable {
  /// JACK leads: another client owns the timebase, and Link follows it.
  case jackLeads
  /// Another client owns the timebase, and Link does not follow it.
  case neitherLeads
  /// Link leads.
  case linkLeads
  /// The position that the owner publishes is invalid, and Link is left alone.
  case fault(GridFault)
  /// JACK rolls, and no client publishes a position.
  case noPosition
  /// JACK rolls, and another client owns the timebase without publishing a position.
  case silentOwner
  /// The session has another tempo than JACK, and keeps it until JACK's changes.
  case differentTempos(jack: Double, link: Tempo)
  /// The owner of the timebase declares one tempo and plays another, which is the one that Link follows; both in
  /// quarter notes per minute.
  case declaresAnotherTempo(declared: Double, played: Double)
  /// JACK's tempo has changed while it is stopped, and goes to the session when it starts.
  case tempoWaits(jack: Double, link: Tempo)
  /// The session had come to another tempo, and has JACK's again because the user wants it so.
  case imposed(jack: Double, link: Tempo)
  /// Link follows a multiple or a fraction of JACK's tempo.
  case folded(FoldedTempo)
  /// JACK freewheels: bar, beat and tick go with its frames, and Link is left alone.
  case rendering
  /// JACK keeps time again.
  case renderingEnded
  /// A user's tempo was not set, because JACK has it.
  case tempoIsJACKs
  /// A user's tempo was not set, because no tempo is sent to the session.
  case tempoIsNotSent
  /// A peer has come as the last one left, and the session had that peer's tempo until its own was set again.
  case tempoKept(peers: Tempo)

  /// The user has had the session's beat moved to JACK's, by so much.
  case phaseImposed(moved: HostInterval)
  /// JACK's downbeat is so many of the meter's beats later than the session's from now on; zero where it is
  /// the session's.
  case downbeatShifted(beats: Double)
  /// JACK's downbeat was not shifted, because Link does not lead.
  case downbeatIsOwners
  /// There was nothing to impose on the session: JACK does not roll, or has no tempo and phase of its own.
  case nothingToImpose
}

/// A fault in the position that a timebase owner publishes.
public enum GridFault: Sendable, BitwiseCopyable, Equatable {
  /// A field contradicts another, or itself.
  case reading(TimebaseFault)
  /// The beats do not progress as beats do.
  case progress(OwnerTempo.Fault)
}
