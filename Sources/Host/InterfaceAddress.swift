import Glibc

/// An address of one of this machine's network interfaces.
///
/// Thread-safe. Realtime-safe: no.
public struct InterfaceAddress: Sendable {
  /// The interface's name.
  public let interface: String
  /// The address, without a port.
  public let address: SocketAddress
  /// How many bits of the address are the network's; `nil` where the system does not report that.
  public let networkBits: Int?
  private let flags: UInt32

  /// Those of all interfaces that are up, in the system's order. The corresponding C function is `getifaddrs`.
  public static func all() -> [InterfaceAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    return sequence(first: list) { $0?.pointee.ifa_next }.compactMap {
      $0.flatMap { InterfaceAddress($0.pointee) }
    }
  }

  private init?(_ entry: ifaddrs) {
    guard entry.ifa_flags & UInt32(IFF_UP) != 0, let address = SocketAddress(entry.ifa_addr) else {
      return nil
    }
    interface = String(cString: entry.ifa_name)
    self.address = address
    networkBits = SocketAddress(entry.ifa_netmask)?.addressBytes.reduce(0) { $0 + $1.nonzeroBitCount }
    flags = entry.ifa_flags
  }

  /// Whether no other machine is reached by the interface.
  public var isLoopback: Bool { flags & UInt32(IFF_LOOPBACK) != 0 }
  /// Whether one other machine at most is reached by it.
  public var isPointToPoint: Bool { flags & UInt32(IFF_POINTOPOINT) != 0 }
  /// Whether the interface says that it takes datagrams to groups.
  public var takesMulticast: Bool { flags & UInt32(IFF_MULTICAST) != 0 }
}
