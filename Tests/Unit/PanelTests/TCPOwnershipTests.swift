import Control
import Glibc
import Host
import Patience
import Testing
import Web

@testable import Panel

/// Whose connections are accepted by a panel that is for its own user.
@Suite(.serialized) struct TCPOwnershipTests {
  private static let other: UInt32 = 1002

  private func panel(_ address: String, port: UInt16) throws -> PanelHost {
    let server = try PanelServer(at: try #require(ListenAddress("\(address):\(port)")))
    try #require(server.links == ["http://\(address):\(port)/"])
    return PanelHost(server) { _ in .taken }
  }

  private func isLetIn(_ guest: WebGuest) -> Bool {
    guest.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    return guest.answer().status == 200
  }

  @Test func `The owner gets in by sockets of both versions of IP, also after the end of the request`()
    throws
  {
    let host = try panel("127.0.0.1", port: 8094)
    for number in 0..<100 { #expect(isLetIn(try WebGuest(port: 8094, isMapped: number % 2 == 0))) }
    let guest = try WebGuest(port: 8094)
    guest.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    guest.endSending()
    #expect(guest.answer().status == 200)
    #expect(host.server.tally.strangers == 0)
  }

  @Test func `The owner gets in at an address of IP version 6`() throws {
    let host = try panel("[::1]", port: 8095)
    let caller = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(caller) }
    let address = try #require(SocketAddress(host: "::1", port: 8095))
    try #require(address.withPointer { connect(caller, $0, $1) } == 0)
    let request = Array("GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n".utf8)
    #expect(send(caller, request, request.count, 0) == request.count)
    var answer = [UInt8](repeating: 0, count: 12)
    #expect(recv(caller, &answer, 12, Int32(MSG_WAITALL)) == 12)
    #expect(String(decoding: answer, as: UTF8.self) == "HTTP/1.1 200")
    #expect(host.server.tally.strangers == 0)
  }

  @Test func `The other end of a connection has no owner once its program has closed it`() throws {
    let ownership = try #require(TCPOwnership())
    let place = try #require(ListenAddress("8096"))
    let listener = try ListeningSocket(at: place)
    let guest = try WebGuest(port: 8096, from: 21_000)
    let first = listener.accept()
    let (connection, peer) = try #require(first)
    defer { close(connection) }
    #expect(peer.port == 21_000)
    #expect(ownership.ownerOfPeer(of: connection, at: peer) == .user(getuid()))
    #expect(ownership.ownerOfPeer(of: connection, at: peer.at(port: 21_001)) == .unknown)
    var next: WebGuest? = try WebGuest(port: 8096, from: 21_001)
    let second = listener.accept()
    let (closed, end) = try #require(second)
    defer { close(closed) }
    next?.send("x")
    next = nil
    #expect(ownership.ownerOfPeer(of: closed, at: end) == .unknown)
    guest.end()
  }

  @Test(.enabled(if: WebGuest.canBeOthers, "only root can connect as another user"))
  func `No other user gets in by a port that the owner has, too, and the owner is never refused`() throws {
    let host = try panel("127.0.0.1", port: 8097)
    let place = try #require(ListenAddress("8098"))
    let elsewhere = try ListeningSocket(at: place)
    var tries = 0
    for run in 0..<6 as Range<UInt16> {
      for port in (22_000 + 100 * run..<22_008 + 100 * run) {
        // The owner is connected with something else from this port, and the other user with the panel.
        let held = try WebGuest(port: 8098, from: port)
        #expect(!isLetIn(try WebGuest(port: 8097, from: port, as: Self.other)))
        #expect(isLetIn(try WebGuest(port: 8097, from: port + 10)))
        held.end()
        // And the other way round.
        let others = try WebGuest(port: 8098, from: port + 20, as: Self.other)
        #expect(isLetIn(try WebGuest(port: 8097, from: port + 20)))
        others.end()
        // A port that a connection has just been closed on.
        var first: WebGuest? = try WebGuest(port: 8098, from: port + 30, as: Self.other)
        first?.end()
        first = nil
        while let (connection, _) = elsewhere.accept() { close(connection) }
        #expect(!isLetIn(try WebGuest(port: 8097, from: port + 30, as: Self.other)))
        tries += 2
      }
    }
    #expect(eventually { host.server.tally.strangers == tries }, "\(host.server.tally.strangers) of \(tries)")
  }
}
