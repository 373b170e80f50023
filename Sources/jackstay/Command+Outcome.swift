import Bridge
import Logging
import Reconciliation

extension Command {
  /// Writes the line that a command's outcome is worth, if it is worth one.
  func log(_ outcome: CommandOutcome, to logger: Logger) {
    switch outcome {
    case .taken: break
    case .kept: logger.notice("there is no JACK server yet: the mode holds from when there is one")
    case .noServer:
      logger.error("there is no JACK server to do that; start one, wait until it is connected, and repeat it")
    case .anothers:
      logger.error("another Jackstay bridges this JACK server, and this one stands by: give it to that one")
    case .keptForLater:
      logger.notice(
        "another Jackstay bridges this JACK server, and this one stands by: the mode holds from when it takes over"
      )
    case .tooMany:
      logger.error("too many commands wait for JACK's next cycles; repeat it, with fewer at a time")
    }
  }
}
