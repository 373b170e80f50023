import Bridge
import Logging

extension CommandOutcome {
  /// The line that it is worth, if it is worth one.
  var logLine: LogLine? {
    switch self {
    case .taken: nil
    case .kept: .notice("there is no JACK server yet: that holds from when there is one")
    case .noServer:
      .error("there is no JACK server to do that; start one, wait until it is connected, and repeat it")
    case .anothers:
      .error("another Jackstay bridges this JACK server, and this one stands by: give it to that one")
    case .keptForLater:
      .notice(
        "another Jackstay bridges this JACK server, and this one stands by: that holds from when it takes over"
      )
    case .renders:
      .error("JACK is freewheeling (export), and the bridge joins it when that ends; repeat the command then")
    case .keptForRender:
      .notice("JACK is freewheeling (export): that holds from when the bridge joins it")
    case .standsStill: .error("JACK's cycles have stopped; repeat the command when they go on")
    case .tooFar: .error("JACK does not count that far; give an earlier place")
    case .barsAreAnothers:
      .error("another program owns the timebase, and its bars are its own; locate by seconds, as in 12.5s")
    case .doesNotRoll:
      .error("there is nothing to impose on the session while JACK does not roll; start it, and repeat it")
    case .neitherLeads:
      .error(
        "another program owns the timebase, and Link does not follow it; choose mode auto or mode jack, and repeat it"
      )
    case .transportIsMasters: .error(LogLine.mastersTransport)
    case .tempoIsJACKs: .tempoIsJACKs
    case .firstTap: .notice("tap again: two taps make a tempo")
    case .tooMany:
      .error("too many commands wait for JACK's next cycles; repeat it, with fewer at a time")
    }
  }
}
