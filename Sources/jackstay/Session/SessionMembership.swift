import Bridge
import Glibc
import NSM
import Settings
import Words

/// The program's part in a session of a session manager's, which says what it is called in JACK, where its settings
/// are kept, and when they are written.
///
/// JACK is not joined before the manager has said so. Replies to it are sent by then.
final class SessionMembership: Sendable {
  /// The keeper of the session's settings.
  let keeper: StateKeeper
  private let manager: SessionManager
  /// The settings of flags, variables and files alone.
  private let told: SettingLayers

  /// How long a manager has to take us in. It runs on this machine, mostly.
  private static let patience = Duration.seconds(3)
  /// How long it has to say what is to be opened, once it has.
  private static let patienceToOpen = Duration.seconds(5)
  private static let lookInterval = Duration.milliseconds(2)

  private init(_ manager: SessionManager, _ keeper: StateKeeper, _ told: SettingLayers) {
    (self.manager, self.keeper, self.told) = (manager, keeper, told)
  }

  /// The result of looking for a session manager.
  struct Beginning {
    /// `nil` where there is none, or none that could be used.
    var membership: SessionMembership?
    /// The notices about it.
    var lines: [LogLine] = []
  }

  /// Announces the program, if `environment` names a session manager, and has `layers` take what the session has.
  ///
  /// Waits for the manager, but not for long.
  static func begin(_ layers: inout SettingLayers, environment: [String: String]) async -> Beginning {
    do throws(SessionManagerError) {
      guard let address = try SessionManagerAddress(environment: environment) else { return Beginning() }
      return await begin(&layers, SessionManager(address))
    } catch {
      return Beginning(lines: [without("\(error)")])
    }
  }

  private static func begin(_ layers: inout SettingLayers, _ manager: SessionManager) async -> Beginning {
    manager.announce(
      .init(name: layers.settings.clientName, executable: executable, process: getpid()))
    var name: String?
    var end = ContinuousClock.now + patience
    while .now < end {
      switch manager.next() {
      case .unreachable(let error): return Beginning(lines: [without("\(error)")])
      case .ended:
        return Beginning(lines: [
          without("the session manager has ended; start it and jackstay again, or unset NSM_URL")
        ])
      case .refused(let reason):
        return Beginning(lines: [
          without(
            "the session manager at \(manager.address) does not take the bridge in: \(reason.echoed(limit: 200)); open "
              + "a session there, and add jackstay to it")
        ])
      case .accepted(let manager):
        name = manager
        end = .now + patienceToOpen
      case .open(let project):
        return open(project, &layers, manager, name?.echoed(limit: 80) ?? "a session manager")
      case .save: manager.refuse(.save, .general, "nothing is open yet")
      case nil: try? await Task.sleep(for: lookInterval)
      }
    }
    manager.end()
    guard let name else {
      return Beginning(lines: [
        without(
          "no session manager answers at \(manager.address); start jackstay from one, or unset NSM_URL")
      ])
    }
    return Beginning(lines: [
      without(
        "\(name.echoed(limit: 40)) named no session to open. Open a session there, and add jackstay to it.")
    ])
  }

  private static func open(
    _ project: SessionManager.Project, _ layers: inout SettingLayers, _ manager: SessionManager,
    _ name: String
  ) -> Beginning {
    let told = layers
    do throws(SettingsError) {
      let opened = try OpenedProject(project, told)
      layers = opened.layers
      let keeper = StateKeeper(session: opened.file, read: opened.state) { manager.tell(isDirty: $0) }
      manager.reply(to: .open, opened.reply)
      let line = LogLine.info(
        "the session \"\(project.name.echoed(limit: 60))\" of \(name.echoed(limit: 40)) keeps this bridge's settings"
      )
      return Beginning(
        membership: SessionMembership(manager, keeper, told), lines: [line] + opened.lines)
    } catch {
      manager.refuse(.open, .badProject, error.description)
      manager.end()
      return Beginning(lines: [without(error.description)])
    }
  }

  private static func without(_ text: String) -> LogLine { .warning("going on without a session: \(text)") }

  /// The name that the program was started by, without the folder: a manager finds it by `PATH`.
  private static var executable: String {
    let path = CommandLine.arguments.first ?? "jackstay"
    return path.split(separator: "/").last.map(String.init) ?? "jackstay"
  }
}

extension SessionMembership {
  /// Does what the manager says from now on; `log` tells people what comes of it.
  func attend(_ surface: BridgeSurface, _ log: @escaping @Sendable (LogLine) -> Void) {
    let (requests, queue) = AsyncStream.makeStream(of: SessionManager.Notice.self)
    manager.onNotice { queue.yield($0) }
    // One after the other: what is opened is what is saved next.
    Task {
      for await request in requests {
        switch request {
        case .open(let project): await open(project, surface, log)
        case .save: save(log)
        case .ended:
          log(
            .warning(
              "the session manager has ended, so changes are no longer saved. Open the session again."
            ))
        case .accepted, .refused, .unreachable: break
        }
      }
    }
  }

  /// Has the manager show a line to its user, if it is one that a user should know.
  func tell(_ line: LogLine) {
    switch line.level {
    case .trace, .debug, .info: break
    case .notice: manager.tell(line.text, priority: 1)
    case .warning: manager.tell(line.text, priority: 2)
    case .error, .critical: manager.tell(line.text, priority: 3)
    }
  }

  private func save(_ log: (LogLine) -> Void) {
    do throws(SettingsError) {
      try keeper.save()
      manager.reply(to: .save, "saved")
    } catch {
      log(.error("the session is not saved: \(error)"))
      manager.refuse(.save, .general, error.description)
    }
  }

  /// Becomes what another session has: a client of another name, with other settings.
  private func open(
    _ project: SessionManager.Project, _ surface: BridgeSurface, _ log: (LogLine) -> Void
  ) async {
    do throws(SettingsError) {
      let opened = try OpenedProject(project, told)
      for line in opened.lines { log(line) }
      keeper.open(opened.file, read: opened.state)
      surface.current.value = opened.layers.settings
      await surface.bridge.reopen(opened.layers.settings.bridge)
      log(
        .info(
          "opened the session \"\(project.name.echoed(limit: 60))\" as the client \(opened.layers.settings.clientName)"
        ))
      manager.reply(to: .open, opened.reply)
      manager.tell(isDirty: false)
    } catch {
      log(.error("the session \"\(project.name.echoed(limit: 80))\" is not opened: \(error)"))
      manager.refuse(.open, .badProject, error.description)
    }
  }
}
