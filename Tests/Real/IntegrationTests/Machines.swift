import Foundation
import Glibc
import Stage
import Testing

/// Networks of several machines, in namespaces inside one of their own.
enum Machines {
  /// Whether the programs that make them are installed.
  static let areThere = ["/usr/sbin/nft", "/usr/bin/unshare", "/usr/bin/nsenter"].allSatisfy {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  /// The lines that a script prints in such a network.
  ///
  /// `machine NAME ADDRESS` makes a machine: a namespace with the interface `card`, and a cable to all others. `on NAME COMMAND`
  /// runs a command there, `peer NAME BPM` a peer until the script ends, `peers NAME` and `doctor NAME` the commands of
  /// `jackstay`, with JSON, and `wall NAME` a firewall that lets in port 20808 alone.
  static func lines(of script: String, _ environment: [String: String?]) throws -> [String] {
    let child = try Child(
      "/usr/bin/unshare",
      (geteuid() == 0 ? [] : ["--user", "--map-root-user"])
        + ["--net", "--pid", "--fork", "--mount-proc", "sh", "-ec", tools + script],
      environment: environment.merging([
        "HOME": "/nowhere", "XDG_CONFIG_HOME": nil, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
      ]) { $1 })
    let status = try child.wait(timeout: .seconds(120))
    #expect(status == .exited(0), "\(child.text(of: .errors))")
    return child.lines()
  }

  private static let tools = """
    ip link set lo up
    ip link add hub type bridge mcast_snooping 0
    ip link set hub up
    machine() {
      unshare --net sleep 120 &
      eval pid_$1=$!
      while [ "$(readlink /proc/$!/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.01; done
      ip link add cable_$1 type veth peer name card netns $!
      ip link set cable_$1 master hub up
      on $1 ip link set lo up
      on $1 ip address add $2 dev card
      on $1 ip link set card up
    }
    wall() {
      on $1 nft add table inet wall
      on $1 nft 'add chain inet wall in { type filter hook input priority 0; policy drop; }'
      on $1 nft add rule inet wall in iif lo accept
      on $1 nft add rule inet wall in udp dport 20808 accept
    }
    on() { eval "local pid=\\$pid_$1"; shift; nsenter --net=/proc/$pid/ns/net "$@"; }
    peer() { { echo "enable 1"; sleep 120; } | on $1 \(Products.path("linkprobe")) -b $2 --no-jack > /dev/null & }
    peers() { local machine=$1; shift; on $machine \(Products.path("jackstay")) peers --json "$@" || true; }
    doctor() { on $1 \(Products.path("jackstay")) doctor --json || true; }

    """
}
