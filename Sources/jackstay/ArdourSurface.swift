import Ardour
import Bridge
import Dispatch
import JSON
import MusicalTime
import Reconciliation
import Settings
import Synchronization

/// An Ardour that has the session's tempo, and the bridge that has it.
///
/// Thread-safe.
final class ArdourSurface: Sendable {
  /// How often the bridge is asked for its state while there is a connection.
  private static let interval = Duration.milliseconds(200)

  private let client: ArdourClient
  private let bridge: Bridge
  /// The tempo that people and peers have given the session; `nil` before the first event about it.
  private let tempo = Mutex<Tempo?>(nil)
  private let wishes: AsyncStream<ArdourSync.Wish>

  /// Looks for Ardour at a place; `nil` where it is left alone, or the system has no thread left.
  init?(_ place: ArdourPlace, _ bridge: Bridge, report: @escaping @Sendable (LogLine) -> Void) {
    let sought: ArdourClient.Place
    switch place {
    case .off: return nil
    case .automatic: sought = .automatic
    case .at(let address): sought = .at(address)
    }
    let (wishes, ask) = AsyncStream.makeStream(of: ArdourSync.Wish.self)
    guard let client = ArdourClient(sought, ask: { ask.yield($0) }, report: { report($0.logLine) }) else {
      return nil
    }
    (self.client, self.bridge, self.wishes) = (client, bridge, wishes)
    if place == .automatic { bridge.clients.watch(for: "ardour") { client.ardourIs(here: $0) } }
  }

  /// Has both have one tempo, until the task is cancelled.
  func run() async {
    await withTaskGroup { group in
      group.addTask { [self] in
        for await _ in client.connections {
          while client.isConnected, !Task.isCancelled {
            await look()
            try? await Task.sleep(for: Self.interval)
          }
        }
      }
      group.addTask { [self] in
        for await wish in wishes {
          switch wish {
          case .propose(let tempo): _ = await bridge.send(.proposeTempo(tempo))
          case .found(let tempo): _ = await bridge.send(.foundSession(tempo))
          case .realign: _ = await bridge.send(.realignFrames)
          }
        }
      }
    }
  }

  /// Takes note of an event of the bridge's.
  func note(_ event: BridgeEvent) async {
    guard case .tempoChanged(let tempo, _) = event else { return }
    self.tempo.withLock { $0 = tempo }
    if client.isConnected { await look() }
  }

  /// Switches recording on or off; false where there is no Ardour to do so.
  func record(_ isOn: Bool) -> Bool { client.record(isOn) }

  /// Ends the connection, within `timeout`.
  func finish(within timeout: DispatchTimeInterval) { client.finish(within: timeout) }

  /// Its state, as members of the status.
  var status: JSONObject {
    let status = client.status
    var object: JSONObject = [
      "ardour": .string(status.standing.word), "ardour_malformed": .count(status.malformed),
    ]
    object["ardour_tempo"] = status.tempo.map { .number($0) }
    object["ardour_records"] = status.isRecording.map { .boolean($0) }
    return object
  }

  private func look() async {
    let overview = await bridge.overview()
    client.sessionIs(
      overview.status.flatMap { status in
        // An export has the tempo that it began with.
        guard !status.isRendering, !status.standsStill else { return nil }
        return ArdourSync.Session(
          tempo: tempo.withLock { $0 } ?? status.session.tempo, linkLeads: status.leader == .link,
          isRolling: status.transport.isRolling, peers: status.session.peers)
      })
  }
}

extension ArdourClient.Status.Standing {
  fileprivate var word: String {
    switch self {
    case .absent: "absent"
    case .silent: "silent"
    case .connected: "connected"
    case .leftAlone: "left_alone"
    }
  }
}

extension ArdourClient.News {
  /// The line about it.
  var logLine: LogLine {
    switch self {
    case .connected(let address):
      .info("connected with Ardour at \(address): while Link leads, it has the session's tempo")
    case .unreachable(let address, let fault):
      .notice(
        "Ardour's WebSockets at \(address): \(fault). Switch them on in its preferences, or use --ardour off."
      )
    case .lost(let fault): .notice("the connection with Ardour has ended: \(fault)")
    case .sync(let news): news.logLine
    }
  }
}

extension ArdourSync.News {
  fileprivate var logLine: LogLine {
    switch self {
    case .mixedTempos:
      .warning(
        "Ardour's tempo is left alone: it has several tempo markers, or one in other notes. Keep one in quarter notes."
      )
    case .oneTempo: .info("Ardour has one tempo again, which follows the session's")
    case .keepsTempo(let tempo, let wanted):
      .warning(
        "Ardour stays at \(tempo.formatted(decimals: 2)) bpm instead of \(wanted.beatsPerMinute.formatted(decimals: 2)). "
          + "Set its tempo by hand.")
    case .recording(let isOn): .info("recording in Ardour is \(isOn ? "on" : "off")")
    case .doesNotRecord(let isOn):
      .error("Ardour does not switch recording \(isOn ? "on. It needs a track for that." : "off")")
    }
  }
}
