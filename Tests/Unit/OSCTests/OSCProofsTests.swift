import Glibc
import Host
import Testing

@testable import OSC

/// The proof that a machine has to give before it is answered.
@Suite struct OSCProofsTests {
  private func address(_ host: String, _ port: UInt16 = 9000) throws -> SocketAddress {
    try #require(SocketAddress(host: host, port: port))
  }

  @Test func `A machine has proved that it receives when it has sent back the number of its address`() throws
  {
    var proofs = OSCProofs()
    let (one, other) = (try address("192.168.1.20"), try address("192.168.1.21"))
    #expect(!proofs.isProved(one) && proofs.number(for: one) != proofs.number(for: other))
    // A float has it exactly.
    #expect(Int32(exactly: Float(proofs.number(for: one))) == proofs.number(for: one))
    let wrong = proofs.proved(one, by: proofs.number(for: other))
    #expect(!wrong && !proofs.isProved(one))
    let right = proofs.proved(try address("192.168.1.20", 4711), by: proofs.number(for: one))
    #expect(right && proofs.isProved(one) && !proofs.isProved(other))
    #expect(OSCProofs().number(for: one) != proofs.number(for: one), "each run has a secret of its own")
  }

  @Test func `This machine need not prove anything by its loopback addresses`() throws {
    let proofs = OSCProofs()
    for host in ["127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"] {
      #expect(proofs.isProved(try address(host)), "\(host)")
    }
    for host in ["128.0.0.1", "0.0.0.0", "::", "fe80::1", "::ffff:10.0.0.1", "::2"] {
      #expect(!proofs.isProved(try address(host)), "\(host)")
    }
  }

  @Test func `So many messages a second are taken of each source, and the others are none the worse`() {
    var rate = OSCRate<String>(limit: 100)
    let start = ContinuousClock.now
    let first = (0..<1000).count { _ in rate.takes(1, from: "flood", at: start) }
    #expect(first == 100)
    let later = (0..<1000).count { _ in rate.takes(1, from: "flood", at: start + .milliseconds(500)) }
    #expect(later == 50)
    let isOtherTaken = rate.takes(64, from: "other", at: start)
    #expect(isOtherTaken)
    let isAllTaken = rate.takes(101, from: "third", at: start)
    #expect(!isAllTaken)
    for source in 0..<10_000 { _ = rate.takes(1, from: "\(source)", at: start + .milliseconds(source)) }
    let isAnyTaken = rate.takes(100, from: "flood", at: start + .seconds(20))
    #expect(isAnyTaken)
  }
}
