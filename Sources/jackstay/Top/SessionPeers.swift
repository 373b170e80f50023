import LinkDiscovery

/// The addresses of the peers in a bridge's session, heard beside it: the bridge knows their number alone.
///
/// Not thread-safe.
struct SessionPeers {
  private var listener: PeerListener?
  private var nextTry = ContinuousClock.now
  /// The peers among which the bridge was looked for, and the one that it is.
  private var known: (peers: [NodeID], process: Int32, bridge: NodeID?)?

  /// How often a listener is tried for where none was possible.
  private static let retryInterval = Duration.seconds(5)

  /// The addresses of the other peers in the session of the bridge with a process, as they are now. It takes what has
  /// come, and does not wait.
  mutating func addresses(besides process: Int32) -> [String] {
    guard let table = table() else { return [] }
    let peers = table.peers.map(\.id)
    if known?.peers != peers || known?.process != process {
      known = (peers, process, LocalPrograms.peer(among: table.peers, of: process))
    }
    guard let own = table.peers.first(where: { $0.id == known?.bridge }) else { return [] }
    var addresses: [String] = []
    for peer in table.peers where peer.id != own.id && peer.session == own.session {
      if let address = peer.sightings.first?.source.address { addresses.append(address) }
    }
    return addresses
  }

  private mutating func table() -> PeerTable? {
    if listener == nil, ContinuousClock.now >= nextTry {
      nextTry = ContinuousClock.now + Self.retryInterval
      listener = try? PeerListener(pings: false)
    }
    listener?.look()
    return listener?.table
  }
}
