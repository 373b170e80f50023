import MusicalTime
import Reconciliation

/// The program's settings: from flags first, then from the environment, then from configuration files, then
/// these defaults. ``SettingLayers`` puts them together.
@dynamicMemberLookup
public struct Settings: Sendable, Equatable {
  /// Where OSC is taken.
  public var osc = Listening.off
  /// Where there is a panel for browsers.
  public var panel = Listening.off
  /// Whether an Ardour is to have the session's tempo, and where it is.
  public var ardour = ArdourPlace.automatic
  /// Whether the JACK client has properties.
  public var metadata = Metadata.auto
  /// Whether some of the choices made while it runs outlast the run.
  public var keepsState = true
  /// The least severe messages to log.
  public var logLevel = LogLevel.info
  /// The settings of the bridge.
  var configuration = BridgeConfiguration()

  /// The defaults.
  public init() { configuration.compensatingClients = ["ardour", "mixbus"] }

  /// The settings of the bridge.
  public var bridge: BridgeConfiguration { configuration }

  /// A setting of the bridge.
  public subscript<Value>(dynamicMember place: WritableKeyPath<BridgeConfiguration, Value>) -> Value {
    get { configuration[keyPath: place] }
    set { configuration[keyPath: place] = newValue }
  }
}
