import AbletonLink
import Glibc

/// Sends packets to the group by which Link's peers find each other, on each interface, and looks whether they
/// come back: one to Link's port, and one to a port of the receiver's own.
///
/// The second is for the measurements between peers, which go to ports that the system chooses. A packet to a group
/// comes in by the interface that it has left by, so that a firewall treats it as it treats other machines' packets.
/// Each packet says that it is no peer's: they leave it alone.
enum MulticastTrial {
  private static let group = "224.76.78.75"
  /// How long a packet may take, in milliseconds: it does not leave the machine.
  private static let patience: Int32 = 500

  /// The interfaces that are up and have an IPv4 address, each tried. The corresponding C function is
  /// `getifaddrs`.
  static func interfaces() -> [CheckupFacts.Interface] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [CheckupFacts.Interface] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
      guard isUp, let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else {
        continue
      }
      let own = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_addr }
      let takes = entry.ifa_flags & UInt32(IFF_MULTICAST) != 0
      let name = String(cString: entry.ifa_name)
      let discovery = failure(on: own, port: Link.discoveryPort)
      found.append(
        CheckupFacts.Interface(
          name: name, address: text(of: own), networkBits: networkBits(entry.ifa_netmask),
          isLoopback: entry.ifa_flags & UInt32(IFF_LOOPBACK) != 0,
          reachesMachines: entry.ifa_flags & UInt32(IFF_LOOPBACK | IFF_POINTOPOINT) == 0
            && !isBridgeWithoutCard(name),
          takesMulticast: takes, discovery: discovery,
          measurement: discovery == nil ? failure(on: own, port: 0) : nil))
    }
    return found
  }

  private static func networkBits(_ mask: UnsafeMutablePointer<sockaddr>?) -> Int {
    guard let mask else { return 32 }
    return mask.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
      $0.pointee.sin_addr.s_addr.nonzeroBitCount
    }
  }

  /// Whether an interface is a bridge of containers' or virtual machines' alone, without a network card.
  private static func isBridgeWithoutCard(_ name: String) -> Bool {
    let members = "/sys/class/net/\(name)/brif"
    guard let folder = opendir(members) else { return false }
    defer { closedir(folder) }
    while let entry = readdir(folder) {
      let member = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !member.hasPrefix("."), access("/sys/class/net/\(member)/device", F_OK) == 0 { return false }
    }
    return true
  }

  /// Why a packet that is sent from an address to a port, 0 for any that is free, does not come back there; `nil` if
  /// it does.
  private static func failure(on own: in_addr, port: UInt16) -> CheckupFacts.PacketFailure? {
    let receiver = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let sender = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { for descriptor in [receiver, sender] where descriptor >= 0 { close(descriptor) } }
    guard receiver >= 0, sender >= 0 else { return .untried(reason()) }
    var share: Int32 = 1
    setsockopt(receiver, SOL_SOCKET, SO_REUSEADDR, &share, socklen_t(MemoryLayout<Int32>.size))
    var target = sockaddr_in()
    target.sin_family = sa_family_t(AF_INET)
    target.sin_port = port.bigEndian
    inet_pton(AF_INET, group, &target.sin_addr)
    var member = ip_mreq(imr_multiaddr: target.sin_addr, imr_interface: own)
    var own = own
    guard withAddress(target, { bind(receiver, $0, $1) }) == 0,
      setsockopt(
        receiver, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &member, socklen_t(MemoryLayout<ip_mreq>.size)) == 0,
      setsockopt(sender, Int32(IPPROTO_IP), IP_MULTICAST_IF, &own, socklen_t(MemoryLayout<in_addr>.size)) == 0
    else { return .untried(reason()) }
    target.sin_port = boundPort(of: receiver)
    let message = Array("jackstay doctor \(getpid()) \(text(of: own))".utf8)
    let sent = withAddress(target) { sendto(sender, message, message.count, 0, $0, $1) }
    guard sent == message.count else {
      // A firewall that drops what leaves says so.
      return errno == EPERM ? .filtered : .untried(reason())
    }
    return awaits(message, on: receiver) ? nil : .filtered
  }

  /// The port that a socket has, in the network's order.
  private static func boundPort(of socket: Int32) -> in_port_t {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    _ = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket, $0, &size) }
    }
    return address.sin_port
  }

  /// Waits for a packet among those of peers.
  private static func awaits(_ message: [UInt8], on receiver: Int32) -> Bool {
    let end = ContinuousClock.now + .milliseconds(Int(patience))
    var bytes = [UInt8](repeating: 0, count: 2048)
    while ContinuousClock.now < end {
      var wish = pollfd(fd: receiver, events: Int16(POLLIN), revents: 0)
      guard poll(&wish, 1, patience) > 0 else { return false }
      let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT))
      if count >= 0, Array(bytes[..<count]) == message { return true }
    }
    return false
  }

  private static func withAddress<Value>(
    _ address: sockaddr_in, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Value
  ) -> Value {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  private static func text(of address: in_addr) -> String {
    // The address is kept in the network's order, its first byte first.
    withUnsafeBytes(of: address.s_addr) { $0.map { "\($0)" }.joined(separator: ".") }
  }

  private static func reason() -> String { String(cString: strerror(errno)).lowercased() }
}
