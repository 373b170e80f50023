import AbletonLink
import Glibc
import Host

/// Sends packets to the groups by which Link's peers find each other, on each interface, and looks whether they
/// come back: one to Link's port, and one to a port of the receiver's own.
///
/// The second is for the measurements between peers, which go to ports that the system chooses. A packet to a group
/// comes in by the interface that it has left by, so that a firewall treats it as it treats other machines' packets.
/// Each packet says that it is no peer's: they leave it alone.
enum MulticastTrial {
  /// Where packets leave, and which group of Link's they go to.
  fileprivate enum Way {
    /// By the interface that has an address, to 224.76.78.75.
    case version4(in_addr)
    /// By the interface that has an index, to ff12::8080.
    case version6(interface: UInt32)
  }

  /// How long a packet may take, in milliseconds: it does not leave the machine.
  private static let patience: Int32 = 500

  /// The interfaces that are up and have an IPv4 address, each tried.
  static func interfaces() -> [CheckupFacts.Interface] {
    let addresses = InterfaceAddress.all()
    // Link's own condition, too: an address that is for one cable alone.
    let namesOfVersion6 = Set(addresses.filter(\.address.isLinkLocalOfVersion6).map(\.interface))
    return addresses.filter { $0.address.family == AF_INET }.map { entry in
      let name = entry.interface
      let own = entry.address.addressBytes.withUnsafeBytes { $0.loadUnaligned(as: in_addr.self) }
      let discovery = failure(on: .version4(own), port: Link.discoveryPort)
      return CheckupFacts.Interface(
        name: name, address: entry.address.host ?? "", networkBits: entry.networkBits ?? 32,
        isLoopback: entry.isLoopback,
        reachesMachines: !entry.isLoopback && !entry.isPointToPoint && !isBridgeWithoutCard(name),
        takesMulticast: entry.takesMulticast, discovery: discovery,
        measurement: discovery == nil ? failure(on: .version4(own), port: 0) : nil,
        version6: namesOfVersion6.contains(name) ? version6(of: name) : .noAddress)
    }
  }

  private static func version6(of name: String) -> CheckupFacts.Version6 {
    let way = Way.version6(interface: if_nametoindex(name))
    return (failure(on: way, port: Link.discoveryPort) ?? failure(on: way, port: 0)).map { .fails($0) }
      ?? .comesBack
  }

  /// Whether an interface is a bridge of containers' or virtual machines' alone, without a network card.
  private static func isBridgeWithoutCard(_ name: String) -> Bool {
    guard let members = SystemFile.names(in: "/sys/class/net/\(name)/brif") else { return false }
    return !members.contains {
      !$0.hasPrefix(".") && access("/sys/class/net/\($0)/device", F_OK) == 0
    }
  }

  /// Why a packet that is sent to a port, 0 for any that is free, does not come back there; `nil` if it does.
  private static func failure(on way: Way, port: UInt16) -> CheckupFacts.PacketFailure? {
    guard let group = way.group?.at(port: port) else { return .untried(reason()) }
    let receiver = socket(group.family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    let sender = socket(group.family, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { for descriptor in [receiver, sender] where descriptor >= 0 { close(descriptor) } }
    guard receiver >= 0, sender >= 0 else { return .untried(reason()) }
    Descriptor.set(SO_REUSEADDR, of: receiver, to: Int32(1))
    guard group.withPointer({ bind(receiver, $0, $1) }) == 0, way.join(receiver, to: group),
      way.leave(sender),
      let bound = SocketAddress.written(by: { getsockname(receiver, $0, $1) }).address
    else { return .untried(reason()) }
    let message = Array("jackstay doctor \(getpid()) \(way.name)".utf8)
    let sent = group.at(port: bound.port).withPointer {
      sendto(sender, message, message.count, 0, $0, $1)
    }
    guard sent == message.count else {
      // A firewall that drops what leaves says so.
      return errno == EPERM ? .filtered : .untried(reason())
    }
    return awaits(message, on: receiver) ? nil : .filtered
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

  private static func reason() -> String { String(cString: strerror(errno)).lowercased() }
}

extension MulticastTrial.Way {
  /// The group's address, without a port.
  fileprivate var group: SocketAddress? {
    switch self {
    case .version4: SocketAddress(host: Link.discoveryGroup, port: 0)
    case .version6(let interface):
      SocketAddress(host: "\(Link.discoveryGroupOfVersion6)%\(interface)", port: 0)
    }
  }

  /// The name that distinguishes packets of one kind from those of others.
  fileprivate var name: String {
    switch self {
    case .version4(let own): "from \(own.s_addr)"
    case .version6(let interface): "by \(interface)"
    }
  }

  /// Has a socket hear the group.
  fileprivate func join(_ receiver: Int32, to group: SocketAddress) -> Bool {
    group.addressBytes.withUnsafeBytes { bytes in
      switch self {
      case .version4(let own):
        let member = ip_mreq(imr_multiaddr: bytes.loadUnaligned(as: in_addr.self), imr_interface: own)
        return Descriptor.set(IP_ADD_MEMBERSHIP, at: Int32(IPPROTO_IP), of: receiver, to: member)
      case .version6(let interface):
        let member = ipv6_mreq(
          ipv6mr_multiaddr: bytes.loadUnaligned(as: in6_addr.self), ipv6mr_interface: interface)
        return Descriptor.set(IPV6_JOIN_GROUP, at: Int32(IPPROTO_IPV6), of: receiver, to: member)
      }
    }
  }

  /// Has what a socket sends leave this way.
  fileprivate func leave(_ sender: Int32) -> Bool {
    switch self {
    case .version4(let own):
      Descriptor.set(IP_MULTICAST_IF, at: Int32(IPPROTO_IP), of: sender, to: own)
    case .version6(let interface):
      Descriptor.set(IPV6_MULTICAST_IF, at: Int32(IPPROTO_IPV6), of: sender, to: Int32(bitPattern: interface))
    }
  }
}
