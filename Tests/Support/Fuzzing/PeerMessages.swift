import LinkDiscovery
import MusicalTime
import PropertyTesting

extension FuzzTarget {
  /// Datagrams to Link's group, and answers to pings: each input is some of them, in a table of peers.
  static let peers = FuzzTarget(
    name: "peers", longest: 1024,
    generate: { random in
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        var message = message(&random)
        if random.oneIn(3) {
          message.mutate(["_asdp_v", "_link_v", "tmln", "sess", "mep4", "mep6"], &random)
        }
        bytes += [UInt8(message.count & 255), UInt8.random(in: 0...255, using: &random)] + message
      }
      return bytes
    },
    check: { bytes throws(BrokenLaw) in
      var table = PeerTable()
      var (rest, time) = (bytes[...], Duration.zero)
      while let length = rest.popFirst() {
        let place = rest.popFirst() ?? 0
        let message = Array(rest.prefix(Int(length)))
        rest = rest.dropFirst(message.count)
        time += .milliseconds(Int(place) * 10)
        table.heard(
          message,
          from: PeerTable.Source(interface: "lo", address: "127.0.0.1", port: UInt16(place & 3)), at: time)
        for ping in table.takeDuePings(at: time) {
          try require(isOfOneMachine(ping.endpoint), "a ping went to \(ping.endpoint)")
          table.answered(message, from: ping.endpoint, at: time)
        }
        table.advance(to: time)
        try check(table, time)
      }
      let found = table.peers.count
      table.advance(to: time + .seconds(257))
      try require(table.peers.isEmpty, "a peer outlived its last message")
      return found > 0 ? .accepted : .refused
    })

  private static func check(_ table: PeerTable, _ time: Duration) throws(BrokenLaw) {
    try require(table.peers.count <= PeerTable.room, "\(table.peers.count) peers")
    for peer in table.peers {
      try require(!peer.sightings.isEmpty && peer.since <= time, "a peer without a way: \(peer)")
      if let tempo = peer.tempo {
        try require(Tempo.range.contains(tempo.beatsPerMinute), "a tempo of \(tempo.beatsPerMinute)")
      }
    }
    let inSessions = table.sessions().reduce(0) { $0 + $1.peers.count }
    try require(inSessions == table.peers.count, "a peer is in no session, or in two")
  }

  private static func isOfOneMachine(_ endpoint: Endpoint) -> Bool {
    endpoint.port != 0 && endpoint.address.contains { $0 != 0 }
      && (endpoint.address.count == 16 ? endpoint.address[0] != 0xFF : endpoint.address[0] < 224)
  }

  private static func message(_ random: inout Seeded) -> [UInt8] {
    func number(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
    func entry(_ key: String, _ value: [UInt8]) -> [UInt8] {
      Array(key.utf8) + [0, 0, 0, UInt8(value.count)] + value
    }
    if random.oneIn(6) {
      return Array("_link_v".utf8) + [1, 2] + entry("sess", number(8)) + entry("__ht", number(8))
    }
    let kind = UInt8.random(in: 0...4, using: &random)
    var bytes = Array("_asdp_v".utf8) + [random.oneIn(8) ? 2 : 1, kind, 5, 0, random.oneIn(8) ? 1 : 0]
    bytes += [0, 0, 0, 0, 0, 0, 0, UInt8.random(in: 0...3, using: &random)]
    guard kind < 3 else { return bytes }
    let tempo = [0, 0, 0, 0, 0, UInt8.random(in: 0...48, using: &random)] + number(2)
    if !random.oneIn(5) { bytes += entry("tmln", tempo + number(16)) }
    if !random.oneIn(5) { bytes += entry("sess", [0, 0, 0, 0, 0, 0, 0, 1]) }
    if !random.oneIn(5) { bytes += entry("stst", [UInt8.random(in: 0...1, using: &random)] + number(16)) }
    if !random.oneIn(5) { bytes += entry("mep4", number(6)) }
    if random.oneIn(5) { bytes += entry("mep6", number(18)) }
    return bytes
  }
}
