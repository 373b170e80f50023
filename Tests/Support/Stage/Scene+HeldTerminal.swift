extension Scene {
  /// A scene whose bridge is in a terminal that is held by Ctrl-S: from then on its output is not read.
  ///
  /// - Parameters:
  ///   - period: Frames per period.
  ///   - bpm: The tempo of bridge and probe.
  ///   - flags: The bridge's, besides `--tempo`.
  /// - Returns: The scene; the probe has not joined Link yet.
  /// - Throws: ``StageError`` when something does not start.
  public static func inHeldTerminal(
    period: Int = RealtimeScheduling.period, bpm: Double = 120, flags: [String] = []
  ) throws(StageError) -> Scene {
    let server = try JackServer.started(period: period)
    let bridge = try Child(
      Products.path("jackstay"), ["--tempo", "\(bpm)"] + flags, environment: server.environment,
      streams: .terminalWithErrors)
    try bridge.awaitText("the live line") { $0.contains("Link leads") }
    try bridge.write("\u{13}")
    let probe = try LinkProbe.start(server: server, bpm: bpm, joinsLink: false)
    return Scene(bridge: bridge, probe: probe, server: server)
  }
}
