import Glibc

extension Link {
  /// The UDP port by which peers find each other.
  public static var discoveryPort: UInt16 { 20808 }

  /// The group to which peers send by IPv4 what others are to find them by.
  public static var discoveryGroup: String { "224.76.78.75" }

  /// The same by IPv6, which needs the interface behind it.
  public static var discoveryGroupOfVersion6: String { "ff12::8080" }

  /// Throws ``LinkError/portTaken(_:)`` when another program keeps ``discoveryPort`` to itself.
  ///
  /// Link itself does not report that: it goes on without ever finding a peer. Takes and gives back the port
  /// as Link does, sharing it, so that other peers on this machine do not notice. Thread-safe. Realtime-safe:
  /// no.
  public static func checkDiscoveryPort() throws(LinkError) {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    // Link reports all other faults of sockets.
    guard socket >= 0 else { return }
    defer { close(socket) }
    var share: Int32 = 1
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &share, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = discoveryPort.bigEndian
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(socket, address, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 || errno != EADDRINUSE else { throw .portTaken(discoveryPort) }
  }
}
