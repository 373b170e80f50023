/// Whether JACK and the session followed the presses.
public struct Agreement: Sendable {
  /// How many milliseconds after the press both did, and then still did; infinite when they never did.
  public let milliseconds: Double
  /// How many deadlines JACK missed meanwhile.
  public let missed: Int
  /// The state of both in the end.
  public let state: ProbeReport

  /// Whether they did.
  public var isReached: Bool { milliseconds.isFinite }
}

extension Scene {
  /// Presses, and waits until JACK and the session follow, and still do a moment later.
  ///
  /// - Parameters:
  ///   - press: A start or a stop.
  ///   - seconds: How long it may take: a start that a missed deadline has put out of phase is held once
  ///     more.
  /// - Returns: Whether they did, and when.
  /// - Throws: ``StageError`` when the probe or the bridge has ended.
  public func agreement(after press: Press, seconds: Double = 20) throws(StageError) -> Agreement {
    let (jack, session) = press.isStart ? ("rolling", "playing") : ("stopped", "idle")
    let wanted = press.isStart ? 1.0 : 0
    var state = try probe.peers()
    let missed = state["late"] ?? 0
    let start = ContinuousClock.now
    try perform(press)
    var reached = Double.infinity
    while reached.isInfinite {
      let left = seconds - (.now - start) / .seconds(1)
      let isSessionThere = try probe.awaitState(session, seconds: left)
      let isThere = try probe.awaitState(jack, seconds: left) && isSessionThere
      let time = (.now - start) / .milliseconds(1)
      if isThere { try probe.send("wait 0.3") }
      state = try probe.peers()
      guard isThere else { break }
      if state["jack_state"] == wanted, state["link_playing"] == wanted { reached = time }
    }
    return Agreement(milliseconds: reached, missed: Int((state["late"] ?? 0) - missed), state: state)
  }
}
