import Glibc

/// The UDP socket by which a session manager knows its client: all that is said goes through the same one.
///
/// It takes what comes from the manager alone. A manager on this machine is talked to by an address of this
/// machine's, so that nobody outside reaches the socket at all.
final class SessionManagerSocket: Sendable {
  private let descriptor: Int32
  private let manager: Address

  /// A socket for the manager at `address`; waits for its name to be found.
  ///
  /// The corresponding C functions are `getaddrinfo`, `socket`, `connect`, `getsockname` and `bind`.
  init(_ address: SessionManagerAddress) throws(SessionManagerError) {
    guard let manager = Address(of: address.host, port: address.port) else {
      throw SessionManagerError(
        "the session manager's host \"\(address.host)\" is not known; correct NSM_URL, or unset it")
    }
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(manager.family, kind, 0)
    guard descriptor >= 0, let own = manager.ownAddress, own.withPointer({ bind(descriptor, $0, $1) }) == 0
    else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw SessionManagerError(
        "the session manager at \(address) cannot be reached: \(reason); correct NSM_URL, or unset it")
    }
    // Where nobody listens the system says so, to a socket that is not connected only if it asks.
    var wants: Int32 = 1
    let (level, option) =
      manager.family == AF_INET ? (Int32(IPPROTO_IP), IP_RECVERR) : (Int32(IPPROTO_IPV6), IPV6_RECVERR)
    setsockopt(descriptor, level, option, &wants, socklen_t(MemoryLayout<Int32>.size))
    (self.descriptor, self.manager) = (descriptor, manager)
  }

  deinit { close(descriptor) }

  /// What has arrived.
  enum Arrival {
    /// A datagram of the manager's.
    case datagram([UInt8])
    /// A datagram of somebody else's, or nothing.
    case other
    /// That nobody listens where the manager is to be.
    case nobody
    /// The socket has ended.
    case end
  }

  /// Waits for something to arrive. The corresponding C function is `recvfrom`.
  func receive() -> Arrival {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    var sender = Address()
    let count = sender.withMutablePointer { address, length in
      recvfrom(descriptor, &bytes, bytes.count, 0, address, length)
    }
    // Of no bytes from nobody: somebody has ended it.
    guard count > 0 else {
      switch count == 0 ? 0 : errno {
      case ECONNREFUSED: return .nobody
      case EINTR, EHOSTUNREACH, ENETUNREACH: return .other
      default: return sender.family == AF_UNSPEC ? .end : .other
      }
    }
    return sender.isOf(manager) ? .datagram(Array(bytes.prefix(count))) : .other
  }

  /// Sends a datagram to the manager, if there is room for it. The corresponding C function is `sendto`.
  func send(_ bytes: [UInt8]) {
    manager.withPointer { address, length in
      _ = sendto(
        descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, length)
    }
  }

  /// Has whoever waits for something to arrive wait no longer.
  ///
  /// The corresponding C function is `shutdown`, which does so though the socket is connected to nobody.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

/// A host and a port, as the kernel has them.
private struct Address: Sendable {
  private var storage = sockaddr_storage()
  private var length = socklen_t(MemoryLayout<sockaddr_storage>.size)

  /// Room for one.
  init() {}

  /// Where a host is; of several the first of version 4, which session managers listen at.
  init?(of host: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_flags = AI_NUMERICSERV
    hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    let found = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap(\.self)
    guard let one = found.first(where: { $0.pointee.ai_family == AF_INET }) ?? found.first else { return nil }
    length = one.pointee.ai_addrlen
    withUnsafeMutableBytes(of: &storage) {
      $0.copyBytes(from: UnsafeRawBufferPointer(start: one.pointee.ai_addr, count: Int(length)))
    }
  }

  var family: Int32 { Int32(storage.ss_family) }

  /// The address of this machine's from which that one is reached, at any port.
  var ownAddress: Address? {
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var own = Address()
    guard withPointer({ connect(descriptor, $0, $1) }) == 0,
      own.withMutablePointer({ getsockname(descriptor, $0, $1) }) == 0
    else { return nil }
    // Both kinds of address have their port there.
    withUnsafeMutableBytes(of: &own.storage) { $0[2..<4].copyBytes(from: [0, 0]) }
    return own
  }

  /// Whether it is `other`, or both are at the same port of this machine, which has many addresses.
  func isOf(_ other: Address) -> Bool {
    guard family == other.family else { return false }
    let (mine, its) = (parts, other.parts)
    return mine.port == its.port
      && (mine.host == its.host || family == AF_INET && mine.host.first == 127 && its.host.first == 127)
  }

  private var parts: (port: [UInt8], host: [UInt8]) {
    withUnsafeBytes(of: storage) { bytes in
      (Array(bytes[2..<4]), Array(family == AF_INET ? bytes[4..<8] : bytes[8..<24]))
    }
  }

  func withPointer<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) -> Value {
    withUnsafePointer(to: storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
  }

  mutating func withMutablePointer<Value>(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Value
  ) -> Value {
    withUnsafeMutablePointer(to: &storage) { [length] pointer in
      var length = length
      return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
    }
  }
}
