import AbletonLink
import JACK
import MusicalTime
import Reconciliation

// Commands of users, and their outcomes.

extension Bridge {
  /// Has the next cycle carry out a command, and returns the outcome. Thread-safe. Realtime-safe: no.
  ///
  /// Without a server a choice is stored, and applies when there is one.
  public func send(_ command: Command) -> CommandOutcome {
    guard let connection else { return choose(command) ? outcomeWithoutServer : refusalWithoutServer }
    switch command {
    case .proposeTempo, .nudgeTempo: if isTempoJACKs { return .tempoIsJACKs }
    case .start, .stop, .locate: if connection.rules.followsMaster { return .transportIsMasters }
    default: break
    }
    // A choice holds also for the client that takes this one's place.
    let isChoice = choose(command)
    guard isChoice || !connection.standstill.isSilent else { return .standsStill }
    guard connection.give(command) else { return .tooMany }
    happened(.checkDue)
    return .taken
  }

  /// Has the transport go on elsewhere, as any JACK client might. Thread-safe. Realtime-safe: no.
  public func locate(to place: SongPlace) -> CommandOutcome {
    guard let connection else { return refusalWithoutServer }
    let status = connection.channels.status.reader.read()
    switch place {
    case .bar, .beats:
      if !connection.keeper.owner.isMe, status.owner == .other { return .barsAreAnothers }
    case .seconds: break
    }
    guard
      let frame = place.frame(
        at: status.tempo, in: configuration.reconciler.meter, connection.client.sampleRate)
    else { return .tooFar }
    return send(.locate(frame))
  }

  /// Takes a tap: from the second one on the session has their tempo. Thread-safe. Realtime-safe: no.
  public func tap() -> CommandOutcome {
    guard connection != nil else { return refusalWithoutServer }
    guard !isTempoJACKs else { return .tempoIsJACKs }
    guard let tempo = taps.tapped(at: link.now()) else { return .firstTap }
    return send(.proposeTempo(tempo))
  }

  /// Imposes JACK's tempo and phase on the session, once. Thread-safe. Realtime-safe: no.
  public func imposeJACK() -> CommandOutcome {
    guard let connection else { return refusalWithoutServer }
    let status = connection.channels.status.reader.read()
    if case .neither = status.leader { return .neitherLeads }
    guard status.transport.isRolling, !status.isRendering else { return .doesNotRoll }
    return send(.imposeJACK)
  }

  /// Joins the Link session, or leaves it until it is to be joined again. Thread-safe. Realtime-safe: no.
  public func setLinkEnabled(_ isEnabled: Bool) -> CommandOutcome {
    if isEnabled != configuration.isLinkEnabled { report.yield(.chosen(.link(isEnabled))) }
    configuration.isLinkEnabled = isEnabled
    guard connection != nil else { return outcomeWithoutServer }
    if isEnabled {
      joinSession(settling: settlingTime())
    } else if link.isEnabled {
      pauseSession()
    }
    return .taken
  }

  /// Makes up for another output latency from now on. Thread-safe. Realtime-safe: no.
  public func setLatency(_ latency: OutputLatency) -> CommandOutcome {
    configuration.latency = latency
    connection?.hasLatencyPort = nil
    guard connection != nil else { return outcomeWithoutServer }
    updateLatency(isChosen: true)
    return .taken
  }

  /// Whether there is a JACK server, and no port of that name on it. Thread-safe. Realtime-safe: no.
  public func lacksPort(_ name: String) -> Bool {
    guard let connection else { return false }
    return connection.client.playbackLatency(of: name) == nil
  }

  /// Has JACK be heard so much later than the session from now on. Thread-safe. Realtime-safe: no.
  ///
  /// While JACK rolls the offset is approached at 20 ms in a second, while it is stopped at once.
  public func setOffset(_ wanted: Offset) -> CommandOutcome {
    if wanted != configuration.offset { report.yield(.offsetChanged(wanted)) }
    configuration.offset = wanted
    guard connection != nil else { return outcomeWithoutServer }
    updateLatency(isChosen: true)
    return .taken
  }

  /// Stores a choice, which holds for every server from now on; false for a command that is none.
  private func choose(_ command: Command) -> Bool {
    switch command {
    case .select(let mode):
      configuration.reconciler.mode = mode
      connection?.keeper.mode = mode
    case .shareStartStop(let isShared):
      if isShared != configuration.reconciler.startStopSync {
        report.yield(.chosen(.startStopSync(isShared)))
      }
      configuration.reconciler.startStopSync = isShared
      link.setStartStopSyncEnabled(isShared)
    case .waitForLaunch(let launch):
      if launch != configuration.reconciler.launch { report.yield(.chosen(.launch(launch))) }
      configuration.reconciler.launch = launch
    case .discipline(let discipline):
      if discipline != configuration.reconciler.discipline { report.yield(.chosen(.discipline(discipline))) }
      configuration.reconciler.discipline = discipline
    case .proposeTempo, .nudgeTempo, .foundSession, .start, .stop, .locate, .imposeJACK, .clientLeft:
      return false
    }
    return true
  }

  /// Whether the tempo is another client's to set: unless the user has just chosen that Link leads.
  private var isTempoJACKs: Bool {
    guard configuration.reconciler.mode != .link, let status = connection?.channels.status.reader.read()
    else { return false }
    return status.leader == .jack
  }

  private var outcomeWithoutServer: CommandOutcome {
    switch standing {
    case .standingBy: .keptForLater
    case .awaitingRender: .keptForRender
    case .waiting, .bridging: .kept
    }
  }
  private var refusalWithoutServer: CommandOutcome {
    switch standing {
    case .standingBy: .anothers
    case .awaitingRender: .renders
    case .waiting, .bridging: .noServer
    }
  }
}
