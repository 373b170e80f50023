import MusicalTime
import Reconciliation

/// The state of a ``Bridge``, with or without a server.
public struct BridgeOverview: Sendable {
  /// The activity of the bridge.
  public enum Standing: Sendable, Hashable {
    /// It waits for a JACK server.
    case waiting
    /// Another bridge has the server, and it waits until that goes.
    case standingBy
    /// JACK freewheels, as for an export, and it waits until that ends.
    case awaitingRender
    /// It is a client of a server.
    case bridging
  }

  /// The activity of the bridge.
  public var standing: Standing
  /// The configuration of the decisions, with the choices since.
  public var configuration: Reconciler.Configuration
  /// Whether the bridge takes part in Link's session, or would with a server.
  public var isLinkEnabled: Bool
  /// The time from a cycle's start to its first frame being heard; `nil` without a server.
  public var outputLatency: HostInterval?
  /// How much later JACK is to be heard than the session.
  public var offset: Offset
  /// Which of the programs that are heard make up for it themselves; `nil` without a server.
  public var convention: OutputConvention?
  /// The deadlines that JACK has missed since the bridge is on this server; `nil` without one.
  public var xruns: Int?
  /// The state of affairs; `nil` without a server.
  public var status: BridgeStatus?
}

extension Bridge {
  /// The bridge's present state. Thread-safe. Realtime-safe: no.
  public func overview() -> BridgeOverview {
    BridgeOverview(
      standing: standing, configuration: configuration.reconciler, isLinkEnabled: configuration.isLinkEnabled,
      outputLatency: connection?.latency.output, offset: configuration.offset,
      convention: connection?.latency.convention,
      xruns: connection?.client.xrunCount, status: status())
  }
}
