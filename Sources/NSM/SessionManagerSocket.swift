import Glibc
import Host

/// The UDP socket by which a session manager knows its client: all messages go through the same one.
///
/// It takes datagrams from the manager alone. For a manager on this machine the socket has an address of this
/// machine's, so that no other machine reaches the socket at all; and it has to be the same process of the
/// same user to the end: another program that takes the port of one that has ended is not obeyed.
final class SessionManagerSocket: Sendable {
  private let descriptor: Int32
  private let manager: SocketAddress
  /// The sockets that the manager had in the beginning; `nil` for a manager on another machine.
  private let holders: Set<DatagramSource.Holder>?

  /// A socket for the manager at `address`; waits for its name to be found.
  ///
  /// The corresponding C functions are `getaddrinfo`, `socket`, `connect`, `getsockname` and `bind`.
  init(_ address: SessionManagerAddress) throws(SessionManagerError) {
    guard let manager = SocketAddress(host: address.host, port: address.port) else {
      throw SessionManagerError(
        "the session manager's host \"\(address.host)\" is not known; correct NSM_URL, or unset it")
    }
    let ownAddress = manager.ownAddress
    holders = try Self.holders(of: manager, at: address, from: ownAddress)
    let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(manager.family, kind, 0)
    guard descriptor >= 0, let own = ownAddress, own.withPointer({ bind(descriptor, $0, $1) }) == 0
    else {
      let reason = String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw SessionManagerError(
        "the session manager at \(address) cannot be reached: \(reason); correct NSM_URL, or unset it")
    }
    // Where no program listens the system reports that, to a socket that is not connected only if it asks.
    let (level, option) =
      manager.family == AF_INET ? (Int32(IPPROTO_IP), IP_RECVERR) : (Int32(IPPROTO_IPV6), IPV6_RECVERR)
    Descriptor.set(option, at: level, of: descriptor, to: Int32(1))
    (self.descriptor, self.manager) = (descriptor, manager)
  }

  deinit { close(descriptor) }

  /// A datagram or event that has arrived.
  enum Arrival {
    /// A datagram of the manager's.
    case datagram([UInt8])
    /// A datagram of another program's, or nothing.
    case other
    /// Word that no program listens where the manager is to be.
    case nobody
    /// The manager has ended: its socket is gone, whatever program has its port now.
    case managerEnded
    /// The socket has ended.
    case end
  }

  /// Waits for something to arrive. The corresponding C function is `recvfrom`.
  func receive() -> Arrival {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let (count, sender) = SocketAddress.written { address, length in
      recvfrom(descriptor, &bytes, bytes.count, 0, address, length)
    }
    // Of no bytes and without a sender: the socket was shut down.
    guard count > 0 else {
      switch count == 0 ? 0 : errno {
      case ECONNREFUSED:
        forgetErrors()
        return isManagerThere ? .nobody : .managerEnded
      case EHOSTUNREACH, ENETUNREACH:
        forgetErrors()
        return .other
      case EINTR: return .other
      default: return sender == nil ? .end : .other
      }
    }
    guard let sender, sender.isOf(manager) else { return .other }
    guard let holders else { return .datagram(Array(bytes.prefix(count))) }
    let senders = DatagramSource.holders(of: sender) ?? []
    if !senders.isEmpty, senders.isSubset(of: holders) { return .datagram(Array(bytes.prefix(count))) }
    return isManagerThere ? .other : .managerEnded
  }

  /// Whether a socket that the manager had in the beginning is there still. One on another machine counts as there.
  private var isManagerThere: Bool {
    guard let holders else { return true }
    return DatagramSource.holders(of: manager)?.isDisjoint(with: holders) == false
  }

  /// The sockets of a manager on this machine, all of them this user's or root's; `nil` for one on another.
  private static func holders(
    of manager: SocketAddress, at address: SessionManagerAddress, from own: SocketAddress?
  ) throws(SessionManagerError) -> Set<DatagramSource.Holder>? {
    guard manager.isLoopback || manager.addressBytes == own?.addressBytes else { return nil }
    guard let holders = DatagramSource.holders(of: manager) else {
      throw SessionManagerError(
        "the owner of the session manager at \(address) is not in /proc/net/udp; mount /proc, or unset NSM_URL"
      )
    }
    guard !holders.isEmpty else { throw .nobody(at: address) }
    guard holders.allSatisfy({ $0.user == getuid() || $0.user == 0 }) else {
      throw SessionManagerError(
        "the session manager at \(address) belongs to another user; start jackstay from your own, or unset NSM_URL"
      )
    }
    return holders
  }

  /// Empties the queue of errors, which the system fills until the socket has no memory left.
  ///
  /// The corresponding C function is `recv` with `MSG_ERRQUEUE`.
  private func forgetErrors() {
    var byte: UInt8 = 0
    while recv(descriptor, &byte, 1, Int32(MSG_ERRQUEUE) | Int32(MSG_DONTWAIT)) >= 0 {}
  }

  /// Sends a datagram to the manager, if there is room for it. The corresponding C function is `sendto`.
  func send(_ bytes: [UInt8]) {
    manager.withPointer { address, length in
      _ = sendto(
        descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, length)
    }
  }

  /// Ends the wait of a thread for a datagram.
  ///
  /// The corresponding C function is `shutdown`, which does so though the socket is not connected.
  func end() { shutdown(descriptor, Int32(SHUT_RDWR)) }
}

extension SocketAddress {
  /// Whether it is `other`, or both are at the same port of this machine, which has many addresses.
  fileprivate func isOf(_ other: SocketAddress) -> Bool {
    guard family == other.family, port == other.port else { return false }
    return addressBytes == other.addressBytes || family == AF_INET && isLoopback && other.isLoopback
  }
}
