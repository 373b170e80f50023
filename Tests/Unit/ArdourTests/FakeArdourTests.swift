import Glibc
import Host
import Stage
import Testing

@Suite struct FakeArdourTests {
  /// Descriptors of the process have the least number that is free, in whichever test.
  @Test func `A stand-in that goes ends no connections but its own`() throws {
    var ardour: FakeArdour? = FakeArdour { _ in }
    let port = try #require(ardour?.port)
    let address = try #require(SocketAddress(host: "127.0.0.1", port: port))
    for _ in 0..<8 {
      let guest = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      defer { close(guest) }
      try #require(address.withPointer { connect(guest, $0, $1) } == 0)
      var byte: UInt8 = 0
      #expect(recv(guest, &byte, 1, 0) == 0)
    }
    var others: [Int32] = []
    for _ in 0..<32 {
      var ends: [Int32] = [-1, -1]
      try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
      others += ends
    }
    defer { for end in others { close(end) } }
    ardour = nil
    for end in others { #expect(send(end, "x", 1, Int32(MSG_NOSIGNAL)) == 1) }
  }
}
