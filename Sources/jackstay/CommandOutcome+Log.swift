import Bridge
import Logging

extension CommandOutcome {
  /// The line that it is worth, if it is worth one.
  var logLine: LogLine? {
    switch self {
    case .taken: nil
    case .kept: .notice("there is no JACK server yet: the mode holds from when there is one")
    case .noServer:
      .error("there is no JACK server to do that; start one, wait until it is connected, and repeat it")
    case .anothers:
      .error("another Jackstay bridges this JACK server, and this one stands by: give it to that one")
    case .keptForLater:
      .notice(
        "another Jackstay bridges this JACK server, and this one stands by: the mode holds from when it takes over"
      )
    case .tooMany:
      .error("too many commands wait for JACK's next cycles; repeat it, with fewer at a time")
    }
  }
}
