import JACK
import MusicalTime
import Reconciliation

// The slow half's part of starts and stops.

extension Bridge {
  /// How long the transport waits for slow clients, beyond the longest quantised start. JACK's own default.
  static let slowClients = HostInterval.seconds(10)

  /// The rules of this kind of server.
  var serverRules: ServerRules { ServerRules(libraryVersion: JACKLibrary.version) }

  /// How long JACK is to wait for the bridge: as long as a quantised start can take; `nil` where it has a
  /// bound of its own. JACK does not report the earlier timeout: when the bridge leaves, it is JACK's default
  /// again.
  var longestHold: HostInterval? {
    serverRules.longestHold == nil ? configuration.reconciler.longestHold + Bridge.slowClients : nil
  }

  /// Keeps what JACK clients read of a start that is waited for fresh.
  ///
  /// - Parameter isAppointed: Whether the keeper of the timebase has asked for it; else a cycle has woken the
  ///   control thread.
  func attendToLaunch(isAppointed: Bool) {
    guard let current = connection else { return }
    let period = HostInterval(FrameCount(Int64(current.client.bufferSize)), at: current.client.sampleRate)
    let look = connection?.keeper.look(
      at: current.status.start.roll, now: session.link.now(), period: period,
      isAppointed: isAppointed)
    request(look?.action ?? .none)
    guard let again = look?.again else { return }
    let client = current.client
    queue.run(after: again) { [weak self] in
      self?.assumeIsolated { bridge in
        // A new server has a keeper of its own.
        if bridge.connection?.client === client { bridge.attendToLaunch(isAppointed: true) }
      }
    }
  }
}
