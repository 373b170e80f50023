import MusicalTime
import Reconciliation

/// The program's settings: from flags first, then from the environment, then from configuration files, then
/// these defaults. ``SettingLayers`` puts them together.
@dynamicMemberLookup
public struct Settings: Sendable, Equatable {
  /// The length over which the phase is shared, or `nil` for one bar of the meter.
  public var quantum: Quantum?
  /// Where OSC is taken.
  public var osc = Listening.off
  /// Where there is a panel for browsers.
  public var panel = Listening.off
  /// Whether the JACK client has properties.
  public var metadata = Metadata.auto
  /// Whether some of the choices made while it runs outlast the run.
  public var keepsState = true
  /// The least severe messages to log.
  public var logLevel = LogLevel.info
  /// The settings of the bridge, but for ``quantum``.
  var configuration = BridgeConfiguration()

  /// The defaults.
  public init() { configuration.compensatingClients = ["ardour", "mixbus"] }

  /// The settings of the bridge.
  public var bridge: BridgeConfiguration {
    var bridge = configuration
    bridge.reconciler.quantum = quantum ?? Quantum(barOf: bridge.reconciler.meter)
    return bridge
  }

  /// A setting of the bridge.
  public subscript<Value>(dynamicMember place: WritableKeyPath<BridgeConfiguration, Value>) -> Value {
    get { configuration[keyPath: place] }
    set { configuration[keyPath: place] = newValue }
  }
}
