import Bridge
import JACK
import Logging
import Reconciliation
import Settings

/// What `jackstay run` does: one bridge, its events told, until a signal ends it.
enum Program {
  /// Runs until a signal or a failure, and returns the exit code.
  static func run(_ settings: Settings) async -> Int32 {
    let display = Display(isTerminal: Terminal.isStandardError)
    var logger = Logger(label: "jackstay") { _ in LogLines(display) }
    logger.logLevel = settings.logLevel.loggerLevel
    let libraryLogger = logger
    JACKLog.route { level, message in
      libraryLogger.debug("\(message)", metadata: ["library": "JACK", "level": "\(level)"])
    }

    do {
      let bridge = try Bridge(BridgeConfiguration(settings))
      return await run(bridge, settings, logger, display)
    } catch {
      logger.error("\(error)")
      return 1
    }
  }

  private static func run(
    _ bridge: Bridge, _ settings: Settings, _ logger: Logger, _ display: Display
  ) async -> Int32 {
    let work = Task { () -> BridgeError? in
      do throws(BridgeError) {
        try await bridge.run()
        return nil
      } catch {
        return error
      }
    }
    let signals = StopSignals {
      bridge.leaveSession()
      work.cancel()
    }
    let news = Task {
      for await event in bridge.events { event.log(to: logger) }
    }
    let liveLine = Task {
      guard display.isTerminal else { return }
      while (try? await Task.sleep(for: LiveLine.interval)) != nil {
        display.show(LiveLine(await bridge.status(), settings).text)
      }
    }
    let commands = Task {
      for await line in CommandLines.read() {
        switch line {
        case .failure(let error): logger.error("\(error)")
        case .success(let command):
          if await !bridge.send(command) {
            logger.error(
              "no JACK server takes commands now; wait until one is connected, and repeat the command")
          }
        }
      }
    }
    let failure = await work.value
    liveLine.cancel()
    commands.cancel()
    // The bridge ends its events when it ends: what it said last must not be lost.
    await news.value
    display.show("")
    signals.cancel()
    guard let failure else { return 0 }
    logger.error("\(failure)")
    return 1
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
    reconciler = .init(
      quantum: settings.quantum, meter: settings.meter, ticksPerBeat: settings.ticksPerBeat,
      startStopSync: settings.startStopSync, launch: settings.launch, alignsFrames: settings.alignsFrames,
      relocation: settings.relocation, selection: settings.selection, takeover: settings.takeover)
  }
}
