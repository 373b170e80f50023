import Host

/// Which machines have proved that they receive datagrams at their address.
///
/// A sender's address in a datagram of UDP can be any. So a machine gets nothing but a number, in a datagram
/// no larger than its own, until it has sent that number back. The number follows from the address and from a
/// secret: nothing is kept of machines that have not proved themselves. This machine need not: no other
/// machine can send from its loopback addresses.
struct OSCProofs: Sendable {
  /// How many machines there may be; the one that proved itself first is forgotten for another.
  static let most = 64
  /// As many as a `f` holds exactly: many controllers have no other numbers.
  private static let range: Range<Int32> = 1..<(1 << 24)

  private let secret = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
  private var machines: [[UInt8]] = []

  /// The number for the machine of an address.
  func number(for address: SocketAddress) -> Int32 {
    var hasher = Hasher()
    hasher.combine(secret.0)
    hasher.combine(secret.1)
    hasher.combine(Array(address.addressBytes))
    return Self.range.lowerBound
      + Int32(UInt(bitPattern: hasher.finalize()) % UInt(Self.range.count))
  }

  /// Whether the machine of an address has proved that it receives datagrams there.
  func isProved(_ address: SocketAddress) -> Bool {
    address.isLoopback || machines.contains(Array(address.addressBytes))
  }

  /// Takes the number that an address has sent back; returns whether it is the one that it was sent.
  mutating func proved(_ address: SocketAddress, by number: Int32) -> Bool {
    guard number == self.number(for: address) else { return false }
    guard !isProved(address) else { return true }
    if machines.count >= Self.most { machines.removeFirst() }
    machines.append(Array(address.addressBytes))
    return true
  }
}
