import Glibc
import Host

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

  /// The addresses of this machine's interfaces, the likeliest to be reached first, without those that no other machine
  /// can reach, or only with a zone.
  private static func interfaceHosts(isVersion6: Bool) -> [String] {
    let found = InterfaceAddress.all().compactMap { entry -> (interface: String, host: String)? in
      guard entry.address.family == (isVersion6 ? AF_INET6 : AF_INET), !entry.isLoopback,
        let host = entry.address.host, !host.hasPrefix("fe80:")
      else { return nil }
      return (entry.interface, host)
    }
    return ranked(found, defaultRoute: defaultRoute(isVersion6: isVersion6))
  }

  /// Addresses in the order in which other machines are likely to reach them: that of the default route first, link-local
  /// ones after the others, and at last those of bridges and tunnels that programs on this machine have made.
  ///
  /// - Parameters:
  ///   - found: The addresses with their interfaces.
  ///   - defaultRoute: The interface of the default route; `nil` for none.
  /// - Returns: Each address once.
  static func ranked(_ found: [(interface: String, host: String)], defaultRoute: String?) -> [String] {
    let ranks = found.map { interface, host in
      if interface == defaultRoute, !isLinkLocal(host) { return 0 }
      if virtual.contains(where: interface.hasPrefix) { return 3 }
      return isLinkLocal(host) ? 2 : 1
    }
    let order = found.indices.sorted { (ranks[$0], $0) < (ranks[$1], $1) }
    var hosts: [String] = []
    for index in order where !hosts.contains(found[index].host) { hosts.append(found[index].host) }
    return hosts
  }

  private static func isLinkLocal(_ host: String) -> Bool { host.hasPrefix("169.254.") }

  /// How the names of interfaces begin that container engines, virtual machines and VPNs make.
  private static let virtual = [
    "docker", "br-", "virbr", "veth", "vnet", "cni", "flannel", "lxc", "lxd", "podman", "vmnet", "vboxnet",
    "tun",
    "tap", "wg", "tailscale", "zt",
  ]

  /// The interface of the default route with the lowest metric, as the kernel's table has it; `nil` for none.
  private static func defaultRoute(isVersion6: Bool) -> String? {
    guard let table = fopen(isVersion6 ? "/proc/net/ipv6_route" : "/proc/net/route", "re") else { return nil }
    defer { fclose(table) }
    var lines: [String] = []
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), table) != nil {
      lines.append(String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return defaultRoute(in: lines, isVersion6: isVersion6)
  }

  /// The interface of the default route among the lines of `/proc/net/route`, or of `/proc/net/ipv6_route`; `nil` for
  /// none.
  static func defaultRoute(in lines: [String], isVersion6: Bool) -> String? {
    let routes = lines.compactMap { line -> (interface: String, metric: Int)? in
      let columns = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard columns.count >= (isVersion6 ? 10 : 8) else { return nil }
      let (target, length, interface) =
        isVersion6 ? (columns[0], columns[1], columns[9]) : (columns[1], columns[7], columns[0])
      guard target.allSatisfy({ $0 == "0" }), length.allSatisfy({ $0 == "0" }), interface != "lo" else {
        return nil
      }
      // One is in hexadecimal digits, the other is not.
      return Int(columns[isVersion6 ? 5 : 6], radix: isVersion6 ? 16 : 10).map { (interface, $0) }
    }
    return routes.min { $0.metric < $1.metric }?.interface
  }
}
