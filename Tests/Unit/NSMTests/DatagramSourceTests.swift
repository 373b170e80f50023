import Glibc
import Host
import Testing

@testable import NSM

/// Which sockets of this machine a datagram can have come from.
@Suite struct DatagramSourceTests {
  @Test func `A line of the table has owner and inode for its own address and for all addresses`() {
    let line =
      "  12: 0100007F:2C17 00000000:0000 07 00000000:00000000 00:00000000 00000000  1000        0 4711 2 0 0"
    let any = line.replacing("0100007F", with: "00000000")
    let holder = DatagramSource.Holder(inode: 4711, user: 1000)
    // The table has words of the machine's own order.
    guard UInt16(1).littleEndian == 1 else { return }
    #expect(DatagramSource.holder(of: [127, 0, 0, 1], port: 0x2C17, in: line) == holder)
    #expect(DatagramSource.holder(of: [127, 0, 1, 1], port: 0x2C17, in: any) == holder)
    #expect(DatagramSource.holder(of: [127, 0, 0, 2], port: 0x2C17, in: line) == nil)
    #expect(DatagramSource.holder(of: [127, 0, 0, 1], port: 0x2C18, in: line) == nil)
    for rubbish in ["", "sl local_address", String(line.prefix(60)), "12: 0100007F 0 0 0 0 0 0 0 0 0"] {
      #expect(DatagramSource.holder(of: [127, 0, 0, 1], port: 0x2C17, in: rubbish) == nil)
    }
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `A socket is found at its own address, is this user's, and differs from the next at its port`(
    host: String
  ) throws {
    var inodes: [UInt64] = []
    var port: UInt16 = 0
    for _ in 0..<2 {
      let address = try #require(SocketAddress(host: host, port: port))
      let descriptor = socket(address.family, Int32(SOCK_DGRAM.rawValue), 0)
      #expect(address.withPointer { bind(descriptor, $0, $1) } == 0)
      let own = try #require(SocketAddress.written { getsockname(descriptor, $0, $1) }.address)
      let holders = try #require(DatagramSource.holders(of: own))
      #expect(holders.map(\.user) == [getuid()])
      inodes += holders.map(\.inode)
      port = own.port
      close(descriptor)
      #expect(DatagramSource.holders(of: own) == [])
    }
    #expect(Set(inodes).count == 2)
  }
}
