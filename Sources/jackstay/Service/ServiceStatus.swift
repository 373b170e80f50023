import Bridge
import Host
import MusicalTime

/// Reports the state of the bridge to the manager that started the program as a service, when the state has
/// changed, and no more than once a second.
struct ServiceStatus: Sendable {
  private static let interval = Duration.seconds(1)
  /// How soon a manager that has too much to read is sent again that the bridge is ready: it waits for that.
  private static let retry = Duration.milliseconds(50)
  let manager: ServiceManager

  /// Does so until the task is cancelled.
  func follow(_ bridge: Bridge) async {
    while !manager.tell(.ready), (try? await Task.sleep(for: Self.retry)) != nil {}
    var told = ""
    repeat {
      let line = Self.line(await bridge.overview())
      if line != told, manager.tell(.status(line)) { told = line }
    } while (try? await Task.sleep(for: Self.interval)) != nil
    manager.tell(.stopping)
  }

  /// Tempo, peers and state, in a line.
  static func line(_ overview: BridgeOverview) -> String {
    guard let status = overview.status else {
      return switch overview.standing {
      case .standingBy: "stands by for another bridge"
      case .awaitingRender: "waits for the end of JACK's export"
      case .waiting, .bridging: "waits for a JACK server"
      }
    }
    let transport =
      switch status.transport {
      case .stopped: "stopped"
      case .starting: "starting"
      case .rolling: "rolling"
      }
    guard !status.standsStill else { return "JACK's cycles have stopped" }
    let tempo = status.session.tempo.beatsPerMinute.asTempo(inJACK: status.tempoInJACK)
    let peers = status.session.peers.asPeers
    return "\(tempo), \(peers), \(status.isRendering ? "JACK exports" : transport)"
  }
}
