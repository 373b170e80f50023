import Glibc
import Host
import Settings

/// How people get to a panel.
enum PanelLinks {
  /// The links for a panel at `address`, the likeliest first: where it listens at all of the machine's addresses, one
  /// for each.
  static func all(for address: ListenAddress, token: PanelToken?) -> [String] {
    let hosts = address.isAny ? interfaceHosts(isVersion6: address.isVersion6) : [address.host]
    // Without a network there is this machine.
    let reached = hosts.isEmpty ? [address.isVersion6 ? "::1" : "127.0.0.1"] : hosts
    return reached.map { host in
      let server = host.contains(":") ? "[\(host)]" : host
      return "http://\(server):\(address.port)/" + (token.map { "?token=\($0.text)" } ?? "")
    }
  }

  /// The addresses of what this machine has, without those that no other can reach, or only with a zone. The
  /// corresponding C function is `getifaddrs`.
  private static func interfaceHosts(isVersion6: Bool) -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var hosts: [String] = []
    var next = list
    while let interface = next {
      next = interface.pointee.ifa_next
      guard let address = interface.pointee.ifa_addr,
        Int32(address.pointee.sa_family) == (isVersion6 ? AF_INET6 : AF_INET),
        interface.pointee.ifa_flags & UInt32(IFF_UP) != 0,
        interface.pointee.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
        let host = SocketAddress(address)?.host, !host.hasPrefix("fe80:"), !hosts.contains(host)
      else { continue }
      hosts.append(host)
    }
    return hosts
  }
}
