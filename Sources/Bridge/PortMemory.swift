/// The connections of the bridge's ports, so that the ports of the next client get the same ones.
///
/// JACK forgets the connections of a client that leaves, and of a server that ends. A connection is
/// remembered until a user or client removes it: until both ports are there and are not connected. Where only
/// the other port has gone, its client may have left with the server.
struct PortMemory: Sendable {
  /// A port of the bridge's, by its name without the client's, and the full name of another client's.
  struct Cable: Sendable, Hashable {
    var port: String
    var other: String
  }

  /// How often a connection is tried that JACK refuses: the other client may still be starting.
  private static let trials = 40

  private var known: Set<Cable> = []
  /// Those that are to be made again, and how often each may still be tried.
  private var lost: [Cable: Int] = [:]
  /// Whether some are being made.
  private var isBusy = false

  /// Another client has been opened, whose ports are connected to nothing.
  mutating func clientWasOpened() {
    lost = Dictionary(uniqueKeysWithValues: known.map { ($0, Self.trials) })
  }

  /// Takes the connections that there are.
  ///
  /// - Parameters:
  ///   - connected: All connections of the bridge's ports.
  ///   - isThere: Whether JACK has a port of that full name.
  /// - Returns: The connections that are to be made now, until ``haveBeenTried()``.
  mutating func look(at connected: Set<Cable>, isThere: (_ port: String) -> Bool) -> [Cable] {
    guard !isBusy else { return [] }
    for cable in connected { lost[cable] = nil }
    var due: [Cable] = []
    for cable in known.subtracting(connected) where isThere(cable.other) {
      if let trials = lost[cable], trials > 0 {
        lost[cable] = trials - 1
        due.append(cable)
      } else {
        lost[cable] = nil
        known.remove(cable)
      }
    }
    known.formUnion(connected)
    isBusy = !due.isEmpty
    return due
  }

  /// JACK has been asked to make those that were due.
  mutating func haveBeenTried() { isBusy = false }
}
