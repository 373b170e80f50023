/// The outcome of a command.
public enum CommandOutcome: Sendable, Hashable {
  /// The next cycle carries it out.
  case taken
  /// There is no JACK server now; it holds from when there is one.
  case kept
  /// It is refused: there is no JACK server to carry it out.
  case noServer
  /// It is refused: another bridge has the JACK server.
  case anothers
  /// Another bridge has the JACK server; it holds from when that has gone.
  case keptForLater
  /// It is refused: JACK freewheels, as for an export, and the bridge joins it when that ends.
  case renders
  /// JACK freewheels; it holds from when the bridge joins it.
  case keptForRender
  /// It is refused: JACK's cycles have stopped.
  case standsStill
  /// It is refused: too many wait already.
  case tooMany
  /// It is refused: JACK counts no frame that far.
  case tooFar
  /// It is refused: bars are those of another client, which owns the timebase.
  case barsAreAnothers
  /// It is refused: JACK does not roll, or rolls faster than time, as for an export.
  case doesNotRoll
  /// It is refused: another client owns the timebase, and Link is not to follow it.
  case neitherLeads
  /// It is refused: this server's transport follows that of another server, over the network.
  case transportIsMasters
  /// It is refused: JACK leads, and its timebase's owner sets the tempo.
  case tempoIsJACKs
  /// It is refused: no tempo is sent to the session.
  case tempoIsNotSent
  /// It is refused: Link does not lead, and bars are another client's.
  case downbeatIsOwners
  /// It is the first tap of a tempo.
  case firstTap
}
