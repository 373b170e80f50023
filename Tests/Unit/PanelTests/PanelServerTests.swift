import Control
import Glibc
import Host
import JSON
import Patience
import Synchronization
import Testing
import Web

@testable import Panel

@Suite(.serialized) struct PanelServerTests {
  private static let head = "Host: 127.0.0.1:8090\r\n"

  private func post(
    _ body: String, _ headers: String = "Content-Type: application/json\r\n", query: String = ""
  ) -> String {
    "POST /command\(query) HTTP/1.1\r\n\(Self.head)\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  @Test func `The page is shown, and forbids copies and frames`() throws {
    let host = try PanelHost { _ in .taken }
    let answer = try host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n")
    #expect(
      answer.status == 200 && answer.body.hasPrefix("<!doctype html>") && answer.body.hasSuffix("</html>\n"))
    for header in ["Content-Security-Policy: ", "X-Frame-Options: DENY", "Cache-Control: no-store"] {
      #expect(answer.header.contains(header))
    }
    let again = try host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n")
    #expect(again.body != answer.body && again.body.count == answer.body.count)
    #expect(host.server.tally == PanelTally())
  }

  @Test func `A command is answered by the object that the control socket has for it`() throws {
    let told = Mutex<[String]>([])
    let host = try PanelHost { line in
      told.withLock { $0.append(line) }
      return line == "odd" ? .error("why") : line == "start" ? .taken : .kept(line)
    }
    let guest = try host.guest()
    for (body, status, answer) in [
      (#"{"command":"start","id":7}"#, 200, #"{"answer":"taken","id":7}"#),
      (#"{"command":"odd"}"#, 400, #"{"answer":"error","message":"why"}"#),
      (#"{"command":"mode link"}"#, 200, #"{"answer":"kept","message":"mode link"}"#),
    ] {
      guest.send(post(body))
      let said = guest.answer()
      #expect(said.status == status && said.body == answer)
    }
    #expect(told.withLock { $0.filter { $0 != "status" } } == ["start", "odd", "mode link"])
    for body in ["", "x", "{}", "[]", #"{"command":1}"#, #"{"command":"a","id":[]}"#, "\u{0}"] {
      let said = try host.answer(post(body))
      #expect(said.status == 400 && said.body.hasPrefix(#"{"answer":"error","#), "\(body)")
    }
    #expect(host.server.tally.wrongRequests == 8)
  }

  @Test func `A viewer gets the status, at once and from time to time, and the events`()
    throws
  {
    let host = try PanelHost { line in line == "status" ? .status(["tempo": 120]) : .taken }
    let guests = try (0..<2).map { _ in try host.guest() }
    for guest in guests {
      guest.send("GET /updates HTTP/1.1\r\n\(Self.head)\r\n")
      let answer = guest.answer()
      #expect(answer.status == 200 && answer.header.contains("text/event-stream"))
      for _ in 0..<3 { #expect(guest.message() == #"{"answer":"status","tempo":120}"#) }
    }
    #expect(host.server.tally.viewers == 2)
    for number in 0..<200 { host.server.publish(["event": "e", "number": .count(number)]) }
    for guest in guests {
      var numbers: [Double] = []
      while numbers.count < 200, let text = guest.message() {
        let object = try JSONObject(parsing: text.utf8)
        if object["event"] == "e" { numbers.append(object["number"]?.number ?? -1) }
      }
      #expect(numbers == (0..<200).map(Double.init))
    }
    host.server.finish(within: .seconds(5))
    for guest in guests { #expect(guest.isOver()) }
  }

  @Test func `Strangers, wrong requests and requests that are too long get nothing, and are counted`() throws
  {
    let token = PanelToken()
    let carriedOut = Atomic<Int>(0)
    let host = try PanelHost(token: token) { line in
      if line != "status" { carriedOut.wrappingAdd(1, ordering: .relaxed) }
      return .taken
    }
    let query = "?token=\(token.text)"
    let start = #"{"command":"start"}"#
    let json = "Content-Type: application/json\r\n"
    for (request, status) in [
      ("GET / HTTP/1.1\r\n\(Self.head)\r\n", 403),
      ("GET /?token=\(PanelToken().text) HTTP/1.1\r\n\(Self.head)\r\n", 403),
      ("GET /updates HTTP/1.1\r\n\(Self.head)\r\n", 403), (post(start), 403),
      ("GET /\(query) HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
      ("GET /updates\(query) HTTP/1.1\r\n\(Self.head)Origin: http://evil.example\r\n\r\n", 403),
      (post(start, json + "Origin: null\r\n", query: query), 403),
      (post(start, json + "Sec-Fetch-Site: cross-site\r\n", query: query), 403),
    ] {
      let answer = try host.answer(request)
      #expect(answer.status == status && answer.body.count { $0.isNewline } == 1, "\(request)")
    }
    #expect(host.server.tally == with(PanelTally()) { $0.strangers = 8 })
    for (request, statuses) in [
      ("GET /x\(query) HTTP/1.1\r\n\(Self.head)\r\n", [404]),
      ("PUT /\(query) HTTP/1.1\r\n\(Self.head)\r\n", [405]),
      (post(start, "Content-Type: text/plain\r\n", query: query), [415]),
      (post(String(repeating: "x", count: 5000), query: query), [413]),
      ("POST /command\(query) HTTP/1.1\r\n\(Self.head)\(json)Content-Length: 99999999999999\r\n\r\n", [413]),
      (
        "POST /command\(query) HTTP/1.1\r\n\(Self.head)\(json)Transfer-Encoding: chunked\r\n\r\n1400\r\n"
          + String(repeating: "x", count: 0x1400) + "\r\n0\r\n\r\n", [413]
      ),
      (
        "GET /\(query) HTTP/1.1\r\n\(Self.head)Cookie: \(String(repeating: "x", count: 40_000))\r\n\r\n",
        [0, 413, 431]
      ),
      ("GET /\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\n\(Self.head)\r\n", [0, 414]),
      ("\u{16}\u{3}\u{1}\r\n\r\n", [0, 400]), ("GET\r\n\r\n", [0, 400]),
    ] {
      #expect(statuses.contains(try host.answer(request).status), "\(request.prefix(80))")
    }
    #expect(
      eventually { host.server.tally == with(PanelTally()) { ($0.strangers, $0.wrongRequests) = (8, 10) } })
    #expect(carriedOut.load(ordering: .relaxed) == 0)
    #expect(try host.answer(post(start, query: query)).status == 200)
    #expect(carriedOut.load(ordering: .relaxed) == 1)
  }

  @Test func `A viewer that does not read is disconnected, and delays no other`() throws {
    let host = try PanelHost { _ in .status(["tempo": 120]) }
    let (slow, quick) = (try host.guest(), try host.guest())
    for guest in [slow, quick] {
      guest.send("GET /updates HTTP/1.1\r\n\(Self.head)\r\n")
      #expect(guest.answer().status == 200)
    }
    let text = String(repeating: "x", count: 4000)
    for number in 0..<400 {
      host.server.publish(["event": .string(text), "number": .count(number)])
      while let message = quick.message() {
        if try JSONObject(parsing: message.utf8)["number"]?.number == Double(number) { break }
      }
    }
    #expect(eventually { host.server.tally.slowReaders == 1 && host.server.tally.viewers == 1 })
    #expect(slow.isOver())
    #expect(try host.answer(post(#"{"command":"x"}"#)).status == 200)
  }

  @Test func `There is room for so many, and no more`() throws {
    let host = try PanelHost { _ in .taken }
    var guests = try (0..<PanelServer.mostViewers).map { _ in try host.guest() }
    for guest in guests {
      guest.send("GET /updates HTTP/1.1\r\n\(Self.head)\r\n")
      #expect(guest.answer().status == 200)
    }
    #expect(try host.answer("GET /updates HTTP/1.1\r\n\(Self.head)\r\n").status == 503)
    #expect(host.server.tally.viewers == PanelServer.mostViewers && host.server.tally.turnedAway == 1)
    guests += try (PanelServer.mostViewers..<PanelServer.mostConnections + 8).map { _ in
      // A connection is counted when the server's own thread has looked.
      usleep(20_000)
      return try host.guest()
    }
    #expect(eventually { host.server.tally.turnedAway >= 8 })
    guests = []
    // A client that has gone makes room.
    #expect(eventually { host.server.tally.viewers == 0 })
    #expect(eventually { (try? host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n").status) == 200 })
  }

  @Test func `Connections that never finish a request keep no other out`() throws {
    let host = try PanelHost { _ in .taken }
    let address = { (last: Int) in try #require(SocketAddress(host: "192.0.2.\(last)", port: 1)) }
    // From one address, and then from many.
    for sources in [1...1, 1...100] {
      let guests = try (0..<64).map { number in
        let guest = try host.guest(from: try address(sources.count == 1 ? 1 : number + 1))
        guest.send("GET / HTTP/1.1\r\nHost: 127")
        return guest
      }
      #expect(try host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n", from: try address(200)).status == 200)
      #expect(try host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n", from: try address(1)).status == 200)
      #expect(guests.count == 64)
    }
    #expect(host.server.tally.turnedAway > 64)
    // Viewers keep their places.
    let viewers = try (0..<PanelServer.mostViewers).map { _ in
      let viewer = try host.guest(from: try address(7))
      viewer.send("GET /updates HTTP/1.1\r\n\(Self.head)\r\n")
      #expect(viewer.answer().status == 200)
      return viewer
    }
    let crowd = try (0..<64).map { _ in try host.guest(from: try address(7)) }
    for viewer in viewers { #expect(viewer.message() != nil && viewer.message() != nil) }
    #expect(crowd.count == 64 && host.server.tally.viewers == PanelServer.mostViewers)
  }

  @Test func `A crowd that comes at once keeps no other out`() throws {
    let host = try PanelHost { _ in .taken }
    let address = { (last: Int) in try #require(SocketAddress(host: "192.0.2.\(last)", port: 1)) }
    for _ in 0..<20 {
      // In less time than the library needs to close those that make room.
      let crowd = try (0..<100).map { _ in try WebGuest.pair() }
      for (_, other) in crowd { host.server.take(other, from: try address(1)) }
      #expect(try host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n", from: try address(200)).status == 200)
      #expect(crowd.count == 100)
    }
  }

  @Test func `A request has to be whole in time, however often another byte of it comes`() throws {
    let host = try PanelHost(requestTime: .milliseconds(300)) { _ in .taken }
    let viewer = try host.guest()
    viewer.send("GET /updates HTTP/1.1\r\n\(Self.head)\r\n")
    #expect(viewer.answer().status == 200)
    let (header, body, second) = (try host.guest(), try host.guest(), try host.guest())
    // The answer to a command leaves the connection open for the next request.
    second.send(post(#"{"command":"x"}"#))
    #expect(second.answer().status == 200)
    header.send("GET / HTTP/1.1\r\nX: ")
    body.send(
      "POST /command HTTP/1.1\r\n\(Self.head)Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n")
    #expect(second.send("GET / HTTP/1.1\r\nX: "))
    for guest in [header, body, second] {
      #expect(eventually { !guest.send("x") })
      #expect(guest.rest() != nil)
    }
    // An open stream goes on.
    for _ in 0..<3 { #expect(viewer.message() != nil) }
    #expect(host.server.tally.viewers == 1)
  }

  @Test func `A lone request has to be whole in time, whichever thread sees it first`() throws {
    let host = try PanelHost(requestTime: .milliseconds(5)) { _ in .taken }
    for _ in 0..<300 {
      let guest = try host.guest()
      guest.send("GET / HTTP/1.1\r\nX: ")
      #expect(eventually { !guest.send("x") })
    }
  }

  @Test func `A command that comes later than it holds is refused`() throws {
    let carriedOut = Atomic<Int>(0)
    let host = try PanelHost { line in
      if line == "start" { carriedOut.wrappingAdd(1, ordering: .relaxed) }
      return .taken
    }
    for (end, kind) in [(ControlProtocol.now - 1, "refused"), (ControlProtocol.now + 60e6, "taken")] {
      let answer = try host.answer(post("{\"command\":\"start\",\"before_us\":\(Int(end))}"))
      #expect(answer.status == 200 && answer.body.hasPrefix(#"{"answer":"\#(kind)""#), "\(answer.body)")
    }
    #expect(carriedOut.load(ordering: .relaxed) == 1)
  }

  @Test func `A server that ends keeps no client waiting`() throws {
    let never = AsyncStream<Void>.makeStream()
    let host = try PanelHost { line in
      if line != "status" { for await _ in never.stream {} }
      return .taken
    }
    let (viewer, asker, idler) = (try host.guest(), try host.guest(), try host.guest())
    viewer.send("GET /updates HTTP/1.1\r\n\(Self.head)\r\n")
    #expect(viewer.answer().status == 200)
    asker.send(post(#"{"command":"x"}"#))
    usleep(100_000)
    let start = ContinuousClock.now
    host.server.finish(within: .seconds(5))
    #expect(ContinuousClock.now - start < .seconds(4))
    for guest in [viewer, asker, idler] { #expect(guest.isOver()) }
    never.continuation.finish()
    host.server.publish(["event": "e"])
    #expect(try host.answer("GET / HTTP/1.1\r\n\(Self.head)\r\n").status == 0)
  }

  private func with(_ tally: PanelTally, _ change: (inout PanelTally) -> Void) -> PanelTally {
    var tally = tally
    change(&tally)
    return tally
  }
}
