import Glibc
import Host
import Settings
import Testing

@testable import Panel

@Suite struct LocalUserTests {
  @Test func `Addresses are written as the kernel's table has them`() throws {
    let address = try #require(SocketAddress(host: "127.0.0.1", port: 8090))
    #expect(address.asInTable == "0100007F:1F9A" && address.table == "/proc/net/tcp")
    let six = try #require(SocketAddress(host: "::1", port: 80))
    #expect(six.asInTable == "00000000000000000000000001000000:0050" && six.table == "/proc/net/tcp6")
    #expect(address.host == "127.0.0.1" && six.host == "::1")
  }

  @Test func `The user is that of the line about the address, and of no other`() {
    let line =
      "   1: 0100007F:1F9A 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 31337 1 0000 20 4 30 10 -1"
    #expect(LocalUser.owner(of: "0100007F:1F9A", in: line) == 1000)
    #expect(LocalUser.owner(of: "0100007F:C350", in: line) == nil)
    for line in ["", "\n", "sl local_address rem_address st", "1: 0100007F:1F9A 0 01 0 0 0 x"] {
      #expect(LocalUser.owner(of: "0100007F:1F9A", in: line) == nil)
    }
  }

  @Test func `A connection of this process's is this user's`() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let caller = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer {
      close(listener)
      close(caller)
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    try withUnsafeMutablePointer(to: &address) { address in
      try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        try #require(bind(listener, address, size) == 0 && listen(listener, 1) == 0)
        try #require(getsockname(listener, address, &size) == 0)
        try #require(connect(caller, address, size) == 0)
        try #require(getsockname(caller, address, &size) == 0)
        #expect(LocalUser.owner(of: try #require(SocketAddress(UnsafePointer(address)))) == getuid())
      }
    }
    #expect(LocalUser.isTold)
  }

  @Test func `A link has the address and the token, and all addresses where it listens at all`() throws {
    let token = PanelToken()
    let one = try #require(ListenAddress("192.0.2.7:8090"))
    #expect(PanelLinks.all(for: one, token: token) == ["http://192.0.2.7:8090/?token=\(token.text)"])
    let six = try #require(ListenAddress("[::1]:8090"))
    #expect(PanelLinks.all(for: six, token: nil) == ["http://[::1]:8090/"])
    let all = PanelLinks.all(for: try #require(ListenAddress("0.0.0.0:8090")), token: token)
    #expect(
      !all.isEmpty && all.allSatisfy { $0.hasSuffix(":8090/?token=\(token.text)") && !$0.contains("0.0.0.0") }
    )
  }
}
