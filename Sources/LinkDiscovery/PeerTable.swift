import MusicalTime

/// The peers that were heard, by their messages alone.
///
/// A pure value: times are durations since any one instant, and never go back. The table begins to forget a peer when
/// its messages say so: with its time to live, or its goodbye.
public struct PeerTable: Sendable {
  /// The socket that a message came from, and the interface of this machine that it came in by.
  public struct Source: Sendable, Hashable {
    /// The interface's name.
    public let interface: String
    /// The address in numbers.
    public let address: String
    /// The port.
    public let port: UInt16

    /// A source.
    public init(interface: String, address: String, port: UInt16) {
      (self.interface, self.address, self.port) = (interface, address, port)
    }
  }

  /// A peer on one way to it.
  public struct Sighting: Sendable, Hashable {
    /// The origin of its messages.
    public fileprivate(set) var source: Source
    /// Where it answers pings; `nil` where it does not name that.
    public fileprivate(set) var endpoint: Endpoint?
    fileprivate var expiry: Duration
    fileprivate var nextPing: Duration
    /// How many pings were sent there.
    public fileprivate(set) var pings = 0
    /// The last times that answers took, the oldest first.
    public fileprivate(set) var roundTrips: [Duration] = []
  }

  /// A peer.
  public struct Peer: Sendable, Hashable {
    /// Its number.
    public fileprivate(set) var id: NodeID
    /// When its first message came.
    public fileprivate(set) var since: Duration
    /// The ways to it, in the order in which it was heard on them; there is one at least.
    public fileprivate(set) var sightings: [Sighting]
    /// Its session; `nil` where it does not name that.
    public fileprivate(set) var session: NodeID?
    /// Its tempo; `nil` where it names none, or one that Link does not have.
    public fileprivate(set) var tempo: Tempo?
    /// Whether its session plays; `nil` where it does not name that.
    public fileprivate(set) var isPlaying: Bool?

    /// The interfaces that it is heard on, in that order.
    public var interfaces: [String] { Self.each(sightings.map(\.source.interface)) }

    /// The ways to it, first those by IPv4, whose addresses people set.
    public var sightingsByFamily: [Sighting] {
      let isVersion6 = { (sighting: Sighting) in sighting.source.address.contains(":") }
      return sightings.filter { !isVersion6($0) } + sightings.filter(isVersion6)
    }

    /// Its addresses, first those of IPv4.
    public var addresses: [String] { Self.each(sightingsByFamily.map(\.source.address)) }

    /// Each text once, in the order in which they come first.
    private static func each(_ texts: [String]) -> [String] {
      texts.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The middle of the times that its answers took, on the way on which that is the shortest; `nil` without an answer.
    public var roundTrip: Duration? {
      sightings.compactMap { sighting in
        let times = sighting.roundTrips.sorted()
        return times.isEmpty ? nil : times[times.count / 2]
      }.min()
    }

    /// Whether it answers pings; `nil` as long as that is not known.
    public var isMeasurable: Bool? {
      if sightings.contains(where: { !$0.roundTrips.isEmpty }) { return true }
      let asked = sightings.filter { $0.endpoint != nil }
      return !asked.isEmpty && asked.allSatisfy { $0.pings > PeerTable.patience } ? false : nil
    }
  }

  /// A ping that is to be sent.
  public struct DuePing: Sendable, Hashable {
    /// Where it goes.
    public let endpoint: Endpoint
    /// The interface by which the peer is heard: an address of IPv6 that is for one cable needs it.
    public let interface: String
    /// The number that it carries.
    public let number: Int64
  }

  /// The datagrams that were passed over.
  public struct Ignored: Sendable, Hashable {
    /// Those that are no message of Link's, or not a whole one.
    public internal(set) var malformed = 0
    /// Those of another version of the protocol, of each how many.
    public internal(set) var versions: [UInt8: Int] = [:]
    /// Those of other groups of sessions, which Link passes over, too.
    public internal(set) var otherGroups = 0
    /// Those of more peers than the table has room for.
    public internal(set) var beyondRoom = 0
  }

  /// The peers, in the order in which they were heard first.
  public private(set) var peers: [Peer] = []
  /// The datagrams that were passed over.
  public private(set) var ignored = Ignored()

  /// The most peers that are kept; a session has some tens at most.
  public static let room = 256
  private static let ways = 32
  /// After so many pings without an answer a peer does not answer.
  static let patience = 4
  private static let keptRoundTrips = 9
  /// As Link allows it beyond a message's time to live.
  private static let padding = Duration.seconds(1)
  /// A ping after the first ones is for a peer that has moved, and for one that did not answer at first.
  private static let (quickly, slowly) = (Duration.milliseconds(200), Duration.seconds(1))
  private static let quickPings = 8

  private var sent: [Int64: Sent] = [:]
  private var lastNumber: Int64 = 0

  private struct Sent {
    let id: NodeID
    let source: Source
    let endpoint: Endpoint
    let time: Duration
  }

  /// A table without peers.
  public init() {}

  /// A datagram has come to Link's group.
  public mutating func heard(_ datagram: [UInt8], from source: Source, at time: Duration) {
    let message: DiscoveryMessage
    do throws(DiscoveryMessage.Fault) {
      message = try DiscoveryMessage(reading: datagram)
    } catch {
      switch error {
      case .malformed: ignored.malformed += 1
      case .version(let version): ignored.versions[version, default: 0] += 1
      }
      return
    }
    guard message.group == 0 else {
      ignored.otherGroups += 1
      return
    }
    switch message.kind {
    case .alive, .response: update(message, from: source, at: time)
    case .goodbye: remove { $0 == message.sender && $1.source == source }
    }
  }

  /// Time has passed: peers whose messages have expired are gone.
  public mutating func advance(to time: Duration) {
    remove { $1.expiry <= time }
    sent = sent.filter { time - $0.value.time < .seconds(5) }
  }

  /// The pings that are due; they count as sent.
  public mutating func takeDuePings(at time: Duration) -> [DuePing] {
    var due: [DuePing] = []
    for peer in peers.indices {
      for way in peers[peer].sightings.indices {
        let sighting = peers[peer].sightings[way]
        guard let endpoint = sighting.endpoint, sighting.nextPing <= time else { continue }
        lastNumber = max(lastNumber + 1, Int64(time / .microseconds(1)))
        sent[lastNumber] = Sent(
          id: peers[peer].id, source: sighting.source, endpoint: endpoint, time: time)
        due.append(
          DuePing(endpoint: endpoint, interface: sighting.source.interface, number: lastNumber))
        peers[peer].sightings[way].pings += 1
        peers[peer].sightings[way].nextPing =
          time + (sighting.pings < Self.quickPings ? Self.quickly : Self.slowly)
      }
    }
    return due
  }

  /// When something is to be done next: a ping is due, or a peer expires; `nil` for never.
  public var nextEvent: Duration? {
    peers.lazy.flatMap(\.sightings).map { $0.endpoint == nil ? $0.expiry : min($0.expiry, $0.nextPing) }.min()
  }

  /// A datagram has come to the socket that sends pings.
  public mutating func answered(_ datagram: [UInt8], from endpoint: Endpoint, at time: Duration) {
    // One answer to each ping, and from the place that the ping went to.
    guard let number = Ping.number(inAnswer: datagram), let ping = sent[number], ping.endpoint == endpoint,
      let peer = peers.firstIndex(where: { $0.id == ping.id }),
      let way = peers[peer].sightings.firstIndex(where: { $0.source == ping.source })
    else { return }
    sent[number] = nil
    peers[peer].sightings[way].roundTrips.append(time - ping.time)
    if peers[peer].sightings[way].roundTrips.count > Self.keptRoundTrips {
      peers[peer].sightings[way].roundTrips.removeFirst()
    }
  }

  private mutating func update(_ message: DiscoveryMessage, from source: Source, at time: Duration) {
    // A peer that is alone takes another number, at the same socket, and says no goodbye by the old one.
    let former = peers.first { peer in
      peer.id != message.sender && peer.sightings.contains { $0.source == source }
    }
    if let former { remove { $0 == former.id && $1.source == source } }
    var index = peers.firstIndex { $0.id == message.sender }
    if index == nil {
      guard peers.count < Self.room else {
        ignored.beyondRoom += 1
        return
      }
      index = peers.count
      peers.append(Peer(id: message.sender, since: former?.since ?? time, sightings: []))
    }
    guard let index else { return }
    let expiry = time + .seconds(Int(message.secondsToLive)) + Self.padding
    if let way = peers[index].sightings.firstIndex(where: { $0.source == source }) {
      if peers[index].sightings[way].endpoint != message.endpoint {
        peers[index].sightings[way].endpoint = message.endpoint
        peers[index].sightings[way].roundTrips = []
        peers[index].sightings[way].pings = 0
        peers[index].sightings[way].nextPing = time
      }
      peers[index].sightings[way].expiry = expiry
    } else if peers[index].sightings.count < Self.ways {
      peers[index].sightings.append(
        Sighting(source: source, endpoint: message.endpoint, expiry: expiry, nextPing: time))
    }
    peers[index].session = message.session
    peers[index].tempo = message.tempo
    peers[index].isPlaying = message.isPlaying
  }

  /// Removes the ways that meet a condition, and the peers that no way leads to any more.
  private mutating func remove(where isGone: (NodeID, Sighting) -> Bool) {
    for index in peers.indices {
      let id = peers[index].id
      peers[index].sightings.removeAll { isGone(id, $0) }
    }
    peers.removeAll { $0.sightings.isEmpty }
  }
}

extension PeerTable {
  /// A session, with those of the peers that are in it.
  public struct Session: Sendable, Hashable {
    /// Its number; `nil` for peers that name none.
    public let id: NodeID?
    /// Its peers, in the order of the table.
    public let peers: [Peer]

    /// Its tempo: that of the first peer that has one.
    public var tempo: Tempo? { peers.lazy.compactMap(\.tempo).first }
  }

  /// The sessions: first the one that has the peer `own`, if there is such a peer, then those with more peers before those
  /// with fewer, and of the same size the one that was heard first.
  public func sessions(first own: NodeID? = nil) -> [Session] {
    var order: [NodeID?] = []
    for peer in peers where !order.contains(peer.session) { order.append(peer.session) }
    let sessions = order.map { id in Session(id: id, peers: peers.filter { $0.session == id }) }
    return sessions.enumerated().sorted { a, b in
      let isOwn = [a, b].map { session in session.element.peers.contains { $0.id == own } }
      if isOwn[0] != isOwn[1] { return isOwn[0] }
      let counts = (a.element.peers.count, b.element.peers.count)
      return counts.0 == counts.1 ? a.offset < b.offset : counts.0 > counts.1
    }.map(\.element)
  }
}
