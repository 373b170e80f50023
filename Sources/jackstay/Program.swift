import Bridge
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
    let signals = StopSignals { mode?.end() }
    let display = Display(isTerminal: isTerminal, mode)
    var logger = Logger(label: "jackstay") { _ in LogLines(display) }
    logger.logLevel = settings.logLevel.loggerLevel
    let libraryLogger = logger
    JACKLog.route { level, message in
      libraryLogger.debug("\(message)", metadata: ["library": "JACK", "level": "\(level)"])
    }

    do {
      let bridge = try Bridge(BridgeConfiguration(settings))
      return await run(bridge, settings, logger, display, mode, signals)
    } catch {
      logger.error("\(error)")
      display.finish(within: goodbyeTimeout)
      return 1
    }
  }

  /// How long the last lines wait for somebody to read them.
  private static let goodbyeTimeout = DispatchTimeInterval.seconds(1)

  private static func run(
    _ bridge: Bridge, _ settings: Settings, _ logger: Logger, _ display: Display, _ mode: TypingMode?,
    _ signals: StopSignals
  ) async -> Int32 {
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
      }
    }
    let liveLine = Task {
      guard display.isTerminal else { return }
      while (try? await Task.sleep(for: LiveLine.interval)) != nil {
        let isStandingBy = await bridge.isStandingBy
        display.show(LiveLine(await bridge.status(), settings, isStandingBy: isStandingBy).text)
      }
    }
    let commands = Task {
      for await line in StandardInput(display, mode).read() {
        switch line {
        case .failure(let error): logger.error("\(error)")
        case .success(let command): await bridge.send(command).logLine?.write(to: logger)
        }
      }
    }
    let failure = await work.value
    liveLine.cancel()
    commands.cancel()
    // The bridge ends its events when it ends: what it said last must not be lost.
    await news.value
    await liveLine.value
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
