import AbletonLink
import JACK
import MusicalTime
import Reconciliation

// Commands of users, and their outcomes.

extension Bridge {
  /// Has the next cycle carry out a command, and returns the outcome. Thread-safe. Realtime-safe: no.
  public func send(_ command: Command) -> CommandOutcome {
    guard let connection else { return refusalWithoutServer }
    switch command {
    case .proposeTempo, .nudgeTempo: if let refusal = tempoRefusal { return refusal }
    case .shiftDownbeat:
      if connection.status.reconciler.leader != .link { return .downbeatIsOwners }
    case .start, .stop, .locate: if connection.rules.followsMaster { return .transportIsMasters }
    default: break
    }
    guard !connection.standstill.isSilent else { return .standsStill }
    guard connection.give(command, by: choices) else { return .tooMany }
    happened(.checkDue)
    return .taken
  }

  /// Has the transport go on elsewhere, as any JACK client might. Thread-safe. Realtime-safe: no.
  public func locate(to place: SongPlace) -> CommandOutcome {
    guard let connection else { return refusalWithoutServer }
    let status = connection.status
    switch place {
    case .bar, .beats:
      if !connection.keeper.owner.isMe, status.jack.owner == .other { return .barsAreAnothers }
    case .seconds: break
    }
    guard
      let frame = place.frame(
        at: status.session.tempo, in: status.song.bars.meter, connection.client.sampleRate)
    else { return .tooFar }
    return send(.locate(frame))
  }

  /// Takes a tap: from the second one on the session has their tempo. Thread-safe. Realtime-safe: no.
  public func tap() -> CommandOutcome {
    guard connection != nil else { return refusalWithoutServer }
    if let refusal = tempoRefusal { return refusal }
    guard let tempo = tempos.taps.tapped(at: session.link.now()) else { return .firstTap }
    return send(.proposeTempo(tempo))
  }

  /// Imposes JACK's tempo and phase on the session, once. Thread-safe. Realtime-safe: no.
  public func imposeJACK() -> CommandOutcome {
    guard let connection else { return refusalWithoutServer }
    guard choices.tempoSync.sends else { return .tempoIsNotSent }
    let status = connection.status
    if case .neither = status.reconciler.leader { return .neitherLeads }
    guard status.jack.transport.isRolling, !status.conditions.isRendering else { return .doesNotRoll }
    return send(.imposeJACK)
  }

  /// Joins the Link session, or leaves it until it is to be joined again. Thread-safe. Realtime-safe: no.
  public func setLinkEnabled(_ isEnabled: Bool) -> CommandOutcome {
    if isEnabled != configuration.isLinkEnabled { report.yield(.chosen(.link(isEnabled))) }
    configuration.isLinkEnabled = isEnabled
    guard connection != nil else { return outcomeWithoutServer }
    if isEnabled {
      session.join()
    } else if session.link.isEnabled {
      session.leave()
    }
    return .taken
  }

  /// Makes up for another output latency from now on. Thread-safe. Realtime-safe: no.
  public func setLatency(_ latency: OutputLatency) -> CommandOutcome {
    configuration.latency = latency
    connection?.latency.hasPort = nil
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

  /// Has a choice hold from the next cycle on, for this server and every later one. Thread-safe. Realtime-safe: no.
  public func choose(_ choice: Choice) -> CommandOutcome {
    let before = choices
    configuration.reconciler.choices.take(choice)
    let choices = choices
    if choices.tempoSync != before.tempoSync { report.yield(.chosen(.tempoSync(choices.tempoSync))) }
    if choices.startStopSync != before.startStopSync {
      report.yield(.chosen(.startStopSync(choices.startStopSync)))
      session.link.setStartStopSyncEnabled(choices.startStopSync != .off)
    }
    if choices.launch != before.launch { report.yield(.chosen(.launch(choices.launch))) }
    if choices.discipline != before.discipline { report.yield(.chosen(.discipline(choices.discipline))) }
    if choices.meter != before.meter { report.yield(.chosen(.meter(choices.meter))) }
    if choices.quantum != before.quantum { report.yield(.chosen(.quantum(choices.wantedQuantum))) }
    guard let connection else { return outcomeWithoutServer }
    connection.channels.orders.choices.writer.write(choices)
    happened(.checkDue)
    return .taken
  }

  /// The user's present choices.
  var choices: Choices { configuration.reconciler.choices }

  /// Why a user cannot set the session's tempo, if that is so.
  private var tempoRefusal: CommandOutcome? {
    if !choices.tempoSync.sends { return .tempoIsNotSent }
    return isTempoJACKs ? .tempoIsJACKs : nil
  }

  /// Whether the tempo is another client's to set: unless the user has just chosen that Link leads.
  private var isTempoJACKs: Bool {
    guard choices.mode != .link, let status = connection?.status
    else { return false }
    return status.reconciler.leader == .jack
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
