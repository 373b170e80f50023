import AbletonLink
import Bridge
import Control
import Glibc
import JSON
import OSC
import Panel
import Settings
import Words

/// The commands and the status of the running bridge: one adapter for all surfaces.
struct BridgeSurface: Sendable {
  let bridge: Bridge
  let current: CurrentSettings
  /// Where other processes find it; `nil` where there is nothing of the kind.
  let server: ControlServer?
  /// Where browsers find it; `nil` where they do not.
  let panel: PanelServer?
  /// The server that takes OSC; `nil` where none is to.
  let osc: LateOSCServer?
  /// The Ardour that has the session's tempo; `nil` where it is left alone.
  let ardour: ArdourSurface?
  /// The properties that other JACK clients read and write.
  let properties: PropertySurface
  /// The keeper of the choices that outlast the run; `nil` where none do.
  let state: StateKeeper?
  /// The addresses of the peers in the session.
  private let addresses = PeerAddresses()

  /// The settings that hold now.
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

  /// Carries out the surface's instructions, until it is finished, or the task is cancelled.
  func serve(_ surface: any Surface) async {
    await surface.run { line in
      let answer = await answer(line: line)
      // Only the user who runs the bridge may know the token in the links to the panel.
      guard surface.isOwners, case .status(let status) = answer, let panel else { return answer }
      return .status(status.adding(["panel": .string(panel.links.joined(separator: " "))]))
    }
  }

  /// Carries out an instruction, or says why not; a choice that it makes may outlast the run.
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

  /// Carries out an instruction, or says why not.
  func carryOut(_ instruction: Instruction) async -> ControlAnswer {
    switch instruction {
    case .command(let command): ControlAnswer(await bridge.send(command))
    case .choose(let choice): ControlAnswer(await bridge.choose(choice))
    case .locate(let place): ControlAnswer(await bridge.locate(to: place))
    case .tap: ControlAnswer(await bridge.tap())
    case .link(let isEnabled): ControlAnswer(await bridge.setLinkEnabled(isEnabled))
    case .latency(let latency): ControlAnswer(await bridge.setLatency(latency))
    case .imposeJACK: ControlAnswer(await bridge.imposeJACK())
    case .offset(let offset): ControlAnswer(await bridge.setOffset(offset))
    case .record where ardour == nil:
      .refused("Ardour is left alone; start the bridge with --ardour auto")
    case .record(let isOn):
      ardour?.record(isOn) == true
        ? .taken : .refused("there is no connection with Ardour; see the status, and \"Ardour\" in the guide")
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
    let overview = await bridge.overview()
    let heard = addresses.heard(isInSession: overview.isLinkEnabled && overview.status != nil)
    let peers: JSONObject = heard.isEmpty ? [:] : ["peer_addresses": .string(heard.joined(separator: " "))]
    return identity.adding(overview.object(server: settings.server)).adding(peers)
      .adding(server?.tally.object ?? [:]).adding(["invalid_properties": .count(properties.wrongCount)])
      .adding(panel?.tally.object ?? [:]).adding(osc?.server?.status ?? [:]).adding(ardour?.status ?? [:])
  }
}

extension ControlServer.Tally {
  /// The counts, as programs read them.
  var object: JSONObject {
    [
      "invalid_lines": .count(wrongLines), "slow_readers": .count(slowReaders),
      "rejected_users": .count(strangers),
    ]
  }
}

extension PanelTally {
  /// The counts, as programs read them.
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

  /// Prints it on `display`, for the user who typed the command.
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
  /// A line for each command, as the help of the program has them, too.
  static var help: [String] {
    let width = 2 + (vocabulary.map(\.usage.count).max() ?? 0)
    return vocabulary.map { word in
      word.usage + String(repeating: " ", count: width - word.usage.count) + word.summary
    }
  }
}
