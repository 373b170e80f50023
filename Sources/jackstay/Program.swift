import Bridge
import Control
import Dispatch
import Host
import JACK
import Logging
import OSC
import Panel
import Reconciliation
import Settings

/// The work of `jackstay run`: one bridge, its events reported, until a signal ends it.
enum Program {
  /// Runs until a signal or a failure.
  ///
  /// - Parameters:
  ///   - told: The settings that it starts with.
  ///   - options: The flags among them, for a reload.
  /// - Returns: The exit code.
  static func run(_ told: SettingLayers, _ options: Options) async -> Int32 {
    var layers = told
    // Before anything has a name.
    let session = await SessionMembership.begin(&layers, environment: CommandLine.environment)
    let name = layers.settings.clientName
    // A line that the user types below the live line must not be wiped.
    let isTerminal = Terminal.isStandardError
    let mode = isTerminal && Terminal.isStandardInput ? TypingMode() : nil
    let socket = Result { () throws(ControlError) in
      try ControlSocket(
        name: name, in: ControlPlaces(environment: CommandLine.environment))
    }
    let signals = StopSignals(reloads: true) {
      mode?.end()
      if case .success(let socket) = socket { socket.remove() }
    }
    let display = Display(isTerminal: isTerminal, mode)
    let reader: LogLines.Reader =
      isTerminal
      ? .terminal(hasColours: TerminalLook(environment: TerminalLook.environment).hasColours)
      : Journal.isStandardError(environment: CommandLine.environment) ? .journal : .file
    let threshold = LogThreshold(told.settings.logLevel.loggerLevel)
    let logger = Logger(label: "jackstay") { _ in LogLines(display, threshold, for: reader) }
    JACKLog.route { level, message in
      logger.debug("libjack (\(level)): \(message)")
    }

    for line in session.lines { line.write(to: logger) }
    let state =
      session.membership?.keeper
      ?? StateKeeper.begin(&layers, environment: CommandLine.environment) { $0.write(to: logger) }
    for line in UnusualChoices.lines(layers) { line.write(to: logger) }
    let settings = layers.settings

    do {
      let bridge = try Bridge(settings.bridge)
      let surface = BridgeSurface(
        bridge: bridge, current: CurrentSettings(settings), server: server(at: socket, settings, logger),
        panel: panel(settings, logger, display), osc: osc(settings, logger),
        ardour: ArdourSurface(settings.ardour, bridge) { $0.write(to: logger) },
        properties: PropertySurface(bridge.properties), state: state)
      let reload = ConfigurationReload(told, surface, threshold)
      signals.onReload {
        let read = Result { () throws(SettingsError) in
          try SettingLayers(options, environment: CommandLine.environment)
        }
        Task { await reload.take(read).write(to: logger) }
      }
      session.membership?.attend(surface) { $0.write(to: logger) }
      return await run(surface, session.membership, logger, display, mode, signals)
    } catch {
      logger.error("\(error)")
      if case .success(let socket) = socket { socket.remove() }
      display.finish(within: goodbyeTimeout)
      return 1
    }
  }

  /// How long the last lines wait for their reader.
  private static let goodbyeTimeout = DispatchTimeInterval.seconds(1)

  /// The server at a socket, if there is one; notices about it are logged.
  private static func server(
    at socket: Result<ControlSocket, ControlError>, _ settings: Settings, _ logger: Logger
  ) -> ControlServer? {
    do throws(ControlError) {
      let socket = try socket.get()
      if socket.name != settings.clientName {
        let holder = socket.holder.map { " (process \($0))" } ?? ""
        logger.notice(
          """
          another bridge\(holder) is called \(settings.clientName), so commands find this one as \(socket.name). Choose \
          another with --name.
          """)
      }
      return try ControlServer(socket, program: Version.jackstay)
    } catch {
      logger.warning("no program can control this bridge: \(error)")
      return nil
    }
  }

  /// The server of OSC, if there is to be one; notices about it are logged.
  private static func osc(_ settings: Settings, _ logger: Logger) -> LateOSCServer? {
    guard case .at(let address) = settings.osc else { return nil }
    return LateOSCServer(at: address) { report in
      switch report {
      case .failure(let error): logger.error("going on without OSC: \(error)")
      case .success(let address) where address.isLoopback:
        logger.info("listening for OSC at \(address)")
      case .success(let address):
        logger.warning("listening for OSC at \(address): all programs that reach it control this bridge")
      }
    }
  }

  /// The server of the panel, if there is to be one; its links are printed.
  private static func panel(_ settings: Settings, _ logger: Logger, _ display: Display) -> PanelServer? {
    guard case .at(let address) = settings.panel else { return nil }
    do throws(PanelError) {
      return try PanelServer(at: address) { report in
        switch report {
        case .failure(let error): logger.warning("\(error)")
        case .success(let links): show(links, of: address, logger, display)
        }
      }
    } catch {
      logger.warning("\(error)")
      return nil
    }
  }

  /// Tells how a panel is found.
  private static func show(
    _ links: [String], of address: ListenAddress, _ logger: Logger, _ display: Display
  ) {
    for link in links { logger.notice("web panel: \(link)") }
    // For telephones, on which a token is tedious to type.
    guard !address.isLoopback, display.isTerminal,
      TerminalLook(environment: TerminalLook.environment).hasBlocks,
      let link = links.first, let code = QRCode(link)
    else { return }
    for line in code.lines { display.print(line) }
  }

  private static func run(
    _ surface: BridgeSurface, _ session: SessionMembership?, _ logger: Logger, _ display: Display,
    _ mode: TypingMode?,
    _ signals: StopSignals
  ) async -> Int32 {
    let bridge = surface.bridge
    let input = StandardInput(display, mode) { $0.write(to: logger) }
    let surfaces: [any Surface] =
      ([surface.server, surface.panel, surface.osc, input] as [(any Surface)?]).compactMap(\.self)
      + (surface.settings.hasProperties ? [surface.properties] : [])
    let work = Task { () -> BridgeError? in
      do throws(BridgeError) {
        try await bridge.run()
        return nil
      } catch {
        return error
      }
    }
    signals.onFirst {
      bridge.leaveSession()
      work.cancel()
      surface.state?.finish(within: goodbyeTimeout)
    }
    let jobControl = JobControl {
      // JACK waits in each cycle for a client that is stopped.
      let isAway = DispatchSemaphore(value: 0)
      Task {
        await bridge.pause()
        isAway.signal()
      }
      _ = isAway.wait(timeout: .now() + goodbyeTimeout)
      display.hide(within: .milliseconds(50))
      mode?.leave()
    } takeAgain: {
      mode?.enter()
      display.reveal()
      Task { await bridge.resume() }
    }
    let peers = PeerLines { line in
      line.write(to: logger)
      session?.tell(line)
    }
    let news = Task {
      for await event in bridge.events {
        if case .tempoChanged(let tempo, _) = event { surface.state?.change { $0.note(tempo) } }
        if case .peersChanged(let count) = event {
          peers.changed(to: count)
        } else {
          for line in event.logLines {
            line.write(to: logger)
            session?.tell(line)
          }
        }
        for surface in surfaces { surface.publish(event.object) }
        await surface.ardour?.note(event)
      }
      peers.finish()
    }
    let liveLine = Task {
      guard display.isTerminal else { return }
      while (try? await Task.sleep(for: LiveLine.interval)) != nil {
        let overview = await bridge.overview()
        let line = LiveLine(
          overview.status, offset: overview.offset,
          mode: overview.configuration.choices.mode,
          isStandingBy: overview.standing == .standingBy,
          isAwaitingRender: overview.standing == .awaitingRender, choices: UnusualChoices(overview))
        display.show(line.text)
      }
    }
    let service = Task {
      guard let manager = ServiceManager(environment: CommandLine.environment) else { return }
      await ServiceStatus(manager: manager).follow(bridge)
    }
    let conversations = surfaces.map { other in Task { await surface.serve(other) } }
    let ardour = Task { await surface.ardour?.run() }
    let failure = await work.value
    ardour.cancel()
    service.cancel()
    liveLine.cancel()
    // The bridge ends its events when it ends: what it said last must not be lost.
    await news.value
    await liveLine.value
    await service.value
    for surface in surfaces { surface.finish(within: goodbyeTimeout) }
    surface.ardour?.finish(within: goodbyeTimeout)
    surface.state?.finish(within: goodbyeTimeout)
    // One of them may still wait: for an address, for what is typed, or for a server that hangs.
    for conversation in conversations { conversation.cancel() }
    if let failure { logger.error("\(failure)") }
    display.finish(within: goodbyeTimeout)
    jobControl.cancel()
    mode?.end()
    signals.cancel()
    return failure == nil ? 0 : 1
  }
}
