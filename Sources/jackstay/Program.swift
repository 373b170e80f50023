import Bridge
import Control
import Dispatch
import JACK
import Logging
import Reconciliation
import Settings

/// What `jackstay run` does: one bridge, its events told, until a signal ends it.
enum Program {
  /// Runs until a signal or a failure, and returns the exit code.
  static func run(_ settings: Settings) async -> Int32 {
    // Who types below the live line must not have it wiped.
    let isTerminal = Terminal.isStandardError
    let mode = isTerminal && Terminal.isStandardInput ? TypingMode() : nil
    let socket = Result { () throws(ControlError) in
      try ControlSocket(
        name: settings.clientName, in: ControlFolder(environment: CommandLine.environment))
    }
    let signals = StopSignals {
      mode?.end()
      if case .success(let socket) = socket { socket.remove() }
    }
    let display = Display(isTerminal: isTerminal, mode)
    var logger = Logger(label: "jackstay") { _ in LogLines(display) }
    logger.logLevel = settings.logLevel.loggerLevel
    let libraryLogger = logger
    JACKLog.route { level, message in
      libraryLogger.debug("\(message)", metadata: ["library": "JACK", "level": "\(level)"])
    }

    do {
      let bridge = try Bridge(BridgeConfiguration(settings))
      let surface = BridgeSurface(
        bridge: bridge, settings: settings, server: server(at: socket, settings, logger))
      return await run(surface, logger, display, mode, signals)
    } catch {
      logger.error("\(error)")
      if case .success(let socket) = socket { socket.remove() }
      display.finish(within: goodbyeTimeout)
      return 1
    }
  }

  /// How long the last lines wait for somebody to read them.
  private static let goodbyeTimeout = DispatchTimeInterval.seconds(1)

  /// What listens at a socket, if there is one; what is to be known about that is logged.
  private static func server(
    at socket: Result<ControlSocket, ControlError>, _ settings: Settings, _ logger: Logger
  ) -> ControlServer? {
    do throws(ControlError) {
      let socket = try socket.get()
      if socket.name != settings.clientName {
        logger.notice(
          "another bridge has this one's name, so commands find this one by another; choose one with --name",
          metadata: ["name": "\(socket.name)"].merging(socket.holder.map { ["process": "\($0)"] } ?? [:]) {
            $1
          })
      }
      return try ControlServer(socket, program: Version.jackstay)
    } catch {
      logger.warning("other programs cannot control this bridge. \(error)")
      return nil
    }
  }

  private static func run(
    _ surface: BridgeSurface, _ logger: Logger, _ display: Display, _ mode: TypingMode?,
    _ signals: StopSignals
  ) async -> Int32 {
    let (bridge, server) = (surface.bridge, surface.server)
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
    }
    let jobControl = mode.map { mode in
      JobControl {
        display.hide(within: .milliseconds(50))
        mode.leave()
      } takeAgain: {
        mode.enter()
        display.reveal()
      }
    }
    let news = Task {
      for await event in bridge.events {
        for line in event.logLines { line.write(to: logger) }
        server?.publish(event.object)
      }
    }
    let liveLine = Task {
      guard display.isTerminal else { return }
      while (try? await Task.sleep(for: LiveLine.interval)) != nil {
        let isStandingBy = await bridge.isStandingBy
        display.show(LiveLine(await bridge.status(), surface.settings, isStandingBy: isStandingBy).text)
      }
    }
    let commands = Task {
      for await line in StandardInput(display, mode).read() {
        switch line {
        case .failure(let error): logger.error("\(error)")
        case .success(let instruction):
          await surface.answer(instruction).show(on: display) { $0.write(to: logger) }
        }
      }
    }
    let control = Task { await server?.run { await surface.answer(line: $0) } }
    let failure = await work.value
    liveLine.cancel()
    commands.cancel()
    // The bridge ends its events when it ends: what it said last must not be lost.
    await news.value
    await liveLine.value
    server?.finish(within: goodbyeTimeout)
    await control.value
    if let failure { logger.error("\(failure)") }
    display.finish(within: goodbyeTimeout)
    jobControl?.cancel()
    mode?.end()
    signals.cancel()
    return failure == nil ? 0 : 1
  }
}

extension BridgeConfiguration {
  fileprivate init(_ settings: Settings) {
    self.init()
    clientName = settings.clientName
    server = settings.server
    waitsForServer = settings.waitForServer
    tempo = settings.tempo
    latency = settings.latency
    compensatingClients = settings.compensatingClients
    midiClock = MIDIClockConfiguration(mode: settings.midiClock, offset: settings.midiClockOffset)
    click = ClickConfiguration(mode: settings.click, level: settings.clickLevel)
    reconciler = .init(
      quantum: settings.quantum, meter: settings.meter, ticksPerBeat: settings.ticksPerBeat,
      startStopSync: settings.startStopSync, launch: settings.launch,
      frameAlignment: settings.frameAlignment,
      relocation: settings.relocation, mode: settings.mode, takeover: settings.takeover)
  }
}
