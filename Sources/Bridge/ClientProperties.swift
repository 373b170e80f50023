import JACK
import Synchronization

/// The properties of the bridge's client, which other JACK clients read, and may write.
///
/// JACK's metadata is in files that all clients share, and JACK notifies all of them of each change, one
/// after the other: so it has a queue of its own, on which it may take as long as the slowest of them.
public actor ClientProperties {
  /// A queue of its own, on which calls may block.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

  private let queue = ControlQueue()
  private let current = Mutex(Current())
  private let report: AsyncStream<Void>.Continuation

  /// An element for changes of any client's properties since the last one, the bridge's included; for one
  /// reader.
  public nonisolated let changes: AsyncStream<Void>

  private struct Current {
    var client: ActiveClient?
    var life = 0
    var watch: Task<Void, Never>?
  }

  init() {
    (changes, report) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// The life of the server in which there are properties, another number for each; `nil` while there is no
  /// server. Thread-safe.
  public nonisolated var life: Int? { current.withLock { $0.client == nil ? nil : $0.life } }

  /// Goes by another client, or by none. Thread-safe.
  nonisolated func use(_ client: ActiveClient?) {
    current.withLock { current in
      current.watch?.cancel()
      current.client = client
      current.life += 1
      current.watch = client.map { client in
        Task { [report] in for await _ in client.propertyChanges { report.yield() } }
      }
    }
  }

  /// The values of the properties called `keys` in a life of the server, without those that do not exist;
  /// `nil` where that life is over.
  public func values(of keys: [String], in life: Int) -> [String: String]? {
    guard let client = client(in: life) else { return nil }
    var values: [String: String] = [:]
    for key in keys {
      do throws(JACKError) {
        values[key] = try client.property(key: key)?.value
      } catch {
        return nil
      }
    }
    return values
  }

  /// Has a property be something else in a life of the server; false where that is over, or the server has no
  /// metadata.
  public func set(_ key: String, _ property: Property, in life: Int) -> Bool {
    guard let client = client(in: life) else { return false }
    return (try? client.setProperty(property.value, key: key, type: property.type)) != nil
  }

  private func client(in life: Int) -> ActiveClient? {
    current.withLock { $0.life == life ? $0.client : nil }
  }
}
