import Glibc
import Host

/// The firewalls of this machine, as far as the user who asks may know of them.
///
/// Packets show whether a firewall filters them, see ``MulticastTrial``; this has its name, and so the way to
/// open it.
enum Firewalls {
  /// The firewalls, in order; empty where none is known.
  static func found(root: String = "", chains: [InputChain] = InputChain.all()) -> [CheckupFacts.Firewall] {
    var found: [CheckupFacts.Firewall] = []
    if let text = contents("\(root)/etc/ufw/ufw.conf") {
      let line = text.split(separator: "\n").last { $0.hasPrefix("ENABLED=") }
      found.append(.init(name: "ufw", isActive: line?.lowercased().contains("yes") == true))
    }
    if access("\(root)/run/firewalld", F_OK) == 0 { found.append(.init(name: "firewalld", isActive: true)) }
    if let chain = chains.first(where: \.dropsByDefault) ?? chains.first {
      found.append(.init(name: "nftables", isActive: true, chain: chain.name))
    }
    // Root alone may read this. Programs of nftables that look like iptables are not in it.
    if let tables = contents("\(root)/proc/net/ip_tables_names"),
      tables.split(separator: "\n").contains("filter")
    {
      found.append(.init(name: "iptables", isActive: true))
    }
    return found
  }

  private static func contents(_ path: String) -> String? { SystemFile.text(at: path, limit: 256 * 1024) }
}
