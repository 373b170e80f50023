import Glibc
import Host
import MusicalTime
import Patience
import Stage
import Synchronization
import Testing

@testable import Ardour

@Suite(.serialized) struct ArdourClientTests {
  /// A client, and all that it tells and asks for.
  private final class Studio: Sendable {
    let client: ArdourClient
    private let said: Said

    final class Said: Sendable {
      let news = Mutex<[ArdourClient.News]>([])
      let wishes = Mutex<[ArdourSync.Wish]>([])
    }

    init(_ place: ArdourClient.Place) throws {
      let said = Said()
      self.said = said
      client = try #require(
        ArdourClient(place) { wish in
          said.wishes.withLock { $0.append(wish) }
        } report: { news in
          said.news.withLock { $0.append(news) }
        })
    }

    convenience init(at port: UInt16) throws { try self.init(.at(.loopback(port))) }

    deinit { client.finish(within: .seconds(2)) }

    var news: [ArdourClient.News] { said.news.withLock { $0 } }
    var wishes: [ArdourSync.Wish] { said.wishes.withLock { $0 } }
  }

  private static func session(_ tempo: Double, peers: Int = 1) -> ArdourSync.Session {
    ArdourSync.Session(
      tempo: Tempo(beatsPerMinute: tempo) ?? .standard, linkLeads: true, isRolling: false, peers: peers)
  }

  /// A server that has one tempo, as Ardour does; it cuts numbers from 9.0 on.
  private static func ardour(cuts: Bool, fragments: Int, _ heard: Mutex<[String]>.Box) -> FakeArdour {
    FakeArdour { guest in
      var (tempo, records) = (120.0, false)
      guest.welcome()
      guest.text(#"{"node":"strip_meter","addr":[0],"val":[-3.2]}"#, fragments: fragments)
      guest.text(#"{"node":"transport_tempo","val":[120]}"#, fragments: fragments)
      guest.text(#"{"node":"transport_record","val":[false]}"#, fragments: fragments)
      while let frame = guest.frame() {
        guard frame.code == 1 else { continue }
        let text = frame.text
        heard.value.withLock { $0.append(text) }
        let value = text.drop { $0 != "[" }.filter { "0123456789.e".contains($0) }
        if text.contains("transport_record") {
          if text.contains("[") {
            records = text.contains("true")
          } else {
            guest.text(#"{"node":"transport_record","val":[\#(records)]}"#, fragments: fragments)
          }
        } else if text.contains("[") {
          tempo = (Double(value) ?? 0)
          if cuts, !text.contains("\"]") { tempo.round(.towardZero) }
        } else {
          guest.text(#"{"node":"transport_tempo","val":[\#(tempo)]}"#, fragments: fragments)
        }
      }
    }
  }

  @Test(arguments: [false, true], [1, 3])
  func `Ardour has the session's tempo, exactly, however its messages are cut up`(cuts: Bool, fragments: Int)
    throws
  {
    let heard = Mutex<[String]>.Box([])
    let ardour = Self.ardour(cuts: cuts, fragments: fragments, heard)
    let studio = try Studio(at: ardour.port)
    #expect(eventually { studio.client.status.tempo == 120 && studio.client.isConnected })
    studio.client.sessionIs(Self.session(126.5))
    #expect(eventually { studio.client.status.tempo == 126.5 })
    studio.client.sessionIs(Self.session(97.25))
    #expect(eventually { studio.client.status.tempo == 97.25 })
    #expect(
      heard.value.withLock { $0 }.count { $0.contains("transport_tempo") && $0.contains("[") }
        == (cuts ? 3 : 2))
    #expect(studio.client.record(true) && eventually { studio.client.status.isRecording == true })
    #expect(studio.news == [.connected(.loopback(ardour.port)), .sync(.recording(true))])
    #expect(studio.wishes == [] && studio.client.status.malformed == 0)
  }

  @Test func `A tempo that is set in Ardour is asked for in the session`() throws {
    let ardour = FakeArdour { guest in
      guest.welcome()
      guest.text(#"{"node":"transport_tempo","val":[120]}"#)
      _ = guest.frame()
      guest.text(#"{"node":"transport_tempo","val":[126]}"#)
      guest.text(#"{"node":"transport_tempo","val":[131.5]}"#)
      while guest.frame() != nil {}
    }
    let studio = try Studio(at: ardour.port)
    #expect(eventually { studio.client.isConnected })
    studio.client.sessionIs(Self.session(126))
    #expect(eventually { studio.wishes == [.propose(Tempo(beatsPerMinute: 131.5)!)] })
  }

  @Test func `Pings are answered, and what is no message is counted`() throws {
    let answer = Mutex<String>.Box("")
    let ardour = FakeArdour { guest in
      guest.welcome()
      guest.raw([0x89, 3] + Array("abc".utf8))
      answer.value.withLock { $0 = guest.frame().map { "\($0.code) \($0.text)" } ?? "nothing" }
      for text in ["rubbish", "{}", #"{"node":"transport_tempo","val":["x"]}"#] { guest.text(text) }
      guest.text(#"{"node":"transport_tempo","val":[99]}"#)
      while guest.frame() != nil {}
    }
    let studio = try Studio(at: ardour.port)
    #expect(eventually { studio.client.status.tempo == 99 })
    #expect(answer.value.withLock { $0 } == "10 abc" && studio.client.status.malformed == 3)
  }

  @Test func `A server without the proof, and one that is no WebSocket, are reported once, and tried again`()
    throws
  {
    let wrong = FakeArdour { $0.welcome(proof: "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") }
    let web = FakeArdour { guest in
      _ = guest.head()
      guest.raw(Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8))
    }
    for (server, fault) in [(wrong, WebSocketFault.unproved), (web, .status(404))] {
      let studio = try Studio(at: server.port)
      #expect(eventually { server.connections >= 2 })
      #expect(studio.news == [.unreachable(.loopback(server.port), .protocolError(fault))])
      #expect(!studio.client.isConnected && !studio.client.record(true))
    }
  }

  @Test
  func
    `A message without end, one that breaks the protocol, and a good-bye end the connection, and the next begins`()
    throws
  {
    let endings: [([UInt8], ArdourFault, [UInt8])] = [
      ([0x81, 127, 0, 0, 0, 0, 1, 0, 0, 0], .protocolError(.oversized), [3, 0xF1]),
      ([0x81, 0x81, 0, 0, 0, 0, 0], .protocolError(.malformed), [3, 0xEA]),
      ([0x88, 2, 3, 0xE9], .closed, [3, 0xE9]),
    ]
    for (bytes, fault, code) in endings {
      let farewells = Mutex<[[UInt8]]>.Box([])
      let server = FakeArdour { guest in
        guest.welcome()
        guest.text(#"{"node":"transport_tempo","val":[120]}"#)
        // Otherwise it may all come at once, and there was no connection.
        usleep(100_000)
        guest.raw(bytes)
        while let frame = guest.frame() {
          if frame.code == 8 { farewells.value.withLock { $0.append(frame.payload) } }
        }
      }
      let studio = try Studio(at: server.port)
      #expect(eventually { server.connections >= 2 && studio.news.count >= 3 })
      let address = ListenAddress.loopback(server.port)
      #expect(studio.news.prefix(3) == [.connected(address), .lost(fault), .connected(address)])
      #expect(eventually { farewells.value.withLock { $0.first } == code })
    }
  }

  @Test func `An answer that comes byte by byte is an answer`() throws {
    let server = FakeArdour { guest in
      guest.welcome()
      for byte in [0x81, 38] + Array(#"{"node":"transport_tempo","val":[120]}"#.utf8) {
        guest.raw([byte])
        usleep(1000)
      }
      while guest.frame() != nil {}
    }
    let studio = try Studio(at: server.port)
    #expect(eventually { studio.client.status.tempo == 120 })
  }

  @Test func `Without a client of Ardour's in JACK nothing is connected to, and with none any more it ends`()
    throws
  {
    let studio = try Studio(.automatic)
    usleep(100_000)
    #expect(studio.client.status == .init() && studio.news == [])
    studio.client.ardourIs(here: true)
    // No Ardour listens in the tests' own network.
    #expect(eventually { studio.news.count == 1 && studio.client.status.standing == .silent })
    #expect(studio.news == [.unreachable(.loopback(3818), .system(ECONNREFUSED))])
    studio.client.ardourIs(here: false)
    #expect(eventually { studio.client.status.standing == .absent })
  }
}

extension Mutex {
  /// One that closures of several threads have in common.
  final class Box: Sendable where Value: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) { self.value = Mutex(value) }
  }
}
