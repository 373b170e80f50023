import Glibc
import Host

/// The UDP socket by which a session manager knows its client: all that is said goes through the same one.
///
/// It takes what comes from the manager alone. A manager on this machine is talked to by an address of this
/// machine's, so that nobody outside reaches the socket at all.
final class SessionManagerSocket: Sendable {
  private let descriptor: Int32
  private let manager: SocketAddress

  /// A socket for the manager at `address`; waits for its name to be found.
  ///
  /// The corresponding C functions are `getaddrinfo`, `socket`, `connect`, `getsockname` and `bind`.
  init(_ address: SessionManagerAddress) throws(SessionManagerError) {
    guard let manager = SocketAddress(host: address.host, port: address.port) else {
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
    let (count, sender) = SocketAddress.written { address, length in
      recvfrom(descriptor, &bytes, bytes.count, 0, address, length)
    }
    // Of no bytes from nobody: somebody has ended it.
    guard count > 0 else {
      switch count == 0 ? 0 : errno {
      case ECONNREFUSED: return .nobody
      case EINTR, EHOSTUNREACH, ENETUNREACH: return .other
      default: return sender == nil ? .end : .other
      }
    }
    return sender?.isOf(manager) == true ? .datagram(Array(bytes.prefix(count))) : .other
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

extension SocketAddress {
  /// The address of this machine's from which that one is reached, at any port.
  fileprivate var ownAddress: SocketAddress? {
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard withPointer({ connect(descriptor, $0, $1) }) == 0 else { return nil }
    let (code, own) = SocketAddress.written { getsockname(descriptor, $0, $1) }
    return code == 0 ? own?.at(port: 0) : nil
  }

  /// Whether it is `other`, or both are at the same port of this machine, which has many addresses.
  fileprivate func isOf(_ other: SocketAddress) -> Bool {
    guard family == other.family, port == other.port else { return false }
    return addressBytes == other.addressBytes
      || family == AF_INET && addressBytes.first == 127 && other.addressBytes.first == 127
  }
}
