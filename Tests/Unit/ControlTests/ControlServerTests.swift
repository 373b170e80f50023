import Glibc
import JSON
import Patience
import Synchronization
import Testing

@testable import Control

@Suite(.serialized) struct ControlServerTests {
  @Test func `A client that connects is greeted, and answered in order`() throws {
    let host = try Host { $0 == "odd" ? .error("why") : .kept($0) }
    let guest = try host.guest()
    let greeting = try guest.object()
    #expect(
      greeting == [
        "jackstay": "9.9", "protocol": 1, "name": "host", "process": .count(getpid()),
      ])
    guest.send(#"{"command":"a","id":1}"# + "\n\n" + #"{"id":"two","command":"odd","more":true}"# + "\r\n")
    guest.send(#"{"command":"c"}"#)
    guest.endSending()
    #expect(
      guest.rest() == [
        #"{"answer":"kept","id":1,"message":"a"}"#, #"{"answer":"error","id":"two","message":"why"}"#,
        #"{"answer":"kept","message":"c"}"#,
      ])
    #expect(host.server.tally == .init(wrongLines: 1))
  }

  @Test func `A command that comes to the bridge later than it holds is refused`() throws {
    let carriedOut = Mutex<[String]>([])
    let host = try Host { line in
      carriedOut.withLock { $0.append(line) }
      return .taken
    }
    let guest = try host.guest()
    _ = guest.line()
    let now = Int(ControlProtocol.now)
    for (command, end) in [("late", "\(now - 1)"), ("never", "0"), ("soon", "\(now + 60_000_000)")] {
      guest.send("{\"command\":\"\(command)\",\"before_us\":\(end)}\n")
    }
    guest.send("{\"command\":\"odd\",\"before_us\":\"1\"}\n{\"command\":\"plain\"}\n")
    let answers = try (0..<5).map { _ in try guest.object()["answer"]?.string }
    #expect(answers == ["refused", "refused", "taken", "error", "taken"])
    #expect(carriedOut.withLock { $0 } == ["soon", "plain"])
  }

  @Test func `Two clients at once are answered apart, and both get the events, in order`() throws {
    let host = try Host { $0 == "watch" ? .watching : .taken }
    let guests = try (0..<2).map { _ in try host.guest() }
    for guest in guests {
      _ = guest.line()
      guest.send("{\"command\":\"watch\"}\n")
      #expect(guest.line() == #"{"answer":"watching"}"#)
    }
    let bystander = try host.guest()
    for number in 0..<1000 { host.server.publish(["event": "e", "number": .count(number)]) }
    for (index, guest) in guests.enumerated() {
      for number in 0..<1000 { #expect(guest.line() == #"{"event":"e","number":\#(number)}"#) }
      guest.send("{\"command\":\"x\",\"id\":\(index)}\n")
      #expect(guest.line() == #"{"answer":"taken","id":\#(index)}"#)
    }
    bystander.endSending()
    #expect(bystander.rest().count == 1)
  }

  @Test func `Junk is answered by one line each, counted, and harms no connection`() throws {
    let host = try Host { _ in .taken }
    let guest = try host.guest()
    _ = guest.line()
    let junk: [[UInt8]] =
      [
        "x", "[]", "{}", "{\"command\":1}", "{\"command\":\"a\",\"id\":[]}",
        "{\"command\":\"a\",\"id\":true}",
        "{\"command\":\"a\",\"id\":\"\(String(repeating: "x", count: 65))\"}", "\u{0}", "{\"a\":1e999}",
        String(repeating: "x", count: 100_000),
        "{\"command\":\"" + String(repeating: " ", count: 4096) + "\"}",
      ].map { Array($0.utf8) } + [[0xFF, 0xFE], [0x7B, 0xC3]]
    for line in junk {
      guest.send(line + [10])
      let answer = try guest.object()
      #expect(answer["answer"] == "error")
      #expect((answer["message"]?.string?.count ?? 0) > 10)
    }
    guest.send("{\"command\":\"a\"}\n")
    #expect(guest.line() == #"{"answer":"taken"}"#)
    #expect(host.server.tally.wrongLines == junk.count)
  }

  @Test func `A client that does not read is disconnected, and delays no other`() throws {
    let host = try Host { $0 == "watch" ? .watching : .taken }
    let (slow, quick) = (try host.guest(), try host.guest())
    for guest in [slow, quick] {
      guest.send("{\"command\":\"watch\"}\n")
      #expect(guest.line() != nil && guest.line() != nil)
    }
    let text = String(repeating: "x", count: 1000)
    let start = ContinuousClock.now
    for number in 0..<2000 {
      host.server.publish(["event": .string(text), "number": .count(number)])
      #expect(try quick.object()["number"]?.number == Double(number))
    }
    #expect(.now - start < .seconds(30))
    #expect(eventually { host.server.tally.slowReaders == 1 })
    #expect(slow.rest().count < 2000)
    quick.send("{\"command\":\"a\"}\n")
    #expect(quick.line() == #"{"answer":"taken"}"#)
  }

  @Test func `A client that asks without reading the answers is disconnected, too`() throws {
    let text = String(repeating: "x", count: 1000)
    let host = try Host { _ in .kept(text) }
    let guest = try host.guest()
    var sent = 0
    // It ends when the server does not read any more, or closes the connection.
    UnixSocket.setTimeout(guest.descriptor, seconds: 2)
    while sent < 100_000, guest.send("{\"command\":\"a\"}\n") { sent += 1 }
    #expect(eventually { host.server.tally.slowReaders == 1 })
    let other = try host.guest()
    other.send("{\"command\":\"a\"}\n")
    #expect(other.line() != nil && other.line() != nil)
  }

  @Test func `A client for which there is no room gets an answer that reports it`() throws {
    let host = try Host { _ in .taken }
    var guests = try (0..<ControlServer.mostConnections).map { _ in try host.guest() }
    for guest in guests { #expect(guest.line() != nil) }
    let last = try host.guest().rest()
    #expect(last.count == 2)
    #expect(
      last.last
        == #"{"answer":"refused","message":"32 programs are connected already; end one of them"}"#)
    guests.removeAll()
    #expect(
      eventually {
        guard let guest = try? host.guest() else { return false }
        guest.send("{\"command\":\"a\"}\n")
        return guest.line() != nil && guest.line() == #"{"answer":"taken"}"#
      })
  }

  @Test func `At the end all clients get the last lines, and no client finds the bridge any more`() throws {
    let host = try Host { _ in .watching }
    let guest = try host.guest()
    guest.send("{\"command\":\"watch\"}\n")
    #expect(guest.line() != nil && guest.line() != nil)
    host.server.publish(["event": "last"])
    host.server.finish(within: .seconds(2))
    #expect(guest.rest() == [#"{"event":"last"}"#])
    #expect(throws: Guest.Refused.self) { try host.guest() }
  }

  @Test func `A client that asks a bridge which has ended reports that`() throws {
    let host = try Host { _ in .taken }
    let client = try ControlClient(name: "host", in: host.folder.control)
    #expect(try client.ask("x") == ["answer": "taken"])
    host.server.finish(within: .seconds(2))
    for _ in 0..<2 {
      #expect {
        try client.ask("x")
      } throws: { error in "\(error)" == "the bridge \"host\" has ended; start it again" }
    }
  }

  @Test func `A client and a server understand each other`() async throws {
    let host = try Host { $0 == "watch" ? .watching : .status(["tempo": 120.5]) }
    #expect {
      try ControlClient(name: "other", in: host.folder.control)
    } throws: { error in
      "\(error)" == "no bridge called \"other\" runs; start one with: jackstay --name other"
    }
    for name in [nil, "host"] {
      let client = try ControlClient(name: name, in: host.folder.control)
      #expect(client.name == "host")
      #expect(try client.ask("status") == ["answer": "status", "tempo": 120.5])
      #expect(try client.ask("watch") == ["answer": "watching"])
      host.server.publish(["event": "a"])
      #expect(try client.nextEvent() == ["event": "a"])
    }
  }
}
