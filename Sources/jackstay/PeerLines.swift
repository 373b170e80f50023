import Synchronization

/// The log lines of how many Link peers there are: one a second at most, however often that changes.
///
/// Peers announce themselves, so a machine on the network can have as many come and go as it likes.
///
/// Thread-safe.
final class PeerLines: Sendable {
  private let state = Mutex(PeerTally())
  private let write: @Sendable (LogLine) -> Void

  /// Lines that are given to `write`.
  init(_ write: @escaping @Sendable (LogLine) -> Void) { self.write = write }

  /// Takes note of another number of peers.
  func changed(to count: Int) {
    let (line, wait) = state.withLock { $0.changed(to: count, at: .now) }
    if let line { write(line) }
    guard let wait else { return }
    Task {
      try? await Task.sleep(for: wait)
      finish()
    }
  }

  /// Writes what is not written yet.
  func finish() {
    if let line = state.withLock({ $0.due(at: .now) }) { write(line) }
  }
}

/// The number of peers, and the part of its changes that has been reported. The time is the caller's.
struct PeerTally: Sendable {
  static let interval = Duration.seconds(1)

  private var told: ContinuousClock.Instant?
  private var count = 0
  /// How many changes have not been reported.
  private var changes = 0

  /// The line of a change; or, where the last one was less than a second ago, for how long it has to wait, unless one
  /// waits already.
  mutating func changed(
    to count: Int, at now: ContinuousClock.Instant
  ) -> (line: LogLine?, wait: Duration?) {
    self.count = count
    changes += 1
    guard let told, now - told < Self.interval else { return (due(at: now), nil) }
    return (nil, changes == 1 ? Self.interval - (now - told) : nil)
  }

  /// The line of all changes that have not been reported; `nil` where there are none.
  mutating func due(at now: ContinuousClock.Instant) -> LogLine? {
    guard changes > 0 else { return nil }
    let changes = changes
    (self.changes, told) = (0, now)
    return .info(changes == 1 ? count.asPeers : "\(count.asPeers), after \(changes) changes")
  }
}
