import LinkDiscovery
import PropertyTesting
import Testing

/// The table of peers, with times that the tests choose.
@Suite struct PeerTableTests {
  private static let wire = PeerTable.Source(interface: "eth0", address: "10.0.0.2", port: 3000)
  private static let radio = PeerTable.Source(interface: "wlan0", address: "10.0.1.2", port: 3001)
  private static let other = PeerTable.Source(interface: "eth0", address: "10.0.0.3", port: 3000)

  private static func endpoint(_ last: UInt8 = 2, _ port: UInt16 = 4000) -> Endpoint {
    Endpoint(address: [10, 0, 0, last], port: port)
  }

  @Test func `A peer has the state of its last message, and the time of its first`() throws {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .seconds(1))
    table.heard(
      Encoder.alive(session: 9, microsecondsPerBeat: 600_000, isPlaying: true), from: Self.wire,
      at: .seconds(2))
    let peer = try #require(table.peers.first)
    #expect(table.peers.count == 1 && peer.since == .seconds(1))
    #expect(peer.session == NodeID(9) && peer.isPlaying == true && peer.tempo?.beatsPerMinute == 100)
  }

  @Test func `A peer that is heard on two interfaces is one peer with both named`() {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .zero)
    table.heard(Encoder.alive(), from: Self.radio, at: .zero)
    #expect(table.peers.map(\.interfaces) == [["eth0", "wlan0"]])
    // One of the two ways ends, and the peer stays.
    table.heard(Encoder.goodbye(), from: Self.radio, at: .seconds(1))
    #expect(table.peers.map(\.interfaces) == [["eth0"]])
    table.heard(Encoder.goodbye(), from: Self.wire, at: .seconds(1))
    #expect(table.peers.isEmpty)
  }

  @Test func `A peer without a goodbye expires a second after its time to live, and not before`() {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .seconds(1))
    table.heard(Encoder.alive(life: 2), from: Self.radio, at: .seconds(1))
    table.advance(to: .milliseconds(3999))
    #expect(table.peers.map(\.interfaces) == [["eth0", "wlan0"]])
    table.advance(to: .seconds(4))
    #expect(table.peers.map(\.interfaces) == [["eth0"]])
    table.advance(to: .milliseconds(6999))
    #expect(table.peers.count == 1)
    table.advance(to: .seconds(7))
    #expect(table.peers.isEmpty && table.nextEvent == nil)
  }

  @Test func `A peer that takes another number stays one peer, with the time of its first message`() {
    var table = PeerTable()
    table.heard(Encoder.alive(7), from: Self.wire, at: .seconds(1))
    table.heard(Encoder.alive(7), from: Self.radio, at: .seconds(1))
    table.heard(Encoder.alive(8, session: 8), from: Self.wire, at: .seconds(2))
    table.heard(Encoder.alive(8, session: 8), from: Self.radio, at: .seconds(2))
    #expect(table.peers.map(\.id) == [NodeID(8)])
    #expect(table.peers.map(\.since) == [.seconds(1)])
    #expect(table.peers.map(\.interfaces) == [["eth0", "wlan0"]])
  }

  @Test func `Goodbyes of peers that are not there, or from another socket, change nothing`() {
    var table = PeerTable()
    table.heard(Encoder.goodbye(3), from: Self.wire, at: .zero)
    table.heard(Encoder.alive(7), from: Self.wire, at: .zero)
    table.heard(Encoder.goodbye(7), from: Self.other, at: .zero)
    #expect(table.peers.map(\.id) == [NodeID(7)])
  }

  @Test func `The round trip is the middle one of the last answers, on the quicker way`() throws {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .zero)
    table.heard(Encoder.alive(port: 4001), from: Self.radio, at: .zero)
    var time = Duration.zero
    for milliseconds in [3, 1, 50] {
      let pings = table.takeDuePings(at: time)
      #expect(pings.map(\.interface) == ["eth0", "wlan0"])
      #expect(table.takeDuePings(at: time).isEmpty)
      for ping in pings {
        let delay = Duration.milliseconds(ping.interface == "eth0" ? milliseconds : milliseconds * 10)
        table.answered(
          Encoder.answer(to: Ping.message(carrying: ping.number)), from: ping.endpoint, at: time + delay)
      }
      time += .milliseconds(200)
    }
    let peer = try #require(table.peers.first)
    #expect(peer.roundTrip == .milliseconds(3) && peer.isMeasurable == true)
  }

  @Test func `An answer counts once, from the place that the ping went to, while its peer is there`() {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .zero)
    let ping = table.takeDuePings(at: .zero)[0]
    let answer = Encoder.answer(to: Ping.message(carrying: ping.number))
    table.answered(answer, from: Self.endpoint(3), at: .milliseconds(1))
    table.answered(Encoder.answer(to: Ping.message(carrying: 99)), from: ping.endpoint, at: .milliseconds(1))
    #expect(table.peers[0].roundTrip == nil && table.peers[0].isMeasurable == nil)
    table.answered(answer, from: ping.endpoint, at: .milliseconds(2))
    table.answered(answer, from: ping.endpoint, at: .milliseconds(90))
    #expect(table.peers[0].sightings[0].roundTrips == [.milliseconds(2)])
    table.heard(Encoder.goodbye(), from: Self.wire, at: .milliseconds(100))
    table.answered(answer, from: ping.endpoint, at: .milliseconds(101))
    #expect(table.peers.isEmpty)
  }

  @Test func `A peer that leaves some pings unanswered is heard, and not measurable`() {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .zero)
    var (time, sent) = (Duration.zero, 0)
    while table.peers[0].isMeasurable == nil {
      time += .milliseconds(50)
      sent += table.takeDuePings(at: time).count
    }
    #expect(sent == 5 && time <= .seconds(1))
    #expect(table.peers[0].isMeasurable == false)
    // One without an endpoint is not known to be either.
    table.heard(Encoder.message(sender: 9, Encoder.session(9)), from: Self.other, at: time)
    #expect(table.peers[1].isMeasurable == nil)
    #expect(table.takeDuePings(at: time + .seconds(1)).count == 1)
  }

  @Test func `Sessions are sorted by the own peer, then by their size, then by age`() {
    var table = PeerTable()
    for (peer, session) in [(1, 1), (2, 2), (3, 3), (4, 3)] as [(UInt64, UInt64)] {
      let source = PeerTable.Source(interface: "lo", address: "127.0.0.1", port: UInt16(peer))
      table.heard(Encoder.alive(peer, session: session), from: source, at: .zero)
    }
    #expect(table.sessions().map(\.id) == [NodeID(3), NodeID(1), NodeID(2)])
    #expect(table.sessions(first: NodeID(2)).map(\.id) == [NodeID(2), NodeID(3), NodeID(1)])
    #expect(table.sessions()[0].peers.map(\.id) == [NodeID(3), NodeID(4)])
  }

  @Test func `Datagrams that are no messages are counted by kind, and change no peer`() {
    var table = PeerTable()
    table.heard(Encoder.alive(), from: Self.wire, at: .zero)
    let peers = table.peers
    for _ in 0..<1000 { table.heard([1, 2, 3], from: Self.wire, at: .seconds(1)) }
    table.heard(Encoder.message(version: 2, []), from: Self.wire, at: .seconds(1))
    table.heard(Encoder.message(version: 9, []), from: Self.wire, at: .seconds(1))
    table.heard(Encoder.message(group: 1, Encoder.session(3)), from: Self.wire, at: .seconds(1))
    #expect(table.peers == peers)
    #expect(table.ignored.malformed == 1000 && table.ignored.versions == [2: 1, 9: 1])
    #expect(table.ignored.otherGroups == 1 && table.ignored.beyondRoom == 0)
  }

  @Test func `A flood of made-up peers fills the table and no more, and the first ones stay`() {
    var table = PeerTable()
    table.heard(Encoder.alive(7), from: Self.wire, at: .zero)
    for number in 0..<5000 as Range<UInt64> {
      let source = PeerTable.Source(
        interface: "eth0", address: "10.1.\(number / 256).\(number % 256)", port: 1)
      table.heard(Encoder.alive(1000 + number), from: source, at: .zero)
    }
    #expect(table.peers.count == PeerTable.room && table.peers[0].id == NodeID(7))
    #expect(table.ignored.beyondRoom == 5001 - PeerTable.room)
  }

  @Test
  func `Messages in any order leave each peer a way to it, and peers are gone when their time has passed`() {
    forAll(200) { seed, random in
      var table = PeerTable()
      var time = Duration.zero
      for _ in 0..<200 {
        time += .milliseconds(Int.random(in: 0...900, using: &random))
        let source = PeerTable.Source(
          interface: ["lo", "eth0"].randomElement(using: &random) ?? "", address: "10.0.0.1",
          port: UInt16.random(in: 1...3, using: &random))
        let sender = UInt64.random(in: 1...4, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: table.heard(Encoder.goodbye(sender), from: source, at: time)
        case 1:
          for ping in table.takeDuePings(at: time) where random.oneIn(2) {
            table.answered(
              Encoder.answer(to: Ping.message(carrying: ping.number)), from: ping.endpoint,
              at: time + .milliseconds(1))
          }
        default:
          table.heard(
            Encoder.alive(sender, life: UInt8.random(in: 0...6, using: &random)), from: source, at: time)
        }
        if random.oneIn(2) { table.advance(to: time) }
        #expect(table.peers.allSatisfy { !$0.sightings.isEmpty && $0.since <= time }, "seed \(seed)")
        #expect(Set(table.peers.map(\.id)).count == table.peers.count, "seed \(seed)")
        let sources = table.peers.flatMap { $0.sightings.map(\.source) }
        #expect(Set(sources).count == sources.count, "seed \(seed)")
      }
      table.advance(to: time + .seconds(8))
      #expect(table.peers.isEmpty, "seed \(seed)")
    }
  }
}
