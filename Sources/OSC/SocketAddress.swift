import Glibc

/// Where a datagram comes from, or goes to.
struct SocketAddress: Sendable, Hashable {
  /// The kernel's `sockaddr`, as many bytes as it has.
  private(set) var bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// An address in numbers, of version 4 or 6, and a port; `nil` for anything else.
  ///
  /// The corresponding C function is `getaddrinfo`, which asks nobody for numbers.
  init?(_ address: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(address, "\(port)", &hints, &found) == 0, let first = found else { return nil }
    defer { freeaddrinfo(found) }
    bytes = Array(UnsafeRawBufferPointer(start: first.pointee.ai_addr, count: Int(first.pointee.ai_addrlen)))
  }

  /// The same machine, at another port. Both kinds of address have it at the same place.
  func at(port: UInt16) -> SocketAddress {
    guard bytes.count >= 4 else { return self }
    var other = self
    withUnsafeBytes(of: port.bigEndian) { other.bytes.replaceSubrange(2..<4, with: $0) }
    return other
  }

  /// `AF_INET` or `AF_INET6`.
  var family: Int32 {
    guard bytes.count >= 2 else { return AF_UNSPEC }
    return Int32(bytes.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
  }

  func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
    var storage = sockaddr_storage()
    withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes.prefix($0.count)) }
    return withUnsafePointer(to: &storage) { storage in
      storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(bytes.count)) }
    }
  }
}
