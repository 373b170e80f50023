import Settings
import Synchronization

/// The settings that the bridge goes by now: others when a session manager has it open another session.
///
/// Thread-safe.
final class CurrentSettings: Sendable {
  private let settings: Mutex<Settings>

  /// Begins with `settings`.
  init(_ settings: Settings) { self.settings = Mutex(settings) }

  /// The settings.
  var value: Settings {
    get { settings.withLock { $0 } }
    set { settings.withLock { $0 = newValue } }
  }
}
