import Bridge

extension CommandOutcome {
  /// The line of the log about it, if it has one.
  var logLine: LogLine? {
    switch self {
    case .taken: nil
    case .kept: .notice("there is no JACK server yet. The command takes effect when one runs.")
    case .noServer:
      .error("there is no JACK server. Start one, wait until it is connected, and repeat the command.")
    case .anothers:
      .error(
        "another bridge has this JACK server, and this one stands by. Give the command to the other one.")
    case .keptForLater:
      .notice("another bridge has this JACK server. The command takes effect when this one takes over.")
    case .renders: .error("JACK is freewheeling (export). Repeat the command when the export ends.")
    case .keptForRender:
      .notice("JACK is freewheeling (export). The command takes effect when the export ends.")
    case .standsStill: .error("JACK's cycles have stopped. Repeat the command when they go on.")
    case .tooFar: .error("JACK does not count that far. Give an earlier place.")
    case .barsAreAnothers:
      .error(
        "another program owns the timebase and counts its own bars. Locate by seconds, for example 12.5s.")
    case .doesNotRoll:
      .error(
        "JACK does not roll, so it has no phase to give the session. Start JACK, and repeat the command.")
    case .neitherLeads:
      .error(
        """
        another program owns the timebase, and Link does not follow it. Choose mode auto or mode jack, and repeat the \
        command.
        """)
    case .transportIsMasters: .error(LogLine.mastersTransport)
    case .tempoIsJACKs: .tempoIsJACKs
    case .tempoIsNotSent: .tempoIsNotSent
    case .downbeatIsOwners: .downbeatIsOwners
    case .firstTap: .notice("tap again: two taps make a tempo")
    case .tooMany: .error("too many commands wait for JACK's next cycles. Send fewer at a time.")
    }
  }
}
