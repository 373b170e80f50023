import Host
import JACK
import MusicalTime
import Reconciliation

/// The bridge's requests to its JACK server that may block: one at a time, on a queue of their own.
///
/// jackd2 has one thread for requests, which notifies every client in turn and waits for each: a client that
/// hangs holds all of them for seconds. No command may wait behind one, so the bridge, on its own queue,
/// makes none.
actor ServerRequests {
  nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  /// The claim on the server, which a client is opened by.
  nonisolated let claim = ServerClaim()
  private let queue = ControlQueue()

  /// Opens a client, if no other bridge has claimed the server that it reaches; `nil` if one has.
  ///
  /// Without a server the claim is given up.
  func open(name: String, server: String?) throws(JACKError) -> Client? {
    do throws(JACKError) {
      let client = try Client.open(name: name, server: server)
      guard claim.take(client.server) else { return nil }
      return client
    } catch {
      claim.release()
      throw error
    }
  }

  /// Why no server takes a client in, with what there is of it nevertheless.
  func explanation(of error: JACKError) -> JACKError { error.explained }

  /// Takes a client into the server's cycles, and has JACK ask it whether it may roll.
  ///
  /// - Returns: The client, and what there is to report: ports that it was to have and that there are not.
  func activate(
    _ client: consuming Client, _ cycle: sending Cycle, longestHold: HostInterval?,
    _ configuration: BridgeConfiguration
  ) throws(JACKError) -> (client: ActiveClient, missing: [BridgeEvent]) {
    var missing: [BridgeEvent] = []
    cycle.set(SongPorts.add(to: client, configuration, missing: &missing))
    let active = try client.activate(cycle, isSlowToSync: true)
    if let longestHold { try? active.setSyncTimeout(longestHold) }
    return (active, missing)
  }

  /// Carries out an action on the timebase.
  ///
  /// An owner that asks for it learns from the answer whether another client took it: JACK does not report
  /// that. A server that grants it to any client does not, either.
  func carryOut(_ action: TimebaseAction, for client: ActiveClient, refuses: Bool) -> TimebaseAnswer {
    do throws(JACKError) {
      switch action {
      case .none: return .unknown
      case .ask, .retake:
        if try client.takeTimebase(conditionally: true) { return refuses ? .ours : .granted }
        guard action == .retake else { return .anothers }
        return try client.takeTimebase(conditionally: false) ? .retaken : .anothers
      case .seize: return try client.takeTimebase(conditionally: false) ? .retaken : .anothers
      case .release:
        try client.releaseTimebase()
        return .nobodys
      }
    } catch {
      // Release fails only for a client that is not the owner: then it is released already.
      return action == .release ? .nobodys : .unknown
    }
  }

  /// Connects ports of a client's.
  func connect(_ cables: [PortMemory.Cable], of client: ActiveClient) {
    for cable in cables { client.connect(cable.port, to: cable.other) }
  }

  /// Leaves the server, after all earlier requests.
  func leave(_ client: ActiveClient, givingUpTimebase: Bool, syncTimeout: HostInterval?) {
    if let syncTimeout { try? client.setSyncTimeout(syncTimeout) }
    if givingUpTimebase { try? client.releaseTimebase() }
    client.close()
  }
}
