import JACK
import Synchronization

/// Tells whether JACK has clients whose names begin in a certain way.
///
/// Costs nothing without a watch. Thread-safe. Realtime-safe: no.
public final class ClientWatch: Sendable {
  private let watch = Mutex<Watch?>(nil)

  private struct Watch {
    var beginning: String
    var tell: @Sendable (Bool) -> Void
    var isThere = false
  }

  init() {}

  /// Calls `tell` when such a client has come, and when the last one has gone: on the bridge's own queue.
  ///
  /// - Parameters:
  ///   - beginning: The beginning of the names, of letters alone.
  ///   - tell: Gets whether there is one.
  public func watch(for beginning: String, _ tell: @escaping @Sendable (Bool) -> Void) {
    watch.withLock { $0 = Watch(beginning: beginning, tell: tell) }
  }

  /// The clients of a server may be others; of none where there is no server.
  func look(at client: ActiveClient?) {
    guard let beginning = watch.withLock({ $0?.beginning }) else { return }
    let isThere = client?.hasClients(beginning: beginning) ?? false
    let news = watch.withLock { watch -> (@Sendable (Bool) -> Void)? in
      guard watch?.isThere != isThere else { return nil }
      watch?.isThere = isThere
      return watch?.tell
    }
    news?(isThere)
  }
}
