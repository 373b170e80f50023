import AbletonLink
import Bridge
import Control
import Glibc
import JSON
import OSC
import Panel
import Settings
import Words

/// What the running bridge is told and says, on whatever way it comes: one adapter on its commands and its
/// status.
struct BridgeSurface: Sendable {
  let bridge: Bridge
  let current: CurrentSettings
  /// Where other processes find it; `nil` where there is nothing of the kind.
  let server: ControlServer?
  /// Where browsers find it; `nil` where they do not.
  let panel: PanelServer?
  /// What takes OSC; `nil` where nothing is to.
  let osc: LateOSCServer?
  /// What other JACK clients read and write.
  let properties: PropertySurface
  /// What is to outlast the run; `nil` where nothing is.
  let state: StateKeeper?

  /// What the bridge goes by.
  var settings: Settings { current.value }

  /// Does what is written in a line.
  func answer(line: String) async -> ControlAnswer {
    do throws(SettingsError) {
      guard let instruction = try Instruction(line: line) else {
        throw SettingsError("the command is empty; expected \(Instruction.usage)")
      }
      return await answer(instruction)
    } catch {
      return .error(error.description)
    }
  }

  /// Does what it is told on a surface, until that is finished, or the task is cancelled.
  func serve(_ surface: any Surface) async {
    await surface.run { line in
      let answer = await answer(line: line)
      // Nobody but the user who runs the bridge may know the token in the links to the panel.
      guard surface.isOwners, case .status(let status) = answer, let panel else { return answer }
      return .status(status.adding(["panel": .string(panel.links.joined(separator: " "))]))
    }
  }

  /// Does what it is told, or says why not; what is chosen thereby may outlast the run.
  func answer(_ instruction: Instruction) async -> ControlAnswer {
    // A configuration may name a port that comes later; a person who names one means a port that is there.
    if case .latency(.port(let name)) = instruction, await bridge.lacksPort(name) {
      return .refused(
        "JACK has no port called \"\(name.echoed())\"; list its ports with jack_lsp, and name one")
    }
    let answer = await carryOut(instruction)
    switch answer {
    case .kept where instruction == .tap: break
    case .taken, .kept: state?.change { $0.note(instruction) }
    case .refused, .error, .status, .watching, .help: break
    }
    return answer
  }

  /// Does what it is told, or says why not.
  func carryOut(_ instruction: Instruction) async -> ControlAnswer {
    switch instruction {
    case .command(let command): ControlAnswer(await bridge.send(command))
    case .locate(let place): ControlAnswer(await bridge.locate(to: place))
    case .tap: ControlAnswer(await bridge.tap())
    case .link(let isEnabled): ControlAnswer(await bridge.setLinkEnabled(isEnabled))
    case .latency(let latency): ControlAnswer(await bridge.setLatency(latency))
    case .imposeJACK: ControlAnswer(await bridge.imposeJACK())
    case .offset(let offset): ControlAnswer(await bridge.setOffset(offset))
    case .restart(let option, let value) where state?.isOfSession == true:
      .kept(
        "the \(option) cannot be changed while the bridge runs: it is \(value) when this session is saved, and opened again"
      )
    case .restart(let option, let value):
      .refused(
        "the \(option) cannot be changed while the bridge runs; end it, and start it with --\(option) \(value)"
      )
    case .status: .status(await status())
    case .watch: .watching
    case .help: .help(Instruction.help.joined(separator: "\n"))
    }
  }

  /// How things are.
  func status() async -> JSONObject {
    let identity: JSONObject = [
      "name": .string(server?.name ?? settings.clientName), "process": .count(getpid()),
      "version": .string(Version.jackstay), "link_release": .string(Link.release),
      "now_us": .count(LinkTime.nanoseconds / 1000),
    ]
    return identity.adding(await bridge.overview().object(server: settings.server))
      .adding(server?.tally.object ?? [:]).adding(["invalid_properties": .count(properties.wrongCount)])
      .adding(panel?.tally.object ?? [:]).adding(osc?.server?.status ?? [:])
  }
}

extension ControlServer.Tally {
  /// What has been counted, as programs read it.
  var object: JSONObject {
    [
      "invalid_lines": .count(wrongLines), "slow_readers": .count(slowReaders),
      "rejected_users": .count(strangers),
    ]
  }
}

extension PanelTally {
  /// What has been counted, as programs read it.
  var object: JSONObject {
    [
      "panel_viewers": .count(viewers), "panel_invalid_requests": .count(wrongRequests),
      "panel_rejected_users": .count(strangers), "panel_slow_readers": .count(slowReaders),
      "panel_rejected_connections": .count(turnedAway),
    ]
  }
}

extension ControlAnswer {
  init(_ outcome: CommandOutcome) {
    guard let line = outcome.logLine else {
      self = .taken
      return
    }
    self = line.level >= .error ? .refused(line.text) : .kept(line.text)
  }

  /// Says it on `display`, to whoever types what is answered.
  func show(on display: Display, _ log: (LogLine) -> Void) {
    switch self {
    case .taken: break
    case .kept(let text): log(.notice(text))
    case .refused(let text), .error(let text): log(.error(text))
    case .status(let status): for line in StatusText(status).lines { display.print(line) }
    case .watching: log(.notice("what happens is shown here anyway"))
    case .help(let text): for line in text.split(separator: "\n") { display.print(String(line)) }
    }
  }
}

extension Instruction {
  /// A line for each word that can be told, as the help of the program has them, too.
  static var help: [String] {
    let width = 2 + (vocabulary.map(\.usage.count).max() ?? 0)
    return vocabulary.map { word in
      word.usage + String(repeating: " ", count: width - word.usage.count) + word.summary
    }
  }
}
